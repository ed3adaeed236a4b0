"""What other commands wrote as JSON."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.experiments.crosscheck.approximations import PRUM
from prum.experiments.report.outcomes import CellOutcome
from prum.experiments.statistics.intervals import normal_factor
from prum.experiments.views.numbers import count
from prum.experiments.views.view import Table, Value
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import shown as shown_value
from prum.simulator.tables.files import readable

Content = dict[str, Any]
_MOST_ROWS, _MOST_COLUMNS = 12, 10


@dataclass(frozen=True, slots=True)
class ScoredSystems:
    """Scores of systems by several measures: measure -> system -> mean; the first decides."""

    file: str
    means: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class ResultFile:
    """What a file of another command holds.

    Parameters
    ----------
    kind
        What wrote it: "crosscheck", "trust", "study hypotheses".
    sentence
        What it says.
    table
        The first rows of its first table, where it has no lists.
    outcomes
        Its lists, where it compares values of precision.
    scores
        Its scores of systems, where it has several measures.
    settings
        What it was computed with, in a sentence each for a paper.
    seeds
        Of its random numbers.
    """

    file: str
    kind: str
    sentence: str
    version: str = ""
    command: str = ""
    table: Table | None = None
    outcomes: tuple[CellOutcome, ...] = ()
    scores: ScoredSystems | None = None
    settings: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()


def result_of(content: Content, file: str) -> ResultFile | None:
    """Return what a command wrote; None for what no command of prum writes.

    Raises
    ------
    KeyError, TypeError, ValueError, AttributeError
        for what begins as a command writes it and goes on otherwise.
    """
    if {"form", "specification", "counts"} <= content.keys():
        return _dataset(content, file)
    if not {"kind", "headline", "tables"} <= content.keys():
        return None
    kind, seed = _str(content["kind"]), content.get("seed", content["arguments"].get("seed"))
    more = _READERS[kind](content, file) if kind in _READERS else {}
    tables = [_table(table, file) for table in content["tables"]]
    return ResultFile(
        file=file,
        kind=kind,
        sentence=_sentence(_str(content["headline"])),
        version=_str(content["version"]),
        command=_str(content["command"]),
        table=tables[0] if tables and "outcomes" not in more else None,
        seeds=() if seed is None else (int(seed),),
        **more,
    )


def _crosscheck(content: Content, file: str) -> Content:
    campaigns = {_str(entry["name"]): entry for entry in content["campaigns"]}
    rows: dict[tuple[str, str, str], list[Content]] = {}
    for row in content["comparisons"]:
        where = _str(row["campaign"]), _str(row["system"]), _str(row["topic"])
        rows.setdefault(where, []).append(row)
    outcomes = []
    for (campaign, system, topic), own in rows.items():
        entry = campaigns[campaign]
        own = sorted(own, key=lambda row: int(row["r"]))
        if [row["r"] for row in own] != list(range(1, len(own) + 1)):
            raise ValueError(f"r of {system}, {topic} is not 1, 2, 3 ...")
        columns = {
            name: _floats(row[name] for row in own)
            for name in ("prum", "exact", "simulated", "error")
        }
        setting = _str(entry.get("kind") or entry["navigation"])
        outcomes.append(
            CellOutcome.of(
                file,
                campaign,
                setting,
                system,
                topic,
                **columns,
                unit=_str(content.get("unit", ELEMENTS)),
                num_users=int(content["num_users"]),
                seeds=(int(content["seed"]),),
                verdicts=tuple(_str(row["verdict"]) for row in own),
                dials={"way": _str(entry["way"])} if entry.get("way") else {},
            )
        )
    level, num_tested = float(content["level"]), int(content["num_tested"])
    settings = (
        f"In the cross-check {file} the simulation was compared with the exact values by "
        f"{num_tested:,} tests; the rate of false alarms of all of them together was {level:g} "
        "(Bonferroni).",
    )
    return {"outcomes": tuple(outcomes), "settings": settings}


def _str(value: Any) -> str:
    """Return a text as UTF-8 can hold it.

    Raises
    ------
    TypeError
        for what is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"{shown_value(value)} is no text")
    return readable(value)


def _floats(values: Iterable[Any]) -> Floats:
    """Return numbers, NaN for what is none there."""
    return np.array([np.nan if value is None else float(value) for value in values])


