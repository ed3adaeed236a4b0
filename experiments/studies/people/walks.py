"""What walks that are fitted to people tell: of success and in units of precision."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from prum.analytic import closed_form, exact, prum, reach_matrix
from prum.experiments.fitting import FittedWalk, WalkEstimator, link_features
from prum.experiments.fitting.predictions import STEP
from prum.experiments.frame.frames import rows_of
from prum.experiments.logs import Sessions
from prum.experiments.statistics.intervals import Interval, student_factor
from prum.experiments.studies.people.steps import (
    Row,
    Steps,
    beside,
    groups,
    left_out,
    owners,
    ratio,
    row,
)
from prum.simulator import Campaign, InputError, Navigation
from prum.simulator.model.arrays import Flags, Floats, Ints

PRECISION, SUCCESS = "precision", "finished less unfinished"
VALUE, ERROR = ": value by the walk", ": PRUM minus the walk"
# Moves of a session, beyond which depths are told together.
_LAST = 15
FitWalk = Callable[[Sessions], FittedWalk]


def fit_of(steps: Steps) -> FitWalk:
    """Return what fits a walk to some of the sessions."""
    features = link_features(steps.links)
    return lambda sessions: WalkEstimator().fit(sessions, steps.links, features=features)


def nats(walk: FittedWalk, steps: Steps) -> Floats:
    """Return -log p of each move, given that there was one."""
    return walk.predict(steps.sessions)[STEP].nats


def by_precision(campaign: Campaign, walk: FittedWalk, draws: int, seed: int) -> list[Row]:
    """Return PRUM less the exact value of the fitted walk, by system, means over topics and r.

    Intervals are of what the log leaves unknown of the walk, for these topics, from `draws` of its
    posterior law. The control has independent visits with the walk's P(x -> y): there Hypothesis
    2.2 holds, and PRUM errs by 2.3 alone.

    Raise InputError for a topic of more ideals than there is an exact value for.
    """
    drawn = [precisions(campaign, each) for each in walk.sample_posterior(draws, seed)]
    mean = precisions(campaign, walk.navigation)
    size = len(campaign.ideals)
    rows = []
    for at, system in enumerate(campaign.runs):
        value, error, control = (
            _interval(float(mean[at, k]), [float(each[at, k]) for each in drawn]) for k in range(3)
        )
        rows.append(row(PRECISION, system + VALUE, value, None, None, size, "topics"))
        rows.append(row(PRECISION, system + ERROR, error, 0, control, size, "topics"))
    return rows


def precisions(campaign: Campaign, navigation: Navigation) -> Floats:
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


def by_success(
    steps: Steps, finished: Flags, fit: FitWalk, rng: np.random.Generator
) -> tuple[list[Row], list[Any]]:
    """Return how finished sessions differ from others; the control deals these names anew."""
    values = _differences(steps, finished, fit, np.random.default_rng(rng.integers(2**63)))
    dealt = rng.permutation(finished)
    controls = _differences(steps, dealt, fit, np.random.default_rng(rng.integers(2**63)))
    rows = beside(SUCCESS, values, controls, len(finished), "sessions")
    # Sessions that ended after so many moves; the last row holds all longer ones.
    moves = np.minimum(np.bincount(steps.session, minlength=len(finished)), _LAST)
    counts = [np.bincount(moves[part], minlength=_LAST + 1) for part in (finished, ~finished)]
    depths = {"moves": range(_LAST + 1), "finished": counts[0], "unfinished": counts[1]}
    return rows, rows_of(depths)


def _differences(
    steps: Steps, finished: Flags, fit: FitWalk, rng: np.random.Generator
) -> dict[str, Interval]:
    sessions, links = steps.sessions, steps.links
    num = len(sessions)
    session = sessions.session
    owner = owners(sessions)[sessions.starts[:-1]]
    group = groups(owner, rng)
    visits = np.diff(sessions.starts).astype(np.float64)
    moves = np.bincount(steps.session, minlength=num).astype(np.float64)
    backs = np.bincount(session, sessions.is_back, num).astype(np.float64)
    into = np.log2(np.maximum(np.bincount(links.targets, minlength=len(sessions.elements)), 1))
    popular = np.bincount(steps.session, into[sessions.element[steps.visit]], num).astype(
        np.float64
    )

    def difference(above: Floats, below: Floats) -> Interval:
        def measure(kept: Ints) -> float:
            first, second = (
                above[part].sum() / below[part].sum()
                for part in (kept[finished[kept]], kept[~finished[kept]])
            )
            return float(first - second)

        return left_out(group, measure)

    ones = np.ones(num)
    result = {
        "moves a session": difference(moves, ones),
        "back clicks a visit": difference(backs, visits),
        "stops a visit": difference(ones, visits),
        "links into what was chosen, doublings": difference(popular, moves),
    }
    half = np.zeros(num, dtype=np.bool_)
    order = rng.permutation(num)
    half[order[: num // 2]] = True
    learned = [order[half[order] & part[order]] for part in (finished, ~finished)]
    # Equally many moves of both, so that what they teach differs in kind alone.
    most = min(float(moves[these].sum()) for these in learned)
    thetas = [
        fit(sessions.some(np.sort(these[np.cumsum(moves[these]) <= most]))).shares
        for these in learned
    ]
    losses = [np.bincount(steps.session, -np.log(theta[steps.row]), num) for theta in thetas]
    extra = np.where(finished, losses[1] - losses[0], losses[0] - losses[1])
    for name, part in (("finished", finished), ("unfinished", ~finished)):
        kept = np.flatnonzero(~half & part)
        lost = ratio(extra[kept], moves[kept], group[kept])
        result[f"nats a step of {name} ones lost by learning from others"] = lost
    return result
