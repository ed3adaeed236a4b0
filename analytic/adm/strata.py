"""ADM from documents drawn in ranges of SRE, with proportional or Neyman allocation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.adm.sampling import Estimated, SampleDesign, population, variance_of_mean
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import real_array, whole_number


@dataclass(frozen=True, slots=True, eq=False)
class Stratified(SampleDesign):
    """Judge documents drawn uniformly within ranges of SRE (Mizzaro 2001, section 4.2).

    Stratum h has n_h documents, of which m_h are drawn without replacement, independently. With
    N = |D| and the mean distance d'_h of those drawn:

        estimate    1 - sum_h (n_h / N) d'_h
        variance    sum_h (n_h / N)^2 (1 - m_h / n_h) S_h^2 / m_h

    S_h^2 is the variance of the stratum's distances, with divisor n_h - 1. The estimate is
    unbiased, and so is the estimated variance, with the sample's S_h^2.

    Parameters
    ----------
    sre, size
        As of every `SampleDesign`.
    bounds
        b_1 < b_2 < .. in (0, 1): the strata are [0, b_1), [b_1, b_2), .., [b_last, 1].
    drawn
        m_h for each stratum, from 1 to n_h, 0 if n_h = 0; see `allocation`.

    >>> design = Stratified([0.9, 0.8, 0.7, 0.1, 0.2], [0.5], [2, 1])
    >>> design.sizes.tolist(), design.stratum.tolist()
    ([2, 3], [1, 1, 1, 0, 0])
    """

    sre: ArrayLike
    bounds: ArrayLike
    drawn: Sequence[int] | Ints
    size: int | None = None

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "bounds", _checked_bounds(self.bounds))
        object.__setattr__(self, "drawn", _checked_drawn(self.drawn, self.sizes))

    @property
    def stratum(self) -> Ints:
        """The number of each document's stratum, from 0, shape (n,)."""
        return stratum_of(self.sre, self.bounds)

    @property
    def sizes(self) -> Ints:
        """n_h, shape (strata,)."""
        return np.bincount(self.stratum, minlength=len(np.asarray(self.bounds)) + 1)

    @property
    def _num_drawn(self) -> int:
        return int(np.asarray(self.drawn).sum())

    def _estimate(self, chosen: Ints, apart: Floats) -> Estimated:
        drawn = np.asarray(self.drawn)
        of = self.stratum[chosen]
        counts = np.bincount(of, minlength=len(drawn))
        if (counts != drawn).any():
            raise InputError(
                "judged",
                counts.tolist(),
                f"be {drawn.tolist()} documents of the strata",
                remedy="draw as many from each as the design says",
            )
        sizes = self.sizes
        shares = sizes / self._count
        total = variance = 0.0
        for h in np.flatnonzero(drawn):
            total += shares[h] * float(apart[of == h].mean())
            variance += shares[h] ** 2 * variance_of_mean(
                apart[of == h], int(drawn[h]), int(sizes[h])
            )
        return Estimated(1 - float(total), float(np.sqrt(variance)))

    def _variance(self, apart: Floats, count: int) -> float:
        drawn, of, sizes = np.asarray(self.drawn), self.stratum, self.sizes
        return sum(
            float(sizes[h] / count) ** 2
            * variance_of_mean(apart[of == h], int(drawn[h]), int(sizes[h]))
            for h in np.flatnonzero(drawn)
        )


