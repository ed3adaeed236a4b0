"""The statistical test of simulation against exact values, and its promised rate of false alarms.

Each comparison is a z-test with the measured standard error. All tests of a cross-check share one
family-wise level by Bonferroni's inequality, which holds however they depend on each other.

A z-test needs enough users for the mean to be nearly normal. Whether they suffice is decided from
the exact law, before looking at the simulation:

- C(r): the skewness of the mean, that of C(r) over sqrt(n), must be at most .1. A user in a
  million who has to go through the unranked part moves the mean, and nobody can test it on ten
  thousand users.
- CL(r), a whole number in 1 .. r: n (E[CL] - 1) and n (r - E[CL]), the expected numbers of users
  who differ from an end by one, must both be at least 100.
- precision(r): both, and n E[C - CL], the expected number of consulted elements that lead to
  nothing new, at least 100.

Comparisons that n users cannot carry are unresolved and not tested. Where the exact law leaves no
variance the simulated mean must be equal, whatever n.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prum.analytic.precision_recall import PrecisionRecall
from prum.simulator.simulation import Simulation

Floats = NDArray[np.float64]

LARGEST_SKEWNESS = 0.1
LEAST_EXPECTED = 100
# Rounding of closed forms; equality is asked for within it.
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Quantities:
    """Exact and simulated E[CL], E[C], precision, and standard errors; each of shape (3, t).

    `tested` says which the number of users can carry, `fixed` which have no variance by the exact
    law.
    """

    exact: Floats
    simulated: Floats
    error: Floats
    tested: NDArray[np.bool_]
    fixed: NDArray[np.bool_]

    def z(self) -> Floats:
        """Return (simulated - exact) / error; NaN where not tested.

        Where the exact law or the simulation has no variance: 0 if the two are equal to rounding,
        else infinite.
        """
        difference = self.simulated - self.exact
        equal = np.abs(difference) <= EQUAL * np.maximum(1, np.abs(self.exact))
        z = np.where(equal, 0, np.copysign(np.inf, difference))
        varying = ~self.fixed & (self.error > 0)
        np.divide(difference, self.error, out=z, where=varying)
        return np.where(self.tested, z, np.nan)


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement of one list: z of shape (3, t), and at each r the smallest p and a verdict."""

    z: Floats
    p: Floats
    verdicts: list[str]


def quantities(exact: PrecisionRecall | None, simulated: Simulation) -> Quantities:
    """Return what is to be compared on one list; nothing is tested without an exact law of C(r)."""
    measured = np.stack([simulated.leading, simulated.consulted, simulated.precision])
    errors = np.stack(
        [simulated.leading_error, simulated.consulted_error, simulated.precision_error]
    )
    if exact is None or exact.consulted_deviation is None or exact.consulted_skewness is None:
        nothing = np.zeros(measured.shape, dtype=np.bool_)
        return Quantities(np.full(measured.shape, np.nan), measured, errors, nothing, nothing)
    n = simulated.num_users
    ends = np.minimum(exact.leading - 1, np.arange(1, exact.num_ideals + 1) - exact.leading)
    one_lead = ends < EQUAL
    leads_enough = one_lead | (n * ends >= LEAST_EXPECTED)
    one_depth = exact.consulted_deviation == 0
    depths_enough = one_depth | (np.abs(exact.consulted_skewness) <= LARGEST_SKEWNESS * np.sqrt(n))
    wasted = exact.consulted - exact.leading
    one_ratio = wasted < EQUAL * exact.consulted
    ratio_enough = one_ratio | (n * wasted >= LEAST_EXPECTED)
    return Quantities(
        np.stack([exact.leading, exact.consulted, exact.precision]),
        measured,
        errors,
        np.stack([leads_enough, depths_enough, leads_enough & depths_enough & ratio_enough]),
        np.stack([one_lead, one_depth, one_ratio | (one_lead & one_depth)]),
    )


def judge(cases: Sequence[Quantities], level: float) -> tuple[list[Judged], int]:
    """Return the judgement of every list under one family-wise level, and the number of tests.

    The verdict at r is "disagrees" if one of its three p-values is below level / (number of
    tests), else "agrees" if one was tested, else "unresolved"; "no closed form" without an exact
    value.
    """
    num_tested = sum(int(case.tested.sum()) for case in cases)
    return [_judged(case, level / max(num_tested, 1)) for case in cases], num_tested


def _judged(case: Quantities, threshold: float) -> Judged:
    from scipy.special import ndtr

    z = case.z()
    p = np.where(case.tested, 2 * ndtr(-np.abs(z)), np.inf).min(axis=0)
    verdicts = np.select(
        [np.isnan(case.exact[0]), p < threshold, np.isfinite(p)],
        ["no closed form", "disagrees", "agrees"],
        "unresolved",
    )
    return Judged(z, np.where(np.isfinite(p), p, np.nan), verdicts.tolist())
