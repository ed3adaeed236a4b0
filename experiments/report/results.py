"""What other commands wrote as JSON, told apart by its content."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.experiments.compare.wording import count
from prum.experiments.report.outcomes import CellOutcome, missing
from prum.experiments.statistics.intervals import normal_factor
from prum.experiments.studies.kit.registry import studies
from prum.experiments.trust.of_list import PRUM
from prum.experiments.views.view import Table, Value, shown
from prum.simulator.collections.files import readable
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import shown as shown_value
from prum.simulator.model.list_costs import ELEMENTS

Content = dict[str, Any]
# A whole number that a table can show.
_LARGEST = 10**30
_MOST_ROWS, _MOST_COLUMNS, _MOST_LETTERS = 12, 10, 60


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
        Its first rows, where it has rows of its own.
    outcomes
        Its lists, where it compares values of precision.
    scores
        Its scores of systems, where it has several measures.
    settings
        What it was computed with, in a sentence each for a paper.
    seeds
        Of its random numbers.
    keys
        Those of its cells, if it is a sweep.
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
    keys: frozenset[str] = frozenset()


def result_of(content: Content, file: str) -> ResultFile | None:
    """Return what a command wrote; None for what no command of prum writes.

    Raises
    ------
    KeyError, TypeError, ValueError, AttributeError
        for what begins as a command writes it and goes on otherwise.
    """
    for marks, read in _READERS:
        if marks <= content.keys():
            return read(content, file)
    return None


def _crosscheck(content: Content, file: str) -> ResultFile:
    campaigns = {_str(entry["name"]): entry for entry in content["campaigns"]}
    rows: dict[tuple[str, str, str], list[Content]] = {}
    for row in content["comparisons"]:
        where = _str(row["campaign"]), _str(row["system"]), _str(row["topic"])
        rows.setdefault(where, []).append(row)
    num_users, seed = int(content["num_users"]), int(content["seed"])
    outcomes = []
    for (campaign, system, topic), own in rows.items():
        entry = campaigns[campaign]
        own = sorted(own, key=lambda row: int(row["r"]))
        if [row["r"] for row in own] != list(range(1, len(own) + 1)):
            raise ValueError(f"r of {system}, {topic} is not 1, 2, 3 ...")
        outcomes.append(
            CellOutcome(
                file, campaign, _str(entry.get("kind") or entry["navigation"]), system, topic,
                _column(own, "prum"), _column(own, "exact"), _column(own, "simulated"),
                _column(own, "error"), missing(len(own)), _str(content.get("unit", ELEMENTS)),
                num_users, (seed,),
                tuple(_str(row["verdict"]) for row in own),
                {"way": _str(entry["way"])} if entry.get("way") else {},
            )
        )  # fmt: skip
    level, num_tested = float(content["level"]), int(content["num_tested"])
    sentence = {
        "agrees": "simulated users agree with the exact values",
        "disagrees": "simulated users disagree with the exact values",
        "unresolved": "simulated users are far from an exact value that they can't test",
    }.get(content["verdict"], "no exact value could be tested")
    settings = (
        f"In the cross-check {file} the simulation was compared with the exact values by "
        f"{num_tested:,} tests; the rate of false alarms of all of them together was {level:g} "
        "(Bonferroni).",
    )
    return ResultFile(
        file, "crosscheck", f"Cross-check: {sentence} ({num_tested:,} tests).",
        _str(content["version"]), _str(content["command"]), None, tuple(outcomes), None, settings,
        (seed,),
    )  # fmt: skip


def _column(rows: list[Content], name: str) -> Floats:
    return _floats([row[name] for row in rows])


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


def _trust(content: Content, file: str) -> ResultFile:
    outcomes, factor = [], normal_factor()
    for one in content["lists"]:
        values = one["values"]
        published = _floats(values[PRUM]["precision"])
        for name, value in values.items():
            if name == PRUM:
                continue
            precision = _floats(value["precision"])
            nothing = missing(len(precision))
            is_drawn = bool(value["users"])
            outcomes.append(
                CellOutcome(
                    file, "", _str(name), _str(one["system"]), _str(one["topic"]), published,
                    nothing if is_drawn else precision, precision if is_drawn else nothing,
                    _floats(value["half"]) / factor if is_drawn else nothing, nothing,
                    _str(content["unit"]), int(value["users"] or 0),
                )
            )  # fmt: skip
    names = ", ".join(_str(row["name"]) for row in content["dependences"])
    settings = (
        f"In {file} PRUM was compared with what the same probabilities give under each of these "
        f"dependences: {names}.",
    )
    return ResultFile(
        file, "trust", _sentence(_str(content["headline"])), _str(content["version"]),
        _str(content["command"]),
        outcomes=tuple(outcomes), settings=settings,
    )  # fmt: skip


def _compared(content: Content, file: str) -> ResultFile:
    decision = content["decision"]
    means: dict[str, dict[str, float]] = {_str(decision["measure"]): {}}
    for row in content["means"]:
        if row["mean"] is not None:
            own = means.setdefault(_str(row["measure"]), {})
            own[_str(row["system"])] = float(row["mean"])
    places = decision["places"]
    kind = "evaluate" if "lists" in content else "compare"
    best = [_str(place["system"]) for place in places if place["place"] == 1]
    tied = sum(bool(place["is_tied_with_best"]) for place in places) - len(best)
    sentence = f"Best by {decision['measure']} over {count(int(decision['topics']), 'topic')}: "
    sentence += f"{listed(best)}" + (
        f"; {count(tied, 'other system')} could be as good." if tied > 0 else "."
    )
    rows = [
        {"place": place["place"], "system": place["system"], decision["measure"]: place["mean"],
         "95 % from": place["low"], "to": place["high"]}
        for place in places
    ]  # fmt: skip
    level = float(decision["level"])
    settings = (
        f"In {file} systems were compared by {decision['measure']} over "
        f"{count(int(decision['topics']), 'topic')}, by the method {_str(decision['method'])}; the "
        f"chance of any wrong claim, of all comparisons together, was {level:g}.",
    )
    return ResultFile(
        file, kind, sentence, _str(content["version"]), _str(content["command"]),
        _table(f"Systems of {file}", rows, "system"), scores=ScoredSystems(file, means),
        settings=settings,
        seeds=(int(decision["seed"]),),
    )  # fmt: skip


def _study(content: Content, file: str) -> ResultFile:
    name, rows = _str(content["study"]), list(content["rows"])
    summary = studies().summary(name)
    seed = content["options"].get("seed")
    return ResultFile(
        file, f"study {name}",
        f"Study {name}{f' ({_lowered(summary)})' if summary else ''}: {count(len(rows), 'row')}.",
        _str(content["version"]), _str(content["command"]),
        _table(f"Study {name}, {file}", rows, ""),
        seeds=() if not isinstance(seed, int) else (seed,),
    )  # fmt: skip


def _simulated(content: Content, file: str) -> ResultFile:
    rows = [
        {name: one["value"] if isinstance(one, dict) else one for name, one in row.items()}
        for row in content["systems"]
    ]
    users, seed = int(content["num_users"]), int(content["seed"])
    return ResultFile(
        file, "simulate",
        f"Users in time: {count(users, 'user')} of each of {count(len(rows), 'system')}.", "",
        _str(content["command"]), _table(f"Users of {file}", rows, "system"), seeds=(seed,),
        settings=(
            f"In {file}, {count(users, 'user')} of each system were simulated in time "
            f"(seed {seed}).",
        ),
    )  # fmt: skip


def _fitted(content: Content, file: str) -> ResultFile:
    perplexity = content["perplexity"]
    held_out = (
        "nothing was held out"
        if perplexity is None
        else f"perplexity {shown(float(perplexity), '.3g')} on sessions that were held out"
    )
    rows = [{"counted": name.removeprefix("num_").replace("_", " "), "value": value}
            for name, value in content["log"].items() if _is_cell(value)]  # fmt: skip
    return ResultFile(
        file, "fit", f"Learned from a log: {held_out}.", _str(content["version"]),
        _str(content["command"]), _table(f"The log of {file}", rows, "counted"),
        seeds=(int(content["arguments"]["seed"]),),
    )  # fmt: skip


def _explored(content: Content, file: str) -> ResultFile:
    topic, navigation = _str(content["topic"]), _str(content["navigation"])
    outcomes = []
    for one in content["lists"]:
        published, exact = _floats(one["prum"]), _floats(one["exact"])
        nothing = missing(len(published))
        outcomes.append(
            CellOutcome(
                file, _str(content["campaign"]), navigation, _str(one["system"]), topic,
                published, exact, nothing, nothing, nothing,
            )
        )  # fmt: skip
    told = f"A page to play with: {count(len(outcomes), 'list')} of {topic}."
    return ResultFile(file, "explore", told, "", _str(content["command"]), outcomes=tuple(outcomes))


def _replayed(content: Content, file: str) -> ResultFile:
    sentences = content["sentences"]
    user, seed = int(content["user"]), int(content["seed"])
    last = _str(sentences[-1]) if sentences else ""
    return ResultFile(
        file, "replay", f"User {user:,} of seed {seed}: {last}".rstrip(": "), "",
        _str(content["command"]), seeds=(seed,),
    )  # fmt: skip


def _dataset(content: Content, file: str) -> ResultFile:
    counts = ", ".join(
        f"{value:,} {name}" for name, value in content["counts"].items() if isinstance(value, int)
    )
    seed, name, version = int(content["seed"]), _str(content["name"]), _str(content["version"])
    settings = (f"The dataset {name} was made by prum {version} (seed {seed}).",)
    return ResultFile(
        file, "generate", f"A made dataset, {name}: {counts}.", version,
        settings=settings, seeds=(seed,),
    )  # fmt: skip


# What each command's JSON has; the first that fits counts.
_READERS: tuple[tuple[frozenset[str], Callable[[Content, str], ResultFile]], ...] = (
    (frozenset({"verdict", "num_tested", "comparisons"}), _crosscheck),
    (frozenset({"dependences", "lists", "trusted"}), _trust),
    (frozenset({"decision", "means", "scores"}), _compared),
    (frozenset({"study", "rows", "found"}), _study),
    (frozenset({"systems", "num_users", "first_user"}), _simulated),
    (frozenset({"held_out", "nats_per_step", "summary"}), _fitted),
    (frozenset({"sentences", "events", "leading"}), _replayed),
    (frozenset({"form", "specification", "counts"}), _dataset),
    (frozenset({"campaign", "topic", "navigation", "lists"}), _explored),
)


def _table(label: str, rows: list[Content], head: str) -> Table:
    """Return the first rows and columns of what can be read at a glance."""
    is_plain = {
        name: all(_is_cell(row.get(name)) for row in rows[:_MOST_ROWS])
        for row in rows[:1]
        for name in row
    }
    names = [name for name, plain in is_plain.items() if plain]
    names = sorted(names, key=lambda name: name != head)[:_MOST_COLUMNS]
    values = tuple(tuple(_cell(row.get(name)) for name in names) for row in rows[:_MOST_ROWS])
    left = tuple(any(isinstance(row[at], str) for row in values) for at in range(len(names)))
    lacks = len(rows) > _MOST_ROWS or len(names) < len(rows[0] if rows else ())
    return Table(
        label, tuple(readable(name).replace("_", " ") or "what" for name in names), left, values,
        tuple(tuple(_text(value) for value in row) for row in values),
        legend=(f"the first {len(values):,} of {count(len(rows), 'row')}, and of the columns "
                "those that hold single values; the file has all",) if lacks else (),
    )  # fmt: skip


def _is_cell(value: object) -> bool:
    if isinstance(value, int) and abs(value) > _LARGEST:
        return False
    return value is None or isinstance(value, str | int | float)


def _cell(value: Value) -> Value:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        text = readable(value)
        return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
    return value


def _text(value: Value) -> str:
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    return shown(value, ".4g")


def listed(some: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    return ", ".join(some[:3]) + (f" and {len(some) - 3:,} more" if len(some) > 3 else "")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _lowered(text: str) -> str:
    text = text.rstrip(".")
    return text[:1].lower() + text[1:]
