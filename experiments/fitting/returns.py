"""Where back clicks lead in a walk, whose steps do not depend on the way."""

import numpy as np

from prum.experiments.fitting.dirichlet import LOG_CONCENTRATION, log_evidence
from prum.experiments.logs.counts import StepCounts
from prum.simulator.model.arrays import Floats, Ints


def return_rows(counts: StepCounts, shares: Floats) -> tuple[Ints, Ints, Floats, Ints]:
    """Return rows of back clicks: from x, to y, what is believed of the share, how often.

    People came to x along a link from y, and go back there: the belief is that they came as often
    as y was left (once more than the log says) times theta_yx.

    Parameters
    ----------
    shares
        theta of each row of links.
    """
    size, links = len(counts.elements), counts.links
    some = np.flatnonzero(shares > 0)
    sources, targets = links.sources[some].astype(np.int64), links.targets[some].astype(np.int64)
    x, y, number = counts.returns.T
    keys, place = np.unique(np.append(targets * size + sources, x * size + y), return_inverse=True)
    arrived = (counts.moved + 1)[sources] * shares[some]
    weights = np.bincount(place[: len(some)], arrived, len(keys))
    # After strays people may go back otherwise than they came.
    weights[weights == 0] = 1
    origins, ends = keys // size, keys % size
    believed = weights / np.bincount(origins, weights, size)[origins]
    returned = np.bincount(place[len(some) :], number, len(keys)).astype(np.int64)
    return origins, ends, believed, returned


def return_concentration(counts: StepCounts, shares: Floats) -> float:
    """Return the concentration of the belief under which the back clicks are most probable."""
    from scipy.optimize import minimize_scalar

    origins, _, believed, returned = return_rows(counts, shares)
    centre, width = LOG_CONCENTRATION

    def negative(log: float) -> float:
        shapes = np.exp(log) * believed
        evidence = log_evidence(returned, shapes, origins, len(counts.elements)).sum()
        return -float(evidence) + ((log - centre) / width) ** 2 / 2

    return float(np.exp(minimize_scalar(negative, bounds=(-10, 20), method="bounded").x))
