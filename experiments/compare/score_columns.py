"""What the columns of a table of scores are: systems, topics, measures and scores, by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prum.experiments.compare.score_measures import are_measures
from prum.simulator.model import InputError
from prum.simulator.tables.names import MEASURE, SYSTEM, TOPIC, VALUE, one_column

# Names that a column of each kind may have, in any case; tasks are the topics of MTEB.
NAMES: Mapping[str, tuple[str, ...]] = {
    "system": SYSTEM,
    "topic": (*TOPIC, "task", "task_name"),
    "measure": MEASURE,
    "score": VALUE,
}


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


def roles_of(
    columns: Sequence[str], given: Mapping[str, str], *, place: str, index: str | None = None
) -> Roles:
    """Return what columns are, as `given` says (role -> column) or by their names.

    `index` is a column that holds what no other is said to: topics, or systems.

    Raises
    ------
    InputError
        if a column is not there, two may be the same, or there is no telling what they are.
    """
    for role, column in given.items():
        if role not in NAMES:
            raise InputError(
                "kind of column", role, f"be one of {', '.join(NAMES)}",
                remedy="say --columns system=run,topic=qid, or the like", place=place,
            )  # fmt: skip
        if column not in columns:
            rule = f"be one of {', '.join(map(repr, columns))}"
            raise InputError(f"column of the {role}", column, rule, remedy="name one", place=place)
    named = {role: given.get(role) or _by_name(role, columns, given, place) for role in NAMES}
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
    return Roles(system, topic, measure, score, others, across)


def unknown(text: str, place: str) -> InputError:
    """Return the error that scores have none of the forms that are known."""
    return InputError(
        "beginning of the scores", text,
        "be a table with columns system, topic, measure, score (or names like run, qid, metric, "
        "value), topics by systems or systems by topics; lines of trec_eval -q or ir_measures -q; "
        "or JSON of prum, ranx or MTEB",
        remedy="name the columns so, or say --columns system=run,topic=qid", place=place,
    )  # fmt: skip


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


def _by_name(role: str, columns: Sequence[str], given: Mapping[str, str], place: str) -> str | None:
    names = [column for column in columns if column not in given.values()]
    remedy = f"say which, as --columns {role}={{}}"
    return one_column(role, names, NAMES[role], place=place, remedy=remedy)
