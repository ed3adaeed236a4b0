"""Uncertain judgements, and what users mean: tables of probabilities by topic, or mappings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError
from prum.simulator.tables.layout import DataTable, with_ids
from prum.simulator.tables.read import read
from prum.simulator.tables.schemas import SCHEMAS

# Topic -> subtopic -> P(subtopic given topic).
Intents = Mapping[str, Mapping[str, float]]
# Written with three digits, thirds sum to .999.
_ROUNDING = 2e-3


def _rows(source: Any, kind: str) -> DataTable:
    """Return a table of probabilities, also of topic -> id -> probability."""
    layout = SCHEMAS[kind]
    if isinstance(source, Mapping) and all(isinstance(x, Mapping) for x in source.values()):
        topic, name, probability = (column.name for column in layout.columns[:3])
        source = [
            {topic: of, name: each, probability: value}
            for of, by in source.items()
            for each, value in with_ids(by, name, layout.rows).items()
        ]
    return read(source, layout)


def read_intents(source: Any) -> Intents:
    """Return P(i|q) of a table with columns topic, subtopic and probability, summing to 1.

    The formats are those of `read_links`; a mapping from topics to subtopics to probabilities is
    checked as it is. Sums of a topic may differ from 1 by .002, as rounded numbers do.

    Raise InputError as `read_links`; for a probability outside [0, 1], a subtopic with two rows,
    probabilities of a topic that do not sum to 1. Raise OSError if the file cannot be opened or
    read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "intents.csv"
    >>> _ = path.write_text("topic,subtopic,probability\\n7,1,.75\\n7,2,.25\\n")
    >>> read_intents(path)
    {'7': {'1': 0.75, '2': 0.25}}
    """
    intents: dict[str, dict[str, float]] = {}
    rows = _rows(source, "intents")
    for topic, subtopic, value in zip(*rows.columns.values(), strict=True):
        intents.setdefault(topic, {})[subtopic] = value
    for topic, by in intents.items():
        total = sum(by.values())
        if abs(total - 1) > _ROUNDING:
            thing, remedy = f"sum of probabilities of topic {topic!r}", "divide them by their sum"
            place = rows.origin or "intents"
            raise InputError(thing, round(total, 6), "be 1", remedy=remedy, place=place)
    return intents


@dataclass(frozen=True, slots=True, eq=False)
class UncertainJudgements:
    """P(element is ideal) of each topic, in one or several equally likely cases.

    Given the case, elements are ideal independently of each other. A case is of all topics at once:
    a draw of what judges' rates may be, say, so that errors that go together stay together.

    `cases` have names, one of no name where nothing is shared; probabilities of a topic have shape
    (cases, elements).
    """

    cases: tuple[str, ...]
    elements: Mapping[str, tuple[str, ...]]
    probabilities: Mapping[str, Floats]


def read_judgement_probabilities(source: Any) -> UncertainJudgements:
    """Return the probabilities of a table with columns topic, element, probability, perhaps case.

    The formats are those of `read_links`, data frames and records; or topic -> element ->
    probability. Every case has the same elements of every topic.

    >>> read = read_judgement_probabilities({"q": {"a": 0.9, "b": 0.25}})
    >>> read.elements["q"], read.probabilities["q"].tolist()
    (('a', 'b'), [[0.9, 0.25]])
    """
    by_topic: dict[str, dict[str, dict[str, float]]] = {}
    rows = _rows(source, "judgements")
    for topic, element, value, case in zip(*rows.columns.values(), strict=True):
        by_topic.setdefault(topic, {}).setdefault(element, {})[case or ""] = value
    cases = dict.fromkeys(case or "" for case in rows.columns["case"])
    place = rows.origin or "judgements"
    if not by_topic:
        remedy = "give topic, element, probability"
        raise InputError("number of judgements", 0, "be at least 1", remedy=remedy, place=place)
    for topic, by in by_topic.items():
        for element, by_case in by.items():
            if lacking := [case for case in cases if case not in by_case]:
                thing = f"case of element {element!r} of topic {topic!r}"
                rule, remedy = "be there, as of other elements", "give each element in every case"
                raise InputError(thing, lacking[0], rule, remedy=remedy, place=place)
    return UncertainJudgements(
        tuple(cases),
        {topic: tuple(by) for topic, by in by_topic.items()},
        {
            topic: np.array([[by_case[case] for by_case in by.values()] for case in cases])
            for topic, by in by_topic.items()
        },
    )
