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
looking at the simulation, as far as the law says it:

- C(r): g is at most .1. A user in a million who has to go through the unranked part moves the
  mean, and nobody can test it on ten thousand users. As strays to either side may leave no
  skewness, users must also deviate by half of what the law says, at least.
- CL(r): n (E[CL] - 1) and n (r - E[CL]), which bound the expected numbers of users away from
  either end, are both at least 100. Where nearly all users have one CL between the ends, as where
  an element surely shows two ideals, either n times the distance of E[CL] from the nearest whole
  number has to be, or the measured sum of squares of users' distances from it.

Where costs are counted, in place of elements, and differ, the law of leading cost X is not known
but for its mean and its ends: the cheapest element alone, and the r dearest. Let d be how far the
farther end is from the mean. |E[(X - E[X])^3]| is at most d times the variance; so with the
measured standard error s the skewness of the mean is taken to be anything up to d / (n s), the
p-value is the largest of these, and d / (n s) is at most .1. It is fixed where C(1) .. C(r) are.
This is not decided beforehand, for the law does not say the variance; but s is small where those
are missing who would skew the mean, so that their absence leaves it unresolved.

What n users cannot carry is tested on rare users, if these have seen what is rare, which their own
errors say: about 100 of them or more met it. What they have not seen either is tested on more plain
users, where the exact law says that these are enough; and so on, in steps of sizes fixed
beforehand. Where the exact law does not say that the first users carry a comparison, the sample
that judges it depends on what was seen; so its p-value is multiplied by the number of all tests
that might have judged it, which is known before any user is drawn. What is left is unresolved; yet
where plain users have a mean that is out of the question by Bennett's inequality, which takes
nothing but the exact mean and variance and the ends of what can be, the comparison disagrees. Where
the exact law leaves no variance the simulated mean must be equal, whatever n, on rare users, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.compared import EQUAL, Quantities, equal
from prum.experiments.statistics.tests import level_of_each
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.sampling.simulation import Simulation

