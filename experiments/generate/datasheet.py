"""`DATASHEET.md`: what a dataset is, how it was made, and its uses and limits."""

import textwrap

from prum.experiments.generate.contents import CONTENTS, columns_of, stem_of
from prum.experiments.generate.description import NAME, RUNS, Description
from prum.simulator.model.errors import shown

_KINDS = {
    "flat": "elements that nothing ties together",
    "web": "pages of communities that link to each other",
    "xml": "documents of nested sections and paragraphs",
    "video": "videos, each a line of scenes",
    "chunks": "pages cut into chunks, which overlap where the stride is less than their words",
}


# Run in the folder of a dataset.
VERIFY = "prum generate --verify ."


def datasheet(description: Description) -> str:
    """Return the datasheet, in Markdown, after Gebru and others (2021)."""
    counts, dials = description.counts, description.specification
    made_with = description.made_with
    kind = dials["collection"]["kind"]
    scores = next(name for name in description.files if stem_of(name) == "scores")
    sections = [
        "Composition", "True scores", "How it was made", "Uses", "Distribution and maintenance",
    ]  # fmt: skip
    lines = [
        f"# {_plain(description.name)}",
        "",
        *_paragraph(
            f"This folder is a made test collection with known true scores: "
            f"{_count(counts.elements, 'element')} ({_KINDS[kind]}), "
            f"{_count(counts.topics, 'topic')}, and the ranked lists of "
            f"{_count(len(description.systems), 'system')}. Use it to grade measures, estimators, "
            "significance tests and studies: what they should find is known."
        ),
        *_paragraph(" ".join([*_known(description), *_error_of_prum(description)])),
        *_paragraph(
            "Nobody was observed for it, and nothing in it means anything: elements have ids, "
            "places and lengths, but no text."
        ),
        *(f"- [{name}](#{name.lower().replace(' ', '-')})" for name in sections),
        "",
        "## Composition",
        "",
        "| what | number |",
        "|---|---|",
        f"| elements | {counts.elements:,} |",
        f"| {'communities' if kind == 'web' else 'documents'} | {counts.places:,} |",
        *([f"| links | {counts.links:,} |"] if counts.links else []),
        f"| topics | {counts.topics:,} |",
        f"| ideals, of all topics | {counts.ideals:,} |",
        f"| systems | {len(description.systems):,} |",
        *([f"| events of the log | {counts.events:,} |"] if counts.events else []),
        "",
        "| file | what it holds | rows or lines |",
        "|---|---|---|",
        *_files(description),
        "",
        "### Columns",
        "",
        *_paragraph(
            "Columns of tables, and keys of JSON. A number is the place in a line of a file whose "
            "columns have no names: blanks stand between them."
        ),
        "| file | column | meaning |",
        "|---|---|---|",
        *_columns(description),
        "",
        "## True scores",
        "",
        *_paragraph(
            "Means over topics, by the complete judgements; each topic’s stand in "
            f"{scores}. ± is one standard error over simulated users; a score without it is "
            "computed. "
            "Strength is how well a system tells ideals apart, in units of a distractor’s noise."
        ),
        *_paragraph(
            "ExactPRUM is E[CL(r)] / E[C(r)], a ratio of expectations, in the mean over recall "
            "values r; PRUM is the published approximation of it."
        ),
        *_scores(description),
        "",
        "## How it was made",
        "",
        *_paragraph(
            f"By prum {description.version} with seed {description.seed}, from the specification "
            "in dataset.json, whose dials stand below. In this folder, the following command makes "
            "it again elsewhere and compares every byte:"
        ),
        "```sh",
        VERIFY,
        "```",
        "",
        *(
            line
            for name, version in made_with.items()
            for line in _paragraph(f"Its bytes depend on {name} {version}, too.")
        ),
        "| dial | value |",
        "|---|---|",
        *_dials(dials),
        "",
        "## Uses",
        "",
        *_paragraph(
            "Fit for grading estimators of effectiveness and of browsing, significance tests and "
            "pools. Not fit for training retrieval, or for judging it by content: there is none."
        ),
        *_paragraph(
            "What is found here holds where the dials are as they are. `prum study realism` says "
            "how far that is from a collection of your own."
        ),
        "## Distribution and maintenance",
        "",
        "Nothing in it is about people. It needs no upkeep: the specification gives it back.",
        "",
    ]
    return "\n".join(lines)


def _paragraph(text: str) -> list[str]:
    """Return the lines of a paragraph, and the empty one after it."""
    return [*textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False), ""]


