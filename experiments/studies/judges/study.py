"""Study: what judges who err do to scores, intervals and orders.

Hypothesis. Labels as they are bias scores and leave intervals that miss; corrections of prevalence
repair means of labels alone; expected scores with a judge measured beside people are right, and
their intervals hold the true means where errors go together, too. Browsing spreads what an ideal is
worth over what leads to it, so that PRUM may order systems better by bad labels than lists do.

Design. A draw is a set of topics with 50 elements each and six systems (`estimates`). A judge with
a hit rate, a false-alarm rate and a correlation of labels within topics labels all of them, the
same random numbers for each judge; people judge a share of the topics whole. By each method: bias
in the mean over systems, how often 95 % intervals hold the true means, and Kendall's tau-b with the
true order; intervals are over draws. True means are those of the complete judgements over all
topics of all draws.

Cost. A judge and draw take 1.5 seconds; the default, four judges and 12 draws, 70.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated

import numpy as np

from prum.experiments.frame.design import Design, Option, Seed, draws_of
from prum.experiments.frame.study import Advance, counted
from prum.experiments.statistics.intervals import Estimate, mean_interval
from prum.experiments.statistics.rankings import tau_b
from prum.experiments.studies.judges.estimates import (
    MEASURES,
    METHODS,
    NAIVE,
    Labelled,
    estimates,
    made_topics,
)
from prum.simulator.generation.dials import ErringJudges
from prum.simulator.model.arrays import Floats

_SHARED = "give a share"
# As the dial of made labels has it.
_LEAST_DEPENDENCE = 1e-4


class JudgesStudyDesign(Design):
    """Options of the study of judges."""

    hits: Annotated[
        tuple[float, ...],
        Option("P(called ideal) of ideals.", singular="hit", least=0, most=1, remedy=_SHARED),
    ] = (0.5, 0.8)
    false_alarms: Annotated[
        tuple[float, ...],
        Option(
            "P(called ideal) of others.", singular="false-alarm", least=0, most=1, remedy=_SHARED
        ),
    ] = (0.2,)
    dependences: Annotated[
        tuple[float, ...],
        Option(
            "Correlation of labels of a topic; 0, or .0001 at least.",
            singular="dependence",
            least=0,
            most=0.9,
            remedy=_SHARED,
        ),
    ] = (0.0, 0.2)
    topics: Annotated[int, Option("Topics of a draw.", metavar="N", least=6, most=1_000)] = 20
    human: Annotated[
        int, Option("Topics of a draw that people judged.", metavar="N", least=2, most=1_000)
    ] = 6
    draws: Annotated[int, draws_of("sets of topics")] = 12
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        from prum.simulator.model.errors import InputError, whole_number

        remedy = f"of {self.topics} topics some have to be left to the judge"
        whole_number("human", self.human, least=2, most=self.topics - 2, remedy=remedy)
        whole_number("draws", self.draws, least=2, most=100_000, remedy="give more draws")
        for dependence in self.dependences:
            if 0 < dependence < _LEAST_DEPENDENCE:
                rule = f"be 0, or {_LEAST_DEPENDENCE:g} at least"
                raise InputError("dependence", dependence, rule, remedy="give a larger share, or 0")


@dataclass(frozen=True, slots=True)
class JudgesRow:
    """What a method makes of a judge's labels, or of people's first ranks, by a measure.

    `bias` is the mean over systems of estimate less the true mean, `coverage` the share of
    intervals that hold it, `tau` Kendall's tau-b with the true order; means over draws, with the
    ends of their intervals.
    """

    hit: float
    false_alarm: float
    dependence: float
    measure: str
    method: str
    draws: int
    bias: float
    bias_low: float
    bias_high: float
    coverage: float
    coverage_low: float
    coverage_high: float
    tau: float
    tau_low: float
    tau_high: float


@dataclass(frozen=True, slots=True)
class JudgesFindings:
    """tau of PRUM less that of AP by labels as they are, over draws, and the true means."""

    difference: float
    low: float
    high: float
    true: dict[str, list[float]]


def compute(
    design: JudgesStudyDesign,
    progress: Advance,
    *,
    methods: Sequence[str] = METHODS,
    measures: Sequence[str] = MEASURES,
) -> tuple[list[JudgesRow], JudgesFindings]:
    """Return bias, coverage and tau by judge, measure and method."""
    worlds = [
        made_topics(design.topics, np.random.default_rng([design.seed, draw]))
        for draw in range(design.draws)
    ]
    true = {
        measure: np.mean([one.true[measure].mean(axis=0) for one in worlds], axis=0)
        for measure in measures
    }
    points = list(product(design.hits, design.false_alarms, design.dependences))
    step = counted(progress, len(points) * design.draws)
    rows, apart = list[JudgesRow](), list[Floats]()
    for hit, false, within in points:
        dials = ErringJudges(hit=hit, false_alarm=false, by_topic=(within, within))
        found: dict[tuple[str, str], list[list[Estimate]]] = {}
        for draw, made in enumerate(worlds):
            labels = Labelled.by(dials, made, design.human, design.seed, draw)
            for measure, method in product(measures, methods):
                one = estimates(method, measure, labels)
                if one is not None:
                    found.setdefault((measure, method), []).append(one)
            step()
        taus = dict[str, Floats]()
        for (measure, method), by_draw in found.items():
            values = np.array([[one.value for one in own] for own in by_draw])
            holds = np.array(
                [
                    [one.low <= wanted <= one.high for one, wanted in zip(own, means, strict=True)]
                    for own in by_draw
                    for means in [true[measure].tolist()]
                ]
            )
            tau = np.nan_to_num(tau_b(values, true[measure]))
            if method == NAIVE:
                taus[measure] = tau
            rows.append(
                JudgesRow(
                    hit,
                    false,
                    within,
                    measure,
                    method,
                    design.draws,
                    *mean_interval((values - true[measure]).mean(axis=1)),
                    *mean_interval(holds.mean(axis=1)),
                    *mean_interval(tau),
                )
            )
        apart.append(taus["PRUM"] - taus["AP"])
    difference = mean_interval(np.mean(apart, axis=0))
    named = {measure: means.tolist() for measure, means in true.items()}
    return rows, JudgesFindings(*difference, named)
