"""Made topics, their labels, and estimates of systems' scores from these, topic by topic."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from prum.experiments.judges.labels import Labels
from prum.experiments.judges.ranks import normal_scores
from prum.experiments.statistics.intervals import Estimate, mean_interval, student_factor
from prum.simulator.generation.dials import ErringJudges, Topics
from prum.simulator.generation.judging import called_ideal
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.measured.judged_sets import JudgedSets

NAIVE, ROGAN_GLADEN, PREDICTION = "labels as they are", "Rogan-Gladen", "prediction-powered"
ZERO, CONDENSED, INFERRED, OURS = "unjudged = 0", "condensed lists", "infAP", "expected scores"
BY_RANK = "expected scores by rank"
METHODS = (NAIVE, ROGAN_GLADEN, PREDICTION, ZERO, CONDENSED, INFERRED, OURS, BY_RANK)
LISTS = ("P@10", "AP", "nDCG@10")
MEASURES = (*LISTS, "PRUM", "ExactPRUM")
ELEMENTS, SYSTEMS, POOL = 50, 6, 5
# Cases of expected scores, and those of users who browse, whose scores take time.
CASES, BROWSED = 40, 10
_STRENGTHS = np.linspace(0.6, 1.6, SYSTEMS)
# P(x -> y): each element leads to the two after it.
_FOLLOWED = 0.4
_RANK = 10
_NAMES = tuple(str(x) for x in range(ELEMENTS))


class MadeTopics(dict[str, Floats]):
    """Topics of a draw; measure -> scores, shape (topics, systems), found when first asked for.

    `is_ideal`, whether each element is ideal, has shape (topics, elements); `lists`, each system's,
    (topics, systems, elements).
    """

    def __init__(self, is_ideal: Flags, lists: Ints) -> None:
        super().__init__()
        self.is_ideal, self.lists = is_ideal, lists

    def __missing__(self, measure: str) -> Floats:
        self[measure] = scores = scores_of(measure, self.is_ideal, self.lists)
        return scores


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


@dataclass(frozen=True, eq=False)
class Labelled:
    """Topics, and the same as a judge labels them; people judged the first topics whole."""

    made: MadeTopics
    naive: MadeTopics
    human: int
    key: tuple[int, int]

    @classmethod
    def by(
        cls, dials: ErringJudges, made: MadeTopics, human: int, seed: int, draw: int
    ) -> "Labelled":
        """Return the labels of a made judge."""
        labels = [
            called_ideal(
                dials, Topics(), seed, f"draw {draw}, topic {t}", range(ELEMENTS), ideal.astype(int)
            )[0]
            for t, ideal in enumerate(made.is_ideal)
        ]
        return cls(made, MadeTopics(np.array(labels), made.lists), human, (seed, draw))

    @cached_property
    def chances(self) -> dict[str, Floats]:
        """Method -> P(ideal) by the judge measured beside people, (topics, cases, elements)."""
        labels = self.naive.is_ideal
        people = np.full(labels.shape, -1.0)
        people[: self.human] = self.made.is_ideal[: self.human]
        topics = [str(t) for t in range(len(labels))]
        ranks = {
            topic: normal_scores(_NAMES, [[_NAMES[x] for x in listed] for listed in lists])
            for topic, lists in zip(topics, self.made.lists, strict=True)
        }
        chances = {}
        for method in (OURS, BY_RANK):
            of = Labels(
                ("judge",),
                dict.fromkeys(topics, _NAMES),
                dict(zip(topics, labels[:, None], strict=True)),
                dict(zip(topics, people, strict=True)),
                ranks if method == BY_RANK else {},
            )
            drawn = of.probabilities(CASES, np.random.default_rng(self.key))
            chances[method] = np.array([drawn[topic] for topic in topics])
        return chances


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
    if measure not in LISTS:
        each, of = np.unique(sets, axis=0, return_inverse=True)
        return np.array([_browsed(measure, ideal, listed) for ideal in each])[of]
    judged = JudgedSets(sets)
    by: dict[str, Callable[[Ints], Floats]] = {
        "P@10": partial(judged.precision, rank=_RANK),
        "AP": judged.average_precision,
        "nDCG@10": partial(judged.ndcg, rank=_RANK),
    }
    return by[measure](listed)


def _browsed(measure: str, ideal: Flags, listed: Ints) -> float:
    from prum.analytic import exact, prum

    if not ideal.any():
        return 0.0
    distance = (np.flatnonzero(ideal)[None, :] - listed[:, None]) % ELEMENTS
    reach = np.where(distance == 0, 1.0, np.where(distance <= 2, _FOLLOWED, 0.0))
    law = prum if measure == "PRUM" else exact
    return float(law(reach, 0).precision.mean())


def estimates(method: str, measure: str, of: Labelled) -> list[Estimate] | None:
    """Return each system's mean score with its interval; None where a method has no such measure.

    Methods without a judge have people's judgements of the first ranks of all lists. Rogan and
    Gladen's correction is put to scores, as is often advised.
    """
    made, labels, human = of.made, of.naive.is_ideal, of.human
    if method == NAIVE:
        return _means(of.naive[measure])
    if method == ROGAN_GLADEN:
        ideals = made.is_ideal[:human]
        hit, false = labels[:human][ideals].mean(), labels[:human][~ideals].mean()
        gain = max(float(hit - false), 0.05)
        return _means((of.naive[measure] - false) / gain)
    if method == PREDICTION:
        given = of.naive[measure]
        rest, error = given[human:], made[measure][:human] - given[:human]
        means = rest.mean(axis=0) + error.mean(axis=0)
        spread = rest.var(axis=0, ddof=1) / len(rest) + error.var(axis=0, ddof=1) / human
        halves = student_factor(human - 1) * np.sqrt(spread)
        ends = zip(means.tolist(), halves.tolist(), strict=True)
        return [Estimate.around(mean, half) for mean, half in ends]
    if method in (OURS, BY_RANK):
        if measure == "ExactPRUM":  # differs by little from PRUM, and takes as long
            return None
        cases = CASES if measure in LISTS else BROWSED
        return _expected(measure, made, of.chances[method][:, :cases], of.key)
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
    if method == CONDENSED and measure in LISTS:
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


def _expected(
    measure: str, made: MadeTopics, chances: Floats, key: tuple[int, int]
) -> list[Estimate]:
    """Return expected scores, by a set of ideals drawn for each case.

    An interval has the variance over topics and, of that over cases, what topics share.
    """
    rng = np.random.default_rng(key)
    scores = np.array(
        [
            [by_sets(measure, sets, own) for own in of_topic]
            for chance, of_topic in zip(chances, made.lists, strict=True)
            for sets in [rng.random(chance.shape) < chance]
        ]
    )
    own = scores.var(axis=2, ddof=1).sum(axis=0) / len(scores) ** 2
    shared = np.maximum(scores.mean(axis=0).var(axis=1, ddof=1) - own, 0)
    means = scores.mean(axis=2)
    return [mean_interval(own, float(more)) for own, more in zip(means.T, shared, strict=True)]
