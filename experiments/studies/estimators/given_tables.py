"""Tables that are given, in files or frames: estimates by system and topic, and P(x -> y)."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from prum.experiments.generate.reading import Dataset
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import real
from prum.simulator.tables.columns import read_named_columns
from prum.simulator.tables.files import place
from prum.simulator.tables.layout import FileColumn, Layout

# What rounding may add to a precision of 1.
_MOST = 1 + 1e-9
_ESTIMATES = Layout(
    what="table of estimates",
    columns=(
        FileColumn(name="system"),
        FileColumn(name="topic"),
        FileColumn(name="estimate", number=True, most=_MOST),
    ),
    rule="be a number in [0, 1]",
    remedy="give an estimate of ExactPRUM",
    bounds_in_csv=True,
    others=True,
)
_LINKS = Layout(
    what="table of P(x -> y)",
    columns=(
        FileColumn(name="source"),
        FileColumn(name="target"),
        FileColumn(name="probability", number=True, most=1.0),
        FileColumn(name="topic", optional=True, nullable=True),
    ),
    rule="be a number in [0, 1]",
    remedy="write it like 0.25",
    bounds_in_csv=True,
)


class _Columns(NamedTuple):
    """Columns as a layout has them, None for one that is missing, and the place of each row."""

    columns: list[Sequence[Any] | None]
    places: Sequence[str]


def estimates_of(source: Any, name: str, dataset: Dataset) -> Floats:
    """Return the estimates of a table, (systems, topics).

    Parameters
    ----------
    source
        A file (CSV, TSV, JSONL, Parquet), or a data frame or mapping with columns system, topic,
        estimate; other columns are not read.

    Raises
    ------
    InputError
        for a system or topic that the dataset does not have, a pair that is there twice or not at
        all, and an estimate that is no number in [0, 1].
    OSError
        if a file cannot be read.
    """
    (systems, topics, estimates), places = _columns(source, name, _ESTIMATES)
    system_at = {system: at for at, system in enumerate(dataset.systems)}
    topic_at = {topic: at for at, topic in enumerate(dataset.topics)}
    values = np.full((len(system_at), len(topic_at)), np.nan)
    rows = zip(systems or (), topics or (), estimates or (), places, strict=True)
    for system, topic, estimate, where in rows:
        if system not in system_at:
            raise _unknown("system", system, dataset.systems, where)
        if topic not in topic_at:
            raise _unknown("topic", topic, dataset.topics, where)
        key = system_at[system], topic_at[topic]
        if not np.isnan(values[key]):
            raise InputError(
                f"estimate of system {system} on topic {topic}", estimate, "be given once",
                remedy="leave one of the rows out", place=where,
            )  # fmt: skip
        value = real(estimate)
        if not 0 <= value <= _MOST:
            raise InputError(
                f"estimate of system {system} on topic {topic}", estimate, _ESTIMATES.rule,
                remedy=_ESTIMATES.remedy, place=where,
            )  # fmt: skip
        values[key] = value
    lacking = np.argwhere(np.isnan(values))
    if len(lacking):
        first = f"system {dataset.systems[lacking[0][0]]} on topic {dataset.topics[lacking[0][1]]}"
        raise InputError(
            f"number of estimates missing, the first of {first},", len(lacking), "be 0",
            remedy=f"give one for each of {len(system_at):,} systems on each of "
            f"{len(topic_at):,} topics", place=_place(source, name),
        )  # fmt: skip
    return values


def links_of(source: Any, name: str, dataset: Dataset) -> dict[str, Links]:
    """Return the P(x -> y) of a table, by topic; one without a column topic holds for all.

    Parameters
    ----------
    source
        As for `estimates_of`, with columns source, target, probability and at will topic.

    Raises
    ------
    InputError
        for a topic that the dataset does not have, what `Links` do not take, and a table that leads
        to no ideal.
    OSError
        if a file cannot be read.
    """
    (sources, targets, probabilities, topics), places = _columns(source, name, _LINKS)
    sources, targets, probabilities = sources or (), targets or (), probabilities or ()
    origin = _place(source, name)
    if topics is None or all(topic is None for topic in topics):
        own = Links.from_columns(
            list(sources), list(targets), _numbers(probabilities, places), origin=origin
        )
        links = dict.fromkeys(dataset.topics, own)
    else:
        known, rows_of = set(dataset.topics), dict[str, list[int]]()
        for row, (topic, where) in enumerate(zip(topics, places, strict=True)):
            if topic not in known:
                raise _unknown("topic", topic, dataset.topics, where)
            rows_of.setdefault(topic, []).append(row)
        numbers = _numbers(probabilities, places)
        links = {
            topic: Links.from_columns(
                [sources[row] for row in rows],
                [targets[row] for row in rows],
                numbers[rows],
                origin=f"{origin}, topic {topic}",
            )
            for topic, rows in rows_of.items()
        }
    ideals = {judged.topic: set(judged.ideals) for judged in dataset.judged()}
    if not any(set(table.elements) & ideals[topic] for topic, table in links.items()):
        raise InputError(
            "number of links to an ideal", 0, "be at least 1",
            remedy="name elements as the runs and qrels.txt of the folder do", place=origin,
        )  # fmt: skip
    return links


def _columns(source: Any, name: str, layout: Layout) -> _Columns:
    """Return the columns of a file or a frame, by the layout."""
    if isinstance(source, (str, os.PathLike)):
        names, columns, lines = read_named_columns(source, layout)
        by_name = dict(zip(names, columns, strict=True))
        number = len(columns[0])
        places = [
            f"{place(source)}, row {row + 1}" if lines is None else place(source, lines[row])
            for row in range(number)
        ]
    else:
        by_name, places = _of_frame(source, name, layout)
    return _Columns([by_name.get(column.name) for column in layout.columns], places)


def _of_frame(
    frame: Any, name: str, layout: Layout
) -> tuple[dict[str, Sequence[Any] | None], list[str]]:
    """Return the columns of a data frame, or of a mapping from names to columns; ids as texts."""
    needed = [column.name for column in layout.columns if not column.optional]
    names = list(frame) if isinstance(frame, Mapping) else getattr(frame, "columns", None)
    if names is None or not set(needed) <= set(names):
        shown = type(frame).__name__ if names is None else ", ".join(map(str, names))
        raise InputError(
            layout.what, shown, f"be a file, or a data frame with columns {', '.join(needed)}",
            remedy="name the columns so", place=name,
        )  # fmt: skip
    columns = {
        column.name: list(frame[column.name])
        if column.number
        else [_text(cell) for cell in frame[column.name]]
        for column in layout.columns
        if column.name in names
    }
    number = len(columns[needed[0]])
    if any(len(column) != number for column in columns.values()):
        raise InputError(
            "number of rows", [len(column) for column in columns.values()],
            "be the same in all columns", remedy="give as many of each", place=name,
        )  # fmt: skip
    return dict(columns), [f"{name}, row {row + 1}" for row in range(number)]


def _text(cell: Any) -> str | None:
    """Return an id as text, whole numbers without a point; None where there is none."""
    if cell is None or cell != cell:
        return None
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _numbers(values: Sequence[Any], places: Sequence[str]) -> Floats:
    """Return probabilities as an array."""
    numbers = np.array([real(value) for value in values], dtype=np.float64)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers <= 1)))
    if len(wrong):
        first = int(wrong[0])
        raise InputError(
            "probability", values[first], _LINKS.rule, remedy=_LINKS.remedy, place=places[first]
        )
    return numbers


def _unknown(what: str, value: object, known: Sequence[str], where: str) -> InputError:
    few = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")
    remedy = f"name {what}s as the folder does, or leave the row out"
    return InputError(what, value, f"be one of {few}", remedy=remedy, place=where)


def _place(source: Any, name: str) -> str:
    return place(source) if isinstance(source, (str, os.PathLike)) else name
