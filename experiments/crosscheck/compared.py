"""What is compared of one list: E[CL(r)], E[C(r)] and precision, and the p-value of each."""

from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.statistics.intervals import CONFIDENCE
from prum.experiments.statistics.tests import two_sided_t
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.sampling.simulation import Simulation, half_width

# Rounding of closed forms; equality is asked for within it.
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Quantities:
    """Exact and simulated E[CL] and E[C], standard errors, skewness; each of shape (2, t).

    `tested` says which the number of users can carry, `fixed` which have no variance by the exact
    law; `skewness` is that of the means; errors have `degrees` of freedom. `rare` says which are
    from a run with rare users; `weight` is the p-value of its mean weight, 1 without such a run.
    `expected_error` is the standard error that so many users have by the exact law, as far as it
    says (that of E[CL] is the measured one within the law's bound), and the measured one of a run
    with rare users; None where users are not drawn one by one, and measured errors alone say it.
    `more` says which are from more plain users than at first, `looks` by how many tests each might
    have been judged, of which its p-value pays for all. `bound` is the most that a p-value of plain
    users can be where nothing is tested, NaN where it is not known, and `law_error` the standard
    error by the exact law of those of whom the run has seen too little, else 0. `strays` is how far
    CL and C may be from their exact means for a user, by the links, 0 where they can't vary.
    `limits` are the least and the most that CL can be, 1 and r by default; `leads_needed` the users
    that it takes to test it. Where costs differ CL's `skewness` is a bound, and not known. What
    differs by `rounding` at most is equal, whatever its size.
    """

    degrees: Floats
    exact: Floats
    simulated: Floats
    error: Floats
    skewness: Floats
    tested: Flags
    fixed: Flags
    rare: Flags
    weight: float = 1.0
    expected_error: Floats | None = None
    limits: Floats | None = None
    leads_needed: Floats | None = None
    is_bound: bool = False
    rounding: float = 0.0
    more: Flags | None = None
    looks: Ints | None = None
    bound: Floats | None = None
    law_error: Floats | None = None
    strays: Floats | None = None

    @property
    def num_tests(self) -> int:
        """Number of tests, known before any user is drawn: of means, and one of mean weights.

        The latter where a run with rare users might have to judge.
        """
        weighed = self.looks is not None and bool((self.looks > 1).any())
        return int((~np.isnan(self.exact)).sum()) + weighed

    def z(self) -> Floats:
        """Return (simulated - exact) / error; NaN where not tested.

        Where the exact law or the simulation has no variance: 0 if the two are equal to rounding,
        else infinite.
        """
        difference = self.simulated - self.exact
        same = equal(self.simulated, self.exact) | (np.abs(difference) <= self.rounding)
        z = np.where(same, 0, np.copysign(np.inf, difference))
        varying = ~self.fixed & (self.error > 0) & ~(same & self.rare)
        np.divide(difference, self.error, out=z, where=varying)
        return np.where(self.tested, z, np.nan)

    def errors_off(self) -> Floats:
        """Return by how many errors, not below the law's, those are off that are not tested, or 0.

        Of E[CL] and E[C]: precision, their ratio, is not nearly normal where so little was seen.
        """
        off = np.zeros(self.exact.shape)
        if self.law_error is not None:
            error = np.maximum(self.error, self.law_error)
            distance = np.abs(self.simulated - self.exact)
            np.divide(distance, error, out=off, where=~self.tested & (error > 0))
        return off

    def p(self) -> Floats:
        """Return two-sided p-values, skewness taken out of z; NaN where not tested.

        Times the tests by which each might have been judged, 1 at most.
        """
        z, g = self.z(), np.where(self.tested & ~self.fixed, self.skewness, 0)
        finite = np.where(np.isfinite(z), z, 0)
        symmetric = _symmetric(finite, g)
        if self.is_bound:
            # The skewness that leaves the least of z, between bounds.
            against = _symmetric(np.abs(finite[0]), -np.abs(g[0]))
            symmetric[0] = np.maximum(np.minimum(against, np.abs(finite[0])), 0)
        return self.adjusted(
            np.where(
                np.isfinite(z),
                two_sided_t(symmetric, self.degrees),
                np.where(np.isinf(z), 0, z),
            )
        )

    def adjusted(self, p: Floats) -> Floats:
        """Return p-values of single tests times the tests by which each might have been judged."""
        return p if self.looks is None else np.minimum(self.looks * p, 1)


def _symmetric(z: Floats, skewness: Floats) -> Floats:
    """Return z without its skewness, by Hall's transformation."""
    g = skewness
    symmetric: Floats = z + g * z**2 / 3 + g**2 * z**3 / 27 + g / 6
    return symmetric


def equal(simulated: Floats, exact: Floats) -> Flags:
    """Return which are equal to rounding."""
    same: Flags = np.abs(simulated - exact) <= EQUAL * np.abs(exact)
    return same


SYMBOLS = {"leading": "E[CL]", "consulted": "E[C]"}
# As `Crosscheck.comparisons` and `Crosscheck.systems` name them.
OF_LISTS = tuple(
    column
    for name in SYMBOLS
    for column in (f"prum_{name}", f"exact_{name}", f"simulated_{name}", f"{name}_error")
)
OF_SYSTEMS = tuple(
    column
    for name in SYMBOLS
    for column in (f"prum_{name}", f"reference_{name}", f"simulated_{name}", f"{name}_users_error")
)


def headings(*of_one: str) -> list[str]:
    """Return the headings of both means in a row.

    >>> headings("PRUM", "exact")
    ['E[CL]: PRUM', 'exact', 'E[C]: PRUM', 'exact']
    """
    first, *others = of_one
    return [text for symbol in SYMBOLS.values() for text in (f"{symbol}: {first}", *others)]


def title(unit: str) -> str:
    """Return what both are, with their unit if that is a cost."""
    return " and ".join(SYMBOLS.values()) + ("" if unit == ELEMENTS else f" in {unit}")


def measured_by(simulation: Simulation) -> dict[str, Floats]:
    """Return what users had, by its column: precision, both means, their errors, and the rest."""
    low, high = simulation.interval(CONFIDENCE)
    return {
        "simulated": simulation.precision,
        "error": simulation.precision_error,
        "low": low,
        "high": high,
        "mean_ratio": simulation.mean_ratio,
        "simulated_leading": simulation.leading,
        "leading_error": simulation.leading_error,
        "simulated_consulted": simulation.consulted,
        "consulted_error": simulation.consulted_error,
        "users": np.full(simulation.num_ideals, simulation.num_users),
    }


def with_law_error(
    measured: dict[str, Floats], exact: PrecisionRecall | None, compared: Quantities
) -> dict[str, Floats]:
    """Return what was measured, with errors that are not below the exact law's where unresolved.

    Of precision, by those of E[CL] and E[C]; and intervals as wide, within what precision can be.
    """
    if exact is None or compared.law_error is None:
        return measured
    simulated, error, low, high = (measured[name] for name in ("simulated", "error", "low", "high"))
    leading, consulted = compared.law_error / exact.consulted
    least = np.hypot(leading, consulted * exact.precision)
    half = half_width(CONFIDENCE, 2**31) * least
    is_less = error < least
    return {
        **measured,
        "error": np.where(is_less, least, error),
        "low": np.where(is_less, np.maximum(np.minimum(low, simulated - half), 0), low),
        "high": np.where(is_less, np.minimum(np.maximum(high, simulated + half), 1), high),
        "leading_error": np.maximum(measured["leading_error"], compared.law_error[0]),
        "consulted_error": np.maximum(measured["consulted_error"], compared.law_error[1]),
    }
