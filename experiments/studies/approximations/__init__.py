"""What noisy-or and the normal law cost PRUM.

Under independent browsing PRUM and exact precision differ by noisy-or alone (Hypothesis 2.3). The
law of the number of ideals that a user has seen is compared with the normal and two other laws
(appendix A.1 of Piwowarski, Gallinari and Dupret 2007, for more sizes and laws).
"""

from collections.abc import Iterable, Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.analytic import exact, poisson_binomial, prum
from prum.experiments.frame.design import Design, Option, Seed, draws_of, option
from prum.experiments.frame.frames import columns_of
from prum.experiments.frame.study import Advance, Study
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.studies.approximations.view import ERRORS, LAWS, PAPER_SIZE, view
from prum.simulator import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import whole_number

NOISY_OR = "noisy-or"
_AT_ONCE = 250
# Errors at each r of each task that are held at once.
_MOST_NUMBERS = 2**25
# What a task takes whatever its size, in the unit of what an entry of its matrix takes.
_CALL = 800
# The share of the time that the shortcut takes by default.
_SHARE = 0.7


def _number(help: str, metavar: str, most: int, least: int = 1) -> Option:
    remedy = "give a number of elements"
    return Option(help, metavar, least=least, most=most, remedy=remedy)


def _share(help: str, singular: str | None = None) -> Option:
    return Option(help, singular=singular, least=0, most=1, remedy="give a share")


class ApproximationsDesign(Design):
    """Options of the study of approximations."""

    ideals: tuple[int, ...] = option((2, 5, 10, 20, 50), _number("Number of ideals.", "T", 1_000))
    densities: tuple[float, ...] = option(
        (0.05, 0.2, 1.0), _share("Share of pairs of rank and ideal with a link.", "density")
    )
    strengths: tuple[float, ...] = option(
        (0.1, 0.3, 1.0), _share("Largest probability of a link.", "strength")
    )
    ranks: int = option(50, _number("Elements in the list.", "O", 10_000))
    listed: float = option(0.5, _share("Share of the ideals that are in the list themselves."))
    unranked: int = option(100, _number("Elements outside the list.", "U", 10**9, least=0))
    tasks: int = option(
        1_000,
        "Random tasks for each number of ideals, density and strength.",
        least=2,
        most=1_000_000,
        always=True,
        remedy="an interval needs two tasks at least",
    )
    sizes: tuple[int, ...] = option(
        (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000),
        "Number of ideals, for the normal law.",
        "M",
        singular="size",
        least=1,
        most=10_000,
        remedy="give a number of ideals",
    )
    power: float = option(
        1.0,
        "Probabilities are uniform numbers to this power; above 1 most are small.",
        above=0,
        remedy="give 1 for uniform probabilities",
    )
    draws: int = option(10_000, draws_of("sets of probabilities for each size, for the normal law"))
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        if self.unranked < self.ideals[-1]:
            rule = f"be at least {self.ideals[-1]}, the most ideals that may be there"
            remedy = "give more unranked elements, or fewer ideals"
            raise InputError("unranked", self.unranked, rule, remedy=remedy)
        most = _MOST_NUMBERS // self.ideals[-1]
        remedy = f"with {self.ideals[-1]} ideals more need too much memory"
        whole_number("tasks", self.tasks, least=2, most=most, remedy=remedy)


