"""Which link people who visit independently take next, in whatever order they look."""

import numpy as np

from prum.experiments.logs.consultations import Consultations, expanded
from prum.simulator.model.arrays import Flags, Floats, Ints

# Nodes of the integral over times, and how many visits are looked at together.
_NODES, _VISITS = 24, 4096


def next_visits(probabilities: Floats, consulted: Consultations) -> tuple[Ints, Floats, Flags]:
    """Return for each visit the law of the next visit, given that there is one.

    What was visited before on the same path is no option. The law is that of `FittedVisits.score`,
    the nodes of its integral those of Gauss and Legendre; what these leave out does not keep it
    from summing to 1.

    Parameters
    ----------
    probabilities
        P(x -> y) of each row.

    Returns
    -------
    tuple
        Where the options of each visit begin, their probabilities, and which were taken.
    """
    place, size = consulted.place, consulted.num_rows
    number = np.arange(len(place))
    new = np.append(True, place[1:] != place[:-1])[: len(place)]
    first = np.maximum.accumulate(np.where(new, number, 0))
    visit, row = expanded(consulted.low[place], consulted.high[place])
    after, earlier = expanded(first, number)
    gone = np.isin(visit * size + row, after * size + consulted.row[earlier])
    visit, row = visit[~gone], row[~gone]
    starts = np.searchsorted(visit, np.append(number, len(place)))
    law = np.empty(len(row))
    for begin in range(0, len(place), _VISITS):
        bounds = starts[begin : begin + _VISITS + 1]
        options = slice(bounds[0], bounds[-1])
        before = (number - first)[begin : begin + _VISITS]
        law[options] = _law(probabilities[row[options]], bounds - bounds[0], before)
    return starts, law, row == consulted.row[visit]


def _law(p: Floats, starts: Ints, before: Ints) -> Floats:
    """Return the law of the next among options, given how many were visited before."""
    at, weights = np.polynomial.legendre.leggauss(_NODES)
    times = (at + 1) / 2
    stays = 1 - p[:, None] * (1 - times)
    logs = np.add.reduceat(np.log(stays), starts[:-1]) + np.log1p(-times) * before[:, None]
    mass = np.exp(logs - logs.max(axis=1, keepdims=True)) * weights
    choice = np.repeat(np.arange(len(before)), np.diff(starts))
    odds = (p[:, None] / stays * mass[choice]).sum(axis=1)
    total = np.add.reduceat(odds, starts[:-1])[choice]
    # Where nothing can be, nothing was predicted.
    law: Floats = np.divide(odds, total, out=np.zeros(len(odds)), where=total > 0)
    return law
