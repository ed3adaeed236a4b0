"""Estimators that are given: scores and P(x -> y) in files or frames, and functions, by name.

An estimator says what ExactPRUM of each system on each topic is. Scores are taken as they are. A
table of P(x -> y) is graded by the ExactPRUM that it gives, visits independent, so that what is
measured is the table's error and not that of PRUM; a pair that it lacks has probability 0. A
function takes a task and how people browse, and returns an estimate; on walks it is told the chance
to get from x to y, as PRUM is.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from prum.experiments.generate.reading import Dataset, Grades
from prum.experiments.statistics.intervals import clustered_interval, root_interval
from prum.experiments.studies.estimators.given_tables import estimates_of, links_of
from prum.experiments.studies.estimators.rows import EstimatorRows
from prum.experiments.studies.estimators.scoring import REFERENCE, scores_by
from prum.simulator.model import InputError, Links, Navigation, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import real
from prum.simulator.tables.files import STANDARD_INPUT
from prum.simulator.tables.unpacked import bare_name

Function = Callable[[Task, Navigation], float]
# Takes other judgements and probabilities, or None, to estimates: (systems, topics).
Rescore = Callable[[Grades | None, Mapping[str, Links] | None], Floats]
SCORES, REACH = "scores", "reach"
# What rounding may add to a precision of 1.
SLACK = 1e-9
_RENAME = "name it otherwise, as NAME=FILE"


@dataclass(frozen=True, eq=False, slots=True)
class GivenSource:
    """What a name stands for: the `kind`, scores or reach, and a file, a frame or a function."""

    name: str
    kind: str
    source: Any


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
        if not name or name != name.strip() or not name.isprintable():
            rule = "be a text that prints, without blanks around it"
            raise InputError("name of an estimator", name, rule, remedy=_RENAME)
        if name in taken:
            rule = "be another than those of measures and of other estimators"
            raise InputError("name of an estimator", name, rule, remedy=_RENAME)
        taken.add(name)


def estimator_of(given: GivenSource, dataset: Dataset) -> Estimator:
    """Return what was given as estimates of the lists of a dataset.

    Raises
    ------
    InputError
        for a table or a function that does not give one estimate in [0, 1] of each system and
        topic, and a table of P(x -> y) that leads to no ideal.
    OSError
        if a file cannot be read.
    """
    if given.kind == REACH:
        links = links_of(given.source, given.name, dataset)

        def with_own(grades: Grades | None, _: Mapping[str, Links] | None = None) -> Floats:
            return scores_by(dataset, [REFERENCE], grades, navigation=links)[1][REFERENCE]

        return Estimator(given.name, with_own(None), with_own, links=links)
    if not callable(given.source):
        return Estimator(given.name, estimates_of(given.source, given.name, dataset))

    def asked(grades: Grades | None, navigation: Mapping[str, Links] | None = None) -> Floats:
        return _asked(given, dataset, grades, navigation)

    return Estimator(given.name, asked(None), asked, browses=True)


def _asked(
    given: GivenSource,
    dataset: Dataset,
    grades: Grades | None,
    navigation: Mapping[str, Links] | None,
) -> Floats:
    """Return what a function says of each list, (systems, topics with an ideal)."""
    judged = dataset.judged(grades, navigation=navigation)
    values = np.empty((len(dataset.systems), len(judged)))
    for place, topic in enumerate(judged):
        browsing = topic.navigation(None)
        for number, system in enumerate(dataset.systems):
            ranking = dataset.runs[system].get(topic.topic, ())
            estimate = given.source(topic.task(ranking), browsing)
            value = real(estimate)
            if not 0 <= value <= 1 + SLACK:
                raise InputError(
                    f"estimate of system {system} on topic {topic.topic}", estimate,
                    "be a number in [0, 1]", remedy="mend the function", place=given.name,
                )  # fmt: skip
            values[number, place] = value
    return values


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
        tables = {topic: {(x, y): p for x, y, p in table} for topic, table in one.links.items()}
        none = dict[tuple[str, str], float]()
        found = np.array([tables.get(topic, none).get((x, y), 0.0) for topic, x, y, _ in pairs])
        error = found - true
        rows.add("tables", one.name, "", "pairs", float(len(pairs)))
        rows.add("tables", one.name, "", "lacking", float((found == 0).mean()))
        rows.add("tables", one.name, "", "bias", clustered_interval(error, topics))
        square = clustered_interval(error**2, topics)
        rows.add("tables", one.name, "", "rmse", root_interval(square))


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
