"""Study: how far the normal law is from the law of the number of ideals seen (appendix A.1).

Hypothesis. F, the number of m ideals that a user has seen, follows the Poisson-binomial law,
equation (7). Appendix A.1 puts P(s - 1/2 < N <= s + 1/2) for P(F = s), N normal with the mean and
variance of F, and reports for 10,000 random trials at m = 10 a largest absolute difference of .01
on average.

Design. A draw is m independent numbers, uniform on [0, 1], to the power `power` (1 as the paper
has it; more makes most ideals unlikely). Its error is the largest absolute difference over s, of
P(F = s) ("pmf") or of P(F <= s), the sum of it up to s ("cdf"). Reported are the mean over draws,
in probability, with a 95 % interval over draws, and the slope of log mean error on log m over
m >= 10, whose interval carries the draws and not what the points bend. Draws of different m are
independent of each other, and do not depend on which other m are asked for.

Expectation. The normal law lacks the skewness gamma, which adds gamma / sigma to the pmf and gamma
to the cdf; gamma is of the order m^(-1/2) for skewed probabilities but m^(-1) for uniform ones,
whose skewnesses cancel on average. So the slopes to expect are -3/2 (pmf) and -1 (cdf) for
power 1, and -1 and -1/2 for any other. The refined law takes gamma out: -3/2 and -1.

Cost. The exact law takes m^2 / 2 multiplications: 10,000 draws of all ten m take some ten seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from prum.experiments.frame.design import Design, Option, Seed, draws_of
from prum.experiments.frame.study import Advance
from prum.experiments.statistics.intervals import mean_interval
from prum.simulator.model.arrays import Floats

LawName = Literal["normal", "refined normal", "poisson"]
Error = Literal["pmf", "cdf"]

LAWS: tuple[LawName, ...] = ("normal", "refined normal", "poisson")
ERRORS: tuple[Error, ...] = ("pmf", "cdf")
# The paper's m; below it slopes say nothing.
PAPER_SIZE = 10
_AT_ONCE = 250
_COUNTED = "give a number of ideals"
_POWER = "Probabilities are uniform numbers to this power; above 1 most are small."


class NormalDesign(Design):
    """Options of the study of the normal law."""

    sizes: Annotated[
        tuple[int, ...],
        Option(
            "Number of ideals.", singular="size", metavar="M", least=1, most=10_000, remedy=_COUNTED
        ),
    ] = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
    power: Annotated[float, Option(_POWER, above=0, remedy="give 1 for uniform probabilities")] = (
        1.0
    )
    draws: Annotated[int, draws_of("sets of probabilities for each size")] = 10_000
    seed: Seed = 1


@dataclass(frozen=True, slots=True)
class NormalRow:
    """Errors of a law at m: the mean over draws, its interval, and the largest of the draws."""

    m: int
    law: LawName
    error: Error
    draws: int
    mean: float
    low: float
    high: float
    largest: float


@dataclass(frozen=True, slots=True)
class Slope:
    """The slope of log mean error on log m, with its interval, and the least and greatest m."""

    law: LawName
    error: Error
    slope: float
    low: float
    high: float
    least_m: int
    greatest_m: int


@dataclass(frozen=True, slots=True)
class Convention:
    """Errors at the paper's m by a reading of appendix A.1, as a row has them."""

    convention: str
    mean: float
    low: float
    high: float
    largest: float


@dataclass(frozen=True, slots=True)
class NormalFindings:
    """Slopes, and what the paper's .01 can have meant, if its m is among the sizes."""

    slopes: list[Slope]
    conventions: list[Convention]


def compute(design: NormalDesign, progress: Advance) -> tuple[list[NormalRow], NormalFindings]:
    """Return the errors of three laws over random draws.

    >>> design = NormalDesign(draws=1000, sizes=[10])
    >>> compute(design, lambda share: None)[0][0].mean < 0.012
    True
    """
    all_work = sum(map(_work, design.sizes)) * design.draws + 1
    done = 0.0
    rows: list[NormalRow] = []
    conventions: list[Convention] = []
    for m in design.sizes:
        rng = np.random.default_rng([design.seed, m])
        parts: dict[str, list[Floats]] = {}
        for first in range(0, design.draws, _AT_ONCE):
            p = rng.random((min(_AT_ONCE, design.draws - first), m)) ** design.power
            for name, errors in _errors_of(p, with_conventions=m == PAPER_SIZE).items():
                parts.setdefault(name, []).append(errors)
            done += len(p) * _work(m)
            progress(done / all_work)
        joined = {name: np.concatenate(errors) for name, errors in parts.items()}
        rows += [
            NormalRow(m, law, error, design.draws, *_summary(joined.pop(f"{law} {error}")))
            for error in ERRORS
            for law in LAWS
        ]
        # What is left are other conventions.
        conventions += [Convention(name, *_summary(errors)) for name, errors in joined.items()]
    rows.sort(key=lambda row: (ERRORS.index(row.error), row.m))
    return rows, NormalFindings(_slopes(rows), conventions)


