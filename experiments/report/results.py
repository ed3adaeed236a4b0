"""What other commands wrote as JSON, and outcomes: what is known of one list under one setting."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from prum.experiments.crosscheck.approximations import PRUM
from prum.experiments.frame.numbers import Value, count
from prum.experiments.frame.view import Table
from prum.experiments.statistics.intervals import normal_factor
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import shown as shown_value
from prum.simulator.tables.files import readable

# The file, the campaign and the setting: lists under one setting are summed up together.
ListGroup = tuple[str, str, str, str]
# Precision lies in [0, 1]; larger numbers are damage, and infinite ones can't be drawn.
_MOST = 1e6
_ARRAYS = ("prum", "exact", "simulated", "error", "classical")


@dataclass(frozen=True, slots=True, eq=False)
class CellOutcome:
    """Precision of one list at r = 1 .. t by PRUM, exactly and by simulated users.

    Parameters
    ----------
    file
        Where it was found.
    campaign, setting, system, topic
        Which list, and how it is browsed: a navigation with its dials, or a dependence.
    prum, exact, simulated, error, classical
        Arrays of shape (t,), NaN where a value is missing; `error` is the standard error of
        `simulated`, `classical` is precision without browsing.
    unit
        What is counted: elements, or what they cost.
    num_users, seeds
        Those of `simulated`.
    verdicts
        Of simulation against exact at each r, or none.
    dials
        More that was set, as the way that makes links: name -> value.

    Raise ValueError if there is no value, there are more of one kind than of another, or one is no
    precision.
    """

    file: str
    campaign: str
    setting: str
    system: str
    topic: str
    prum: Floats
    exact: Floats
    simulated: Floats
    error: Floats
    classical: Floats
    unit: str = ELEMENTS
    num_users: int = 0
    seeds: tuple[int, ...] = ()
    verdicts: tuple[str, ...] = ()
    dials: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays = [getattr(self, name) for name in _ARRAYS]
        sizes = {values.shape for values in arrays} | ({(len(self.verdicts),)} - {(0,)})
        if len(sizes) > 1 or not self.prum.size:
            raise ValueError(f"values of {self.system}, {self.topic} are not as many as r")
        # An error that so few users do not show is infinite.
        precision = [values for values in arrays if values is not self.error]
        if any((np.abs(values) > _MOST).any() for values in precision) or (self.error < 0).any():
            raise ValueError(f"a value of {self.system}, {self.topic} is none of precision")

    @classmethod
    def of(cls, *names: str, **known: Any) -> "CellOutcome":
        """Return the outcome of a file, campaign, setting, system and topic, of what is known.

        Arrays that are left out, or None, are missing.
        """
        arrays = {name: known.pop(name, None) for name in _ARRAYS}
        sizes = [len(values) for values in arrays.values() if values is not None]
        for name, values in arrays.items():
            known[name] = np.full(sizes[0], np.nan) if values is None else values
        file, campaign, setting, system, topic = names
        return cls(file, campaign, setting, system, topic, **known)

    @property
    def num_ideals(self) -> int:
        """t, the number of ideals."""
        return len(self.prum)

    @property
    def group(self) -> ListGroup:
        """What it is summed up with."""
        return self.file, self.campaign, self.setting, self.unit

    @property
    def reference(self) -> Floats:
        """The exact value, or the simulated one where there is none."""
        return np.where(np.isnan(self.exact), self.simulated, self.exact)

    @property
    def deviation(self) -> Floats:
        """PRUM less the reference; NaN where either is missing."""
        return self.prum - self.reference

    @property
    def content(self) -> tuple[object, ...]:
        """What it says, whichever file says it."""
        numbers = (self.prum, self.exact, self.simulated)
        return (
            self.campaign,
            self.setting,
            self.system,
            self.topic,
            self.unit,
            *(np.round(values, 12).tobytes() for values in numbers),
        )


def by_group(outcomes: Iterable[CellOutcome]) -> dict[ListGroup, list[CellOutcome]]:
    """Return the outcomes of each group, in the order in which groups appear."""
    groups: dict[ListGroup, list[CellOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.group, []).append(outcome)
    return groups


def group_names(groups: Iterable[ListGroup]) -> dict[ListGroup, str]:
    """Return a name for each group, made of those of its parts in which groups differ.

    >>> web, walk = ("a.json", "web", "walk", "elements"), ("a.json", "web", "beta", "elements")
    >>> group_names([web, walk])[walk], group_names([web])[web]
    ('beta', 'web, walk')
    """
    groups = list(groups)
    differ = [at for at in range(4) if len({group[at] for group in groups}) > 1] or [1, 2]
    return {group: ", ".join(group[at] for at in differ if group[at]) for group in groups}


def distinct(outcomes: Iterable[CellOutcome]) -> tuple[list[CellOutcome], dict[str, int]]:
    """Return outcomes that say something new, and file -> how many of its lists repeat others."""
    seen: set[tuple[object, ...]] = set()
    kept: list[CellOutcome] = []
    repeated: dict[str, list[CellOutcome]] = {}
    for outcome in outcomes:
        if outcome.content in seen:
            repeated.setdefault(outcome.file, []).append(outcome)
        else:
            seen.add(outcome.content)
            kept.append(outcome)
    return kept, {file: num_lists(own) for file, own in repeated.items()}


def num_lists(outcomes: Iterable[CellOutcome]) -> int:
    """Return the number of lists, each counted once, however it is browsed."""
    return len({(one.campaign or one.file, one.system, one.topic) for one in outcomes})


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

    Raise KeyError, TypeError, ValueError or AttributeError for what begins as a command writes it
    and goes on otherwise.
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

    Raise TypeError for what is none.
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
