"""Uncertain judgements: how likely each judged element is ideal, as a table or as a mapping."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError
from prum.simulator.model.tables import places
from prum.simulator.model.task import check_id
from prum.simulator.tables.cells import id_of
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.names import ELEMENT, TOPIC
from prum.simulator.tables.read import read

_RULE, _REMEDY = "be a number in [0, 1]", "write it like 0.25"
_CASE = "case"
LAYOUT = Layout(
    what="file of uncertain judgements",
    columns=(
        FileColumn.of(TOPIC),
        FileColumn.of(ELEMENT),
        FileColumn(name="probability", number=True, most=1.0),
        FileColumn(name=_CASE, optional=True),
    ),
    rule=_RULE,
    remedy=_REMEDY,
    bounds_in_csv=True,
    others=True,
    rows="judgements",
)


@dataclass(frozen=True, slots=True, eq=False)
class UncertainJudgements:
    """P(element is ideal) of each topic, in one or several equally likely cases.

    Given the case, elements are ideal independently of each other. A case is of all topics at once:
    a draw of what judges' rates may be, say, so that errors that go together stay together.

    Parameters
    ----------
    cases
        Their names; one, without a name, where nothing is shared.
    elements
        Topic -> its judged elements.
    probabilities
        Topic -> probabilities, shape (cases, elements).
    """

    cases: tuple[str, ...]
    elements: Mapping[str, tuple[str, ...]]
    probabilities: Mapping[str, Floats]


def read_judgement_probabilities(source: Any) -> UncertainJudgements:
    """Return the probabilities of a table with columns topic, element, probability, perhaps case.

    The formats are those of `read_links`, data frames and records; or topic -> element ->
    probability. Every case has the same elements of every topic.

    Raises
    ------
    InputError
        as `read_links`; for a probability outside [0, 1], an element with two rows of a topic and
        case, an element that some case lacks, and a source without rows.
    OSError
        if the file cannot be opened or read.

    >>> read = read_judgement_probabilities({"q": {"a": 0.9, "b": 0.25}})
    >>> read.elements["q"], read.probabilities["q"].tolist()
    (('a', 'b'), [[0.9, 0.25]])
    """
    origin, lines = "", None
    if isinstance(source, Mapping) and all(isinstance(by, Mapping) for by in source.values()):
        rows: Iterable[tuple[Any, Any, Any, Any]] = [
            (id_of(q, "topic", "judgements"), id_of(x, "element", "judgements"), p, "")
            for q, by in source.items()
            for x, p in by.items()
        ]
    else:
        table = read(source, LAYOUT)
        topics, elements, each, cases = table.columns
        origin, lines = table.origin, table.lines
        rows = zip(topics, elements, each.tolist(), (case or "" for case in cases), strict=True)
    where = places("judgements", origin, lines)
    known: dict[str, dict[str, dict[str, float]]] = {}
    named = dict[str, None]()
    for row, (topic, element, value, case) in enumerate(rows):
        check_id("topic", topic, place=where(row))
        check_id("element", element, place=where(row))
        of = f"of element {element!r} of topic {topic!r}"
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= 1:
            raise InputError(f"probability {of}", value, _RULE, remedy=_REMEDY, place=where(row))
        named.setdefault(case)
        by_case = known.setdefault(topic, {}).setdefault(element, {})
        if case in by_case:
            rule, remedy = "be given once", "drop one of its rows"
            raise InputError(f"probability {of}", value, rule, remedy=remedy, place=where(row))
        by_case[case] = float(value)
    place = origin or "judgements"
    if not known:
        remedy = "give topic, element, probability"
        raise InputError("number of judgements", 0, "be at least 1", remedy=remedy, place=place)
    for topic, by in known.items():
        for element, by_case in by.items():
            lacking = next((case for case in named if case not in by_case), None)
            if lacking is not None:
                thing = f"case of element {element!r} of topic {topic!r}"
                rule, remedy = "be there, as of other elements", "give each element in every case"
                raise InputError(thing, lacking, rule, remedy=remedy, place=place)
    return UncertainJudgements(
        tuple(named),
        {topic: tuple(by) for topic, by in known.items()},
        {
            topic: np.array([[by_case[case] for by_case in by.values()] for case in named])
            for topic, by in known.items()
        },
    )
