"""Tables of scores, what their columns are by name, and mappings: rows of scores from each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
    TOPIC,
    TRIAL,
    VALUE,
    one_column,
    trial_column,
)
from prum.simulator.tables.read import read
from prum.simulator.tables.schemas import SCHEMAS

# Names that a column of each kind may have, in any case.
NAMES: Mapping[str, tuple[str, ...]] = {
    "system": SCORED,
    "topic": (*TOPIC, "task", "task_name"),
    "measure": MEASURE,
    "score": VALUE,
}
# How pandas heads an index without a name: of topics where no other column names them.
NAMELESS = ("", "Unnamed: 0", "__index_level_0__")
# What means of all topics are called.
SUMMARY = "all"


def roles_of(columns: Sequence[str], *, place: str) -> tuple[dict[str, str], str]:
    """Return the columns that say system, topic, measure, score and trial, and what others are.

    Without a column of scores the others hold them, each of a "system", a "topic" or a "measure".

    Raise InputError if two may be the same, or there is no telling what they are.
    """
    remedy = "leave one out, or rename it"
    one_column("trial", columns, TRIAL, place=place, remedy=remedy)
    trial = trial_column(columns)
    rest = [column for column in columns if column != trial]
    fits = {
        role: one_column(role, rest, names, place=place, remedy=remedy)
        for role, names in NAMES.items()
    }
    fits["topic"] = fits["topic"] or next((column for column in rest if column in NAMELESS), None)
    roles = {role: name for role, name in {**fits, "trial": trial}.items() if name is not None}
    others = [column for column in rest if column not in (*roles.values(), *NAMELESS)]
    by_measure = "measure" not in roles
    match "score" in roles, "system" in roles, "topic" in roles:
        case True, _, True:
            return roles, ""
        case False, True, True if others and by_measure:
            return roles, "measure"
        case False, False, True if others:
            by_measure = are_measures(others, place=place) and by_measure
            return roles, "measure" if by_measure else "system"
        # Measures without topics would be means.
        case False, True, False if others and not are_measures(others, place=place):
            return roles, "topic"
    raise unknown(", ".join(columns), place)


def unknown(text: str, place: str) -> InputError:
    """Return the error that scores have none of the forms that are known."""
    return InputError(
        "beginning of the scores",
        text,
        "be a table with columns system, topic, measure, score (or names like run, qid, metric, "
        "value), topics by systems or systems by topics; lines of trec_eval -q or ir_measures -q; "
        "or JSON of system -> topic -> score",
        remedy="name the columns so",
        place=place,
    )


def rows_of_table(
    source: Any,
    *,
    name: str = "data frame",
    suffix: str = "",
    system: str | None = None,
    measure: str = UNNAMED,
) -> Iterator[ScoreRow]:
    """Yield the scores of a file, a data frame, or records, by the names of columns.

    `system` and `measure` are those of a table that names none. Levels of a data frame's index are
    columns.

    Raise InputError as `read`, if there is no telling what columns are, or a score is no number.
    """
    if hasattr(source, "reset_index"):
        # The numbers of rows have no name, and say nothing.
        if list(source.index.names) != [None]:
            source = source.reset_index(allow_duplicates=True)
        elif type(source.index).__name__ != "RangeIndex":
            source = source.rename_axis("").reset_index()
    rows = read(source, SCHEMAS["scores"], name=name, suffix=suffix)
    table, origin = rows.columns, rows.origin or name
    named = without_empty(list(table), table.__getitem__)
    roles, across = roles_of(named, place=origin)
    scores = [x for x in named if x not in (*roles.values(), *NAMELESS)]
    if not across:
        keys = [table[column] for role, column in roles.items() if role != "score"]
        others = {name: table[name] for name in scores}
        check_told_apart(list(zip(*keys, strict=True)), others, place=origin)
        scores = [roles["score"]]
    if "system" in roles:
        check_complete(roles["system"], table[roles["system"]], place=origin)
    ids = {role: column for role, column in roles.items() if role != "score"}
    for row in range(len(rows)):
        place, cells = rows.place(row), {role: _name(table[ids[role]][row]) for role in ids}
        for column in scores:
            of = {"system": system, **cells, **({across: column} if across else {})}
            for role in ("system", "topic"):
                if of[role] is None:
                    thing, remedy = f"{role} of a score", f"give a column {role}"
                    raise InputError(thing, None, "be named", remedy=remedy, place=place)
            score = score_of(table[column][row], column, place)
            # What is left empty is none that the measure has; of a wide table, it is missing.
            if of["topic"] != SUMMARY and not (across and score != score):
                ends = of.get("measure") or measure, score, place, of.get("trial") or ""
                yield ScoreRow(str(of["system"]), str(of["topic"]), *ends)


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
            rule, remedy = "map topics to scores", "give system -> topic -> score"
            raise InputError(f"scores of {system}", by_system, rule, remedy=remedy, place=place)
        if any(isinstance(inner, Mapping) for inner in by_system.values()):
            yield from rows_of_system(str(system), by_system, place=place)
            continue
        for topic, score in by_system.items():
            yield ScoreRow(str(system), str(topic), UNNAMED, score_of(score, topic, place), place)


def rows_of_system(
    system: str, scores: Mapping[str, Mapping[str, Any]], *, place: str
) -> Iterator[ScoreRow]:
    """Yield the scores of one system: measure -> topic -> score, or topic -> measure -> score."""
    for outer, by_outer in scores.items():
        if not isinstance(by_outer, Mapping):
            thing, rule = f"scores of {system}, {outer}", "map measures or topics to scores"
            remedy = "give system -> measure -> topic -> score"
            raise InputError(thing, by_outer, rule, remedy=remedy, place=place)
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
    if value is None or (isinstance(value, str) and not value):
        return float("nan")
    number = number_of(value) if isinstance(value, str) else real(value)
    # A missing value of pandas is none of its own.
    is_none = hasattr(value, "dtype") or isinstance(value, float) or str(value) in ("<NA>", "NaT")
    if number != number and not is_none:
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
