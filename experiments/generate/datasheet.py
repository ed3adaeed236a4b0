"""`DATASHEET.md`: what a dataset is, what its files hold, how it was made, its uses and limits."""

import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from prum.experiments.generate.files import NAME, RUNS, Description
from prum.simulator.generation.kinds import STRUCTURES
from prum.simulator.model.errors import shown


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file is, in short, and its columns: name -> meaning, in their order.

    `form` says how columns are told apart where the suffix does not.
    """

    what: str
    columns: Mapping[str, str] = field(default_factory=dict)
    form: str = ""


_TABLES = tomllib.loads(files(__package__).joinpath("contents.toml").read_text("utf-8"))
# By the name of a file without its suffix; of a folder, with the slash.
CONTENTS: Mapping[str, Contents] = {
    name: Contents(**(_TABLES[table.pop("as", name)] | table)) for name, table in _TABLES.items()
}


def stem_of(name: str) -> str:
    """Return the name in `CONTENTS` of a file of a dataset.

    >>> stem_of("runs/a.b"), stem_of("log.jsonl"), stem_of("qrels-judge-2.txt")
    ('runs/', 'log', 'qrels-judge')
    """
    if name.startswith("runs/"):
        return "runs/"
    stem = name.rpartition(".")[0]
    return "qrels-judge" if stem.startswith("qrels-judge-") else stem


def columns_of(name: str, num_intents: int = 1) -> dict[str, str]:
    """Return the columns of a file with their meaning, none where it has none."""
    columns = dict(CONTENTS[stem_of(name)].columns)
    if stem_of(name) == "topics" and num_intents == 1:
        del columns["intents"]
    return columns


def datasheet(description: Description) -> str:
    """Return the datasheet, in Markdown, after Gebru and others (2021)."""
    counts, dials = description.counts, description.specification
    kind = dials["collection"]["kind"]
    systems = len(description.systems)
    numbers = {
        "elements": counts.elements,
        "communities" if kind == "web" else "documents": counts.places,
        "links": counts.links,
        "topics": counts.topics,
        "ideals, of all topics": counts.ideals,
        "systems": systems,
        "events of the log": counts.events,
    }
    optional = {"links", "events of the log"}
    text = files(__package__).joinpath("datasheet.md").read_text("utf-8")
    whole = text.format(
        name=_plain(description.name),
        elements=_count(counts.elements, "element"),
        structure=STRUCTURES[kind].model_fields["kind"].description,
        topics=_count(counts.topics, "topic"),
        systems=_count(systems, "system"),
        known=" ".join([*_sources_of_truth(description), *_error_of_prum(description)]),
        numbers="\n".join(
            f"| {what} | {number:,} |"
            for what, number in numbers.items()
            if number or what not in optional
        ),
        files="\n".join(_files(description)),
        columns="\n".join(_columns(description)),
        scores_file=next(name for name in description.files if stem_of(name) == "scores"),
        scores="\n".join(_scores(description)),
        version=description.version,
        seed=description.seed,
        made_with="\n\n".join(
            f"Its bytes depend on {name} {version}, too."
            for name, version in description.made_with.items()
        ),
        dials="\n".join(_dials(dials)),
    )
    return "\n\n".join(map(_wrapped, filter(None, whole.strip("\n").split("\n\n")))) + "\n"


def _wrapped(block: str) -> str:
    """Return a paragraph in lines of 100 letters, and what is none as it is."""
    if block.startswith(("#", "|", "-", "`")):
        return block
    return textwrap.fill(block, 100, break_long_words=False, break_on_hyphens=False)


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


def _sources_of_truth(description: Description) -> list[str]:
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
    rows, stems = list[str](), set[str]()
    for name in _names(description):
        stem = stem_of(name)
        if stem in stems:
            continue
        stems.add(stem)
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