def compute(design: ApproximationsDesign, progress: Advance) -> tuple[Any, SimpleNamespace]:
    """Return PRUM's errors by t, density and strength, and those of three laws by m.

    Hypothesis 2.3. Under 2.1 and 2.2 precision has an exact value, which PRUM approximates: by 2.3
    it takes the ideals to be first seen independently of each other, given how many were seen
    before (equation 8, a noisy-or over the ideals). It never exceeds the exact value and equals it
    at r = 1; how far it falls below should depend on t, the number of ideals, and on how many of
    them one rank reaches.

    Design. A task is random: a list of `ranks` elements, t ideals, `unranked` elements outside the
    list. Each entry of the reach matrix is positive with probability `density`, then uniform on (0,
    strength]. A share `listed` of the ideals (as many as the list has room for) stand in the list,
    at random ranks, with reach 1. For each t, density and strength: the largest and the mean of
    |PRUM - exact| over r = 1 .. t and PRUM - exact at r = t, averaged over tasks with 95 %
    intervals over tasks, all in precision; and the task with the largest error. Task k of one t
    uses the same random numbers at every density and strength, so these are compared on the same
    tasks, and their intervals are not independent. Where nearly all tasks have no error (few, weak
    links and few ideals), the mean rests on a few tasks and its interval is rough.

    The normal law. F, the number of m ideals that a user has seen, follows the Poisson-binomial
    law, equation (7). Appendix A.1 puts P(s - 1/2 < N <= s + 1/2) for P(F = s), N normal with the
    mean and variance of F, and reports for 10,000 random trials at m = 10 a largest absolute
    difference of .01 on average.

    Design. A draw is m independent numbers, uniform on [0, 1], to the power `power` (1 as the paper
    has it; more makes most ideals unlikely). Its error is the largest absolute difference over s,
    of P(F = s) ("pmf") or of P(F <= s), the sum of it up to s ("cdf"). Reported are the mean over
    draws, in probability, with a 95 % interval over draws, and the slope of log mean error on log m
    over m >= 10, whose interval carries the draws and not what the points bend. Draws of different
    m are independent of each other, and do not depend on which other m are asked for.

    Expectation. The normal law lacks the skewness gamma, which adds gamma / sigma to the pmf and
    gamma to the cdf; gamma is of the order m^(-1/2) for skewed probabilities but m^(-1) for uniform
    ones, whose skewnesses cancel on average. So the slopes to expect are -3/2 (pmf) and -1 (cdf)
    for power 1, and -1 and -1/2 for any other. The refined law takes gamma out: -3/2 and -1.

    Cost. A task takes o t log(o t) t operations for both values together, the exact law m^2 / 2
    multiplications: by default all takes some 40 seconds.

    Returns
    -------
    frame
        Errors of an approximation at a point of the design; what it has not is None. `of` is what
        is approximated: precision by noisy-or, P(F = s) ("pmf") or P(F <= s) ("cdf") by a law.
        `largest` is the largest |error| over r or s, the mean over draws, with its interval;
        `worst` the error farthest from 0 over all draws, for a law its size. For noisy-or `exact`
        is precision, averaged over r and draws, `mean` the mean |error| over r, `last` the error at
        r = t.
    found
        `worst`, the task where PRUM is furthest off: where it is, both curves over r, its reach
        matrix; `highest`, the largest PRUM - exact, which only rounding lifts above 0; `slopes` of
        the laws' errors; `conventions`, what the paper's .01 can have meant, if its m is among the
        sizes.

    >>> options = {"tasks": 2, "ideals": [3], "densities": [1], "strengths": [0.5], "ranks": 4}
    >>> design = ApproximationsDesign(draws=1000, sizes=[10], **options)
    >>> frame, _ = compute(design, lambda share: None)
    >>> bool(frame["last"][0] <= 0 and frame.largest[0] < 0.1 and frame.largest[1] < 0.012)
    True
    """
    import pandas as pd

    rows, worst, highest = _noisy_or(design, lambda share: progress(_SHARE * share))
    of_laws, conventions = law_errors(
        design.sizes,
        power=design.power,
        draws=design.draws,
        seed=design.seed,
        progress=lambda share: progress(_SHARE + (1 - _SHARE) * share),
    )
    frame = pd.DataFrame(rows + of_laws, dtype=object)
    found = SimpleNamespace(
        worst=worst, highest=highest, slopes=_slopes(of_laws), conventions=conventions
    )
    return frame.where(frame.notna(), None), found


# --- noisy-or -----------------------------------------------------------------------------------


def random_reach(
    *, ranks: int, ideals: int, density: float, strength: float, listed: float, seed: int, draw: int
) -> Floats:
    """Return the reach matrix of a draw, shape (ranks, ideals).

    The random numbers depend on seed, draw, ranks and ideals alone.

    >>> options = {"ranks": 4, "ideals": 2, "density": 1, "listed": 0.5, "seed": 1, "draw": 0}
    >>> weak, strong = (random_reach(strength=strength, **options) for strength in (0.1, 0.2))
    >>> bool((np.where(weak < 1, 2 * weak, 1) == strong).all())
    True
    """
    rng = np.random.default_rng([seed, ranks, ideals, draw])
    chosen = rng.random((ranks, ideals)) < density
    reach = np.where(chosen, strength * (1 - rng.random((ranks, ideals))), 0)
    num_listed = min(round(listed * ideals), ranks)
    reach[rng.permutation(ranks)[:num_listed], np.arange(num_listed)] = 1
    return reach


