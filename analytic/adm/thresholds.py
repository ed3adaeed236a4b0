"""Measures of estimates cut at thresholds, and over the sectors beside the ideal line."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.adm.measures import checked_pair
from prum.simulator.model.arrays import Flags
from prum.simulator.model.errors import proportion

# Half the width of the band around SRE = URE that covers half the unit square.
BAND = 1 - math.sqrt(2) / 2


@dataclass(frozen=True, slots=True)
class ThresholdMeasures:
    """Precision, recall and their kin at two thresholds (Mizzaro 2001, section 4.1, figure 4).

    Attributes
    ----------
    a, b, c, d
        Documents in the four sectors: A retrieved but not relevant, B retrieved and relevant,
        C neither, D relevant but not retrieved.
    """

    a: int
    b: int
    c: int
    d: int

    @property
    def precision(self) -> float:
        """P = B / (A + B); nan if nothing is retrieved."""
        return ratio(self.b, self.a + self.b)

    @property
    def recall(self) -> float:
        """R = B / (B + D); nan if nothing is relevant."""
        return ratio(self.b, self.b + self.d)

    @property
    def e(self) -> float:
        """E = (P + R) / 2, the paper's E-measure; nan if one of them is."""
        return (self.precision + self.recall) / 2

    @property
    def fallout(self) -> float:
        """F = A / (A + C); nan if everything is relevant."""
        return ratio(self.a, self.a + self.c)

    @property
    def generality(self) -> float:
        """G = (B + D) / (A + B + C + D), the share of relevant documents."""
        return ratio(self.b + self.d, self.a + self.b + self.c + self.d)


@dataclass(frozen=True, slots=True)
class SectorMeasures:
    """P' and R' over the sectors of figure 6 (b) (Mizzaro 2001, section 4.1).

    Attributes
    ----------
    counts
        Documents in the sectors 1 .. 10, see `sector_measures`.
    """

    counts: tuple[int, ...]

    @property
    def precision(self) -> float:
        """P' = (3 + 4) / (1 + 2 + 3 + 4 + 5); nan if nothing is retrieved."""
        one, two, three, four, five = self.counts[:5]
        return ratio(three + four, one + two + three + four + five)

    @property
    def recall(self) -> float:
        """R' = (3 + 8) / (2 + 3 + 5 + 8 + 9); nan if nothing is relevant."""
        _, two, three, _, five, _, _, eight, nine, _ = self.counts
        return ratio(three + eight, two + three + five + eight + nine)


def threshold_measures(
    sre: ArrayLike,
    ure: ArrayLike,
    *,
    retrieved: float = 0.5,
    relevant: float = 0.5,
    size: int | None = None,
) -> ThresholdMeasures:
    """Return P, R, E, F and G with SRE and URE cut at thresholds (Mizzaro 2001, section 4.1).

    A document is retrieved if SRE >= `retrieved` and relevant if URE >= `relevant`. A measure whose
    denominator is 0 has no value: it is nan.

    Parameters
    ----------
    sre, ure
        Estimates in [0, 1], shape (n,).
    retrieved, relevant
        Thresholds in [0, 1].
    size
        |D|, at least n; n if none is given. Documents that are not listed have SRE = URE = 0: they
        are in C, unless a threshold is 0.

    Raises
    ------
    InputError
        for values or thresholds outside [0, 1], different lengths, no document, a size below n.

    >>> irs1 = threshold_measures([0.9, 0.5, 0.5, 0.1, 0.2], [0.8, 0.6, 0.4, 0.2, 0.1])
    >>> round(irs1.precision, 2), irs1.recall, round(irs1.e, 3), irs1.generality
    (0.67, 1.0, 0.833, 0.4)
    """
    system, user, count = checked_pair(sre, ure, size)
    remedy = "give a threshold in [0, 1]"
    cut = proportion("retrieved", retrieved, remedy=remedy)
    limit = proportion("relevant", relevant, remedy=remedy)
    unlisted = count - len(system)
    shown, wanted = system >= cut, user >= limit

    def number(sector: Flags, holds_zero: bool) -> int:
        return int(sector.sum()) + unlisted * holds_zero

    return ThresholdMeasures(
        number(shown & ~wanted, cut == 0 < limit),
        number(shown & wanted, cut == limit == 0),
        number(~shown & ~wanted, cut > 0 < limit),
        number(~shown & wanted, cut > 0 == limit),
    )


def sector_measures(
    sre: ArrayLike, ure: ArrayLike, *, width: float = BAND, size: int | None = None
) -> SectorMeasures:
    """Return P' and R', over documents near and far from SRE = URE (Mizzaro 2001, section 4.1).

    Estimates less than x apart are right. What is at least x apart lies in two triangles with legs
    1 - x, of area (1 - x)^2 together. The band covers 1 - (1 - x)^2 of the unit square, which is
    1/2 for x = 1 - sqrt(2) / 2 = .293. Thresholds of 1/2 and the band cut the square, URE to the
    right and SRE upwards, into ten sectors; numbered in reading order:

        SRE >= 1/2, URE < 1/2     1 far above the line     4 in the band
        SRE >= 1/2, URE >= 1/2    2 far above   3 in the band    5 far below
        SRE < 1/2, URE < 1/2      6 far above   7 in the band   10 far below
        SRE < 1/2, URE >= 1/2     8 in the band            9 far below

    This is the numbering by which the printed formulas make sense: 1 to 5 are what is retrieved,
    2, 3, 5, 8, 9 what is relevant, and

        P' = (3 + 4) / (1 + 2 + 3 + 4 + 5),    R' = (3 + 8) / (2 + 3 + 5 + 8 + 9)

    the shares of retrieved and of relevant documents in the band. Which of 2 and 5 is above, and
    how C is numbered, they leave open, and do not depend on.

    Parameters
    ----------
    sre, ure
        Estimates in [0, 1], shape (n,).
    width
        x, in (0, 1).
    size
        |D|, at least n; n if none is given. Documents that are not listed are in sector 7.

    Raises
    ------
    InputError
        for values outside [0, 1], a width outside (0, 1), different lengths, no document, a size
        below n.

    >>> sectors = sector_measures([0.9, 0.55, 0.6, 0.4], [0.55, 0.9, 0.6, 0.6], size=10)
    >>> sectors.counts
    (0, 1, 1, 0, 1, 0, 6, 1, 0, 0)
    >>> round(sectors.precision, 2), sectors.recall
    (0.33, 0.5)
    """
    system, user, count = checked_pair(sre, ure, size)
    x = proportion("width", width, remedy="give half the width of the band", open_interval=True)
    place = np.where(np.abs(system - user) < x, 1, np.where(system > user, 0, 2))
    quarter = 2 * (system < 0.5) + (user >= 0.5)
    # Quarters A, B, C, D; above the line, in the band, below it.
    sectors = np.array([[1, 4, 0], [2, 3, 5], [6, 7, 10], [0, 8, 9]])
    counts = np.bincount(sectors[quarter, place], minlength=11)
    counts[7] += count - len(system)
    return SectorMeasures(tuple(counts[1:].tolist()))


def ratio(part: int, whole: int) -> float:
    """Return part / whole, nan if there is no whole.

    >>> ratio(1, 2), ratio(0, 0)
    (0.5, nan)
    """
    return part / whole if whole else float("nan")
