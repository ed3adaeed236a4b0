"""T2I: Raghavan's precision with users who read on until their tolerance is spent."""

import numpy as np

from prum.analytic.precision.reach import MatrixLike, checked_reach, checked_unranked
from prum.analytic.precision.result import PrecisionRecall
from prum.simulator.model import InputError


def t2i(reach: MatrixLike, unranked: int) -> PrecisionRecall:
    """Return precision of T2I with Raghavan's formula: r ideals over E[C(r)] elements.

    Tolerance to irrelevance (de Vries, Kazai and Lalmas 2004) decides for all users alike which
    ideals they see from a rank. They consult elements until they have seen r ideals; after the
    list, unranked elements in random order. The formula credits r elements, as if each led to one
    ideal: so ``leading`` is r, and precision(r) = r / E[C(r)] exceeds 1 where one element shows
    several (section 4.1.2 of Piwowarski, Gallinari and Dupret 2007). PRUM of the same reach does
    not.

    Parameters
    ----------
    reach
        1 if the ideal is seen from the rank, else 0; shape (o, t), dense or sparse, as `tolerance`
        gives without falling tolerance. A repeat of an element shows nothing new and is consulted.
    unranked
        u, the number of unranked elements.

    Raises
    ------
    InputError
        for values other than 0 and 1, and if u cannot hold the ideals that the list does not show.

    >>> t2i([[1, 1], [0, 1]], 3)                                          # a best entry point
    PrecisionRecall(T2I, t = 2: precision 1.0000 2.0000)
    """
    entries = checked_reach(reach)
    uncertain = np.flatnonzero(entries.probabilities < 1)
    if uncertain.size:
        entry = uncertain[0]
        thing = f"reach[{entries.ranks[entry]}, {entries.ideals[entry]}]"
        value, rule = entries.probabilities[entry], "be 0 or 1: all users have the same tolerance"
        raise InputError(thing, value, rule, remedy="use prum for probabilities")
    o, t = entries.num_ranked, entries.num_ideals
    first_seen = np.full(t, o)
    np.minimum.at(first_seen, entries.ideals, entries.ranks)
    first_seen.sort()
    listed = np.count_nonzero(first_seen < o)
    k = int(t - listed)
    u = checked_unranked(unranked, k)
    s = np.arange(1, k + 1)
    consulted = np.append(first_seen[:listed] + 1.0, o + s * (u + 1) / (k + 1))
    return PrecisionRecall(np.arange(1, t + 1), consulted, method="T2I")
