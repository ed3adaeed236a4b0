"""Which link people who visit independently take next, in whatever order they look."""

import numpy as np

from prum.experiments.logs.consultations import Consultations, expanded
from prum.simulator.model.arrays import Floats, Ints

# Nodes of the integral over times, and how many numbers are held at once.
_NODES, _HELD = 24, 2**22


def next_visit_nats(probabilities: Floats, consulted: Consultations) -> tuple[float, int]:
    """Return the sum of -log P(next visit), given that there is one, and the number of visits.

    The law is that of `FittedVisits.score`. Nodes are those of Gauss and Legendre; what they leave
    of the integral does not keep the law from summing to 1.

    Parameters
    ----------
    probabilities
        P(x -> y) of each row.
    """
    place = consulted.place
    new = np.append(True, place[1:] != place[:-1])[: len(place)]
    first = np.maximum.accumulate(np.where(new, np.arange(len(place)), 0))
    before: Ints = np.arange(len(place)) - first
    sizes = (consulted.high - consulted.low)[place]
    total = 0.0
    # In parts of which each holds so many links at most, or one step.
    part = np.cumsum(sizes) // max(_HELD // _NODES, 1)
    for steps in np.split(np.arange(len(place)), np.flatnonzero(np.diff(part)) + 1):
        total += _nats(probabilities, consulted, first[steps], before[steps], steps)
    return total, len(place)


def _nats(
    probabilities: Floats, consulted: Consultations, first: Ints, before: Ints, steps: Ints
) -> float:
    if not len(steps):
        return 0.0
    at, weights = np.polynomial.legendre.leggauss(_NODES)
    times, weights = (at + 1) / 2, weights / 2
    place, taken = consulted.place[steps], consulted.row[steps]
    step, row = expanded(consulted.low[place], consulted.high[place])
    # What was visited before is out of the question.
    gone, earlier = expanded(first, first + before)
    size = consulted.num_rows
    out = np.isin(step * size + row, gone * size + consulted.row[earlier])
    step, row = step[~out], row[~out]
    p = probabilities[row][:, None]
    stays = 1 - p + p * times
    starts = np.searchsorted(step, np.arange(len(steps)))
    logs = np.add.reduceat(np.log(stays), starts) + np.log1p(-times) * before[:, None]
    mass = np.exp(logs - logs.max(axis=1, keepdims=True)) * weights
    odds = (p / stays * mass[step]).sum(axis=1)
    chosen = odds[row == taken[step]]
    shares = np.divide(
        chosen, np.add.reduceat(odds, starts), out=np.zeros(len(steps)), where=chosen > 0
    )
    with np.errstate(divide="ignore"):
        return float(-np.log(shares).sum())
