"""Exact precision where every rank shows each ideal alike: the count of ideals seen is enough."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.independent import from_law
from prum.analytic.precision.reach import checked_unranked
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.precision.seen import SeenLaw
from prum.simulator.model import InputError, ListCosts
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number
from prum.simulator.model.list_costs import costs_of_list


def exact_alike(
    probabilities: ArrayLike,
    num_ideals: int,
    unranked: int,
    *,
    satiation: Iterable[float] = (1.0,),
    costs: ListCosts | None = None,
) -> PrecisionRecall:
    """Return E[CL(r)] and E[C(r)] if rank i shows each of the t ideals with one probability.

    A user who has seen s ideals sees each of the others from rank i with q = p_i satiation[s],
    independently. Which ideals these are does not matter, so the count is a Markov chain over
    ranks: P(s -> s + k) = C(t-s, k) q^k (1-q)^(t-s-k), and the user sees something new with
    1 - (1-q)^(t-s). Time o t^2, for hundreds of ideals.

    Parameters
    ----------
    probabilities
        p_i, shape (o,).
    num_ideals
        t, at least 1.
    unranked
        u, at least the number of ideals that may be unseen after the list.
    satiation
        Factors in [0, 1] for s = 0, 1, ...; the last stands for all that follow.
    costs
        What each rank costs, as for `exact`.

    Raises
    ------
    InputError
        for values out of range.

    >>> exact_alike([0.5, 0.5], 1, 1)
    PrecisionRecall(exact alike, t = 1: precision .5714)
    >>> exact_alike([0.5, 0.5], 2, 2, satiation=[1, 0])     # after one find no more
    PrecisionRecall(exact alike, t = 2: precision .7619 .6000)
    """
    counts, leading = alike_counts(probabilities, num_ideals, satiation)
    u = checked_unranked(unranked, num_ideals if counts[-1, :-1].sum() > 0 else 0)
    law = SeenLaw.of(counts, leading, costs_of_list(costs, len(leading)))
    return from_law(law, u, method="exact alike")


def alike_counts(
    probabilities: ArrayLike, num_ideals: int, satiation: Iterable[float]
) -> tuple[Floats, Floats]:
    """Return P(F_i = s), i = 0 .. o, and P(F_{i-1} = s, F_i > s), i = 1 .. o."""
    from scipy.stats import binom  # slow to load

    remedy = "give one for each rank"
    p = real_array("probabilities", probabilities, remedy=remedy, shape=("o",))
    check_each("probabilities", p, (p >= 0) & (p <= 1), "lie in [0, 1]", remedy=remedy)
    t = whole_number("num_ideals", num_ideals, least=1, remedy="count the ideals")
    parts = [proportion("satiation", part, remedy="give factors") for part in satiation]
    if not parts:
        raise InputError("satiation", (), "hold a factor", remedy="leave it out for none")
    factors = np.array([*parts, *[parts[-1]] * t][:t])
    num_seen, more = np.arange(t), np.arange(t + 1)[:, np.newaxis]
    counts, leading = np.empty((len(p) + 1, t + 1)), np.zeros((len(p), t + 1))
    law = np.eye(t + 1)[0]
    for i, probability in enumerate(p):
        counts[i] = law
        q = probability * factors
        with np.errstate(divide="ignore"):
            leading[i, :t] = law[:t] * -np.expm1((t - num_seen) * np.log1p(-q))
        # step[k, s]: from s to s + k.
        step = binom.pmf(more, t - num_seen, q) * law[:t]
        law = np.append(np.zeros(t), law[t])
        for s in range(t):
            law[s:] += step[: t + 1 - s, s]
    counts[-1] = law
    return counts, leading