def _count(number: int, noun: str) -> str:
    """Return a number of things.

    >>> _count(1, "topic"), _count(2_000, "element")
    ('1 topic', '2,000 elements')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _joined(names: list[str]) -> str:
    """Return names as they stand in a sentence.

    >>> _joined(["AP"]), _joined(["PRUM", "AP", "nDCG"])
    ('AP', 'PRUM, AP and nDCG')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _known(description: Description) -> list[str]:
    """Return how true scores are known, in sentences."""
    errors = dict[str, float]()
    computed = dict[str, None]()
    for system in description.systems.values():
        for measure, score in system.scores.items():
            if score.method == "simulated":
                errors[measure] = max(score.error, errors.get(measure, 0.0))
            else:
                computed[measure] = None
    exact = [measure for measure in computed if measure not in errors]
    return [
        *(
            [f"True scores by {_joined(exact)} are computed, off by rounding alone."]
            if exact
            else []
        ),
        *(
            f"True scores by {measure} come from simulated users, on some topics at least; the "
            f"largest standard error of a system’s mean is {error:.5f}."
            for measure, error in errors.items()
        ),
    ]


def _error_of_prum(description: Description) -> list[str]:
    """Return how right PRUM is here, in a sentence, if its scores and the true ones are known."""
    errors = {
        name: system.scores["PRUM"].mean - system.scores["ExactPRUM"].mean
        for name, system in description.systems.items()
        if {"PRUM", "ExactPRUM"} <= set(system.scores)
    }
    if not errors:
        return []
    worst = max(errors, key=lambda name: abs(errors[name]))
    size = f"{abs(errors[worst]):.5f}"
    if not float(size):
        return ["PRUM is right here: to five digits, its means over topics are those of ExactPRUM."]
    side = "above" if errors[worst] > 0 else "below"
    return [
        f"PRUM is at most {size} off in its means over topics: {side} ExactPRUM, the true value, "
        f"for system {_plain(worst)}."
    ]


def _files(description: Description) -> list[str]:
    """Return a row for each file, all runs in one."""
    total = sum(
        file.rows or 0 for name, file in description.files.items() if stem_of(name) == f"{RUNS}/"
    )
    rows = []
    for name in _names(description):
        number = total if name == f"{RUNS}/" else None
        if name in description.files:
            number = description.files[name].rows
        what = CONTENTS[stem_of(name)].what
        rows.append(f"| {_plain(name)} | {what} | {'' if number is None else f'{number:,}'} |")
    return rows


def _names(description: Description) -> list[str]:
    """Return the names of all files but this, all runs in one."""
    others = sorted(name for name in description.files if stem_of(name) != f"{RUNS}/")
    return [f"{RUNS}/", *others, NAME]


def _columns(description: Description) -> list[str]:
    """Return a row for each column of each file; of files that are alike, once."""
    rows, told = list[str](), set[str]()
    for name in _names(description):
        stem = stem_of(name)
        if stem in told:
            continue
        told.add(stem)
        form = CONTENTS[stem].form
        num_intents = description.specification["topics"]["intents"]
        for place, (column, meaning) in enumerate(columns_of(name, num_intents).items(), start=1):
            shown_column = f"{place}: {column}" if form else column
            rows.append(f"| {_plain(name)} | {shown_column} | {_plain(meaning)} |")
    return rows


def _scores(description: Description) -> list[str]:
    first = next(iter(description.systems.values()))
    measures = list(first.scores)
    rows = [
        f"| system | strength | {' | '.join(measures)} |",
        f"|---|---|{'---|' * len(measures)}",
    ]
    for name, system in description.systems.items():
        cells = [
            f"{score.mean:.5f}" + (f" ± {score.error:.5f}" if score.error else "")
            for score in system.scores.values()
        ]
        rows.append(f"| {_plain(name)} | {system.strength:.4f} | {' | '.join(cells)} |")
    return rows


def _dials(table: object, path: str = "") -> list[str]:
    """Return a row for each dial that is set."""
    rows: list[str] = []
    if isinstance(table, dict):
        for name, value in table.items():
            rows += _dials(value, f"{path}.{name}" if path else name)
    elif isinstance(table, list) and table and isinstance(table[0], dict):
        for number, value in enumerate(table):
            rows += _dials(value, f"{path}[{number}]")
    elif table is not None:
        text = ", ".join(map(str, table)) if isinstance(table, list) else table
        rows.append(f"| {path} | {_plain(text if isinstance(text, str) else shown(text))} |")
    return rows


def _plain(text: str) -> str:
    """Return a text that cannot end a cell or a line of Markdown."""
    return " ".join(text.replace("|", "\\|").split())
