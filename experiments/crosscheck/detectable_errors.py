"""What a verdict is worth: the smallest error a cross-check would have shown, the users it lacks.

A test at level a of a mean with standard error s rejects with probability .8 where the mean is off
by (z_(1 - a/2) + z_.8) s. Skewness g makes one side harder. With H Hall's transformation, by which
z is judged (see `prum.experiments.crosscheck.verdicts`), z is rejected beyond H^-1(+-z_(1 - a/2)),
c_+ and c_-; the error that is measured rises with the mean, s (1 + g Z / 2); and Z, the
standardised mean, has its quantiles at q = z + g (z^2 - 1) / 6. So what is off by D s is rejected
with probability .8 at

    D = c_+ (1 + g q_.2 / 2) - q_.2  upwards,    D = -c_- (1 + g q_.8 / 2) + q_.8  downwards,

and the larger of the two stands.

Where nothing varies by the exact law, an event that the law has forgotten is found as soon as one
user meets it. The rarest that n users meet with probability .8 has the probability 1 - .2^(1/n),
and adds that much of how far a user may stray.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.compared import EQUAL, Quantities
from prum.experiments.crosscheck.verdicts import LARGEST_SKEWNESS, LEAST_EXPECTED, Judgement
from prum.experiments.statistics.tests import POWER
from prum.simulator.model import Navigation, Task
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.sampling.streams import MOST_USERS

if TYPE_CHECKING:
    import pandas as pd

# Numbers of users this much above that which does for nine in ten are told on their own.
_FAR = 10
# An error below is one of rounding.
_ROUNDING = 10 * EQUAL


def detectable(case: Quantities, threshold: float) -> Floats:
    """Return the errors of E[CL] and E[C], shape (2, t), that tests at a level show, as above.

    Where nothing varies it is what the rarest event does that so many users show, and any error
    beyond rounding where the links leave nothing open; NaN where there is no test.
    """
    from scipy.special import ndtri, stdtrit

    z = float(ndtri(POWER))
    of_each = threshold if case.looks is None else threshold / case.looks
    critical: Floats = -stdtrit(case.degrees, of_each / 2).astype(np.float64)
    g = np.where(case.tested & ~case.fixed, case.skewness, 0)
    below, above = (side * z + g * (z**2 - 1) / 6 for side in (-1, 1))
    upwards = _untransformed(critical, g) * (1 + g * below / 2) - below
    downwards = -_untransformed(-critical, g) * (1 + g * above / 2) + above
    error = case.error
    if case.expected_error is not None:
        error = np.where(np.isinf(error), error, case.expected_error)
    shown = np.maximum(upwards, downwards) * np.where(case.tested & ~case.fixed, error, 0)
    if case.strays is not None:
        shown = np.where(case.fixed, rarest_shown(case.degrees + 1) * case.strays, shown)
    rounding = EQUAL * np.abs(case.exact)
    return np.where(case.tested, np.maximum(shown, rounding), np.nan)


def rarest_shown(num_users: Floats) -> Floats:
    """Return the probability of the rarest event that so many users meet with probability .8.

    >>> rarest_shown(np.array([1.0, 1000.0])).round(5).tolist()
    [0.8, 0.00161]
    """
    chance: Floats = -np.expm1(np.log1p(-POWER) / num_users)
    return chance


def strays(task: Task, navigation: Navigation, exact: PrecisionRecall) -> Floats:
    """Return how far a user's CL and C may be from their exact means, shape (2, t).

    As the links leave it open: C(r) is at least the rank up to which r ideals may be seen, at most
    that up to which r are seen for certain, or all elements. CL may vary where some visit is open,
    and an element may show two ideals. 0 where nothing can vary.
    """
    reach, t = reach_matrix(task, navigation).tocoo(), task.num_ideals
    (rows, columns), values = reach.coords, reach.data
    everything = task.num_ranked + task.num_unranked

    def ranks(shown: Flags) -> Floats:
        """Return the rank up to which 1, 2, .. t ideals are shown."""
        first = np.full(t, float(everything))
        np.minimum.at(first, columns[shown], rows[shown] + 1.0)
        return np.sort(first)

    least, most = ranks(values > 0), ranks(values >= 1)
    # The first rank with an open visit, and the first that may show two ideals.
    shows = np.bincount(rows[values > 0], minlength=task.num_ranked)
    is_open = np.bincount(rows[(values > 0) & (values < 1)], minlength=task.num_ranked)
    from_rank = [np.append(np.flatnonzero(at), everything)[0] for at in (shows > 1, is_open)]
    spread = np.maximum(most - exact.consulted, exact.consulted - np.minimum(least, most))
    consulted = np.where(least < most, spread, 0)
    leading = np.maximum(exact.leading - 1, np.arange(1, t + 1) - exact.leading)
    return np.stack([leading * (max(from_rank) < most), np.maximum(consulted, 0)])


def _untransformed(value: Floats, skewness: Floats) -> Floats:
    """Return the z that Hall's transformation makes `value`: ((1 + g z / 3)^3 - 1) / g + g / 6."""
    g = np.where(skewness == 0, 1, skewness)
    z: Floats = 3 * (np.cbrt(1 + g * (value - g / 6)) - 1) / g
    return np.where(skewness == 0, value, z)


