"""Made topics, their labels, and estimates of systems' scores from these, topic by topic."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from prum.experiments.judges.labels import Labels
from prum.experiments.statistics.intervals import Estimate, mean_interval, student_factor
from prum.simulator.generation.dials import ErringJudges, Topics
from prum.simulator.generation.judging import called_ideal
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.measured.judged_sets import JudgedSets

NAIVE, ROGAN_GLADEN, PREDICTION = "labels as they are", "Rogan-Gladen", "prediction-powered"
ZERO, CONDENSED, INFERRED, OURS = "unjudged = 0", "condensed lists", "infAP", "expected scores"
BY_RANK = "expected scores by rank"
METHODS = (NAIVE, ROGAN_GLADEN, PREDICTION, ZERO, CONDENSED, INFERRED, OURS, BY_RANK)
MEASURES = ("P@10", "AP", "nDCG@10", "PRUM")
ELEMENTS, SYSTEMS, POOL, CASES = 50, 6, 5, 40
_STRENGTHS = np.linspace(0.6, 1.6, SYSTEMS)
# P(x -> y): each element leads to the two after it.
_FOLLOWED = 0.4
_RANK = 10
# Bins of elements by their mean rank.
_BINS = 8


@dataclass(frozen=True, eq=False)
class MadeTopics:
    """Topics of one draw: whether each element is ideal, and each system's list.

    `is_ideal` has shape (topics, elements); `lists` (topics, systems, elements).
    """

    is_ideal: Flags
    lists: Ints


def made_topics(num: int, rng: np.random.Generator) -> MadeTopics:
    """Return topics whose share of ideals is Beta(2, 8), one ideal at least, and lists of them.

    Systems rank by strength for ideals plus a normal number, the same systems on all topics.
    """
    share = rng.beta(2, 8, (num, 1))
    is_ideal = rng.random((num, ELEMENTS)) < share
    is_ideal[np.arange(num), rng.integers(0, ELEMENTS, num)] = True
    noise = rng.normal(size=(num, SYSTEMS, ELEMENTS))
    scores = _STRENGTHS[:, None] * is_ideal[:, None, :] + noise
    return MadeTopics(is_ideal, np.argsort(-scores, axis=2))


def labelled(made: MadeTopics, dials: ErringJudges, seed: int, draw: int) -> Flags:
    """Return what the judge calls ideal, shape (topics, elements)."""
    return np.array(
        [
            called_ideal(
                dials, Topics(), seed, f"draw {draw}, topic {t}", range(ELEMENTS), own.astype(int)
            )[0]
            for t, own in enumerate(made.is_ideal)
        ]
    )


def scores_of(measure: str, is_ideal: Flags, lists: Ints) -> Floats:
    """Return scores by some ideals, (topics, systems); a topic without ideals has 0."""
    return np.array(
        [
            [float(by_sets(measure, ideal[None], own)[0]) for own in of_topic]
            for ideal, of_topic in zip(is_ideal, lists, strict=True)
        ]
    )


def by_sets(measure: str, sets: Flags, listed: Ints) -> Floats:
    """Return the score of a list by each set of ideals."""
    if measure == "PRUM":
        return np.array([_prum(ideal, listed) for ideal in sets])
    judged = JudgedSets(sets)
    by: dict[str, Callable[[Ints], Floats]] = {
        "P@10": partial(judged.precision, rank=_RANK),
        "AP": judged.average_precision,
        "nDCG@10": partial(judged.ndcg, rank=_RANK),
    }
    return by[measure](listed)


def _prum(ideal: Flags, listed: Ints) -> float:
    from prum.analytic import prum

    if not ideal.any():
        return 0.0
    distance = (np.flatnonzero(ideal)[None, :] - listed[:, None]) % ELEMENTS
    reach = np.where(distance == 0, 1.0, np.where(distance <= 2, _FOLLOWED, 0.0))
    return float(prum(reach, 0).precision.mean())


def estimates(
    method: str,
    measure: str,
    made: MadeTopics,
    labels: Flags,
    human: int,
    rng: np.random.Generator,
) -> list[Estimate] | None:
    """Return each system's mean score with its interval; None where a method has no such measure.

    People judged the first `human` topics whole, or, for the methods without a judge, the first
    ranks of all lists. Rogan and Gladen's correction is put to scores, as is often advised.
    """
    is_ideal, lists = made.is_ideal, made.lists
    if method == NAIVE:
        return _means(scores_of(measure, labels, lists))
    if method == ROGAN_GLADEN:
        ideals = is_ideal[:human]
        hit, false = labels[:human][ideals].mean(), labels[:human][~ideals].mean()
        gain = max(float(hit - false), 0.05)
        return _means((scores_of(measure, labels, lists) - false) / gain)
    if method == PREDICTION:
        given = scores_of(measure, labels, lists)
        true = scores_of(measure, is_ideal[:human], lists[:human])
        rest, error = given[human:], true - given[:human]
        means = rest.mean(axis=0) + error.mean(axis=0)
        spread = rest.var(axis=0, ddof=1) / len(rest) + error.var(axis=0, ddof=1) / human
        halves = student_factor(human - 1) * np.sqrt(spread)
        return [Estimate.around(*one) for one in zip(means.tolist(), halves.tolist(), strict=True)]
    if method in (OURS, BY_RANK):
        if measure == "PRUM":
            return None
        chances = (_by_label if method == OURS else _by_rank)(made, labels, human, rng)
        return _expected(measure, made, chances, rng)
    return _pooled(method, measure, made)


def _means(scores: Floats) -> list[Estimate]:
    return [mean_interval(own) for own in scores.T]


def _pooled(method: str, measure: str, made: MadeTopics) -> list[Estimate] | None:
    """Return estimates from people's judgements of the first ranks of all lists."""
    from prum.analytic.ranked import inferred_average_precision

    is_judged = np.zeros_like(made.is_ideal)
    for topic, of_topic in enumerate(made.lists):
        is_judged[topic, of_topic[:, :POOL]] = True
    known = made.is_ideal & is_judged
    if method == ZERO:
        return _means(scores_of(measure, known, made.lists))
    if method == CONDENSED and measure != "PRUM":
        scores = [
            [float(by_sets(measure, ideal[None], own[judged[own]])[0]) for own in of_topic]
            for ideal, judged, of_topic in zip(known, is_judged, made.lists, strict=True)
        ]
        return _means(np.array(scores))
    if method != INFERRED or measure != "AP":
        return None
    inferred = []
    for ideal, judged, of_topic in zip(known, is_judged, made.lists, strict=True):
        if not ideal.any():
            inferred.append([0.0] * SYSTEMS)
            continue
        wanted, others, rest = (
            [str(x) for x in np.flatnonzero(part)] for part in (ideal, judged & ~ideal, ~judged)
        )
        inferred.append(
            [
                inferred_average_precision([str(x) for x in own], wanted, others, rest)
                for own in of_topic.tolist()
            ]
        )
    return _means(np.array(inferred))


