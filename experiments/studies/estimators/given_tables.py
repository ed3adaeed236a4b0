"""Tables that are given, in files or frames: estimates by system and topic, and P(x -> y)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from prum.experiments.generate.reading import Dataset
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Floats
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.names import SYSTEM, TOPIC
from prum.simulator.tables.read import read

# What rounding may add to a precision of 1.
_MOST = 1 + 1e-9
_ESTIMATES = Layout(
    what="table of estimates",
    columns=(
        FileColumn.of(SYSTEM),
        FileColumn.of(TOPIC),
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
        FileColumn.of(TOPIC, optional=True, nullable=True),
    ),
    rule="be a number in [0, 1]",
    remedy="write it like 0.25",
    bounds_in_csv=True,
)


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
    table = read(source, _ESTIMATES, name=name)
    system_at = {system: at for at, system in enumerate(dataset.systems)}
    topic_at = {topic: at for at, topic in enumerate(dataset.topics)}
    values = np.full((len(system_at), len(topic_at)), np.nan)
    for row, (system, topic, estimate) in enumerate(zip(*table.columns, strict=True)):
        where = table.place(row)
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
        values[key] = estimate
    lacking = np.argwhere(np.isnan(values))
    if len(lacking):
        first = f"system {dataset.systems[lacking[0][0]]} on topic {dataset.topics[lacking[0][1]]}"
        raise InputError(
            f"number of estimates missing, the first of {first},", len(lacking), "be 0",
            remedy=f"give one for each of {len(system_at):,} systems on each of "
            f"{len(topic_at):,} topics", place=table.origin,
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
    table = read(source, _LINKS, name=name)
    sources, targets, probabilities, topics = table.columns
    if all(topic is None for topic in topics):
        own = Links.from_columns(sources, targets, probabilities, origin=table.origin)
        links = dict.fromkeys(dataset.topics, own)
    else:
        known, rows_of = set(dataset.topics), dict[str, list[int]]()
        for row, topic in enumerate(topics):
            if topic not in known:
                raise _unknown("topic", topic, dataset.topics, table.place(row))
            rows_of.setdefault(topic, []).append(row)
        numbers = np.asarray(probabilities)
        links = {
            topic: Links.from_columns(
                [sources[row] for row in rows],
                [targets[row] for row in rows],
                numbers[rows],
                origin=f"{table.origin}, topic {topic}",
            )
            for topic, rows in rows_of.items()
        }
    ideals = {judged.topic: set(judged.ideals) for judged in dataset.judged()}
    if not any(set(own.elements) & ideals[topic] for topic, own in links.items()):
        raise InputError(
            "number of links to an ideal", 0, "be at least 1",
            remedy="name elements as the runs and qrels.txt of the folder do", place=table.origin,
        )  # fmt: skip
    return links


def _unknown(what: str, value: object, known: Sequence[str], where: str) -> InputError:
    few = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")
    remedy = f"name {what}s as the folder does, or leave the row out"
    return InputError(what, value, f"be one of {few}", remedy=remedy, place=where)
