"""Users who trust the estimates they are shown: how often, and how much, they decide wrongly."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from prum.analytic.adm.measures import checked_pair
from prum.analytic.precision.reach import MatrixLike, checked_reach
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import proportion

Loss = Literal["decision", "distance"]

# Numbers in one block of columns.
_BLOCK = 2**21


@dataclass(frozen=True, slots=True, eq=False)
class Regrets:
    """Expected regret of each listed document, by its two kinds.

    Attributes
    ----------
    unwanted
        Of seeing the document though URE < tau, shape (n,).
    missed
        Of not seeing it though URE >= tau, shape (n,).
    """

    unwanted: Floats
    missed: Floats

    def __post_init__(self) -> None:
        for array in (self.unwanted, self.missed):
            array.setflags(write=False)


def expected_regret(
    sre: ArrayLike,
    ure: ArrayLike,
    *,
    reach: "MatrixLike | None" = None,
    loss: Loss = "decision",
    tau: float | None = None,
    size: int | None = None,
) -> float:
    """Return what a user regrets per document who trusts the estimates shown, in [0, 1].

    A user has a threshold tau, uniform on (0, 1). They consult d if SRE(d) >= tau; had they known,
    they would have consulted it iff URE(d) >= tau. The decision is wrong iff tau lies between the
    two, which has probability |SRE(d) - URE(d)|. So the expected share of wrong decisions is
    1 - ADM exactly. A wrong decision about a document with |URE(d) - tau| = l costs l if the loss
    is "distance": over tau, the integral of l from 0 to |SRE(d) - URE(d)|, half the square of it.
    The mean of these over D is (1 - A)^2 / 2 with A as `adm_deviation` gives it.

    If they also browse, they get from each document x consulted to y with probability
    reach(x, y), all visits independent. They see d with probability

        v(d, tau) = 1 - prod_{x: SRE(x) >= tau} (1 - reach(x, d)),    reach(d, d) = 1

    and regrets d with probability v(d, tau) if URE(d) < tau, 1 - v(d, tau) if not. v is constant
    between neighbouring SREs, so that the integral over tau is a finite sum.

    Parameters
    ----------
    sre, ure
        Estimates in [0, 1], shape (n,).
    reach
        P(x -> y), row x, column y, in [0, 1], shape (n, n), dense or sparse. The diagonal is not
        looked at: who consults d sees it. No browsing if none is given.
    loss
        "decision", 1 for each wrong one, or "distance", |URE(d) - tau|.
    tau
        The threshold of all users, in [0, 1]; uniform if none is given.
    size
        |D|, at least n, by which the sum is divided; n if none is given. Documents that are not
        listed have SRE = URE = 0, cannot be reached, and are never regretted.

    Raises
    ------
    InputError
        for values or a tau outside [0, 1], different lengths, no document, a size below n, a reach
        of another shape or with other values than probabilities, or another word for `loss`.

    >>> expected_regret([0.75, 0.5], [0.25, 0.5])  # 1 - ADM
    0.25
    >>> expected_regret([0.75, 0.5], [0.25, 0.5], loss="distance")
    0.0625
    >>> expected_regret([0.75, 0.5], [0.25, 0.5], reach=[[0, 1], [0, 0]])
    0.375
    """
    system, _, count = checked_pair(sre, ure, size)
    parts = regrets(system, ure, reach=reach, loss=loss, tau=tau)
    return float(parts.unwanted.sum() + parts.missed.sum()) / count


def regrets(
    sre: ArrayLike,
    ure: ArrayLike,
    *,
    reach: "MatrixLike | None" = None,
    loss: Loss = "decision",
    tau: float | None = None,
) -> Regrets:
    """Return what users regret about each document, seen or not; see `expected_regret`.

    Parameters
    ----------
    sre, ure, reach, loss, tau
        As in `expected_regret`.

    Raises
    ------
    InputError
        as `expected_regret`.

    >>> parts = regrets([0.75, 0.5], [0.25, 0.75])
    >>> parts.unwanted.tolist(), parts.missed.tolist()
    ([0.5, 0.0], [0.0, 0.25])
    """
    system, user, n = checked_pair(sre, ure)
    if loss not in ("decision", "distance"):
        raise InputError("loss", loss, "be decision or distance", remedy="choose one")
    if tau is not None:
        tau = proportion("tau", tau, remedy="give a threshold in [0, 1]")
    columns = _columns(reach, n)
    order = np.argsort(-system, kind="stable")
    # Users with tau in (edges[k + 1], edges[k]] consult the first k of the order.
    edges = np.concatenate(([1.0], system[order], [0.0]))
    position = np.argsort(order)
    unwanted, missed = np.empty(n), np.empty(n)
    width = max(1, _BLOCK // (n + 1))
    for start in range(0, n, width):
        chunk = slice(start, min(start + width, n))
        unseen = np.ones((n + 1, chunk.stop - start))
        unseen[1:] -= columns[:, chunk].toarray()[order]
        unseen[position[chunk] + 1, np.arange(chunk.stop - start)] = 0
        np.cumprod(unseen, axis=0, out=unseen)
        below, above = _weights(user[chunk], edges, loss, tau)
        missed[chunk] = (unseen * below).sum(axis=0)
        unwanted[chunk] = ((1 - unseen) * above).sum(axis=0)
    return Regrets(unwanted, missed)


def _weights(user: Floats, edges: Floats, loss: Loss, tau: float | None) -> tuple[Floats, Floats]:
    """Return the loss over thresholds of each interval up to URE, and above it; (n + 1, chunk)."""
    if tau is not None:
        consulted = int((edges[1:-1] >= tau).sum())
        here = np.zeros((len(edges) - 1, len(user)))
        here[consulted] = 1.0 if loss == "decision" else np.abs(user - tau)
        return here * (user >= tau), here * (user < tau)
    low, high = edges[1:, np.newaxis], edges[:-1, np.newaxis]
    # How far the ends of the interval's parts are from URE.
    below_far, below_near = np.maximum(user - low, 0), np.maximum(user - high, 0)
    above_far, above_near = np.maximum(high - user, 0), np.maximum(low - user, 0)
    if loss == "decision":
        return below_far - below_near, above_far - above_near
    return (below_far**2 - below_near**2) / 2, (above_far**2 - above_near**2) / 2


def _columns(reach: "MatrixLike | None", n: int) -> sparse.csc_array:
    """Return P(x -> y), from which columns are taken."""
    if reach is None:
        return sparse.csc_array((n, n))
    entries = checked_reach(reach)
    shape = entries.num_ranked, entries.num_ideals
    if shape != (n, n):
        remedy = "give P(x -> y) for each pair of documents"
        raise InputError("reach", shape, f"have shape ({n}, {n})", remedy=remedy)
    return entries.sparse(entries.probabilities).tocsc()