LARGEST_SKEWNESS = 0.1
LEAST_EXPECTED = 100
# Users whose C deviates by a smaller share of what the law says have not met all that strays.
LEAST_SPREAD = 0.5
# Of a run with rare users, as shares of what the rare does to a mean: an error is never taken for
# smaller than the first; from the second on the rare is nothing beside the error.
LEAST_SHARE, NO_SHARE = 0.02, 0.7
# How much of an error of C may come from what such a run has not seen, where its error is about as
# large as what the rare does.
LARGEST_BIAS = 0.3
# Up to this error, in parts of what the run has seen of the rare, about ten users met it.
_GLIMPSE = 0.3
# Of the mean weight, what three users do whom chance left out; no weight is above 4/3.
_FEW_WEIGHTS = 4.0
# What is smaller than this share of the square of the mean is rounding of a variance.
_ROUNDING = 1e-12
# exp(-x^2) is 0 from here on.
_FAR = 30.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one list: z of E[CL] and E[C], and at each r the smaller p and a verdict."""

    z: Floats
    p: Floats
    verdicts: list[str]


class _Law(NamedTuple):
    """Of the exact law: deviation and skewness of C, and the least and the most that CL can be."""

    deviation: Floats
    skewness: Floats
    limits: Floats

    @classmethod
    def of(cls, exact: PrecisionRecall | None, limits: Floats | None) -> "_Law | None":
        """Return it as far as it is known, else None."""
        if exact is None or limits is None:
            return None
        deviation, skewness = exact.consulted_deviation, exact.consulted_skewness
        return None if deviation is None or skewness is None else cls(deviation, skewness, limits)


def quantities(
    exact: PrecisionRecall | None,
    simulated: Simulation,
    more: Simulation | None = None,
    *,
    looks: int = 1,
) -> Quantities:
    """Return what is to be compared on one list; nothing is tested without an exact law of C(r).

    What plain users cannot carry is taken from `more`, a run of more plain users.
    `looks` is by how many tests what the first users can't surely carry might be judged.
    """
    case = _plain(exact, simulated)
    law = _Law.of(exact, case.limits)
    if law is None or exact is None:
        return case
    if looks > 1:
        surely = _surely_tested(exact, simulated, case)
        case = replace(case, looks=np.where(surely, 1, looks))
    largest = simulated if more is None else more
    if more is not None:
        case = _with_more(case, _plain(exact, more))
    return _with_bounds(case, law, largest)


def _plain(exact: PrecisionRecall | None, simulated: Simulation) -> Quantities:
    """Return what is to be compared on plain users."""
    measured, errors = _measured(simulated)
    unknown = np.full(measured.shape, np.nan)
    nothing = np.zeros(measured.shape, dtype=np.bool_)
    degrees = np.full(measured.shape, float(max(simulated.num_users, 2) - 1))
    deviation = None if exact is None else exact.consulted_deviation
    skewness = None if exact is None else exact.consulted_skewness
    if exact is None or deviation is None or skewness is None:
        return Quantities(degrees, unknown, measured, errors, unknown, nothing, nothing, nothing)
    n, is_bound = simulated.num_users, _differ(simulated)
    limits, unit = _limits(simulated)
    above, below = exact.leading - limits[0], limits[1] - exact.leading
    ends = np.minimum(above, below) / unit
    one_lead = ends < EQUAL
    one_depth = deviation == 0
    lead_skewness = np.where(above < below, 1, -1) * _bernoulli_skewness(ends) / np.sqrt(n)
    vary = _vary(exact.leading, simulated, unit)
    lead_tested = one_lead | (n * ends >= LEAST_EXPECTED) & vary
    nearest = np.where(vary, ends, np.minimum(ends, _distance_between(exact.leading / unit)))
    with np.errstate(divide="ignore"):
        leads_needed = LEAST_EXPECTED / np.where(one_lead, np.inf, nearest)
    if is_bound:
        one_lead = np.logical_and.accumulate(one_depth)
        farther, summed = np.maximum(above, below), n * errors[0]
        endless = np.full(ends.shape, np.inf)
        lead_skewness = np.divide(farther, summed, out=endless, where=summed > 0)
        lead_tested = one_lead | (lead_skewness <= LARGEST_SKEWNESS)
        leads_needed = np.where(one_lead, 1, n * (lead_skewness / LARGEST_SKEWNESS) ** 2)
    depth_skewness = skewness / np.sqrt(n)
    # What strays far on either side may have no skewness, and hardly be seen. The expected part
    # behind the list does not stray.
    spread = np.sqrt(n) * errors[1] >= LEAST_SPREAD * deviation
    spread |= simulated.unranked == "expected"
    return Quantities(
        degrees,
        np.stack([exact.leading, exact.consulted]),
        measured,
        errors,
        np.stack([lead_skewness, depth_skewness]),
        np.stack([lead_tested, one_depth | (np.abs(depth_skewness) <= LARGEST_SKEWNESS) & spread]),
        np.stack([one_lead, one_depth]),
        nothing,
        expected_error=_expected_error(simulated, errors[0], above * below, deviation),
        limits=limits,
        leads_needed=leads_needed,
        is_bound=is_bound,
    )


def _surely_tested(exact: PrecisionRecall, simulated: Simulation, case: Quantities) -> Flags:
    """Return which the exact law alone says that plain users carry, whatever these have done."""
    of_leading = case.fixed[0]
    if not case.is_bound:
        unit = _limits(simulated)[1]
        apart = simulated.num_users * _distance_between(exact.leading / unit) >= LEAST_EXPECTED
        of_leading = of_leading | (case.tested[0] & apart)
    return np.stack([of_leading, case.tested[1]])


def _limits(simulated: Simulation) -> tuple[Floats, float]:
    """Return the least and the most that CL can be, shape (2, t), and by how much a rank moves it.

    Of leading cost the bounds are those of r ranks or elements behind the list.
    """
    t, costs = simulated.num_ideals, simulated.costs
    if costs is None:
        return np.stack([np.ones(t), np.arange(1.0, t + 1)]), 1.0
    behind = np.full(min(t, simulated.num_unranked), costs.unranked)
    each = np.sort(np.append(costs.ranked, behind))[::-1]
    most = np.cumsum(np.append(each, np.zeros(t)))[:t]
    return np.stack([np.full(t, each[-1]), most]), float(each[0])


def _differ(simulated: Simulation) -> bool:
    """Return whether elements cost more or less than others."""
    costs = simulated.costs
    if costs is None:
        return False
    each = np.append(costs.ranked, costs.unranked if simulated.num_unranked else costs.ranked[:1])
    return bool(np.ptp(each) > 0)


def _with_more(case: Quantities, more: Quantities) -> Quantities:
    """Return `case`, with what it has left untested from a run of more plain users."""
    left = ~case.tested & (more.tested | ~case.rare)
    return replace(
        case,
        degrees=np.where(left, more.degrees, case.degrees),
        simulated=np.where(left, more.simulated, case.simulated),
        error=np.where(left, more.error, case.error),
        skewness=np.where(left, more.skewness, case.skewness),
        tested=case.tested | more.tested,
        rare=case.rare & ~left,
        expected_error=None
        if case.expected_error is None or more.expected_error is None
        else np.where(left, more.expected_error, case.expected_error),
        more=left,
    )


def _with_bounds(case: Quantities, law: _Law, largest: Simulation) -> Quantities:
    """Return `case` with bounds on the p-values of what is left, and its errors by the law.

    By Bennett's inequality: n users' mean of what has the variance v and is at most b above its
    own mean is x too high with probability exp(-n v / b^2 h(b x / v)) at most, where h(u) is
    (1 + u) log(1 + u) - u; so it is below. The variance of CL is at most the product of its
    distances from the ends.
    """
    if largest.num_users != largest.num_users:
        return case
    limits = law.limits
    above, below = case.exact[0] - limits[0], limits[1] - case.exact[0]
    variance = np.stack([np.maximum(above * below, 0), np.square(law.deviation)])
    most = _most_consulted(largest) - case.exact[1]
    upwards, downwards = np.stack([below, most]), np.stack([above, case.exact[1] - limits[0]])
    measured, _ = _measured(largest)
    distance = np.abs(measured - case.exact)
    room = np.maximum(np.where(measured > case.exact, upwards, downwards), EQUAL)
    bound = np.full(measured.shape, np.nan)
    left = ~case.tested & (variance > 0)
    v, u = variance[left] / room[left] ** 2, (distance * room)[left] / variance[left]
    bound[left] = np.minimum(2 * np.exp(-largest.num_users * v * ((1 + u) * np.log1p(u) - u)), 1)
    error = np.where(left & ~case.rare, np.sqrt(variance / largest.num_users), 0)
    return replace(case, bound=bound, law_error=error)


def p_of_means(
    case: Quantities, exact: PrecisionRecall | None, largest: Simulation, means: Floats
) -> Floats:
    """Return p-values of other means than the exact ones, shape (2, t), on the users of `case`.

    `largest` are its plain users. With an exact law its means alone are replaced: p-values are
    those that `judge` takes, bounds among them. Without one they are bounds by the empirical
    Bernstein inequality (Maurer and Pontil 2009): the mean of n numbers from an interval of length
    b, whose measured variance is v, is off by more than sqrt(2 v s / n) + 7 b s / (3 (n - 1)) with
    probability 4 exp(-s) at most, on either side.
    """
    law, (measured, errors) = _Law.of(exact, case.limits), _measured(largest)
    if law is not None:
        claimed = _with_bounds(replace(case, exact=means), law, largest)
        return np.where(case.tested, claimed.p(), _bound_of(claimed))
    limits, _ = _limits(largest)
    room = np.stack([limits[1] - limits[0], _most_consulted(largest) - limits[0]])
    off, n = np.abs(measured - means), max(largest.num_users, 2)
    of_error, of_room = np.sqrt(2) * errors, 7 * room / (3 * (n - 1))
    # Beyond this a p-value is 0; where nothing varies and nothing may, so it is for any distance.
    root = np.where(off > EQUAL * np.abs(means), _FAR, 0.0)
    both = of_error + np.sqrt(of_error**2 + 4 * of_room * off)
    np.divide(2 * off, both, out=root, where=(root > 0) & (both * _FAR > 2 * off))
    bound: Floats = np.minimum(4 * np.exp(-(root**2)), 1)
    return bound


def _most_consulted(simulated: Simulation) -> float:
    """Return the most that C can be: all elements, or what all cost."""
    if simulated.costs is None:
        return float(simulated.num_ranked + simulated.num_unranked)
    return float(np.sum(simulated.costs.ranked) + simulated.num_unranked * simulated.costs.unranked)


def _measured(simulated: Simulation) -> tuple[Floats, Floats]:
    """Return simulated E[CL] and E[C], and their errors, shape (2, t)."""
    return (
        np.stack([simulated.leading, simulated.consulted]),
        np.stack([simulated.leading_error, simulated.consulted_error]),
    )


def _expected_error(
    simulated: Simulation, of_leading: Floats, most: Floats, deviation: Floats
) -> Floats | None:
    """Return standard errors as expected of users drawn as they are; CL(r) varies by `most`."""
    if simulated.unranked == "expected":
        return None
    root = np.sqrt(simulated.num_users)
    bound = np.sqrt(np.maximum(most, 0)) / root
    return np.stack([np.minimum(of_leading, bound), deviation / root])


def _vary(leading: Floats, simulated: Simulation, unit: float) -> Flags:
    """Return whether enough users have another CL(r) than nearly all, if that is not an end.

    Each element costs a `unit`.
    """
    n, count, measured = simulated.num_users, leading / unit, simulated.leading / unit
    squares = n * (measured - np.rint(count)) ** 2 + (n * simulated.leading_error / unit) ** 2
    apart = np.maximum(n * _distance_between(count), squares) >= LEAST_EXPECTED
    vary: Flags = apart | equal(measured, count)
    return vary


def _distance_between(leading: Floats) -> Floats:
    """Return how far E[CL(r)] is from the nearest whole number; infinite where that is an end.

    >>> _distance_between(np.array([1.0, 1.25, 2.25])).tolist()
    [inf, inf, 0.25]
    """
    nearest = np.rint(leading)
    between = (nearest > 1) & (nearest < np.arange(1, len(leading) + 1))
    return np.where(between, np.abs(leading - nearest), np.inf)


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
    Where a run with rare users is judged by, the p-value of its mean weight is one of them.
    """
    num_tested = num_others + sum(case.num_tests for case in cases)
    threshold = level_of_each(level, num_tested)
    return [_judged(case, threshold) for case in cases], num_tested


def _judged(case: Quantities, threshold: float) -> Judgement:
    p = np.where(case.tested, case.p(), _bound_of(case)).min(axis=0)
    weight = case.adjusted(np.full(case.exact.shape, case.weight)).max(axis=0)
    p = np.where((case.rare & case.tested).any(axis=0), np.minimum(p, weight), p)
    verdicts = np.select(
        [np.isnan(case.exact[0]), p < threshold, case.tested.all(axis=0)],
        ["no closed form", "disagrees", "agrees"],
        "unresolved",
    )
    return Judgement(case.z(), np.where(np.isfinite(p), p, np.nan), verdicts.tolist())


def _bound_of(case: Quantities) -> Floats:
    """Return the bounds of p-values; infinite without one."""
    if case.bound is None:
        return np.full(case.exact.shape, np.inf)
    return np.nan_to_num(case.adjusted(case.bound), nan=np.inf)
