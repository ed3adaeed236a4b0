"""The result type of every closed form: E[CL(r)], E[C(r)] and their ratio, for r = 1 .. t."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import check_each, real_array
from prum.simulator.model.json_text import json_value

if TYPE_CHECKING:
    import pandas as pd

ELEVEN_LEVELS: tuple[float, ...] = tuple(level / 10 for level in range(11))
# A level like .1 * 3 may lie a rounding above the recall value it names.
_LEVEL_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Precision at each recall value r = 1 .. t; arrays of shape (t,), index 0 is r = 1.

    precision(r) = E[CL(r)] / E[C(r)]: a ratio of expectations, in (0, 1], not the expectation of
    the ratio CL / C (Piwowarski, Gallinari and Dupret 2007, equation 5). A measure that credits
    users with more than CL(r), as `t2i` with r, has that as `leading` and may exceed 1.

    Parameters
    ----------
    leading
        E[CL(r)], consulted elements that lead to a previously unseen ideal; or what these cost.
    consulted
        E[C(r)], consulted elements; or what these cost.
    method
        What computed it, for people to read.
    unit
        What is counted: elements, or what they cost, in tokens, say.
    consulted_deviation, consulted_skewness
        Standard deviation and skewness of C(r), where the method knows the law of C(r); or of what
        these elements cost.
    parts
        The parts (a), (b), (c) and (d) of equation (5), shape (4, t), where the method knows them:
        `leading` in the list and behind it, `consulted` in the list and behind it.

    >>> result = PrecisionRecall([1.0, 1.5], [1.25, 3.0], method="by hand")
    >>> result.precision.tolist(), result.average
    ([0.8, 0.5], 0.65)
    >>> result
    PrecisionRecall(by hand, t = 2: precision .8000 .5000)
    """

    leading: Floats
    consulted: Floats
    method: str = field(default="", kw_only=True)
    unit: str = field(default=ELEMENTS, kw_only=True)
    consulted_deviation: Floats | None = field(default=None, kw_only=True)
    consulted_skewness: Floats | None = field(default=None, kw_only=True)
    parts: Floats | None = field(default=None, kw_only=True)

    def __init__(
        self,
        leading: ArrayLike,
        consulted: ArrayLike,
        *,
        method: str = "",
        unit: str = ELEMENTS,
        consulted_deviation: ArrayLike | None = None,
        consulted_skewness: ArrayLike | None = None,
        parts: ArrayLike | None = None,
    ) -> None:
        arrays = {
            "leading": leading,
            "consulted": consulted,
            "consulted_deviation": consulted_deviation,
            "consulted_skewness": consulted_skewness,
            "parts": parts,
        }
        for name, values in arrays.items():
            if values is None:
                object.__setattr__(self, name, None)
                continue
            remedy = "give a value for each r"
            array = real_array(name, values, remedy=remedy).copy()
            of_parts = name == "parts"
            due = (4, *np.shape(leading)) if of_parts else np.shape(leading)
            if array.ndim != 1 + of_parts or not array.size or array.shape != due:
                rule = f"have shape {'(4, t)' if of_parts else '(t,)'}, t >= 1"
                raise InputError(name, array.shape, rule, remedy=remedy)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "unit", unit)

    @property
    def num_ideals(self) -> int:
        """t, the number of ideals."""
        return len(self.leading)

    @property
    def precision(self) -> Floats:
        """E[CL(r)] / E[C(r)] for r = 1 .. t, shape (t,)."""
        return self.leading / self.consulted

    @property
    def average(self) -> float:
        """Mean of precision over r = 1 .. t.

        Without browsing and with every ideal in the list it is the usual average precision.
        """
        return float(self.precision.mean())

    def interpolated(self, levels: ArrayLike) -> Floats:
        """Return precision at recall levels in [0, 1] by the ceiling rule.

        precision(l) = max of precision(r) over r >= l t (section 3.1); trec_eval rounds l t in
        another way.

        Raises InputError for a level outside [0, 1].

        >>> PrecisionRecall([1, 2], [4, 5]).interpolated([0, 0.5, 1]).tolist()
        [0.4, 0.4, 0.4]
        """
        remedy = "give recall levels, not recall values"
        recall = real_array("levels", levels, remedy=remedy)
        valid = (recall >= 0) & (recall <= 1)
        check_each("level {}", recall, valid, "lie in [0, 1]", remedy=remedy)
        t = self.num_ideals
        ceiling = np.maximum.accumulate(self.precision[::-1])[::-1]
        r = np.ceil(recall * t - _LEVEL_ROUNDING).astype(np.int64)
        interpolated: Floats = ceiling[np.maximum(r, 1) - 1]
        return interpolated

    def to_json(self) -> str:
        """Return all numbers as JSON, from which `from_json` makes an equal result.

        >>> PrecisionRecall([1, 2], [4, 5.5], method="by hand").to_json()
        '{"leading":[1.0,2.0],"consulted":[4.0,5.5],"method":"by hand"}'
        """
        content: dict[str, object] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            if value is not None and (name, value) != ("unit", ELEMENTS):
                content[name] = value.tolist() if isinstance(value, np.ndarray) else value
        return json.dumps(content, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "PrecisionRecall":
        """Return the result whose `to_json` this is."""
        return cls(**json_value(text))

    def to_frame(self) -> "pd.DataFrame":
        """Return a table with a row for each r: r, recall, leading, consulted, precision."""
        import pandas as pd

        r = np.arange(1, self.num_ideals + 1)
        columns = {
            "r": r,
            "recall": r / self.num_ideals,
            "leading": self.leading,
            "consulted": self.consulted,
            "precision": self.precision,
        }
        return pd.DataFrame(columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PrecisionRecall):
            return NotImplemented
        return (
            self.unit == other.unit
            and np.array_equal(self.leading, other.leading)
            and np.array_equal(self.consulted, other.consulted)
        )

    __hash__ = None  # type: ignore[assignment] # compares arrays

    def __repr__(self) -> str:
        shown = " ".join(f"{p:.4f}".removeprefix("0") for p in self.precision[:6])
        more = " ..." if self.num_ideals > 6 else ""
        unit = "" if self.unit == ELEMENTS else f", {self.unit}"
        return (
            f"PrecisionRecall({self.method or 'unnamed'}, t = {self.num_ideals}{unit}: "
            f"precision {shown}{more})"
        )


def skewness_of(third: Floats, deviation: Floats) -> Floats:
    """Return third central moments over the cube of the deviation, 0 where nothing varies.

    A deviation whose cube is too small for a number belongs to an event that nobody will see: inf.
    """
    cubed = deviation**3
    skewness = np.where(deviation > 0, np.inf, 0)
    return np.divide(third, cubed, out=skewness, where=cubed > 0)


def mean_over_topics(
    results: Iterable[PrecisionRecall], levels: Sequence[float] = ELEVEN_LEVELS
) -> Floats:
    """Return interpolated precision at `levels`, averaged over topics with equal weight.

    Raises InputError if there is no topic.

    >>> easy, hard = PrecisionRecall([1], [1]), PrecisionRecall([1], [2])
    >>> mean_over_topics([easy, hard], [0, 1]).tolist()
    [0.75, 0.75]
    """
    curves = [result.interpolated(levels) for result in results]
    if not curves:
        raise InputError("results", (), "hold at least one topic", remedy="give some topics")
    mean: Floats = np.mean(curves, axis=0)
    return mean
