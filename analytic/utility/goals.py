"""Users who go on by what they want and have: INST, INSQ, BPM and others, in the C/W/L view."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.cwl import DepthLaw
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import amount, check_each, proportion, real_array, whole_number

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

    Raises
    ------
    InputError
        for an unknown name, gains outside [0, 1], T that is not positive, or below 1/2 of INST, p
        outside (0, 1), depth below 1, or missing where users would never stop.

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
    wanted = amount("T", T, positive=True, remedy="give the gain that users want")
    if measure == "INST" and wanted < 0.5:
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
    law = DepthLaw.from_continuation(
        _CONTINUATIONS[measure](ranks, padded, wanted, patience), tail=0
    )
    if depth is not None:
        return law
    if measure == "NERR10":
        return DepthLaw(law.prefix, patience, float(law.prefix[-1]) * patience / (1 - patience))
    from scipy.special import zeta

    a = len(g) + 2 * wanted - (float(g.sum()) if measure == "INST" else 0.0)
    beyond = float(law.prefix[-1]) * max(a * a * float(zeta(2, a)) - 1, 0.0)
    return DepthLaw(law.prefix, np.nan, beyond)
