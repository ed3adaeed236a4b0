"""What errors of judges do to scores, intervals and rankings.

Labels are used as they are, corrected, or as probabilities, on made topics with known ideals.
"""

from collections.abc import Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.experiments.frame.design import Design, Seed, draws_of, option
from prum.experiments.frame.frames import columns_of, frame_table
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import View, interval
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.rankings import tau_b
from prum.experiments.studies.judges.estimates import (
    MEASURES,
    METHODS,
    NAIVE,
    Labelled,
    estimates,
    made_topics,
)
from prum.experiments.studies.kit.story import Story
from prum.simulator import InputError
from prum.simulator.generation.dials import ErringJudges
from prum.simulator.model.errors import whole_number

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
        whole_number("human", self.human, least=2, most=self.topics - 2, remedy=remedy)
        whole_number("draws", self.draws, least=2, most=100_000, remedy="give more draws")
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

    Hypothesis. Labels as they are bias scores and leave intervals that miss; corrections of
    prevalence repair means of labels alone; expected scores with a judge measured beside people are
    right, and their intervals hold the true means where errors go together, too. Browsing spreads
    what an ideal is worth over what leads to it, so that PRUM may order systems better by bad
    labels than lists do.

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
        measure: np.mean([made[measure].mean(axis=0) for made in worlds], axis=0)
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
                if (of_systems := estimates(method, measure, labels)) is not None:
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
    found = SimpleNamespace(difference=difference, low=low, high=high, true=named)
    return pd.DataFrame(rows), found


FORMS = {"measure": "", "method": "", "bias ±": "+.4f", "coverage ±": ".3f", "tau ±": ".3f"}


def view(result: Any) -> View:
    """Return bias, coverage and tau by judge, and whether browsing helps."""
    found = result.found
    section = "better" if found.low > 0 else "worse" if found.high < 0 else "undecided"
    judges = result.to_frame().groupby(["hit", "false_alarm", "dependence"], sort=False)
    label = "Hits {:g}, false alarms {:g}, correlation within topics {:g}"
    tables = [
        frame_table(label.format(*point), rows, FORMS, parts="measure") for point, rows in judges
    ]
    values = {
        "design": result.design,
        "num_judges": len(judges),
        "difference": interval(found.difference, found.low, found.high, "+.3f"),
    }
    return Story.beside(__package__).view(tables, values, headline=(section,))


JUDGES = Study("judges", __doc__, JudgesStudyDesign, None, compute, view)