def detectable_precision(case: Quantities, errors: Floats) -> Floats:
    """Return the largest change of precision L / C by an error that might have been missed.

    `errors` e, shape (2, t), are those of E[CL] = L and E[C] = C that are shown. If E[CL] alone
    were off by its own, precision would be off by e / C; if E[C] alone, by as much as
    L / (C - e) - L / C; but never beyond what precision can be. The larger of the two; NaN where
    one of them is not tested.
    """
    (leading, consulted), (of_leading, of_consulted) = case.exact, errors
    least_leading, most_leading = np.ones(len(leading)), np.arange(1.0, len(leading) + 1)
    if case.limits is not None:
        least_leading, most_leading = case.limits
    # CL is within its limits, and E[C] never below E[CL].
    most = np.minimum(of_leading, np.maximum(leading - least_leading, most_leading - leading))
    least = np.maximum(consulted - of_consulted, leading)
    change: Floats = np.maximum(most / consulted, leading / least - leading / consulted)
    # What the exact law has forgotten may also add to C.
    more = leading / consulted - leading / (consulted + of_consulted)
    return np.where(case.fixed[1], np.maximum(change, more), change)


def users_needed(
    exact: PrecisionRecall | None, num_ideals: int, leads_needed: Floats | None = None
) -> Floats:
    """Return how many users it takes to test both E[CL(r)] and E[C(r)], shape (t,).

    By the exact law, that of CL by `leads_needed` if given. Whole numbers; infinite where no number
    would do, NaN without such a law.
    """
    if exact is None or exact.consulted_skewness is None or exact.consulted_deviation is None:
        return np.full(num_ideals, np.nan)
    ends = np.minimum(exact.leading - 1, np.arange(1, num_ideals + 1) - exact.leading)
    leads = LEAST_EXPECTED / np.where(ends < EQUAL, np.inf, ends)
    if leads_needed is not None:
        leads = leads_needed
    varies = exact.consulted_deviation != 0
    depths = (np.where(varies, exact.consulted_skewness, 0) / LARGEST_SKEWNESS) ** 2
    return np.ceil(np.maximum(np.maximum(leads, depths), 1))


