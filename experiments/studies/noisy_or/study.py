"""Study: what Hypothesis 2.3 costs PRUM under independent browsing.

Hypothesis. Under 2.1 and 2.2 precision has an exact value, which PRUM approximates: by 2.3 it takes
the ideals to be first seen independently of each other, given how many were seen before (equation
8, a noisy-or over the ideals). It never exceeds the exact value and equals it at r = 1; how far
it falls below should depend on t, the number of ideals, and on how many of them one rank reaches.

Design. A draw is a random task: a list of `ranks` elements, t ideals, `unranked` elements outside
the list. Each entry of the reach matrix is positive with probability `density`, then uniform on
(0, strength]. A share `listed` of the ideals (as many as the list has room for) stand in the
list, at random ranks, with reach 1. For each t, density and strength: the largest and the mean of
|PRUM - exact| over r = 1 .. t and PRUM - exact at r = t, averaged over draws with 95 % intervals
over draws, all in precision; and the draw with the largest error. Draw k of one t uses the same
random numbers at every density and strength, so these are compared on the same draws, and their
intervals are not independent. Where nearly all draws have no error (few, weak links and few
ideals), the mean rests on a few draws and its interval is rough.

Cost. A task takes o t log(o t) t operations for both values together: the grid of 45 points and
1,000 draws takes half a minute.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from prum.experiments.intervals import mean_interval
from prum.experiments.studies.study import (
    Advance,
    Floats,
    Study,
    ascending,
    checked_draws,
    checked_seed,
    command_of,
)
from prum.simulator.model import InputError
from prum.simulator.model.errors import proportion, whole_number

DRAWS = 1_000
IDEALS = (2, 5, 10, 20, 50)
DENSITIES = (0.05, 0.2, 1.0)
STRENGTHS = (0.1, 0.3, 1.0)
RANKS = 50
LISTED = 0.5
UNRANKED = 100
# PRUM may exceed the exact value by this.
ROUNDING = 1e-12
_MOST_IDEALS, _MOST_RANKS = 1_000, 10_000
_DEFAULTS = {
    "ideals": IDEALS,
    "densities": DENSITIES,
    "strengths": STRENGTHS,
    "ranks": RANKS,
    "listed": LISTED,
    "unranked": UNRANKED,
}


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


def study_noisy_or(
    *,
    draws: int = DRAWS,
    seed: int = 1,
    ideals: Sequence[int] = IDEALS,
    densities: Sequence[float] = DENSITIES,
    strengths: Sequence[float] = STRENGTHS,
    ranks: int = RANKS,
    listed: float = LISTED,
    unranked: int = UNRANKED,
    progress: Advance = lambda _: None,
) -> Study:
    """Return PRUM's errors over random tasks.

    Rows have t, density, strength, draws; exact (precision, averaged over r and draws); largest,
    mean and last with their `_low` and `_high` (|PRUM - exact|, its largest and its mean over r;
    PRUM - exact at r = t); worst, worst_r and worst_draw (the PRUM - exact that is furthest from
    0 of all). `found` has "worst", the task where PRUM is furthest off, whole, and "highest", the
    largest PRUM - exact, which only rounding lifts above 0.

    Raises
    ------
    InputError
        for fewer than two draws, a negative seed, an empty list, a density, strength or share
        outside [0, 1], or fewer unranked elements than ideals.

    >>> study = study_noisy_or(draws=2, ideals=[3], densities=[1], strengths=[0.5], ranks=4)
    >>> study.rows[0]["last"] <= 0 and study.rows[0]["largest"] < 0.1
    True
    """
    draws, seed = checked_draws(draws), checked_seed(seed)
    counted = "give a number of elements"
    shared = "give a share"
    ranks = whole_number("ranks", ranks, least=1, most=_MOST_RANKS, remedy=counted)
    listed = proportion("listed", listed, remedy=shared)
    options: dict[str, Any] = {
        "ideals": ascending(
            "ideals",
            ideals,
            lambda t: whole_number("ideals", t, least=1, most=_MOST_IDEALS, remedy=counted),
        ),
        "densities": ascending(
            "densities", densities, lambda x: proportion("density", x, remedy=shared)
        ),
        "strengths": ascending(
            "strengths", strengths, lambda x: proportion("strength", x, remedy=shared)
        ),
        "ranks": ranks,
        "listed": listed,
        "unranked": whole_number("unranked", unranked, least=0, remedy=counted),
        "draws": draws,
        "seed": seed,
    }
    if options["unranked"] < options["ideals"][-1]:
        raise InputError(
            "unranked",
            options["unranked"],
            f"be at least {options['ideals'][-1]}, the most ideals that may be there",
            remedy="give more unranked elements, or fewer ideals",
        )
    points = [
        (t, density, strength)
        for t in options["ideals"]
        for density in options["densities"]
        for strength in options["strengths"]
    ]
    rows: list[dict[str, Any]] = []
    work = np.cumsum([0] + [t * (t * density + 1) for t, density, _ in points])
    highest = -np.inf
    for number, (t, density, strength) in enumerate(points):
        errors, exact = np.empty((draws, t)), np.empty((draws, t))
        for draw in range(draws):
            reach = random_reach(
                ranks=ranks, ideals=t, density=density, strength=strength, listed=listed,
                seed=seed, draw=draw,
            )  # fmt: skip
            errors[draw], exact[draw] = _error(reach, options["unranked"])
            progress((work[number] + np.diff(work)[number] * (draw + 1) / draws) / work[-1])
        highest = max(highest, float(errors.max()))
        rows.append(
            {"t": t, "density": density, "strength": strength, "draws": draws}
            | _summary(errors, exact)
        )
    found = {"worst": _worst(rows, options), "highest": highest}
    command = command_of("noisy-or", options, _DEFAULTS)
    return Study("noisy-or", options, tuple(rows), found, command)


def _error(reach: Floats, unranked: int) -> tuple[Floats, Floats]:
    """Return PRUM - exact and the exact precision, for r = 1 .. t."""
    from prum.analytic import exact, prum

    truth = exact(reach, unranked).precision
    return prum(reach, unranked).precision - truth, truth


def _summary(errors: Floats, exact: Floats) -> dict[str, Any]:
    sizes = np.abs(errors)
    measures = {"largest": sizes.max(axis=1), "mean": sizes.mean(axis=1), "last": errors[:, -1]}
    summary: dict[str, Any] = {"exact": float(exact.mean())}
    for name, values in measures.items():
        summary[name], summary[f"{name}_low"], summary[f"{name}_high"] = mean_interval(values)
    draw, at = np.unravel_index(int(sizes.argmax()), sizes.shape)
    return summary | {
        "worst": float(errors[draw, at]),
        "worst_r": int(at) + 1,
        "worst_draw": int(draw),
    }


def _worst(rows: list[dict[str, Any]], options: dict[str, Any]) -> dict[str, Any]:
    """Return the task where PRUM is furthest off: where it is, both curves, its matrix."""
    from prum.analytic import exact, prum

    row = max(rows, key=lambda row: abs(row["worst"]))
    place = {name: row[name] for name in ("density", "strength")}
    reach = random_reach(
        ranks=options["ranks"], ideals=row["t"], listed=options["listed"], seed=options["seed"],
        draw=row["worst_draw"], **place,
    )  # fmt: skip
    unranked = options["unranked"]
    return {
        "t": row["t"], **place, "draw": row["worst_draw"], "r": row["worst_r"],
        "error": row["worst"], "unranked": unranked,
        "prum": prum(reach, unranked).precision.tolist(),
        "exact": exact(reach, unranked).precision.tolist(),
        "reach": reach.tolist(),
    }  # fmt: skip
