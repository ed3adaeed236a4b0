"""What conditioning on success does: sessions that finished beside those that did not."""

from dataclasses import dataclass

import numpy as np

from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.people.contexts import owners
from prum.experiments.studies.people.measured import PeopleRow, groups, left_out, ratio, row
from prum.experiments.studies.people.steps import Steps, picked
from prum.experiments.studies.people.walks import FitWalk
from prum.simulator.model.arrays import Flags, Floats, Ints

PART = "finished less unfinished"
_LAST = 15


@dataclass(frozen=True, slots=True)
class DepthRow:
    """Sessions that ended after so many moves; the last row holds all longer ones."""

    moves: int
    finished: int
    unfinished: int


def by_success(
    steps: Steps, finished: Flags, fit: FitWalk, rng: np.random.Generator
) -> tuple[list[PeopleRow], list[DepthRow]]:
    """Return how finished sessions differ from others; the control deals these names anew."""
    values = _differences(steps, finished, fit, np.random.default_rng(rng.integers(2**63)))
    dealt = rng.permutation(finished)
    controls = _differences(steps, dealt, fit, np.random.default_rng(rng.integers(2**63)))
    rows = [
        row(PART, name, values[name], 0, controls[name], len(finished), "sessions")
        for name in values
    ]
    moves = np.minimum(np.bincount(steps.session, minlength=len(finished)), _LAST)
    numbers = (np.bincount(moves[part], minlength=_LAST + 1) for part in (finished, ~finished))
    return rows, [
        DepthRow(k, int(a), int(b)) for k, (a, b) in enumerate(zip(*numbers, strict=True))
    ]


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
        fit(picked(sessions, np.sort(these[np.cumsum(moves[these]) <= most]))).shares
        for these in learned
    ]
    losses = [np.bincount(steps.session, -np.log(theta[steps.row]), num) for theta in thetas]
    extra = np.where(finished, losses[1] - losses[0], losses[0] - losses[1])
    for name, part in (("finished", finished), ("unfinished", ~finished)):
        kept = np.flatnonzero(~half & part)
        lost = ratio(extra[kept], moves[kept], group[kept])
        result[f"nats a step of {name} ones lost by learning from others"] = lost
    return result