def detectable_table(
    cases: Sequence[Quantities],
    exact: Sequence[PrecisionRecall | None],
    judged: Sequence[Judgement],
    threshold: float,
) -> "pd.DataFrame":
    """Return a row for each list and r: what the comparison would have shown, and what it lacks.

    `detectable_leading`, `detectable_consulted`, `detectable` of precision; `users_needed` where
    the verdict is "unresolved", else NaN.
    """
    import pandas as pd

    tables = []
    for case, law, judgement in zip(cases, exact, judged, strict=True):
        errors = detectable(case, threshold)
        unresolved = np.array([verdict == "unresolved" for verdict in judgement.verdicts])
        tables.append(
            pd.DataFrame(
                {
                    "detectable_leading": errors[0],
                    "detectable_consulted": errors[1],
                    "detectable": detectable_precision(case, errors),
                    "users_needed": np.where(
                        unresolved,
                        users_needed(law, len(unresolved), case.leads_needed),
                        np.nan,
                    ),
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


@dataclass(frozen=True, slots=True)
class DetectableErrors:
    """What the comparisons of a cross-check are worth, taken together.

    Attributes
    ----------
    median, largest
        Errors of precision that were shown with probability .8 in half of the comparisons that
        agree, and in all of them; NaN if none does.
    enough, num_unresolved
        Users that would do for the comparisons that are unresolved, but for the last two.
    num_far, far
        How many comparisons take more than ten times as many, and the largest number that they
        take.
    """

    median: float
    largest: float
    enough: float
    num_unresolved: int
    num_far: int
    far: float

    @classmethod
    def of(cls, comparisons: "pd.DataFrame") -> "DetectableErrors":
        """Return it from the comparisons' `verdict`, `detectable` and `users_needed`."""
        shown = comparisons.loc[comparisons["verdict"] == "agrees", "detectable"].to_numpy()
        lacking = comparisons["verdict"] == "unresolved"
        needed = np.sort(comparisons.loc[lacking, "users_needed"].to_numpy())
        most = _FAR * np.quantile(needed, 0.9, method="lower") if len(needed) else np.nan
        near, far = needed[needed <= most], needed[needed > most]
        return cls(
            float(np.quantile(shown, 0.5, method="lower")) if len(shown) else np.nan,
            float(shown.max()) if len(shown) else np.nan,
            float(near.max(initial=0)),
            len(needed),
            len(far),
            float(far.max(initial=0)),
        )

    def to_dict(self) -> dict[str, float | None]:
        """Return it as plain data for JSON, with the probability."""
        named = {
            "detectable_median": self.median,
            "detectable_largest": self.largest,
            "users_needed": self.enough,
            "num_beyond": self.num_far,
            "users_needed_beyond": self.far,
        }
        plain = {name: value if np.isfinite(value) else None for name, value in named.items()}
        return {"power": POWER, "num_unresolved": self.num_unresolved, **plain}

    @property
    def of_agreement(self) -> str:
        """What was shown, in a sentence; "" if nothing agrees."""
        if np.isnan(self.median):
            return ""
        median, largest = (error_in_words(value) for value in (self.median, self.largest))
        where = (
            "every comparison that agrees"
            if median == largest
            else f"half of the comparisons that agree, {largest} in all of them"
        )
        return f"Power: {median} of precision would be detected in {where} (probability {POWER:g})."

    @property
    def of_unresolved(self) -> str:
        """How many users would do, in a sentence; "" if nothing is unresolved."""
        if not self.num_unresolved:
            return ""
        enough = users_in_words(self.enough)
        if not self.num_far:
            return f"{self.num_unresolved:,} unresolved: {enough} would do."
        take = "takes" if self.num_far == 1 else "take"
        far = users_in_words(self.far).removesuffix(" users")
        return (
            f"{self.num_unresolved:,} unresolved: {enough} would do for all but {self.num_far:,}, "
            f"which {take} {far}."
        )


def verdict_in_words(row: Mapping[Any, Any]) -> str:
    """Return the verdict of a row of comparisons; of one that is unresolved, what it takes.

    >>> verdict_in_words({"verdict": "unresolved", "users_needed": 53_646.0})
    'unresolved: takes 54,000 users'
    """
    if row["verdict"] != "unresolved":
        return str(row["verdict"])
    return f"unresolved: takes {users_in_words(row['users_needed'])}"


def error_in_words(value: float) -> str:
    """Return an error and all that are larger, in two digits, rounded up.

    >>> error_in_words(0.00041234), error_in_words(3.2e-7), error_in_words(1e-9)
    ('an error of 0.00042 or more', 'an error of 3.2e-7 or more', 'any error')
    """
    if value < _ROUNDING:
        return "any error"
    digits, exponent = _two_digits_up(value)
    if exponent < -5:
        return f"an error of {digits / 10:g}e{exponent} or more"
    return f"an error of {digits * 10.0 ** (exponent - 1):.{max(1 - exponent, 0)}f} or more"


def users_in_words(number: float) -> str:
    """Return a number of users in two digits, rounded up.

    >>> users_in_words(53_646), users_in_words(4_914_823), users_in_words(1.2e9)
    ('54,000 users', '5 million users', '1.2e9 users')
    >>> users_in_words(1e13)
    'more users than can be simulated'
    """
    if number > MOST_USERS:
        return "more users than can be simulated"
    digits, exponent = _two_digits_up(number)
    if exponent >= 9:
        return f"{digits / 10:g}e{exponent} users"
    if exponent >= 6:
        return f"{digits * 10 ** (exponent - 6) / 10:g} million users"
    rounded = digits * 10 ** (exponent - 1) if exponent else -(-digits // 10)
    return f"{rounded:,} user{'' if rounded == 1 else 's'}"


def _two_digits_up(value: float) -> tuple[int, int]:
    """Return d and e with d 10^(e - 1) the least number of two digits that is not below `value`."""
    exponent = int(np.floor(np.log10(value) + 1e-12))
    digits = int(np.ceil(value / 10.0 ** (exponent - 1) - 1e-9))
    return (10, exponent + 1) if digits >= 100 else (digits, exponent)
