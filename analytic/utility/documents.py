"""Documents as measures see them: what grades are worth, and how likely one ends the search.

Several documents, in an order, are an array of shape (2, n): the gain g of each, at least 0, and
theta_g, the probability that a user who sees it needs no more, in ERR.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number

Gain: TypeAlias = str | Mapping[float, float] | Callable[[float], float]

# Gains, and what ERR stops by; shape (2, n).
Documents: TypeAlias = Floats

GAINS = ("binary", "linear", "exponential")


@dataclass(frozen=True, slots=True)
class Scale:
    """A gain function with the grades it is for.

    Parameters
    ----------
    worth
        The gain of a grade; None if the grade is not on the scale.
    levels
        Grades a document that nobody has judged may turn out to have.
    rule
        What a grade has to be, for messages.
    """

    worth: Callable[[float], float | None]
    levels: Sequence[float]
    rule: str

    def gains(self, grades: Floats, thing: str) -> Floats:
        """Return the gain of each document, 0 where the grade is nan; of the grades' shape."""
        distinct, which = np.unique(grades[~np.isnan(grades)], return_inverse=True)
        values = [self.worth(float(grade)) for grade in distinct]
        for grade, value in zip(distinct, values, strict=True):
            place = f"rank {int(np.argmax(grades == grade)) + 1}"
            if value is None:
                grade, remedy = float(grade), "correct it, or give a gain for it"
                raise InputError(f"{thing} grade", grade, self.rule, remedy=remedy, place=place)
            if not 0 <= value < np.inf:
                rule, remedy = "be a finite number of at least 0", "correct the gain function"
                raise InputError(
                    f"gain of grade {grade:g}", value, rule, remedy=remedy, place=place
                )
        worth = np.zeros(len(grades))
        worth[~np.isnan(grades)] = np.array(values, dtype=np.float64)[which]
        return worth


def gains_of(grades: ArrayLike, gain: Gain = "binary", *, highest: float | None = None) -> Floats:
    """Return what documents of these grades are worth (Carterette 2011, section 5.1), shape (n,).

    Parameters
    ----------
    grades
        A grade of at least 0 for each rank; nan or None for a document nobody has judged, which
        gains nothing.
    gain
        "binary": 1 for any grade above 0. "linear": g / highest. "exponential":
        (2^g - 1) / 2^highest, below 1. Or a mapping or a function from grades to gains of at
        least 0, on any scale.
    highest
        The highest grade of the scale, for "linear" and "exponential"; that of these grades if
        none is given.

    Raises InputError for a grade that is negative, infinite or outside the gain function, a gain
    that is negative or not finite, or an unknown `gain`.

    >>> gains_of([0, 1, 3, None], "exponential").tolist()
    [0.0, 0.125, 0.875, 0.0]
    """
    checked = checked_grades("ranked", grades)
    return scale_of(gain, highest, checked).gains(checked, "ranked")


def scale_of(gain: Gain, highest: float | None, grades: Floats) -> Scale:
    """Return a gain function ready for use, `grades` being all that are known."""
    judged = grades[~np.isnan(grades)]
    if isinstance(gain, Mapping):
        rule = f"be one of the gain function's, {', '.join(f'{grade:g}' for grade in gain)}"
        return Scale(gain.get, tuple(gain), rule)
    if callable(gain):
        return Scale(gain, tuple(np.unique(judged).tolist()), "have a gain")
    if gain not in GAINS:
        rule = f"be one of {', '.join(GAINS)}, a mapping or a function"
        raise InputError("gain", gain, rule, remedy="name a gain function")
    top = (float(judged.max(initial=0.0)) or 1.0) if highest is None else float(highest)
    if not 0 < top < np.inf:
        remedy = "give the scale's highest grade"
        raise InputError("highest", highest, "be positive and finite", remedy=remedy)
    if gain == "binary":
        limit = np.inf if highest is None else top

        def worth(grade: float) -> float | None:
            return float(grade > 0) if grade <= limit else None
    elif gain == "linear":

        def worth(grade: float) -> float | None:
            return grade / top if grade <= top else None
    else:

        def worth(grade: float) -> float | None:
            return 2.0 ** (grade - top) - 2.0**-top if grade <= top else None

    levels: Sequence[float] = range(2)
    if gain != "binary":
        levels = range(int(top) + 1) if top.is_integer() else (*range(int(top) + 1), top)
    return Scale(worth, levels, f"be at most {top:g}, the highest of the scale")