def _noisy_or(design: ApproximationsDesign, progress: Advance) -> tuple[Any, Any, float]:
    """Return the rows, the worst task, and the largest PRUM - exact."""
    points = list(product(design.ideals, design.densities, design.strengths))
    work = np.cumsum([0] + [_CALL + t * (t * density + 1) for t, density, _ in points])
    rows: list[dict[str, Any]] = []
    highest = -np.inf
    for number, (t, density, strength) in enumerate(points):
        values = np.empty((2, design.tasks, t))
        for draw in range(design.tasks):
            _, values[:, draw] = _task(design, t, density, strength, draw)
            share = (draw + 1) / design.tasks
            progress((work[number] + np.diff(work)[number] * share) / work[-1])
        errors = values[0] - values[1]
        sizes = np.abs(errors)
        draw, at = map(int, np.unravel_index(sizes.argmax(), sizes.shape))
        highest = max(highest, float(errors.max()))
        rows.append(
            {"approximation": NOISY_OR, "of": "precision", "ideals": t, "density": density}
            | {"strength": strength, "draws": design.tasks}
            | columns_of(largest=mean_interval(sizes.max(axis=1)))
            | {"worst": float(errors[draw, at]), "exact": float(values[1].mean())}
            | columns_of(mean=mean_interval(sizes.mean(axis=1)), last=mean_interval(errors[:, -1]))
            | {"worst_r": at + 1, "worst_draw": draw}
        )
    place, row = max(enumerate(rows), key=lambda each: abs(each[1]["worst"]))
    (t, density, strength), draw = points[place], row["worst_draw"]
    reach, curves = _task(design, t, density, strength, draw)
    worst = SimpleNamespace(
        t=t,
        density=density,
        strength=strength,
        draw=draw,
        r=row["worst_r"],
        error=row["worst"],
        unranked=design.unranked,
        prum=curves[0].tolist(),
        exact=curves[1].tolist(),
        reach=reach.tolist(),
    )
    return rows, worst, highest


def _task(
    design: ApproximationsDesign, t: int, density: float, strength: float, draw: int
) -> tuple[Floats, list[Floats]]:
    """Return the reach of a draw, and PRUM and the exact precision for r = 1 .. t."""
    reach = random_reach(
        ranks=design.ranks,
        ideals=t,
        density=density,
        strength=strength,
        listed=design.listed,
        seed=design.seed,
        draw=draw,
    )
    return reach, [value(reach, design.unranked).precision for value in (prum, exact)]


# --- the normal law -----------------------------------------------------------------------------


def law_errors(
    sizes: Sequence[int],
    *,
    power: float = 1.0,
    draws: int,
    seed: int,
    progress: Advance = lambda _: None,
) -> tuple[list[dict[str, Any]], list[SimpleNamespace]]:
    """Return the errors of three laws over random draws, and of the paper's at its m."""
    all_work = sum(map(_work, sizes)) * draws + 1
    done = 0.0
    rows, conventions = [], []
    for m in sizes:
        rng = np.random.default_rng([seed, m])
        parts: dict[str, list[Floats]] = {}
        for first in range(0, draws, _AT_ONCE):
            p = rng.random((min(_AT_ONCE, draws - first), m)) ** power
            for name, errors in _errors_of(p, with_conventions=m == PAPER_SIZE).items():
                parts.setdefault(name, []).append(errors)
            done += len(p) * _work(m)
            progress(done / all_work)
        joined = {name: np.concatenate(errors) for name, errors in parts.items()}
        for error, law in product(ERRORS, LAWS):
            errors = joined.pop(f"{law} {error}")
            rows.append(
                {"approximation": law, "of": error, "ideals": m, "draws": draws}
                | columns_of(largest=mean_interval(errors))
                | {"worst": float(errors.max())}
            )
        # What is left are other conventions.
        conventions += [
            {"convention": name}
            | columns_of(mean=mean_interval(errors))
            | {"largest": float(errors.max())}
            for name, errors in joined.items()
        ]
    rows.sort(key=lambda row: (row["of"] == "cdf", row["ideals"]))
    return rows, _named(conventions)


def _named(rows: Iterable[dict[str, Any]]) -> list[SimpleNamespace]:
    return [SimpleNamespace(**row) for row in rows]


def _work(m: int) -> float:
    """Return the cost of one draw, in microseconds, roughly."""
    return 100.0 + m * m / 4000


def _errors_of(p: Floats, *, with_conventions: bool) -> dict[str, Floats]:
    """Return the largest error of each draw, a row of `p`, by law and error."""
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


def _slopes(rows: list[dict[str, Any]]) -> list[SimpleNamespace]:
    """Return the least-squares slopes of log mean error on log m, m >= 10, with intervals.

    A slope is a weighted sum of the logarithms of independent means; its error follows from
    theirs by the delta method.
    """
    slopes = []
    for error, law in product(ERRORS, LAWS):
        chosen = [
            row
            for row in rows
            if (row["approximation"], row["of"]) == (law, error)
            and row["ideals"] >= PAPER_SIZE
            and row["largest"] > 0
        ]
        if len(chosen) < 2:
            continue
        sizes = [row["ideals"] for row in chosen]
        x = np.log(sizes)
        weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
        means = np.array([row["largest"] for row in chosen])
        halves = np.array([row["largest_high"] for row in chosen]) - means
        # Intervals of the rows are Student's, which makes this wide for few draws.
        half = float(np.sqrt(((weights * halves / means) ** 2).sum()))
        slope = float((weights * np.log(means)).sum())
        slopes.append(
            {"law": law, "error": error}
            | columns_of(slope=(slope, slope - half, slope + half))
            | {"least_m": sizes[0], "greatest_m": sizes[-1]}
        )
    return _named(slopes)


APPROXIMATIONS = Study("approximations", __doc__, ApproximationsDesign, None, compute, view)