def _work(m: int) -> float:
    """Return the cost of one draw, in microseconds, roughly."""
    return 100.0 + m * m / 4000


def _errors_of(p: Floats, *, with_conventions: bool) -> dict[str, Floats]:
    """Return the largest error of each draw, a row of `p`, by law and error."""
    from prum.analytic import poisson_binomial

    exact = np.array([poisson_binomial(row) for row in p])
    errors: dict[str, Floats] = {}
    for law in LAWS:
        off = np.array([poisson_binomial(row, method=law) for row in p]) - exact
        errors[f"{law} pmf"] = np.abs(off).max(axis=1)
        errors[f"{law} cdf"] = np.abs(np.cumsum(off, axis=1)).max(axis=1)
    return {**errors, **(_conventions(p, exact) if with_conventions else {})}


def _conventions(p: Floats, exact: Floats) -> dict[str, Floats]:
    """Return the largest errors of each draw under every reading of appendix A.1.

    mu and sigma are the mean and deviation of F. The text prints averages over the ideals in
    their place, which cannot be meant.
    """
    from scipy.special import ndtr

    m = p.shape[1]
    s = np.arange(m + 1)
    mu, sigma = p.sum(axis=1)[:, None], np.sqrt((p * (1 - p)).sum(axis=1))[:, None]
    distribution = np.cumsum(exact, axis=1)
    below, above = (s - 0.5 - mu) / sigma, (s + 0.5 - mu) / sigma
    density = np.exp(-(((s - mu) / sigma) ** 2) / 2) / (np.sqrt(2 * np.pi) * sigma)
    printed = [ndtr((s + side - mu / m) / (sigma / np.sqrt(m))) for side in (-0.5, 0.5)]
    readings = {
        "pmf: P(F = s) as Φ((s + ½ − μ)/σ) − Φ((s − ½ − μ)/σ)": ndtr(above) - ndtr(below) - exact,
        "pmf: P(F = s) as the density φ((s − μ)/σ)/σ": density - exact,
        "pmf: as printed, μ and σ² averages over the ideals": printed[1] - printed[0] - exact,
        "cdf: P(F ≤ s) as Φ((s + ½ − μ)/σ)": ndtr(above) - distribution,
        "cdf: P(F ≤ s) as Φ((s − μ)/σ), without the ½": ndtr((s - mu) / sigma) - distribution,
    }
    return {name: np.abs(off).max(axis=1) for name, off in readings.items()}


def _summary(errors: Floats) -> tuple[float, float, float, float]:
    """Return mean, low, high and largest."""
    return (*mean_interval(errors), float(errors.max()))


def _slopes(rows: Sequence[NormalRow]) -> list[Slope]:
    """Return the least-squares slopes of log mean error on log m, m >= 10, with intervals.

    A slope is a weighted sum of the logarithms of independent means; its error follows from
    theirs by the delta method.
    """
    slopes: list[Slope] = []
    for error in ERRORS:
        for law in LAWS:
            chosen = [
                row
                for row in rows
                if (row.law, row.error) == (law, error) and row.m >= PAPER_SIZE and row.mean > 0
            ]
            if len(chosen) < 2:
                continue
            x = np.log([row.m for row in chosen])
            weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
            means = np.array([row.mean for row in chosen])
            halves = np.array([row.high for row in chosen]) - means
            # Intervals of the rows are Student's, which makes this wide for few draws.
            half = float(np.sqrt(((weights * halves / means) ** 2).sum()))
            slope = float((weights * np.log(means)).sum())
            ends = chosen[0].m, chosen[-1].m
            slopes.append(Slope(law, error, slope, slope - half, slope + half, *ends))
    return slopes
