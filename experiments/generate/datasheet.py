"""`DATASHEET.md`: what a dataset is, how it was made, and its uses and limits."""

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


def datasheet(description: Description) -> str:
    """Return the datasheet, in Markdown, by the headings of Gebru and others (2021)."""
    counts, dials = description.counts, description.specification
    made_with = description.made_with
    kind = dials["collection"]["kind"]
    lines = [
        f"# {_plain(description.name)}",
        "",
        f"A made test collection of kind {kind}: {_KINDS[kind]}. Its truth is known.",
        "",
        "## Motivation",
        "",
        "To grade measures, estimators and studies by data whose true scores are known. Nobody was",
        "observed for it, and nothing in it means anything: elements have ids, places and lengths,",
        "no text.",
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
        "| file | what it holds | rows |",
        "|---|---|---|",
        *_files(description),
        "",
        "### Columns",
        "",
        "Of tables, keys of JSON lines and of dataset.json, and places in lines of text:",
        "",
        "| file | column | meaning |",
        "|---|---|---|",
        *_columns(description),
        "",
        "## True scores",
        "",
        "Means over topics by the complete judgements. Computed scores are off by rounding alone;",
        "± is one standard error over simulated users. ExactPRUM is E[CL(r)] / E[C(r)], a ratio of",
        "expectations, in the mean over recall values r; PRUM is the published approximation.",
        "",
        *_scores(description),
        "",
        "## How it was made",
        "",
        f"By prum {description.version}, seed {description.seed}, from the specification in "
        "dataset.json;",
        "`prum generate --verify` makes it again and compares every byte.",
        *(f"Its bytes depend on {name} {version}." for name, version in made_with.items()),
        "",
        "| dial | value |",
        "|---|---|",
        *_dials(dials),
        "",
        "## Uses",
        "",
        "Grading estimators of effectiveness, significance tests, pools, estimators of browsing.",
        "Not fit for training or judging retrieval by content: there is none. What holds here",
        "holds where the dials are as they are; `prum study realism` says how far that is from",
        "a collection of yours.",
        "",
        "## Distribution and maintenance",
        "",
        "Nothing in it is about people. It needs no upkeep: the specification gives it back.",
        "",
    ]
    return "\n".join(lines)


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
