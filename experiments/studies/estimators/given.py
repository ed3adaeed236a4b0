"""Estimators that are given: scores and P(x -> y) in files or frames, and functions, by name.

An estimator says what ExactPRUM of each system on each topic is. Scores are taken as they are. A
table of P(x -> y) is graded by the ExactPRUM that it gives, visits independent, so that what is
measured is the table's error and not that of PRUM; a pair that it lacks has probability 0. A
function takes a task and how people browse, and returns an estimate; on walks it is told the chance
to get from x to y, as PRUM is.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from prum.experiments.generate import Dataset
from prum.experiments.generate.dataset import Grades, links_by_topic
from prum.experiments.statistics.intervals import clustered_interval, root_interval
from prum.experiments.studies.estimators.scoring import REFERENCE, EstimatorRows, Values, scores_by
from prum.simulator import InputError, Links
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import real
from prum.simulator.tables.files import STANDARD_INPUT, bare_name
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.names import SYSTEM, TOPIC
from prum.simulator.tables.read import read

# Takes other judgements and probabilities, or None, to estimates: (systems, topics).
Rescore = Callable[[Grades | None, Mapping[str, Links] | None], Floats]
SCORES, REACH = "scores", "reach"
# A precision, and what rounding may add to one of 1.
_MOST = 1 + 1e-9
_RULE = "be a number in [0, 1]"
ESTIMATES = Layout(
    what="table of estimates",
    columns=(
        FileColumn.of(SYSTEM),
        FileColumn.of(TOPIC),
        FileColumn(name="estimate", number=True, most=_MOST),
    ),
    rule=_RULE,
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
    rule=_RULE,
    remedy="write it like 0.25",
    bounds_in_csv=True,
)


@dataclass(frozen=True, eq=False, slots=True)
class Estimator:
    """Estimates of every system and topic on complete judgements, and how to make others.

    Parameters
    ----------
    scores
        Shape (systems, topics).
    again
        Estimates by other judgements and probabilities, or None where nobody can tell.
    browses
        Whether it takes the probabilities that it is told.
    links
        Its own P(x -> y), by topic.
    """

    name: str
    scores: Floats
    again: Rescore | None = None
    browses: bool = False
    links: Mapping[str, Links] | None = None


def named_file(text: str) -> tuple[str, str]:
    """Return the name and the file of NAME=FILE; of a FILE alone the name is its stem.

    >>> named_file("mine=of/june.csv.gz"), named_file("of/june.csv.gz"), named_file("a/b=c.csv")
    (('mine', 'of/june.csv.gz'), ('june', 'of/june.csv.gz'), ('b=c', 'a/b=c.csv'))
    """
    name, sign, path = text.partition("=")
    if not sign or "/" in name or os.sep in name:
        path = text
        name = "input" if text in ("-", STANDARD_INPUT) else PurePath(bare_name(text)).stem
    return name, STANDARD_INPUT if path == "-" else path


def check_names(names: Iterable[str], measures: Iterable[str]) -> None:
    """Raise InputError unless names can be told apart from each other and from measures."""
    taken = {REFERENCE, *measures}
    for name in names:
        rule = None
        if not name or name != name.strip() or not name.isprintable():
            rule = "be a text that prints, without blanks around it"
        elif name in taken:
            rule = "differ from those of measures and of other estimators"
        if rule is not None:
            remedy = "give another name, as NAME=FILE"
            raise InputError("name of an estimator", name, rule, remedy=remedy)
        taken.add(name)


def estimator_of(kind: str, name: str, source: Any, dataset: Dataset) -> Estimator:
    """Return estimates of the lists of a dataset by what was given: a file, a frame, a function.

    `kind`: `SCORES` or `REACH`.

    Raise InputError for a table or a function that does not give one estimate in [0, 1] of each
    system and topic, and a table of P(x -> y) that leads to no ideal; OSError if a file cannot
    be read.
    """
    if kind == REACH:
        links = links_of(source, name, dataset)

        def with_own(grades: Grades | None, _: Mapping[str, Links] | None = None) -> Floats:
            return scores_by(dataset, [REFERENCE], grades, navigation=links)[1][REFERENCE]

        return Estimator(name, with_own(None), with_own, links=links)
    if not callable(source):
        return Estimator(name, estimates_of(source, name, dataset))

    def asked(grades: Grades | None, navigation: Mapping[str, Links] | None = None) -> Floats:
        """Return what the function says of each list, (systems, topics with an ideal)."""
        judged = dataset.judged(grades, navigation=navigation)
        values = np.empty((len(dataset.systems), len(judged)))
        for place, topic in enumerate(judged):
            browsing = topic.navigation(None)
            for number, system in enumerate(dataset.systems):
                ranking = dataset.runs[system].get(topic.topic, ())
                estimate = source(topic.task(ranking), browsing)
                value = real(estimate)
                if not 0 <= value <= _MOST:
                    thing = f"estimate of system {system} on topic {topic.topic}"
                    remedy = "correct the function"
                    raise InputError(thing, estimate, _RULE, remedy=remedy, place=name)
                values[number, place] = value
        return values

    return Estimator(name, asked(None), asked, browses=True)


def estimates_of(source: Any, name: str, dataset: Dataset) -> Floats:
    """Return the estimates of a table, (systems, topics).

    `source`: a file (CSV, TSV, JSONL, Parquet), or a data frame or mapping with columns system,
    topic, estimate; other columns are not read.

    Raise InputError for a system or topic that the dataset does not have, a pair that is there
    twice or not at all, and an estimate that is no number in [0, 1]; OSError if a file cannot
    be read.
    """
    table = read(source, ESTIMATES, name=name)
    places = [
        {id_: at for at, id_ in enumerate(known)} for known in (dataset.systems, dataset.topics)
    ]
    values = np.full((len(places[0]), len(places[1])), np.nan)
    for row, (system, topic, estimate) in enumerate(zip(*table.columns, strict=True)):
        where = table.place(row)
        for what, id_, known in zip(("system", "topic"), (system, topic), places, strict=True):
            if id_ not in known:
                raise _unknown(what, id_, list(known), where)
        key = places[0][system], places[1][topic]
        if not np.isnan(values[key]):
            thing = f"estimate of system {system} on topic {topic}"
            remedy = "leave one of the rows out"
            raise InputError(thing, estimate, "be given once", remedy=remedy, place=where)
        values[key] = estimate
    lacking = np.argwhere(np.isnan(values))
    if len(lacking):
        system, topic = dataset.systems[lacking[0][0]], dataset.topics[lacking[0][1]]
        thing = f"number of estimates missing, the first of system {system} on topic {topic},"
        pairs = f"{len(dataset.systems):,} systems on each of {len(dataset.topics):,} topics"
        remedy = f"give one for each of {pairs}"
        raise InputError(thing, len(lacking), "be 0", remedy=remedy, place=table.origin)
    return values


def links_of(source: Any, name: str, dataset: Dataset) -> dict[str, Links]:
    """Return the P(x -> y) of a table, by topic; one without a column topic holds for all.

    `source`: as for `estimates_of`, with columns source, target, probability and optionally topic.

    Raise InputError for a topic that the dataset does not have, what `Links` do not take, and a
    table that leads to no ideal; OSError if a file cannot be read.
    """
    table = read(source, _LINKS, name=name)
    sources, targets, probabilities, topics = table.columns
    if all(topic is None for topic in topics):
        own = Links.from_columns(sources, targets, probabilities, origin=table.origin)
        links = dict.fromkeys(dataset.topics, own)
    else:
        known = set(dataset.topics)
        for row, topic in enumerate(topics):
            if topic not in known:
                raise _unknown("topic", topic, dataset.topics, table.place(row))
        links = links_by_topic(topics, sources, targets, probabilities, origin=table.origin)
    ideals = {judged.topic: set(judged.ideals) for judged in dataset.judged()}
    if not any(set(own.elements) & ideals[topic] for topic, own in links.items()):
        thing, rule = "number of links to an ideal", "be at least 1"
        remedy = "name elements as the runs and qrels.txt of the folder do"
        raise InputError(thing, 0, rule, remedy=remedy, place=table.origin)
    return links


def _unknown(what: str, value: object, known: Sequence[str], where: str) -> InputError:
    few = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")
    remedy = f"name {what}s as the folder does, or leave the row out"
    return InputError(what, value, f"be one of {few}", remedy=remedy, place=where)


def by_table(rows: EstimatorRows, dataset: Dataset, estimators: Iterable[Estimator]) -> None:
    """Add how tables of P(x -> y) differ from the true one, over the pairs that lead somewhere."""
    pairs = [
        (topic, x, y, p * dataset.mean_factor)
        for topic, links in dataset.navigation.items()
        for x, y, p in links
        if p > 0
    ]
    if not pairs:
        return
    topics = np.unique([topic for topic, *_ in pairs], return_inverse=True)[1]
    true = np.array([p for *_, p in pairs])
    for one in estimators:
        if one.links is None:
            continue
        own = {(topic, x, y): p for topic, table in one.links.items() for x, y, p in table}
        found = np.array([own.get((topic, x, y), 0.0) for topic, x, y, _ in pairs])
        error = found - true
        values: Values = {
            "pairs": float(len(pairs)),
            "lacking": float((found == 0).mean()),
            "bias": clustered_interval(error, topics),
            "rmse": root_interval(clustered_interval(error**2, topics)),
        }
        rows.add("tables", one.name, "", values)


def notes_on(estimators: Iterable[Estimator]) -> list[str]:
    """Return what cannot be told of each."""
    notes = []
    for one in estimators:
        if one.again is None:
            notes.append(
                f"{one.name}: scores are given on complete judgements alone, so that pools, other "
                "assessors and probabilities from the log are left out."
            )
        elif one.links is not None:
            notes.append(
                f"{one.name}: graded by the {REFERENCE} that its P(x → y) give, visits "
                "independent; it has probabilities of its own, so that those from the log are left "
                "out."
            )
    return notes
