"""How deep users go into a list, in the C/W/L view: continuation, weights and last, each from any.

Of a user who consults the first element for sure and then stops or goes on, V_i = P(depth >= i) is
the share that gets to rank i. The rest follows (Moffat, Bailey, Scholer and Thomas, TOIS 2017;
Carterette, SIGIR 2011, has the same by models): continuation C_i = V_{i+1} / V_i,
weights W_i = V_i / ED with ED = sum V_i the expected depth, last L_i = V_i - V_{i+1}.
`goal_law` is of users who go on by what they want and have: INST, INSQ, BPM and others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum, isnan

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import amount, check_each, proportion, real_array, whole_number

# Sums of printed probabilities miss 1 by no more.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class DepthLaw:
    """The law of a depth: P(depth >= i) for the first ranks, and what is known of the others.

    Parameters
    ----------
    prefix
        V_1 .. V_n, shape (n,), V_1 = 1, not increasing.
    tail
        V_{i+1} / V_i for all i >= n (0: nobody goes beyond n); nan if unknown.
    beyond
        Sum of V_i over i > n, the expected number of elements consulted there; nan if unknown.

    >>> law = DepthLaw.from_persistence(0.9)
    >>> law
    DepthLaw(expected depth 10)
    >>> law.survivors(3).round(3).tolist()
    [1.0, 0.9, 0.81]
    """

    prefix: Floats
    tail: float
    beyond: float

    @classmethod
    def from_persistence(cls, p: float) -> "DepthLaw":
        """Return C_i = p: V_i = p^(i-1), ED = 1 / (1 - p): Moffat and Zobel's rank-biased users.

        Raises InputError for p outside [0, 1).

        >>> DepthLaw.from_persistence(0.5).expected_depth
        2.0
        """
        return cls._continued(np.ones(1), p)

    @classmethod
    def from_continuation(cls, continuation: ArrayLike, *, tail: float | None = None) -> "DepthLaw":
        """Return the law of C_1 .. C_n, shape (n,); then C_i = `tail` in [0, 1), if it is known.

        V_i = C_1 .. C_{i-1}.

        Raises InputError for values outside [0, 1], and a tail outside [0, 1).

        >>> DepthLaw.from_continuation([0.5, 0.0]).expected_depth
        1.5
        """
        each = _probabilities("continuation", continuation)
        return cls._continued(np.cumprod(np.append(1.0, each)), tail)

    @classmethod
    def from_last(cls, last: ArrayLike) -> "DepthLaw":
        """Return the law of L_1 .. L_n, shape (n,), where so many stop; the others go beyond n.

        V_i = L_i + .. + L_n + what is missing to 1.

        Raises InputError for values outside [0, 1], and a sum above 1.

        >>> DepthLaw.from_last([0.5, 0.25, 0.25]).survivors(3).tolist()
        [1.0, 0.5, 0.25]
        """
        each = _probabilities("last", last)
        missing = 1 - fsum(each)
        if missing < -_ROUNDING:
            remedy = "divide them by their sum"
            raise InputError("sum of last", 1 - missing, "be at most 1", remedy=remedy)
        missing = 0.0 if missing < _ROUNDING else missing
        survivors = np.cumsum(np.append(missing, each[::-1]))[::-1]
        return cls._continued(survivors / survivors[0], None)

    @classmethod
    def _continued(cls, survivors: Floats, tail: float | None) -> "DepthLaw":
        """Return the law of V_1 .. V_n and the continuation beyond, None where unknown."""
        if survivors[-1] == 0:
            return cls(survivors, 0.0, 0.0)
        if tail is None:
            return cls(survivors, np.nan, np.nan)
        p = proportion("persistence", tail, remedy="give .9, say")
        if p == 1:
            raise InputError("persistence", p, "be below 1", remedy="give .9, say")
        return cls(survivors, p, float(survivors[-1]) * p / (1 - p))

    def survivors(self, n: int) -> Floats:
        """Return V_1 .. V_n, the shares of users that get so far; shape (n,).

        Raises InputError, as what follows, for n below 0 or beyond the known ranks.
        """
        n = whole_number("n", n, least=0, remedy="give a number of ranks")
        more = n - len(self.prefix)
        if more <= 0:
            return self.prefix[:n].copy()
        if isnan(self.tail):
            rule = f"be at most {len(self.prefix)}, the ranks that are known"
            raise InputError("n", n, rule, remedy="say how users go on beyond")
        return np.append(self.prefix, self.prefix[-1] * self.tail ** np.arange(1.0, more + 1))

    @property
    def expected_depth(self) -> float:
        """ED = sum i L_i = sum V_i = 1 / W_1, in consulted elements.

        Raises InputError if what lies beyond the known ranks is unknown.
        """
        if isnan(self.beyond):
            thing, rule = "continuation beyond the ranks given", "be known for an expected depth"
            raise InputError(thing, None, rule, remedy="give a tail")
        return fsum(self.prefix) + self.beyond

    def expected_total(self, values: ArrayLike) -> float:
        """Return the expected sum of what comes from each consulted element: sum V_i v_i.

        Of gains: expected total utility, ETU = sum_i L_i sum_{j<=i} g_j = EU ED; of costs, in
        seconds say: expected cost. Values have shape (m,); what comes after them counts nothing.

        Raises InputError for other shapes, and for what is not finite.

        >>> round(DepthLaw.from_persistence(0.9).expected_total([4.4, 4.4]), 9)
        8.36
        """
        each = real_array("values", values, remedy="give one for each rank")
        if each.ndim != 1 or not np.isfinite(each).all():
            rule = "be finite and have shape (m,)"
            raise InputError("values", values, rule, remedy="give one for each rank")
        return float(self.survivors(len(each)) @ each)

    def expected_utility(self, gains: ArrayLike) -> float:
        """Return EU = sum W_i g_i, W_i = V_i / ED, gain per consulted element; as `expected_total`.

        >>> round(DepthLaw.from_persistence(0.5).expected_utility([1, 0, 1]), 4)
        0.625
        """
        return self.expected_total(gains) / self.expected_depth

    def __repr__(self) -> str:
        depth = "unknown" if isnan(self.beyond) else f"{self.expected_depth:g}"
        return f"DepthLaw(expected depth {depth})"


def _probabilities(thing: str, values: ArrayLike) -> Floats:
    each = real_array(thing, values, remedy="give one for each rank")
    if each.ndim != 1 or not ((each >= 0) & (each <= 1)).all():
        rule = "lie in [0, 1] and have shape (n,)"
        raise InputError(thing, values, rule, remedy="give one for each rank")
    return each


# C_1, C_2, ... of ranks, gains, T and p.
_Continuation = Callable[[Floats, Floats, float, float], Floats]


def _square(steps: Floats) -> Floats:
    return (1 - 1 / steps) ** 2


_CONTINUATIONS: dict[str, _Continuation] = {
    "INST": lambda i, g, T, _: _square(i + 2 * T - g.cumsum()),
    "INSQ": lambda i, _, T, __: _square(i + 2 * T),
    "BPM": lambda _, g, T, __: (g.cumsum() < T).astype(np.float64),
    "SDCG": lambda i, *_: np.log2(i + 1) / np.log2(i + 2),
    "NERR8": lambda _, g, *__: 1 - g,
    "NERR9": lambda i, g, *_: i / (i + 1) * (1 - g),
    "NERR10": lambda _, g, __, p: p * (1 - g),
    "NERR11": lambda i, g, T, _: _square(i + 2 * T) * (1 - g),
}
# Without a last rank users of the others never stop on average.
_ENDLESS = ("INST", "INSQ", "NERR10", "NERR11")


def goal_law(
    measure: str, gains: ArrayLike, *, T: float = 1.0, p: float = 0.9, depth: int | None = 1000
) -> DepthLaw:
    """Return how deep users go; its `expected_utility` of the gains is the measure, in [0, 1].

    With g_i the gain at rank i and G_i = g_1 + .. + g_i, users go on from rank i with probability

    ====== ====================================== ============================================
    INST   ((i + 2T - G_i - 1) / (i + 2T - G_i))² Moffat, Bailey, Scholer and Thomas 2015
    INSQ   ((i + 2T - 1) / (i + 2T))²             Moffat, Scholer and Thomas 2012
    BPM    1 if G_i < T, else 0                   Zhang and others 2017, static
    SDCG   log(i + 1) / log(i + 2)                DCG over that of a list of gains 1
    NERR8  1 - g_i                                Azzopardi, Mackenzie and Moffat 2021, eq. 8
    NERR9  (1 - g_i) i / (i + 1)                  the same, eq. 9
    NERR10 (1 - g_i) p                            the same, eq. 10
    NERR11 (1 - g_i) ((i + 2T - 1) / (i + 2T))²   the same, eq. 11, as cwl_eval has it
    ====== ====================================== ============================================

    and nobody beyond rank `depth`. This is cwl_eval, which has 1000 as its depth, for INST, INSQ,
    NERR10 and NERR11 too: that leaves out what lies behind rank 1000, .15 % of the expected depth
    for INSQ at T = 1. Where INST's T is below 1/2, its formula gives more than 1 after a start full
    of gain; cwl_eval computes on, here it is refused.

    Parameters
    ----------
    measure
        One of the names above.
    gains
        Shape (n,), in [0, 1]; ranks behind n have gain 0. What is unjudged counts as 0.
    T
        The gain that users want.
    p
        The share of users of NERR10 who have patience for another rank.
    depth
        The last rank; None for none, which INST, INSQ, NERR10 and NERR11 allow: their tails are
        summed in closed form, V_{n+1} a² sum_{j>=0} 1 / (a + j)², a = n + 2T - G_n, of INST.

    Raises InputError for an unknown name, gains outside [0, 1], T that is not positive, or below
    1/2 of INST, p outside (0, 1), depth below 1, or missing where users would never stop.

    >>> round(goal_law("INST", [1, 0, 1], T=1).expected_utility([1, 0, 1]), 4)
    0.7233
    >>> goal_law("BPM", [0, 1], depth=5), goal_law("INSQ", [], depth=None)
    (DepthLaw(expected depth 2), DepthLaw(expected depth 2.57974))
    """
    if measure not in _CONTINUATIONS:
        rule = f"be one of {', '.join(_CONTINUATIONS)}"
        raise InputError("measure", measure, rule, remedy="name one")
    g = real_array("gains", gains, remedy="give one for each rank", shape=("n",))
    valid, remedy = (g >= 0) & (g <= 1), "divide by the highest"
    check_each("gain", g, valid, "lie in [0, 1]", remedy=remedy, place="rank {}")
    goal = amount("T", T, positive=True, remedy="give the gain that users want")
    if measure == "INST" and goal < 0.5:
        rule = "be at least .5, or users would go on with more than certainty"
        raise InputError("T", T, rule, remedy="give the gain that users want")
    patience = proportion("p", p, remedy="give .9, say", open_interval=True)
    if depth is None and measure not in _ENDLESS:
        raise InputError("depth", None, f"be given for {measure}", remedy="give the last rank")
    last = len(g) + 1
    if depth is not None:
        last = whole_number("depth", depth, least=1, remedy="give the last rank")
    padded = np.append(g, np.zeros(max(last - len(g), 0)))[: last - 1]
    ranks = np.arange(1.0, last)
    law = DepthLaw.from_continuation(_CONTINUATIONS[measure](ranks, padded, goal, patience), tail=0)
    if depth is not None:
        return law
    if measure == "NERR10":
        return DepthLaw(law.prefix, patience, float(law.prefix[-1]) * patience / (1 - patience))
    from scipy.special import zeta

    a = len(g) + 2 * goal - (float(g.sum()) if measure == "INST" else 0.0)
    beyond = float(law.prefix[-1]) * max(a * a * float(zeta(2, a)) - 1, 0.0)
    return DepthLaw(law.prefix, np.nan, beyond)
