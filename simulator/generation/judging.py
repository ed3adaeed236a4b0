"""What made judges say of elements: labels that err, together within topics and between judges."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from prum.simulator.generation.dials import ErringJudges, Topics
from prum.simulator.generation.draws import Draws
from prum.simulator.generation.portable import beta_quantile, normal_quantile
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import did_you_mean

_REMEDY = "give one number, or one for each grade"


@dataclass(frozen=True, slots=True)
class Judge:
    """How a judge errs: see `ErringJudges`.

    `rates`: P(called ideal) by grade, from 0; `by_topic`: the correlation of labels of a topic, by
    grade.
    """

    rates: tuple[float, ...]
    by_topic: tuple[float, ...]


@cache
def measured_judges() -> dict[str, dict[str, float]]:
    """Return by name what was measured of 33 language models that judged TREC's passages.

    `hit`, `false_alarm` (means over topics), `topic_hit`, `topic_false_alarm` (correlation of
    labels of a topic) beside NIST's assessors, ideal from grade 2; `grade0` ..., P(called ideal).
    """
    text = files(__package__).joinpath("judges.csv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines())
    return {row.pop("judge"): {name: float(x) for name, x in row.items()} for row in rows}


def judges_of(dials: ErringJudges, topics: Topics) -> list[Judge]:
    """Return the judges, one by one.

    Raise InputError for a judge that was not measured, judges like others that are given rates, or
    rates for another number of grades.
    """
    num_hits = len(topics.grades) - topics.ideal_grade + 1
    by_grade = topics.ideal_grade, num_hits
    if dials.like is None:
        rates = (
            *_each(dials.false_alarm, by_grade[0], "false_alarm", "grade from 0 below ideal_grade"),
            *_each(dials.hit, by_grade[1], "hit", "grade from ideal_grade on"),
        )
        within = dials.by_topic
        judge = Judge(rates, (within[1],) * by_grade[0] + (within[0],) * by_grade[1])
        return [judge] * dials.number
    # A dataset's description gives all dials, these by default.
    fields = ErringJudges.model_fields
    by_hand = ("by_topic", "false_alarm", "hit", "number")
    if name := next((x for x in by_hand if getattr(dials, x) != fields[x].default), None):
        rule, remedy = "be left out where judges are like others", "leave out it or like"
        raise InputError(f"judges.{name}", getattr(dials, name), rule, remedy=remedy)
    measured, made = measured_judges(), []
    for number, name in enumerate(dials.like):
        if name not in measured:
            rule = "be one of the measured judges"
            remedy = did_you_mean(name, list(measured), f"they are {', '.join(measured)}")
            raise InputError(f"judges.like[{number}]", name, rule, remedy=remedy)
        of = measured[name]
        rates = (of["false_alarm"],) * by_grade[0] + (of["hit"],) * by_grade[1]
        if by_grade == (2, 2):
            rates = tuple(of[f"grade{grade}"] for grade in range(4))
        within = of["topic_hit"], of["topic_false_alarm"]
        made.append(Judge(rates, (within[1],) * by_grade[0] + (within[0],) * by_grade[1]))
    return made


def _each(given: float | tuple[float, ...], number: int, name: str, what: str) -> Sequence[float]:
    if not isinstance(given, tuple):
        return (given,) * number
    if len(given) != number:
        rule = f"be one number, or {number}: one for each {what}"
        raise InputError(f"judges.{name}", given, rule, remedy=_REMEDY)
    return given


def called_ideal(
    dials: ErringJudges,
    topics: Topics,
    seed: int,
    topic: int | str,
    elements: Sequence[int] | Sequence[str],
    grades: Ints,
) -> Flags:
    """Return whether each judge calls each element of a topic ideal; shape (judges, elements).

    `topic`: its number or name: other topics have other errors. `elements`: their numbers or names,
    for `by_document`; all others have errors by their place. `grades`: their true grades.

    Raise InputError as `judges_of`.
    """
    judges = judges_of(dials, topics)
    together, again = dials.between_judges, dials.by_document
    common = Draws(seed, "topic", topic, "judges")
    ranks = _ranks(common, dials)
    shared = [
        (together * (1 - again), common.normals(len(elements))),
        (together * again, _of_elements(seed, "judges", elements, together * again)),
    ]
    noises, all_ranks = list[Floats](), list[tuple[float, float]]()
    for number in range(len(judges)):
        draws = Draws(seed, "topic", topic, "judge", number)
        takes_common = float(draws.units(1)[0]) < np.sqrt(together)
        own_ranks = _ranks(draws, dials)
        all_ranks.append(ranks if takes_common else own_ranks)
        alone = (1 - together) * again
        parts = [
            *shared,
            ((1 - together) * (1 - again), draws.normals(len(elements))),
            (alone, _of_elements(seed, f"judge {number}", elements, alone)),
        ]
        noise = np.zeros(len(elements))
        for share, numbers in parts:
            noise = noise + np.sqrt(share) * numbers
        noises.append(noise)
    quantiles = _quantiles(judges, np.array(all_ranks), topics.ideal_grade)
    return np.array(noises) < quantiles[:, grades]


def _ranks(draws: Draws, dials: ErringJudges) -> tuple[float, float]:
    """Return the ranks of a topic by hits and by false alarms, each uniform from 0 to 1."""
    hit, other, coin = draws.units(3).tolist()
    return hit, hit if coin < dials.leniency else other


def _quantiles(judges: Sequence[Judge], ranks: Floats, ideal_grade: int) -> Floats:
    """Return below what a normal number has to be, (judges, grades), given the topic's ranks."""
    rates = np.array([judge.rates for judge in judges])
    within = np.array([judge.by_topic for judge in judges])
    is_hit = np.arange(rates.shape[1]) >= ideal_grade
    ranks = np.where(is_hit, ranks[:, :1], ranks[:, 1:])
    varies = (within > 0) & (rates > 0) & (rates < 1)
    if varies.any():
        mean, size = rates[varies], 1 / within[varies] - 1
        rates[varies] = beta_quantile(ranks[varies], mean * size, (1 - mean) * size)
    quantiles = np.where(rates <= 0, -np.inf, np.inf)
    proper = (rates > 0) & (rates < 1)
    quantiles[proper] = normal_quantile(rates[proper])
    return quantiles


def _of_elements(
    seed: int, name: str, elements: Sequence[int] | Sequence[str], share: float
) -> Floats:
    """Return a normal number of each element, the same on all topics; 0 where none is needed."""
    if not share:
        return np.zeros(len(elements))
    return np.array([Draws(seed, name, element).normals(1)[0] for element in elements])