def _trust(content: Content, file: str) -> Content:
    outcomes, factor = [], normal_factor()
    for one in content["lists"]:
        where = _str(one["system"]), _str(one["topic"])
        published = _floats(one["values"][PRUM]["precision"])
        for name, value in one["values"].items():
            if name == PRUM:
                continue
            known = {"exact": _floats(value["precision"])}
            if value["users"]:
                known = {"simulated": known["exact"], "error": _floats(value["half"]) / factor}
            told = {"unit": _str(content["unit"]), "num_users": int(value["users"] or 0)}
            outcomes.append(
                CellOutcome.of(file, "", _str(name), *where, prum=published, **known, **told)
            )
    names = ", ".join(_str(row["name"]) for row in content["dependences"])
    settings = (
        f"In {file} PRUM was compared with what the same probabilities give under each of these "
        f"dependences: {names}.",
    )
    return {"outcomes": tuple(outcomes), "settings": settings}


def _compared(content: Content, file: str) -> Content:
    decision = content["decision"]
    means: dict[str, dict[str, float]] = {_str(decision["measure"]): {}}
    for row in content["means"]:
        if row["mean"] is not None:
            own = means.setdefault(_str(row["measure"]), {})
            own[_str(row["system"])] = float(row["mean"])
    level = float(decision["level"])
    settings = (
        f"In {file} systems were compared by {decision['measure']} over "
        f"{count(int(decision['topics']), 'topic')}, by the method {_str(decision['method'])}; the "
        f"chance of any wrong claim, of all comparisons together, was {level:g}.",
    )
    return {"scores": ScoredSystems(file, means), "settings": settings}


def _simulated(content: Content, file: str) -> Content:
    users, seed = int(content["num_users"]), int(content["seed"])
    told = f"In {file}, {count(users, 'user')} of each system were simulated in time (seed {seed})."
    return {"settings": (told,)}


def _explored(content: Content, file: str) -> Content:
    names = _str(content["campaign"]), _str(content["navigation"])
    topic = _str(content["topic"])
    return {
        "outcomes": tuple(
            CellOutcome.of(
                file,
                *names,
                _str(one["system"]),
                topic,
                prum=_floats(one["prum"]),
                exact=_floats(one["exact"]),
            )
            for one in content["lists"]
        )
    }


# What a report over several results takes of each kind, beside headline and tables.
_READERS: dict[str, Callable[[Content, str], Content]] = {
    "crosscheck": _crosscheck,
    "trust": _trust,
    "evaluate": _compared,
    "compare": _compared,
    "simulate": _simulated,
    "explore": _explored,
}


def _dataset(content: Content, file: str) -> ResultFile:
    counts = ", ".join(
        f"{value:,} {name}" for name, value in content["counts"].items() if isinstance(value, int)
    )
    seed, name, version = int(content["seed"]), _str(content["name"]), _str(content["version"])
    settings = (f"The dataset {name} was made by prum {version} (seed {seed}).",)
    return ResultFile(
        file,
        "generate",
        f"A made dataset, {name}: {counts}.",
        version,
        settings=settings,
        seeds=(seed,),
    )


def _table(content: Content, file: str) -> Table:
    """Return the first rows and columns of a table."""
    rows, values = list(content["rows"]), list(content["values"])
    columns = [_str(heading) for heading in content["columns"]]
    lacks = len(rows) > _MOST_ROWS or len(columns) > _MOST_COLUMNS
    if any(len(row) != len(columns) for row in (*rows, *values, content["left"])):
        raise ValueError("a row of a table is not as long as its headings")
    cut = f"the first of {count(len(rows), 'row')} and columns; the file has all"
    return Table(
        label=f"{file}: {_str(content['label'])}",
        columns=tuple(columns[:_MOST_COLUMNS]),
        left=tuple(map(bool, content["left"][:_MOST_COLUMNS])),
        values=tuple(tuple(map(_cell, row[:_MOST_COLUMNS])) for row in values[:_MOST_ROWS]),
        rows=tuple(tuple(map(_str, row[:_MOST_COLUMNS])) for row in rows[:_MOST_ROWS]),
        legend=(*map(_str, content["legend"]), *[cut] * lacks),
    )


def _cell(value: Any) -> Value:
    if value is None or isinstance(value, int | float):
        return value
    return _str(value)


def listed(some: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    return ", ".join(some[:3]) + (f" and {len(some) - 3:,} more" if len(some) > 3 else "")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
