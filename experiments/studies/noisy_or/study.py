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
from dataclasses import dataclass
from itertools import product
from typing import Annotated

import numpy as np

from prum.experiments.frame.design import Design, Option, Seed, draws_of
from prum.experiments.frame.study import Advance
from prum.experiments.statistics.intervals import mean_interval
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError, whole_number

# Errors at each r of each draw that are held at once.
_MOST_NUMBERS = 2**25
# What a draw takes whatever its size, in the unit of what an entry of its matrix takes.
_CALL = 800
_COUNTED, _SHARED = "give a number of elements", "give a share"
_DENSITY = "Share of pairs of rank and ideal with a link."


class NoisyOrDesign(Design):
    """Options of the study of Hypothesis 2.3."""

    ideals: Annotated[
        tuple[int, ...],
        Option("Number of ideals.", metavar="T", least=1, most=1_000, remedy=_COUNTED),
    ] = (2, 5, 10, 20, 50)
    densities: Annotated[
        tuple[float, ...], Option(_DENSITY, singular="density", least=0, most=1, remedy=_SHARED)
    ] = (0.05, 0.2, 1.0)
    strengths: Annotated[
        tuple[float, ...],
        Option(
            "Largest probability of a link.", singular="strength", least=0, most=1, remedy=_SHARED
        ),
    ] = (0.1, 0.3, 1.0)
    ranks: Annotated[
        int, Option("Elements in the list.", metavar="O", least=1, most=10_000, remedy=_COUNTED)
    ] = 50
    listed: Annotated[
        float,
        Option(
            "Share of the ideals that are in the list themselves.", least=0, most=1, remedy=_SHARED
        ),
    ] = 0.5
    unranked: Annotated[
        int, Option("Elements outside the list.", metavar="U", most=1_000_000_000, remedy=_COUNTED)
    ] = 100
    draws: Annotated[int, draws_of("tasks for each number of ideals, density and strength")] = 1_000
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        if self.unranked < self.ideals[-1]:
            rule = f"be at least {self.ideals[-1]}, the most ideals that may be there"
            remedy = "give more unranked elements, or fewer ideals"
            raise InputError("unranked", self.unranked, rule, remedy=remedy)
        most = _MOST_NUMBERS // self.ideals[-1]
        remedy = f"with {self.ideals[-1]} ideals more need too much memory"
        whole_number("draws", self.draws, least=2, most=most, remedy=remedy)


@dataclass(frozen=True, slots=True)
class NoisyOrRow:
    """Errors at a point of the design.

    `exact` is precision, averaged over r and draws. `largest` and `mean` are of |PRUM - exact| over
    r, `last` is PRUM - exact at r = t; each is a mean over draws, with the ends of its interval.
    `worst` is the PRUM - exact farthest from 0, over all draws and r.
    """

    t: int
    density: float
    strength: float
    draws: int
    exact: float
    largest: float
    largest_low: float
    largest_high: float
    mean: float
    mean_low: float
    mean_high: float
    last: float
    last_low: float
    last_high: float
    worst: float
    worst_r: int
    worst_draw: int


@dataclass(frozen=True, slots=True)
class WorstTask:
    """The task where PRUM is furthest off: where it is, both curves over r, its reach matrix."""

    t: int
    density: float
    strength: float
    draw: int
    r: int
    error: float
    unranked: int
    prum: list[float]
    exact: list[float]
    reach: list[list[float]]


@dataclass(frozen=True, slots=True)
class NoisyOrFindings:
    """The worst task, and the largest PRUM - exact, which only rounding lifts above 0."""

    worst: WorstTask
    highest: float


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


def compute(design: NoisyOrDesign, progress: Advance) -> tuple[list[NoisyOrRow], NoisyOrFindings]:
    """Return PRUM's errors over random tasks, by t, density and strength in this order.

    >>> design = NoisyOrDesign(draws=2, ideals=[3], densities=[1], strengths=[0.5], ranks=4)
    >>> ((row,), _) = compute(design, lambda share: None)
    >>> row.last <= 0 and row.largest < 0.1
    True
    """
    points = list(product(design.ideals, design.densities, design.strengths))
    rows: list[NoisyOrRow] = []
    work = np.cumsum([0] + [_CALL + t * (t * density + 1) for t, density, _ in points])
    highest = -np.inf
    for number, (t, density, strength) in enumerate(points):
        errors, exact = np.empty((design.draws, t)), np.empty((design.draws, t))
        for draw in range(design.draws):
            _, approximate, exact[draw] = _task(design, t, density, strength, draw)
            errors[draw] = approximate - exact[draw]
            share = (draw + 1) / design.draws
            progress((work[number] + np.diff(work)[number] * share) / work[-1])
        highest = max(highest, float(errors.max()))
        rows.append(_row(t, density, strength, errors, exact))
    return rows, NoisyOrFindings(_worst(rows, design), highest)


def _task(
    design: NoisyOrDesign, t: int, density: float, strength: float, draw: int
) -> tuple[Floats, Floats, Floats]:
    """Return the reach of a draw, PRUM and the exact precision for r = 1 .. t."""
    from prum.analytic import exact, prum

    reach = random_reach(
        ranks=design.ranks,
        ideals=t,
        density=density,
        strength=strength,
        listed=design.listed,
        seed=design.seed,
        draw=draw,
    )
    return reach, prum(reach, design.unranked).precision, exact(reach, design.unranked).precision


def _row(t: int, density: float, strength: float, errors: Floats, exact: Floats) -> NoisyOrRow:
    sizes = np.abs(errors)
    draw, at = np.unravel_index(int(sizes.argmax()), sizes.shape)
    return NoisyOrRow(
        t,
        density,
        strength,
        len(errors),
        float(exact.mean()),
        *mean_interval(sizes.max(axis=1)),
        *mean_interval(sizes.mean(axis=1)),
        *mean_interval(errors[:, -1]),
        worst=float(errors[draw, at]),
        worst_r=int(at) + 1,
        worst_draw=int(draw),
    )


def _worst(rows: Sequence[NoisyOrRow], design: NoisyOrDesign) -> WorstTask:
    row = max(rows, key=lambda row: abs(row.worst))
    place = row.t, row.density, row.strength, row.worst_draw
    reach, prum, exact = (values.tolist() for values in _task(design, *place))
    return WorstTask(*place, row.worst_r, row.worst, design.unranked, prum, exact, reach)
