"""Tables of scores, what their columns are by name, and mappings: rows of scores from each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prum.experiments.compare.scores import UNNAMED, ScoreRow
from prum.experiments.measures.aliases import are_measures
from prum.simulator.collections.list_tables import (
    check_complete,
    check_told_apart,
    without_empty,
)
from prum.simulator.model import InputError
from prum.simulator.model.errors import real
from prum.simulator.tables.layout import number_of
from prum.simulator.tables.names import (
    MEASURE,
    SCORED,
    SYSTEM,
    TOPIC,
    TRIAL,
    VALUE,
    column_of,
    one_column,
)

if TYPE_CHECKING:
    import pandas as pd

# Names that a column of each kind may have, in any case; tasks are the topics of MTEB.
NAMES: Mapping[str, tuple[str, ...]] = {
    "system": SCORED,
    "topic": (*TOPIC, "task", "task_name"),
    "measure": MEASURE,
    "score": VALUE,
}
# Where one of these names systems, `run` may name a trial.
_BETTER = tuple(name for name in SYSTEM if not name.startswith("run"))


@dataclass(frozen=True, slots=True)
class Roles:
    """Which column is what: None where there is none.

    Without a column of scores, `others` hold them: `across` says what each of these is, a
    "system", a "topic" or a "measure".
    """

    system: str | None
    topic: str | None
    measure: str | None
    score: str | None
    others: tuple[str, ...]
    across: str | None
    trial: str | None = None


def roles_of(columns: Sequence[str], *, place: str, index: str | None = None) -> Roles:
    """Return what columns are, by their names.

    `index` is a column that holds what no other is said to: topics, or systems.

    Raise InputError if two may be the same, or there is no telling what they are.
    """
    remedy = "leave one out, or rename it"
    trial = one_column("trial", columns, TRIAL, place=place, remedy=remedy)
    run = column_of(columns, ("run",))
    if trial is None and run is not None and column_of(columns, _BETTER) is not None:
        trial = run
    columns = [column for column in columns if column != trial]
    named = {
        role: one_column(role, columns, names, place=place, remedy=remedy)
        for role, names in NAMES.items()
    }
    system, topic, measure, score = named.values()
    others = tuple(column for column in columns if column not in named.values())
    if index is not None:
        others = tuple(column for column in others if column != index)
        if topic is None and index not in named.values():
            topic = index
    across = None
    if score is None:
        across = _across(system, topic, measure, others, place)
        if across is None:
            raise unknown(", ".join(columns), place)
    elif topic is None:
        raise unknown(", ".join(columns), place)
    return Roles(system, topic, measure, score, others, across, trial)


def unknown(text: str, place: str) -> InputError:
    """Return the error that scores have none of the forms that are known."""
    return InputError(
        "beginning of the scores",
        text,
        "be a table with columns system, topic, measure, score (or names like run, qid, metric, "
        "value), topics by systems or systems by topics; lines of trec_eval -q or ir_measures -q; "
        "or JSON of prum, ranx or MTEB",
        remedy="name the columns so",
        place=place,
    )


def _across(
    system: str | None,
    topic: str | None,
    measure: str | None,
    others: tuple[str, ...],
    place: str,
) -> str | None:
    """Return what each of the other columns is."""
    if not others:
        return None
    if system is not None and topic is not None:
        return "measure" if measure is None else None
    if system is None and topic is None:
        return None
    if system is not None:
        # Measures without topics would be means.
        return None if are_measures(others, place=place) else "topic"
    return "measure" if are_measures(others, place=place) and measure is None else "system"


# What means of all topics are called.
SUMMARY = "all"
# The name of an index that has none.
_INDEX = "index of rows"


def rows_of_frame(
    frame: "pd.DataFrame",
    *,
    place: str = "data frame",
    system: str | None = None,
    measure: str = UNNAMED,
) -> Iterator[ScoreRow]:
    """Yield the scores of a data frame, by the names of its columns (see `roles_of`).

    Levels of the index that have names are columns. Of a table whose columns do not say what the
    topics are, topics are the index, if that is more than the numbers of rows.

    Raise InputError if there is no telling what columns are, or a score is no number.
    """
    import pandas as pd

    index = None
    names = list(map(str, frame.columns))
    frame = frame.set_axis(names, axis=1)
    if not isinstance(frame.index, pd.RangeIndex) or frame.index.name is not None:
        levels = [_INDEX if name is None else str(name) for name in frame.index.names]
        if len(levels) == 1:
            index = levels[0]
        names = [*levels, *names]
        if len(set(names)) == len(names):
            frame = frame.rename_axis(levels).reset_index()
    if len(set(names)) < len(names):
        remedy = "rename them"
        raise InputError("names of columns", names, "be different", remedy=remedy, place=place)
    table = {name: frame[name].tolist() for name in names}
    places = [f"{place}, row {number + 1}" for number in range(len(frame))]
    yield from rows_of_columns(
        table, place=place, places=places, index=index, system=system, measure=measure
    )


def rows_of_columns(
    table: Mapping[str, Sequence[Any]],
    *,
    place: str,
    places: Sequence[str],
    system: str | None,
    measure: str,
    index: str | None = None,
    typed: bool = True,
) -> Iterator[ScoreRow]:
    """Yield the scores of columns, which are known by their names, as `rows_of_frame`.

    Those that are not `typed` are texts.

    Raise InputError as `rows_of_frame`.
    """
    named = without_empty(list(table), table.__getitem__)
    roles = roles_of(named, place=place, index=index if index in named else None)
    if not typed:
        scores = roles.others if roles.score is None else (roles.score,)
        table = dict(table) | {name: _numbers(name, table[name], places) for name in scores}
    if roles.system is not None:
        check_complete(roles.system, table[roles.system], place=place)
    if roles.score is not None:
        keys = [
            table[x]
            for x in (roles.system, roles.topic, roles.measure, roles.trial)
            if x is not None
        ]
        others = {name: table[name] for name in roles.others}
        check_told_apart(list(zip(*keys, strict=True)), others, place=place)
    yield from _rows_of_table(table, roles, system=system, measure=measure, places=places)


def _numbers(name: str, cells: Sequence[str], places: Sequence[str]) -> list[float | None]:
    numbers = [number_of(cell) if cell else None for cell in cells]
    for row, number in enumerate(numbers):
        if number is not None and number != number:
            rule = "be a number, or empty where there is no value"
            remedy = "check what wrote it"
            raise InputError(name, cells[row], rule, remedy=remedy, place=places[row])
    return numbers


def _rows_of_table(
    table: Mapping[str, Sequence[Any]],
    roles: Roles,
    *,
    system: str | None,
    measure: str,
    places: Sequence[str],
) -> Iterator[ScoreRow]:
    """Yield the scores of columns; `system` and `measure` are those of a table that names none.

    In a long table a score that is left empty is none that the measure has; where systems, topics
    or measures stand across, a hole is missing.
    """
    score_columns = roles.others if roles.score is None else (roles.score,)
    for number, place in enumerate(places):

        def cell(column: str | None, number: int = number) -> str | None:
            return None if column is None else _name(table[column][number])

        for column in score_columns:
            across = {roles.across: column} if roles.score is None else {}
            of_system = across.get("system") or cell(roles.system) or system
            topic = across.get("topic") or cell(roles.topic)
            if of_system is None or topic is None:
                what = "system" if of_system is None else "topic"
                rule, remedy = "be named", f"give a column {what}"
                raise InputError(f"{what} of a score", None, rule, remedy=remedy, place=place)
            if topic == SUMMARY:
                continue
            score = score_of(table[column][number], column, place)
            if roles.score is None and score != score:
                continue
            yield ScoreRow(
                of_system,
                topic,
                across.get("measure") or cell(roles.measure) or measure,
                score,
                place,
                cell(roles.trial) or "",
            )


def rows_of_mapping(
    scores: Mapping[str, Mapping[str, Any]], *, place: str = ""
) -> Iterator[ScoreRow]:
    """Yield the scores of system -> topic -> score.

    In the middle or at the end of it there may be measures: system -> measure -> topic -> score,
    as ranx has the scores of a run, or system -> topic -> measure -> score, as pytrec_eval has.

    Raise InputError if there is no telling measures from topics, or a score is no number.
    """
    for system, by_system in scores.items():
        if not isinstance(by_system, Mapping):
            rule = "map topics to scores"
            remedy = "give system -> topic -> score"
            raise InputError(f"scores of {system}", by_system, rule, remedy=remedy, place=place)
        if not any(isinstance(inner, Mapping) for inner in by_system.values()):
            for topic, score in by_system.items():
                yield ScoreRow(
                    str(system), str(topic), UNNAMED, score_of(score, topic, place), place
                )
            continue
        yield from rows_of_system(str(system), by_system, place=place)


def rows_of_system(
    system: str, scores: Mapping[str, Mapping[str, Any]], *, place: str
) -> Iterator[ScoreRow]:
    """Yield the scores of one system: measure -> topic -> score, or topic -> measure -> score."""
    for outer, by_outer in scores.items():
        if not isinstance(by_outer, Mapping):
            rule = "map measures or topics to scores, as the others do"
            remedy = "give system -> measure -> topic -> score"
            raise InputError(
                f"scores of {system}, {outer}", by_outer, rule, remedy=remedy, place=place
            )
    outside = are_measures(scores, place=place)
    inside = are_measures((inner for by in scores.values() for inner in by), place=place)
    if outside == inside:
        raise InputError(
            f"names in the scores of {system}",
            list(scores)[:3],
            "be those of measures, like nDCG@10, or else hold measures",
            remedy="give a table with columns system, topic, measure, score",
            place=place,
        )
    for outer, by_outer in scores.items():
        for inner, score in by_outer.items():
            measure, topic = map(str, (outer, inner) if outside else (inner, outer))
            if topic != SUMMARY:
                yield ScoreRow(system, topic, measure, score_of(score, measure, place), place)


def score_of(value: Any, what: object, place: str) -> float:
    """Return a score as a number, NaN for none.

    Raise InputError if it is something else.
    """
    if value is None:
        return float("nan")
    number = real(value)
    if number != number and not (isinstance(value, float) or hasattr(value, "dtype")):
        # A missing value of pandas is none of its own.
        if str(value) in ("<NA>", "NaT"):
            return number
        thing, remedy = f"score in {what}", "give numbers, or nothing where there is no value"
        raise InputError(thing, value, "be a number", remedy=remedy, place=place)
    return number


def _name(value: Any) -> str | None:
    """Return an id as text: whole numbers without a point, nothing for a missing one."""
    if value is None or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) or None
