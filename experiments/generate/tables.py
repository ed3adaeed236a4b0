"""The tables of made data: true scores, true probabilities of navigation, and topics."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Floats
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.cells import number_of
from prum.simulator.tables.files import place, text_lines
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.read import read

_AGAIN = "make the folder anew with prum generate"
_SCORES = Layout(
    what="table of scores",
    columns=(
        FileColumn(name="system"),
        FileColumn(name="topic"),
        FileColumn(name="measure"),
        FileColumn(name="score", nullable=True),
        FileColumn(name="error", nullable=True),
        FileColumn(name="method"),
    ),
    rule="be a finite number",
    remedy=_AGAIN,
    bounds_in_csv=False,
)
_NAVIGATION = Layout(
    what="table of navigation",
    columns=(
        FileColumn(name="topic"),
        FileColumn(name="source"),
        FileColumn(name="target"),
        FileColumn(name="probability", number=True, most=1.0),
    ),
    rule="be a number in [0, 1]",
    remedy="write it like 0.25",
    bounds_in_csv=True,
)


def read_scores(
    path: Path, runs: Sequence[str], topics: Sequence[str]
) -> tuple[tuple[str, ...], Mapping[str, Floats], Mapping[str, Floats]]:
    """Return systems, and by measure true scores and standard errors, (systems, topics).

    Systems come in the order in which the file names them, topics in the given one.

    Raises
    ------
    InputError
        for other columns, a cell that is no number, a system without a run, a run or topic without
        a score, a topic that was not judged, and a score given twice.
    """
    written = read(path, _SCORES)
    systems: dict[str, int] = {}
    place_of = {topic: at for at, topic in enumerate(topics)}
    known = set(runs)
    cells: dict[str, dict[tuple[int, int], tuple[float, float]]] = {}
    for row, cell in enumerate(zip(*written.columns, strict=True)):
        system, topic, measure, score, error, _ = cell
        where = written.place(row)
        if system not in known:
            raise InputError("system", system, "have a run", remedy=_AGAIN, place=where)
        if topic not in place_of:
            raise InputError(
                "topic", topic, "have an ideal by qrels.txt", remedy=_AGAIN, place=where
            )
        key = systems.setdefault(system, len(systems)), place_of[topic]
        of_measure = cells.setdefault(measure, {})
        if key in of_measure:
            raise InputError(
                f"{measure} of {system}", topic, "be given once", remedy=_AGAIN, place=where
            )
        # No value is one of some measures, as precision at the fifth ideal of four.
        value = math.nan if score in (None, "nan") else _number("score", score, where)
        of_measure[key] = value, _number("error", error or "0", where)
    for run in runs:
        if run not in systems:
            raise InputError("run", run, "have scores", remedy=_AGAIN, place=str(path))
    scores, errors = {}, {}
    for measure, of_measure in cells.items():
        table = np.full((2, len(systems), len(topics)), np.nan)
        for (system_, topic_), both in of_measure.items():
            table[:, system_, topic_] = both
        lacking = np.argwhere(np.isnan(table[1]))
        if len(lacking):
            raise InputError(
                f"{measure} of {list(systems)[lacking[0, 0]]}",
                None,
                f"be given for topic {topics[lacking[0, 1]]}",
                remedy=_AGAIN,
                place=str(path),
            )
        table.setflags(write=False)
        scores[measure], errors[measure] = table
    return tuple(systems), scores, errors


def _number(name: str, text: str, where: str) -> float:
    value = number_of(text)
    if not math.isfinite(value):
        raise InputError(name, text, "be a finite number", remedy=_AGAIN, place=where)
    return value


def read_navigation(path: Path) -> dict[str, Links]:
    """Return the true P(x -> y) of each topic.

    Raises
    ------
    InputError
        as `read_links`, naming the topic.
    """
    topics, sources, targets, values = read(path, _NAVIGATION).columns
    rows: dict[str, list[int]] = {}
    for row, topic in enumerate(topics):
        rows.setdefault(topic, []).append(row)
    probabilities = np.asarray(values)
    return {
        topic: Links.from_columns(
            [sources[row] for row in of_topic],
            [targets[row] for row in of_topic],
            probabilities[of_topic],
            origin=f"{path}, topic {topic}",
        )
        for topic, of_topic in rows.items()
    }


def read_ideals(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the ideals of each topic, in the order of topics.jsonl.

    Raises
    ------
    InputError
        for a line that is no topic with its ideals.
    """
    orders: dict[str, tuple[str, ...]] = {}
    for line, text in enumerate(text_lines(path), start=1):
        try:
            row = json_value(text)
            topic, ideals = row["topic"], row["ideals"]
            if not all(isinstance(name, str) for name in (topic, *ideals)):
                raise TypeError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(
                "line", text.strip(), "be a JSON object with a topic and its ideals",
                remedy=_AGAIN, place=place(path, line),
            ) from None  # fmt: skip
        orders[topic] = tuple(ideals)
    return orders
