"""Documents as measures see them: what grades are worth, and how likely one ends the search."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number

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
class Documents:
    """Several documents, in an order; arrays of one shape.

    `gains`: g of each, at least 0; `stops`: theta_g of each, the probability that a user who sees
    it needs no more, in ERR.
    """

    gains: Floats
    stops: Floats

    def __len__(self) -> int:
        return len(self.gains)

    def first(self, n: int) -> "Documents":
        """Return the first n, or all if they are fewer."""
        return Documents(self.gains[:n], self.stops[:n])

    def chosen(self, which: Ints) -> "Documents":
        """Return those of these numbers, in their order."""
        return Documents(self.gains[which], self.stops[which])

    def replaced(self, which: Ints, others: "Documents") -> "Documents":
        """Return these with others in the place of those of some numbers."""
        gains, stops = self.gains.copy(), self.stops.copy()
        gains[which], stops[which] = others.gains, others.stops
        return Documents(gains, stops)

    def followed(self, others: "Documents") -> "Documents":
        """Return these and then others."""
        return Documents(
            np.concatenate((self.gains, others.gains)), np.concatenate((self.stops, others.stops))
        )

    def checked_stops(self) -> Floats:
        """Return theta_g of each if they are probabilities."""
        thing, rule = "theta times gain", "be at most 1, a probability"
        remedy = "divide the gains by the highest, or give theta by grade"
        check_each(thing, self.stops, self.stops <= 1, rule, remedy=remedy, place="rank {}")
        return self.stops


@dataclass(frozen=True, slots=True, eq=False)
class DocumentPool:
    """All relevant documents of a topic; ``relevant`` is None if nobody said which there are.

    Parameters
    ----------
    relevant
        Those with a positive gain, the best first.
    missing
        What to say of num_relevant if they are asked for: its value and a rule.
    """

    relevant: Documents | None
    missing: tuple[object, str] = (None, "be given")

    def checked_relevant(self) -> Documents:
        """Return the relevant documents; InputError if they are not known."""
        if self.relevant is None:
            value, rule = self.missing
            remedy = "give the grades of all judged documents"
            raise InputError("num_relevant", value, rule, remedy=remedy)
        return self.relevant

    def total(self) -> float:
        """Return the sum of all gains, R for binary relevance."""
        return float(self.checked_relevant().gains.sum())

    def best(self, n: int) -> Documents:
        """Return the best ranking of n documents: relevant ones first, by gain, then others."""
        top = self.checked_relevant().first(n)
        rest = np.zeros(n - len(top))
        return top.followed(Documents(rest, rest))

    def joined(self, others: Documents) -> "DocumentPool":
        """Return the pool with other documents, of which it takes those that are relevant."""
        if self.relevant is None:
            return self
        return pool_of_documents(self.relevant.followed(others))


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


def pool_of(judgements: Judgements, num_relevant: int | ArrayLike | None) -> DocumentPool:
    """Return all relevant documents of a topic, no fewer than in the ranking, of any grade."""
    if num_relevant is None:
        return DocumentPool(None)
    ranked = judgements.ranked
    if judgements.pooled is None:
        if not isinstance(num_relevant, Integral):
            rule, remedy = "be a whole number or a sequence of grades", "count the relevant ones"
            raise InputError("num_relevant", num_relevant, rule, remedy=remedy)
        in_list = int(np.count_nonzero(ranked.gains))
        R = whole_number("num_relevant", num_relevant, least=0, remedy="count the relevant ones")
        if in_list > R:
            rule = f"be at least {in_list}, the relevant documents in the list"
            raise InputError("num_relevant", R, rule, remedy="count those outside the list too")
        if not np.isin(ranked.gains, (0.0, 1.0)).all():
            return DocumentPool(None, (R, "be grades, as gains other than 0 and 1 differ in worth"))
        relevant = judgements.documents(np.ones(R), "judged")
        return DocumentPool(Documents(np.ones(R), relevant.stops))
    relevant_grades = judgements.grades[ranked.gains > 0]
    for grade, count in zip(*np.unique(relevant_grades, return_counts=True), strict=True):
        in_pool = int(np.count_nonzero(judgements.pooled == grade))
        if in_pool < count:
            thing = f"number of judged documents of grade {grade:g}"
            remedy = "give the grades of all judged documents, in the list or not"
            raise InputError(thing, in_pool, f"be at least {count}, as in the list", remedy=remedy)
    judged = judgements.documents(judgements.pooled, "judged")
    return pool_of_documents(judged)


def pool_of_documents(judged: Documents) -> DocumentPool:
    """Return the relevant ones of some documents as a pool."""
    order = np.lexsort((-judged.stops, -judged.gains))
    order = order[judged.gains[order] > 0]
    return DocumentPool(Documents(judged.gains[order], judged.stops[order]))


def _documents(grades: Floats, thing: str, gain: Scale, theta: float | Scale) -> Documents:
    gains = gain.gains(grades, thing)
    stops = theta.gains(grades, thing) if isinstance(theta, Scale) else theta * gains
    return Documents(gains, stops)
