"""In units of precision: PRUM's summary of the fitted walk, beside the walk."""

from collections.abc import Sequence

import numpy as np

from prum.analytic.precision.independent import exact
from prum.analytic.precision.of_task import closed_form, reach_matrix
from prum.analytic.precision.published import prum
from prum.experiments.fitting.fitted_walk import FittedWalk
from prum.experiments.statistics.intervals import Interval, student_factor
from prum.experiments.studies.people.measured import PeopleRow, row
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError, Navigation
from prum.simulator.model.arrays import Floats

PART = "precision"
VALUE, ERROR = ": value by the walk", ": PRUM less the walk"


def by_precision(campaign: Campaign, walk: FittedWalk, draws: int, seed: int) -> list[PeopleRow]:
    """Return PRUM less the exact value of the fitted walk, by system, means over topics and r.

    Intervals are of what the log leaves unknown of the walk, for these topics, from `draws` of its
    posterior law. The control has independent visits with the walk's P(x -> y): there Hypothesis
    2.2 holds, and PRUM errs by 2.3 alone.

    Raises
    ------
    InputError
        for a topic of more ideals than there is an exact value for.
    """
    drawn = [_values(campaign, each) for each in walk.sample_posterior(draws, seed)]
    mean = _values(campaign, walk.navigation)
    size = len(campaign.ideals)
    rows = []
    for at, system in enumerate(campaign.runs):
        value, error, control = (
            _interval(float(mean[at, k]), [float(each[at, k]) for each in drawn]) for k in range(3)
        )
        rows.append(row(PART, system + VALUE, value, None, None, size, "topics"))
        rows.append(row(PART, system + ERROR, error, 0, control, size, "topics"))
    return rows


def _values(campaign: Campaign, navigation: Navigation) -> Floats:
    """Return by system the value, and PRUM less it and less what independent visits would have."""
    rows = np.zeros((len(campaign.runs), 3))
    for at, system in enumerate(campaign.runs):
        for topic in campaign.ideals:
            task = campaign.task(system, topic)
            walked = closed_form(task, navigation)
            if walked is None:
                remedy = "leave the topic out of the qrels"
                rule, place = "be at most 16, for an exact value", f"topic {topic}"
                raise InputError("ideals", task.num_ideals, rule, remedy=remedy, place=place)
            reach = reach_matrix(task, navigation)
            summary, independent = (
                float(formula(reach, task.num_unranked).precision.mean())
                for formula in (prum, exact)
            )
            value = float(walked.precision.mean())
            rows[at] += value, summary - value, summary - independent
    return rows / len(campaign.ideals)


def _interval(value: float, drawn: Sequence[float]) -> Interval:
    half = student_factor(len(drawn) - 1) * float(np.std(drawn, ddof=1))
    return value, value - half, value + half
