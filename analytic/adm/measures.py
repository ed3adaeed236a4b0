"""ADM, the average distance between estimates of system and user: variants, baselines, cuts."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number

About = Literal["zero", "mean"]
# Half the width of the band around SRE = URE that covers half the unit square.
BAND = 1 - math.sqrt(2) / 2


def adm(sre: ArrayLike, ure: ArrayLike, *, size: int | None = None) -> float:
    """Return the Average Distance Measure, in [0, 1] (Mizzaro 2001, equation 1).

        ADM = 1 - sum_d |SRE(d) - URE(d)| / |D|

    Parameters
    ----------
    sre, ure
        System and user relevance estimates in [0, 1], shape (n,).
    size
        |D|, at least n; n if none is given. Documents that are not listed have SRE = URE = 0, and
        so distance 0.

    Raises InputError for values outside [0, 1], different lengths, no document, and a size below n.

    >>> adm([1, 0.4, 0.6, 0, 0.3], [0.8, 0.6, 0.4, 0.2, 0.1])  # IRS2 of Table 1
    0.8
    """
    system, user, count = checked_pair(sre, ure, size)
    return 1 - float(np.abs(system - user).sum()) / count


def adm_categories(
    sre: ArrayLike,
    ure: ArrayLike,
    relevance_categories: int,
    retrieval_categories: int,
    *,
    size: int | None = None,
) -> float:
    """Return ADM_N^M, of N categories of relevance and M of retrieval, in [0, 1] (section 4.1).

    ADM of estimates rounded to equally spaced values, see `categorised`: URE to N of them, SRE to
    M. ADM_2^2 is 1 - (A + D) / |D|, the share of right decisions at thresholds of 1/2. ADM_N^M is
    at most 1 / (2 (N - 1)) + 1 / (2 (M - 1)) from ADM.

    Parameters
    ----------
    sre, ure, size
        As in `adm`.
    relevance_categories, retrieval_categories
        N and M, at least 2.

    Raises InputError as `adm`; for fewer than 2 categories.

    >>> adm_categories([0.9, 0.5, 0.5, 0.1, 0.2], [0.8, 0.6, 0.4, 0.2, 0.1], 2, 2)
    0.8
    """
    system, user, count = checked_pair(sre, ure, size)
    apart = categorised(system, retrieval_categories) - categorised(user, relevance_categories)
    return 1 - float(np.abs(apart).sum()) / count


def categorised(estimates: ArrayLike, categories: int) -> Floats:
    """Return estimates rounded to N categories with the values k / (N - 1), k = 0 .. N - 1.

    To the nearest, and up from halfway: k = floor(v (N - 1) + 1/2). So both outer categories are
    half as wide as the inner ones, [0, 1 / (2 (N - 1))) and [1 - 1 / (2 (N - 1)), 1]; with N = 2
    what is at least 1/2 counts as 1.

    Raises InputError for values outside [0, 1], and fewer than 2 categories.

    >>> categorised([0.24, 0.25, 0.5, 0.75], 3).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    values = checked_estimates("estimates", estimates)
    steps = whole_number("categories", categories, least=2, remedy="give at least two") - 1
    return np.floor(values * steps + 0.5) / steps


def adm_deviation(
    sre: ArrayLike, ure: ArrayLike, *, size: int | None = None, about: About = "zero"
) -> float:
    """Return 1 less a standard deviation in place of the mean distance (Mizzaro 2001, section 5).

    The paper names the variant without a formula. With e(d) = SRE(d) - URE(d) and means over D:

        zero    1 - sqrt(mean of e^2)                 the deviation from the ideal line; in [0, 1]
        mean    1 - sqrt(mean of (e - mean of e)^2)   the spread about the mean error; in [0, 1]

    The first is the default: it takes the place of the sum of distances, is 1 only if all estimates
    agree, and is at most ADM. The second forgives estimates that are all too high by the same.

    Parameters
    ----------
    sre, ure, size
        As in `adm`; e = 0 for documents that are not listed.
    about
        "zero" or "mean".

    Raises InputError as `adm`; for another word for `about`.

    >>> adm_deviation([0.75, 0.25], [0.5, 0.5]), adm_deviation([0.75, 0.5], [0.5, 0.25])
    (0.75, 0.75)
    >>> adm_deviation([0.75, 0.5], [0.5, 0.25], about="mean")
    1.0
    """
    system, user, count = checked_pair(sre, ure, size)
    if about not in ("zero", "mean"):
        raise InputError("about", about, "be zero or mean", remedy="name what deviates from what")
    errors = system - user
    centre = 0.0 if about == "zero" else float(errors.sum()) / count
    unlisted = (count - len(errors)) * centre**2
    return 1 - float(np.sqrt((float(((errors - centre) ** 2).sum()) + unlisted) / count))


def checked_estimates(thing: str, values: ArrayLike) -> Floats:
    """Return a copy of the estimates of some documents, read-only, shape (n,)."""
    remedy = "give an estimate for each document"
    checked = real_array(thing, values, remedy=remedy, shape=("n",))
    valid, remedy = (checked >= 0) & (checked <= 1), "calibrate the estimates"
    check_each(thing, checked, valid, "lie in [0, 1]", remedy=remedy, place="document {}")
    checked.setflags(write=False)
    return checked


def checked_pair(
    sre: ArrayLike, ure: ArrayLike, size: int | None = None
) -> tuple[Floats, Floats, int]:
    """Return SRE and URE of the same documents, shape (n,), and |D|, n if none is given."""
    system, user = checked_estimates("SRE", sre), checked_estimates("URE", ure)
    if system.shape != user.shape:
        rule, remedy = f"have shape {system.shape}, as SRE", "give both estimates of each document"
        raise InputError("URE", user.shape, rule, remedy=remedy)
    return system, user, checked_size(size, len(user))