def _by_label(made: MadeTopics, labels: Flags, human: int, rng: np.random.Generator) -> Floats:
    """Return P(ideal) by a judge measured beside people, (topics, cases, elements)."""
    people = np.full(labels.shape, -1.0)
    people[:human] = made.is_ideal[:human]
    names = tuple(str(x) for x in range(ELEMENTS))
    topics = [str(t) for t in range(len(labels))]
    of = Labels(
        ("judge",),
        dict.fromkeys(topics, names),
        dict(zip(topics, labels[:, None], strict=True)),
        dict(zip(topics, people, strict=True)),
    )
    made_chances = of.probabilities(CASES, rng)
    return np.array([made_chances[topic] for topic in topics])


def _by_rank(made: MadeTopics, labels: Flags, human: int, rng: np.random.Generator) -> Floats:
    """Return P(ideal) by label and mean rank of all systems, (topics, cases, elements).

    It is the share of ideals in a cell of people's topics, each weighted by a random number of its
    own in each case (the Bayesian bootstrap): so errors that a topic's elements share widen what
    comes of it.
    """
    ranks = np.argsort(made.lists, axis=2).mean(axis=1)
    cells = (np.argsort(np.argsort(ranks, axis=1), axis=1) * _BINS // ELEMENTS) * 2 + labels
    weights = rng.dirichlet(np.ones(human), CASES) * human
    one_hot = cells[:human, :, None] == np.arange(2 * _BINS)
    total = weights @ one_hot.sum(axis=1)
    ideal = weights @ (one_hot & made.is_ideal[:human, :, None]).sum(axis=1)
    share = (ideal + made.is_ideal[:human].mean()) / (total + 1)
    chances = np.moveaxis(share[:, cells], 0, 1)
    chances[:human] = made.is_ideal[:human, None]
    return np.asarray(chances)


def _expected(
    measure: str, made: MadeTopics, chances: Floats, rng: np.random.Generator
) -> list[Estimate]:
    """Return expected scores, by a set of ideals drawn for each case.

    An interval has the variance over topics and, shared by them, that over cases.
    """
    scores = np.array(
        [
            [by_sets(measure, sets, own) for own in of_topic]
            for chance, of_topic in zip(chances, made.lists, strict=True)
            for sets in [rng.random((CASES, ELEMENTS)) < chance]
        ]
    )
    shared = scores.mean(axis=0).var(axis=1, ddof=1)
    means = scores.mean(axis=2)
    return [mean_interval(own, float(more)) for own, more in zip(means.T, shared, strict=True)]
