"""Grades of relevance and what they are worth: gain functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array

Gain: TypeAlias = str | Mapping[float, float] | Callable[[float], float]

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
        """Return the gain of each document, 0 where the grade is nan; of the grades' shape.

        Raises InputError for a grade outside the scale, and a gain that is negative or not finite.
        """
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
    """Return a gain function ready for use, `grades` being all that are known.

    Raises InputError for an unknown gain function, and a highest grade that is not positive and
    finite.
    """
    known = grades[~np.isnan(grades)]
    if isinstance(gain, Mapping):
        rule = f"be one of the gain function's, {', '.join(f'{grade:g}' for grade in gain)}"
        return Scale(gain.get, tuple(gain), rule)
    if callable(gain):
        return Scale(gain, tuple(np.unique(known).tolist()), "have a gain")
    if gain not in GAINS:
        rule = f"be one of {', '.join(GAINS)}, a mapping or a function"
        raise InputError("gain", gain, rule, remedy="name a gain function")
    top = (float(known.max(initial=0.0)) or 1.0) if highest is None else float(highest)
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
    """Return grades as floats, nan where there is none, shape (n,).

    Raises InputError if they are not a sequence of numbers, or one is negative or infinite.
    """
    remedy = "give a grade for each document"
    checked = real_array(f"{thing} grades", grades, remedy=remedy, shape=("n",))
    valid, rule = ~((checked < 0) | np.isinf(checked)), "be a finite number of at least 0"
    remedy = "give nan for what is not judged, 0 for what is worthless"
    check_each(f"{thing} grade", checked, valid, rule, remedy=remedy, place="rank {}")
    return checked
