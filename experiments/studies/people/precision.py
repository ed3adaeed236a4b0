"""In units of precision: PRUM's summary of the fitted walk, beside the walk."""

from collections.abc import Sequence

import numpy as np

from prum.analytic.precision.of_task import closed_form, independent_of, prum_of
from prum.experiments.fitting.fitted_walk import FittedWalk
from prum.experiments.statistics.intervals import Interval, normal_factor
from prum.experiments.studies.people.measured import PeopleRow, row
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Navigation
from prum.simulator.model.arrays import Floats

PART = "precision"
# Navigations drawn from what the log leaves possible.
DRAWS = 20


def by_precision(campaign: Campaign, fitted: FittedWalk, seed: int) -> list[PeopleRow]:
    """Return PRUM less the exact value of the fitted walk, by system, means over topics and r.

    Intervals are of what is not known of the walk, for these topics. The control has independent
    visits with the walk's P(x -> y): there Hypothesis 2.2 holds, and PRUM errs by 2.3 alone.
    """
    drawn = [_errors(campaign, each) for each in fitted.sample_posterior(DRAWS, seed)]
    mean = _errors(campaign, fitted.navigation)
    rows = []
    names = ("{}: value by the walk", "{}: PRUM less the walk")
    for at, system in enumerate(campaign.runs):
        intervals = [_interval(mean[at, k], [each[at, k] for each in drawn]) for k in range(3)]
        for name, value, holds, control in (
            (names[0], intervals[0], None, None),
            (names[1], intervals[1], 0.0, intervals[2]),
        ):
            rows.append(
                row(
                    PART, name.format(system), value, holds, control, len(campaign.ideals), "topics"
                )
            )
    return rows


def _errors(campaign: Campaign, navigation: Navigation) -> Floats:
    """Return by system the value, and PRUM less it and less what independent visits would have."""
    rows = []
    for system in campaign.runs:
        each = []
        for topic in campaign.ideals:
            task = campaign.task(system, topic)
            exact = closed_form(task, navigation)
            if exact is None:
                continue
            values = exact, prum_of(task, navigation), independent_of(task, navigation)
            each.append([float(value.precision.mean()) for value in values])
        value, prum, independent = np.array(each).mean(axis=0)
        rows.append([value, prum - value, prum - independent])
    return np.array(rows)


def _interval(value: float, drawn: Sequence[float]) -> Interval:
    half = normal_factor() * float(np.std(drawn, ddof=1))
    return float(value), float(value) - half, float(value) + half