def allocation(sizes: ArrayLike, num_judged: int, spreads: ArrayLike | None = None) -> Ints:
    """Return how many documents to draw from each stratum, whole numbers m_h of the given sum.

    They minimise sum_h n_h^2 S_h^2 / m_h, and with it the variance of `Stratified`, among whole
    numbers with 1 <= m_h <= n_h: each further document goes where n_h S_h / sqrt(m_h (m_h + 1)) is
    greatest. Without the bounds and whole numbers m_h is proportional to n_h S_h, Neyman's
    allocation; with equal spreads, to n_h.

    Parameters
    ----------
    sizes
        n_h, whole numbers, shape (strata,).
    num_judged
        m, from the number of strata that are not empty to that of documents.
    spreads
        S_h, at least 0, known or from a pilot sample; all equal if none are given.

    Raises
    ------
    InputError
        for sizes that are no whole numbers, m out of range, spreads that are negative, not finite
        or not one for each stratum.

    >>> allocation([60, 30, 10], 10).tolist(), allocation([60, 30, 10], 10, [1, 4, 6]).tolist()
    ([6, 3, 1], [3, 5, 2])
    """
    numbers = real_array("sizes", sizes, remedy="count the documents of each stratum")
    if numbers.ndim != 1 or not ((numbers >= 0) & (numbers % 1 == 0)).all():
        raise InputError(
            "sizes",
            numbers.tolist(),
            "be whole numbers of at least 0",
            remedy="count the documents",
        )
    limits = numbers.astype(np.int64)
    drawn = np.minimum(limits, 1)
    number = whole_number(
        "num_judged",
        num_judged,
        least=max(int(drawn.sum()), 1),
        most=int(limits.sum()),
        remedy="draw from each stratum that holds documents",
    )
    wide = np.ones(len(limits))
    if spreads is not None:
        wide = real_array("spreads", spreads, remedy="give the spread of each stratum")
    if wide.shape != limits.shape or not ((wide >= 0) & np.isfinite(wide)).all():
        raise InputError(
            "spreads",
            wide.tolist(),
            f"be {len(limits)} finite numbers of at least 0",
            remedy="give the spread of each stratum",
        )
    for _ in range(number - int(drawn.sum())):
        worth = limits * wide / np.sqrt(np.maximum(drawn * (drawn + 1), 1))
        drawn[np.argmax(np.where(drawn < limits, worth, -1))] += 1
    return drawn


def spreads_of(sre: ArrayLike, ure: ArrayLike, bounds: ArrayLike) -> Floats:
    """Return S_h of the distances in each stratum, 0 for fewer than two; for Neyman's allocation.

    Raises
    ------
    InputError
        for estimates outside [0, 1] or of different lengths, and bounds out of order.

    >>> spreads_of([0.1, 0.2, 0.9], [0.1, 0.4, 0.9], [0.5]).round(3).tolist()
    [0.141, 0.0]
    """
    apart, _ = population(sre, ure, None)
    limits = _checked_bounds(bounds)
    of = stratum_of(sre, limits)
    groups = [apart[of == h] for h in range(len(limits) + 1)]
    return np.array([group.std(ddof=1) if len(group) > 1 else 0.0 for group in groups])


def stratum_of(sre: ArrayLike, bounds: ArrayLike) -> Ints:
    """Return the number of each document's stratum, from 0.

    >>> stratum_of([0.4, 0.5, 1], [0.5]).tolist()
    [0, 1, 1]
    """
    return np.searchsorted(np.asarray(bounds), np.asarray(sre), side="right")


def _checked_bounds(bounds: ArrayLike) -> Floats:
    remedy = "give where one range of SRE ends and the next begins"
    limits = real_array("bounds", bounds, remedy=remedy)
    if limits.ndim != 1 or not (np.diff(np.concatenate(([0.0], limits, [1.0]))) > 0).all():
        raise InputError("bounds", limits.tolist(), "rise strictly within (0, 1)", remedy=remedy)
    limits.setflags(write=False)
    return limits


def _checked_drawn(drawn: Sequence[int] | Ints, sizes: Ints) -> Ints:
    remedy = "draw from each stratum that holds documents"
    numbers = real_array("drawn", drawn, remedy=remedy)
    if numbers.shape != sizes.shape:
        raise InputError("drawn", numbers.shape, f"have shape {sizes.shape}", remedy=remedy)
    for h, number in enumerate(np.asarray(drawn).tolist()):
        place = f"stratum {h + 1}"
        most = int(sizes[h])
        whole_number("drawn", number, least=min(most, 1), most=most, remedy=remedy, place=place)
    checked = numbers.astype(np.int64)
    checked.setflags(write=False)
    return checked