def checked_grades(thing: str, grades: ArrayLike) -> Floats:
    """Return grades as floats, nan where there is none, shape (n,)."""
    remedy = "give a grade for each document"
    checked = real_array(f"{thing} grades", grades, remedy=remedy, shape=("n",))
    valid, rule = ~((checked < 0) | np.isinf(checked)), "be a finite number of at least 0"
    remedy = "give nan for what is not judged, 0 for what is worthless"
    check_each(f"{thing} grade", checked, valid, rule, remedy=remedy, place="rank {}")
    return checked


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """A ranking's grades, and the scales they are read on.

    Parameters
    ----------
    grades
        By rank, nan where unjudged.
    ranked
        What they are worth, an unjudged document nothing.
    gain
        The gain function.
    theta
        A number by which gains are multiplied, or a scale of its own.
    pooled
        Grades of all judged documents, nan where there are none; None for a mere number.
    """

    grades: Floats
    ranked: Documents
    gain: Scale
    theta: float | Scale
    pooled: Floats | None

    def documents(self, grades: Floats, thing: str) -> Documents:
        """Return documents of these grades, in their order."""
        return _documents(grades, thing, self.gain, self.theta)

    def levels(self) -> Documents:
        """Return what an unjudged document may turn out to be, each once, a worthless one first."""
        scales = [self.gain] if isinstance(self.theta, float) else [self.gain, self.theta]
        grades = {float(grade) for scale in scales for grade in scale.levels}
        common = [g for g in grades if all(scale.worth(g) is not None for scale in scales)]
        kinds = self.documents(np.array(common), "unjudged")
        return np.unique(np.column_stack((np.zeros(2), kinds)), axis=1)


def documents_of(
    relevance: ArrayLike,
    num_relevant: int | ArrayLike | None,
    gain: Gain,
    theta: float | Gain,
    highest: float | None,
) -> Judgements:
    """Return a ranking's documents by gain and theta."""
    grades = checked_grades("ranked", relevance)
    pooled = None
    if num_relevant is not None and np.ndim(num_relevant) > 0:
        pooled = checked_grades("judged", num_relevant)
    judged = grades if pooled is None else np.concatenate((grades, pooled))
    scale = scale_of(gain, highest, judged)
    stop: float | Scale
    if isinstance(theta, str | Mapping) or callable(theta):
        stop = scale_of(theta, highest, judged)
    else:
        stop = proportion("theta", theta, remedy="give the probability to stop", open_interval=True)
    ranked = _documents(grades, "ranked", scale, stop)
    return Judgements(grades, ranked, scale, stop, pooled)


def pool_of(judgements: Judgements, num_relevant: int | ArrayLike | None) -> Documents | None:
    """Return all relevant documents of a topic, the best first; None if nobody said how many.

    Raises InputError for fewer of any grade than in the ranking, and a mere number where they
    differ in worth.
    """
    if num_relevant is None:
        return None
    gains = judgements.ranked[0]
    if judgements.pooled is None:
        if not isinstance(num_relevant, Integral):
            rule, remedy = "be a whole number or a sequence of grades", "count the relevant ones"
            raise InputError("num_relevant", num_relevant, rule, remedy=remedy)
        in_list = int(np.count_nonzero(gains))
        R = whole_number("num_relevant", num_relevant, least=0, remedy="count the relevant ones")
        if in_list > R:
            rule = f"be at least {in_list}, the relevant documents in the list"
            raise InputError("num_relevant", R, rule, remedy="count those outside the list too")
        if not np.isin(gains, (0.0, 1.0)).all():
            rule = "be grades, as gains other than 0 and 1 differ in worth"
            raise InputError("num_relevant", R, rule, remedy=_JUDGED)
        return np.stack((np.ones(R), judgements.documents(np.ones(R), "judged")[1]))
    relevant_grades = judgements.grades[gains > 0]
    for grade, count in zip(*np.unique(relevant_grades, return_counts=True), strict=True):
        in_pool = int(np.count_nonzero(judgements.pooled == grade))
        if in_pool < count:
            thing = f"number of judged documents of grade {grade:g}"
            remedy = "give the grades of all judged documents, in the list or not"
            raise InputError(thing, in_pool, f"be at least {count}, as in the list", remedy=remedy)
    return best_first(judgements.documents(judgements.pooled, "judged"))


def best_first(documents: Documents) -> Documents:
    """Return the relevant ones of some documents."""
    gains, stops = documents
    order = np.lexsort((-stops, -gains))
    return documents[:, order[gains[order] > 0]]


def relevant_of(pool: Documents | None) -> Documents:
    """Return the relevant documents; InputError if nobody said how many there are."""
    if pool is None:
        raise InputError("num_relevant", None, "be given", remedy=_JUDGED)
    return pool


_JUDGED = "give the grades of all judged documents"


def _documents(grades: Floats, thing: str, gain: Scale, theta: float | Scale) -> Documents:
    gains = gain.gains(grades, thing)
    stops = theta.gains(grades, thing) if isinstance(theta, Scale) else theta * gains
    return np.stack((gains, stops))
