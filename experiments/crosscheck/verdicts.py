"""The statistical test of simulation against exact values, and its promised rate of false alarms.

At each r two z-tests compare simulated E[CL(r)] and E[C(r)] with their exact values, with the
measured standard errors. Precision is their ratio and stands or falls with them: its z is shown
and not tested again. All tests of a cross-check share one family-wise level by Bonferroni's
inequality, which holds however they depend on each other.

C(r) is skewed: a few users go through the unranked part. So is CL(r), a whole number in 1 .. r,
where nearly all users are at one end. Skewness is taken out of z before the p-value is looked up,
by Hall's transformation (1992) of a studentised mean: z + g z^2 / 3 + g^2 z^3 / 27 + g / 6, g the
skewness of the mean, a user's over sqrt(n). That of C(r) is known exactly; that of CL(r) is taken
as if users were at the nearer end or one away from it.

A z-test also needs enough users. Whether they suffice is decided from the exact law, before
looking at the simulation:

- C(r): g is at most .1. A user in a million who has to go through the unranked part moves the
  mean, and nobody can test it on ten thousand users.
- CL(r): n (E[CL] - 1) and n (r - E[CL]), which bound the expected numbers of users away from
  either end, are both at least 100.

Comparisons that n users cannot carry are unresolved and not tested. Where the exact law leaves no
variance the simulated mean must be equal, whatever n.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.statistics.multiplicity import level_of_each
from prum.experiments.statistics.tests import two_sided_t
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.sampling.simulation import Simulation

LARGEST_SKEWNESS = 0.1
LEAST_EXPECTED = 100
# Rounding of closed forms; equality is asked for within it.
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Quantities:
    """Exact and simulated E[CL] and E[C], standard errors, skewness; each of shape (2, t).

    `tested` says which the number of users can carry, `fixed` which have no variance by the exact
    law; `skewness` is that of the means; errors rest on `num_units` independent units.
    `expected_error` is the standard error that so many users have by the exact law, as far as it
    says (that of E[CL] is the measured one within the law's bound); None where users are not drawn
    as they are, and measured errors alone say it.
    """

    num_units: int
    exact: Floats
    simulated: Floats
    error: Floats
    skewness: Floats
    tested: Flags
    fixed: Flags
    expected_error: Floats | None = None

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

    def p(self) -> Floats:
        """Return two-sided p-values, skewness taken out of z; NaN where not tested."""
        z, g = self.z(), np.where(self.tested & ~self.fixed, self.skewness, 0)
        finite = np.where(np.isfinite(z), z, 0)
        symmetric = finite + g * finite**2 / 3 + g**2 * finite**3 / 27 + g / 6
        return np.where(
            np.isfinite(z),
            two_sided_t(symmetric, np.array(self.num_units - 1.0)),
            np.where(np.isinf(z), 0, z),
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one list: z of E[CL] and E[C], and at each r the smaller p and a verdict."""

    z: Floats
    p: Floats
    verdicts: list[str]


def quantities(exact: PrecisionRecall | None, simulated: Simulation) -> Quantities:
    """Return what is to be compared on one list; nothing is tested without an exact law of C(r)."""
    measured = np.stack([simulated.leading, simulated.consulted])
    errors = np.stack([simulated.leading_error, simulated.consulted_error])
    unknown = np.full(measured.shape, np.nan)
    units = max(simulated.tally.num_units, 2)
    if exact is None or exact.consulted_deviation is None or exact.consulted_skewness is None:
        nothing = np.zeros(measured.shape, dtype=np.bool_)
        return Quantities(units, unknown, measured, errors, unknown, nothing, nothing)
    n = simulated.num_users
    above, below = exact.leading - 1, np.arange(1, exact.num_ideals + 1) - exact.leading
    ends = np.minimum(above, below)
    one_lead = ends < EQUAL
    one_depth = exact.consulted_deviation == 0
    lead_skewness = np.where(above < below, 1, -1) * _bernoulli_skewness(ends) / np.sqrt(n)
    depth_skewness = exact.consulted_skewness / np.sqrt(n)
    return Quantities(
        units,
        np.stack([exact.leading, exact.consulted]),
        measured,
        errors,
        np.stack([lead_skewness, depth_skewness]),
        np.stack(
            [
                one_lead | (n * ends >= LEAST_EXPECTED),
                one_depth | (np.abs(depth_skewness) <= LARGEST_SKEWNESS),
            ]
        ),
        np.stack([one_lead, one_depth]),
        _expected_error(simulated, errors[0], above * below, exact.consulted_deviation),
    )


def _expected_error(
    simulated: Simulation, of_leading: Floats, most: Floats, deviation: Floats
) -> Floats | None:
    """Return standard errors as expected of users drawn as they are; CL(r) varies by `most`."""
    if simulated.stratified or simulated.unranked == "expected":
        return None
    root = np.sqrt(simulated.num_users)
    bound = np.sqrt(np.maximum(most, 0)) / root
    return np.stack([np.minimum(of_leading, bound), deviation / root])


def _bernoulli_skewness(p: Floats) -> Floats:
    """Return (1 - 2 p) / sqrt(p (1 - p)) for 0 < p < 1/2, else 0."""
    rare = (p > 0) & (p < 0.5)
    p = np.where(rare, p, 0.5)
    return (1 - 2 * p) / np.sqrt(p * (1 - p))


def judge(
    cases: Sequence[Quantities], level: float, *, num_others: int = 0
) -> tuple[list[Judgement], int]:
    """Return the judgement of every list under one family-wise level, and the number of tests.

    `num_others` is the number of other tests that share the level.

    The verdict at r is "disagrees" if one of its two p-values is below level / (number of tests),
    else "agrees" if both were tested, else "unresolved"; "no closed form" without an exact value.
    """
    num_tested = num_others + sum(int(case.tested.sum()) for case in cases)
    threshold = level_of_each(level, num_tested)
    return [_judged(case, threshold) for case in cases], num_tested


def _judged(case: Quantities, threshold: float) -> Judgement:
    p = np.where(case.tested, case.p(), np.inf).min(axis=0)
    verdicts = np.select(
        [np.isnan(case.exact[0]), p < threshold, case.tested.all(axis=0)],
        ["no closed form", "disagrees", "agrees"],
        "unresolved",
    )
    return Judgement(case.z(), np.where(np.isfinite(p), p, np.nan), verdicts.tolist())
