"""What errors of judges do to scores, intervals and rankings.

Labels are used as they are, corrected, or as probabilities, on made topics with known ideals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.analytic import prum
from prum.experiments.frame.design import Design, Seed, draws_of, option
from prum.experiments.frame.frames import columns_of, frame_table
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import View, interval
from prum.experiments.judges.labels import Labels
from prum.experiments.judges.ranks import normal_scores
from prum.experiments.statistics.intervals import Estimate, mean_interval, student_factor
from prum.experiments.statistics.rankings import tau_b
from prum.experiments.studies.kit.story import Story
from prum.simulator import InputError
from prum.simulator.generation.dials import ErringJudges, Topics
from prum.simulator.generation.judging import called_ideal
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.measured.judged_sets import JudgedSets

NAIVE, PREDICTION, ZERO = "labels as they are", "prediction-powered", "unjudged = 0"
OURS, BY_RANK = "expected scores", "expected scores by rank"
METHODS = (NAIVE, PREDICTION, ZERO, OURS, BY_RANK)
MEASURES = ("AP", "PRUM")
ELEMENTS, SYSTEMS, POOL = 50, 6, 5
# Cases of expected scores, and those of users who browse, whose scores take time.
CASES, BROWSED = 40, 10
_STRENGTHS = np.linspace(0.6, 1.6, SYSTEMS)
# P(x -> y): each element leads to the two after it.
_FOLLOWED = 0.4
_NAMES = tuple(str(x) for x in range(ELEMENTS))
# As the dial of made labels has it.
_LEAST_DEPENDENCE = 1e-4


class JudgesStudyDesign(Design):
    """Options of the study of judges."""

    hits: tuple[float, ...] = option(
        (0.5, 0.8),
        "P(called ideal) of ideals.",
        singular="hit",
        least=0,
        most=1,
        remedy="give a share",
    )
    false_alarms: tuple[float, ...] = option(
        (0.2,),
        "P(called ideal) of others.",
        singular="false-alarm",
        least=0,
        most=1,
        remedy="give a share",
    )
    dependences: tuple[float, ...] = option(
        (0.0, 0.2),
        "Correlation of labels of a topic; 0, or .0001 at least.",
        singular="dependence",
        least=0,
        most=0.9,
        remedy="give a share",
    )
    topics: int = option(20, "Topics of a draw.", "N", least=6, most=1_000)
    human: int = option(6, "Topics of a draw that people judged.", "N", least=2, most=1_000)
    draws: int = option(12, draws_of("sets of topics"))
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        remedy = f"of {self.topics} topics some have to be left to the judge"
        if self.human > self.topics - 2:
            rule = f"be at most {self.topics - 2}"
            raise InputError("human", self.human, rule, remedy=remedy)
        for dependence in self.dependences:
            if 0 < dependence < _LEAST_DEPENDENCE:
                rule = f"be 0, or {_LEAST_DEPENDENCE:g} at least"
                raise InputError("dependence", dependence, rule, remedy="give a larger share, or 0")


def compute(
    design: JudgesStudyDesign,
    progress: Advance,
    *,
    methods: Sequence[str] = METHODS,
    measures: Sequence[str] = MEASURES,
) -> Any:
    """Return bias, coverage and tau by judge, measure and method.

    Hypothesis. Labels as they are bias scores and leave intervals that miss; expected scores with a
    judge measured beside people are right, and their intervals hold the true means where errors go
    together, too. Browsing spreads what an ideal is worth over what leads to it, so that PRUM may
    order systems better by bad labels than lists do.

    Design. A draw is a set of topics with 50 elements each and six systems (`estimates`). A judge
    with a hit rate, a false-alarm rate and a correlation of labels within topics labels all of
    them, the same random numbers for each judge; people judge a share of the topics whole. By each
    method: `bias` is the mean over systems of estimate less the true mean, `coverage` the share of
    95 % intervals that hold it, `tau` Kendall's tau-b with the true order; means over draws, with
    the ends of their intervals. True means are those of the complete judgements over all topics of
    all draws. Beside the rows: tau of PRUM less that of AP by labels as they are, over draws.

    Cost. A judge and draw take 1.5 seconds; the default, four judges and 12 draws, 70.
    """
    import pandas as pd

    worlds = [
        made_topics(design.topics, np.random.default_rng([design.seed, draw]))
        for draw in range(design.draws)
    ]
    true = {
        measure: np.mean([made.scores[measure].mean(axis=0) for made in worlds], axis=0)
        for measure in measures
    }
    points = list(product(design.hits, design.false_alarms, design.dependences))
    step = counted(progress, len(points) * design.draws)
    rows, apart = [], []
    for hit, false, within in points:
        dials = ErringJudges(hit=hit, false_alarm=false, by_topic=(within, within))
        by_draw: dict[tuple[str, str], list[Any]] = {}
        for draw, made in enumerate(worlds):
            labels = Labelled.by(dials, made, design.human, design.seed, draw)
            for measure, method in product(measures, methods):
                of_systems = estimates(method, measure, labels)
                by_draw.setdefault((measure, method), []).append(of_systems)
            step()
        taus = {}
        for (measure, method), of_draws in by_draw.items():
            means = true[measure]
            values, lows, highs = np.moveaxis(np.array(of_draws), 2, 0)
            tau = taus[measure, method] = np.nan_to_num(tau_b(values, means))
            rows.append(
                {"hit": hit, "false_alarm": false, "dependence": within}
                | {"measure": measure, "method": method, "draws": design.draws}
                | columns_of(
                    bias=mean_interval((values - means).mean(axis=1)),
                    coverage=mean_interval(((lows <= means) & (means <= highs)).mean(axis=1)),
                    tau=mean_interval(tau),
                )
            )
        apart.append(taus["PRUM", NAIVE] - taus["AP", NAIVE])
    difference, low, high = mean_interval(np.mean(apart, axis=0))
    named = {measure: means.tolist() for measure, means in true.items()}
    findings = SimpleNamespace(difference=difference, low=low, high=high, true=named)
    return pd.DataFrame(rows), findings


# --- made topics, their labels, and estimates of scores ------------------------------------------


@dataclass(frozen=True, eq=False)
class MadeTopics:
    """Topics of a draw: whether each element is ideal, (topics, elements), and each system's lists.

    `lists` has the shape (topics, systems, elements).
    """

    is_ideal: Flags
    lists: Ints

    @cached_property
    def scores(self) -> dict[str, Floats]:
        """Measure -> scores, shape (topics, systems)."""
        return {measure: scores_of(measure, self.is_ideal, self.lists) for measure in MEASURES}


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
            [float(by_sets(measure, ideal[None], listed)[0]) for listed in of_topic]
            for ideal, of_topic in zip(is_ideal, lists, strict=True)
        ]
    )


def by_sets(measure: str, sets: Flags, listed: Ints) -> Floats:
    """Return the score of a list by each set of ideals."""
    if measure == "AP":
        return JudgedSets(sets).average_precision(listed)
    each, of = np.unique(sets, axis=0, return_inverse=True)
    return np.array([_browsed(ideal, listed) for ideal in each])[of]


def _browsed(ideal: Flags, listed: Ints) -> float:
    if not ideal.any():
        return 0.0
    distance = (np.flatnonzero(ideal)[None, :] - listed[:, None]) % ELEMENTS
    reach = np.where(distance == 0, 1.0, np.where(distance <= 2, _FOLLOWED, 0.0))
    return float(prum(reach, 0).precision.mean())


def estimates(method: str, measure: str, of: Labelled) -> list[Estimate]:
    """Return each system's mean score with its interval.

    The method without a judge has people's judgements of the first ranks of all lists.
    """
    made, human = of.made, of.human
    if method == NAIVE:
        return [mean_interval(scores) for scores in of.naive.scores[measure].T]
    if method == PREDICTION:
        given = of.naive.scores[measure]
        rest, error = given[human:], made.scores[measure][:human] - given[:human]
        means = rest.mean(axis=0) + error.mean(axis=0)
        spread = rest.var(axis=0, ddof=1) / len(rest) + error.var(axis=0, ddof=1) / human
        halves = student_factor(human - 1) * np.sqrt(spread)
        ends = zip(means.tolist(), halves.tolist(), strict=True)
        return [Estimate.around(mean, half) for mean, half in ends]
    if method == ZERO:
        is_judged = np.zeros_like(made.is_ideal)
        for topic, of_topic in enumerate(made.lists):
            is_judged[topic, of_topic[:, :POOL]] = True
        pooled = scores_of(measure, made.is_ideal & is_judged, made.lists)
        return [mean_interval(scores) for scores in pooled.T]
    cases = CASES if measure == "AP" else BROWSED
    return _expected(measure, made, of.chances[method][:, :cases], of.key)


def _expected(
    measure: str, made: MadeTopics, chances: Floats, key: tuple[int, int]
) -> list[Estimate]:
    """Return expected scores, by a set of ideals drawn for each case.

    An interval has the variance over topics and, of that over cases, what topics share.
    """
    rng = np.random.default_rng(key)
    scores = np.array(
        [
            [by_sets(measure, sets, listed) for listed in of_topic]
            for chance, of_topic in zip(chances, made.lists, strict=True)
            for sets in [rng.random(chance.shape) < chance]
        ]
    )
    within = scores.var(axis=2, ddof=1).sum(axis=0) / len(scores) ** 2
    shared = np.maximum(scores.mean(axis=0).var(axis=1, ddof=1) - within, 0)
    means = scores.mean(axis=2)
    return [mean_interval(mean, float(more)) for mean, more in zip(means.T, shared, strict=True)]


# --- what is shown --------------------------------------------------------------------------------

FORMS = {"measure": "", "method": "", "bias ±": "+.4f", "coverage ±": ".3f", "tau ±": ".3f"}


def view(result: Any) -> View:
    """Return bias, coverage and tau by judge, and whether browsing helps."""
    findings = result.found
    section = "better" if findings.low > 0 else "worse" if findings.high < 0 else "undecided"
    judges = result.to_frame().groupby(["hit", "false_alarm", "dependence"], sort=False)
    label = "Hits {:g}, false alarms {:g}, correlation within topics {:g}"
    tables = [
        frame_table(label.format(*point), rows, FORMS, parts="measure") for point, rows in judges
    ]
    values = {
        "design": result.design,
        "num_judges": len(judges),
        "difference": interval(findings.difference, findings.low, findings.high, "+.3f"),
    }
    return Story.of(__package__).view(tables, values, headline=(section,))


JUDGES = Study("judges", __doc__, JudgesStudyDesign, compute, view)