def checked_size(size: int | None, num_listed: int) -> int:
    """Return |D|, the number of documents in the database, those listed if none is given."""
    whole_number("number of documents", num_listed, least=1, remedy="list some documents")
    given = num_listed if size is None else size
    return whole_number("size", given, least=num_listed, remedy="count all documents")


class Chance(NamedTuple):
    """Mean and variance of ADM over random estimates, given what the user estimates."""

    mean: float
    variance: float


class ConstantEstimate(NamedTuple):
    """One estimate for all documents, and the ADM it gives."""

    sre: float
    adm: float


def random_adm(ure: ArrayLike, *, size: int | None = None) -> Chance:
    """Return mean and variance of ADM of random SREs (a question of Mizzaro 2001, section 5).

    For independent SREs, uniform on [0, 1], and u = URE(d), the distance has

        mean       a(u) = (u^2 + (1 - u)^2) / 2, from 1/4 (u = 1/2) to 1/2 (u = 0, 1)
        square     b(u) = (u^3 + (1 - u)^3) / 3
        E ADM   = 1 - sum_d a / |D|, from 1/2 to 3/4
        Var ADM = sum_d (b - a^2) / |D|^2

    Parameters
    ----------
    ure
        URE in [0, 1], shape (n,).
    size
        |D|, at least n; n if none is given. Documents that are not listed have URE = 0, and random
        SREs as all others.

    Raises InputError for values outside [0, 1], no document, and a size below n.

    >>> random_adm([0.5]), random_adm([0.5], size=2).mean
    (Chance(mean=0.75, variance=0.02083333333333333), 0.625)
    """
    user = checked_estimates("URE", ure)
    count = checked_size(size, len(user))
    mean = (user**2 + (1 - user) ** 2) / 2
    spread = (user**3 + (1 - user) ** 3) / 3 - mean**2
    unlisted = count - len(user)
    return Chance(
        1 - (float(mean.sum()) + unlisted / 2) / count,
        (float(spread.sum()) + unlisted / 12) / count**2,
    )


def constant_adm(ure: ArrayLike, sre: float, *, size: int | None = None) -> float:
    """Return ADM if all documents of the database have the same SRE, in [0, 1].

    1 - sum_d |c - URE(d)| / |D|.

    Parameters
    ----------
    ure
        URE in [0, 1], shape (n,).
    sre
        c, in [0, 1].
    size
        |D|, at least n; n if none is given. Documents that are not listed have URE = 0.

    Raises InputError for values outside [0, 1], no document, and a size below n.

    >>> constant_adm([1, 0.5], 0.5), constant_adm([1, 0.5], 0, size=6)
    (0.75, 0.75)
    """
    user = checked_estimates("URE", ure)
    count = checked_size(size, len(user))
    c = proportion("SRE", sre, remedy="give one estimate for all documents")
    return 1 - (float(np.abs(c - user).sum()) + (count - len(user)) * c) / count


def best_constant(ure: ArrayLike, *, size: int | None = None) -> ConstantEstimate:
    """Return the SRE that is best for all documents alike, the median of URE, and its ADM.

    Of an even number of documents, the mean of the two in the middle; any between them is as good.
    If most documents of a database are not relevant at all, it is 0, and ADM 1 - mean URE.

    Parameters
    ----------
    ure, size
        As in `constant_adm`.

    Raises InputError for values outside [0, 1], no document, and a size below n.

    >>> best_constant([0.75, 0.5, 0]), best_constant([0.75, 0.5, 0], size=10)
    (ConstantEstimate(sre=0.5, adm=0.75), ConstantEstimate(sre=0.0, adm=0.875))
    """
    user = np.sort(checked_estimates("URE", ure))
    count = checked_size(size, len(user))
    # Those not listed come first, all with the same 0.
    middle = np.array([(count - 1) // 2, count // 2]) - (count - len(user))
    c = float(np.concatenate(([0.0], user))[np.maximum(middle + 1, 0)].mean())
    return ConstantEstimate(c, constant_adm(user, c, size=size))


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
        retrieved = self.counts[:5]
        return ratio(retrieved[2] + retrieved[3], sum(retrieved))

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

    Raises InputError for values or thresholds outside [0, 1], different lengths, no document, a
    size below n.

    >>> irs1 = threshold_measures([0.9, 0.5, 0.5, 0.1, 0.2], [0.8, 0.6, 0.4, 0.2, 0.1])
    >>> round(irs1.precision, 2), irs1.recall, round(irs1.e, 3), irs1.generality
    (0.67, 1.0, 0.833, 0.4)
    """
    system, user, count = checked_pair(sre, ure, size)
    remedy = "give a threshold in [0, 1]"
    cut = proportion("retrieved", retrieved, remedy=remedy)
    limit = proportion("relevant", relevant, remedy=remedy)
    unlisted = count - len(system)
    shown, deserved = system >= cut, user >= limit

    def number(sector: Flags, holds_zero: bool) -> int:
        return int(sector.sum()) + unlisted * holds_zero

    return ThresholdMeasures(
        number(shown & ~deserved, cut == 0 < limit),
        number(shown & deserved, cut == limit == 0),
        number(~shown & ~deserved, cut > 0 < limit),
        number(~shown & deserved, cut > 0 == limit),
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

    Raises InputError for values outside [0, 1], a width outside (0, 1), different lengths, no
    document, a size below n.

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
    """Return part / whole, nan if there is no whole."""
    return part / whole if whole else float("nan")
