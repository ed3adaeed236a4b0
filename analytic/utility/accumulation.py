"""Accumulation models: what a user who stops at a rank has by then, in expectation."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.laws import StoppingLaw
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array

# f(k) of all ranks at once: takes the ranks 1 .. n, returns as many numbers.
EffortFunction: TypeAlias = Callable[[Floats], ArrayLike]

MODELS = ("M1", "M2", "M3", "M4")
_WORDS = dict(zip(("utility", "total utility", "effort", "average utility"), MODELS, strict=True))


def accumulate(
    model: str, law: StoppingLaw, gains: ArrayLike, *, effort: EffortFunction | None = None
) -> float:
    """Return what users of a stopping law have, by one of four models (Carterette 2011, section 2).

    ===== =================== ============================ ==============================
    model also                formula                      expectation of
    ===== =================== ============================ ==============================
    M1    "utility"           sum_k g_k P(k)               the last document's gain (1)
    M2    "total utility"     sum_k g_k F(k)               all gains on the way (2)
    M3    "effort"            sum_k f(k) P(k)              f at the last rank (3)
    M4    "average utility"   sum_k f(k) G_k P(k)          all gains on the way times f (4)
    ===== =================== ============================ ==============================

    with G_k = g_1 + .. + g_k and k = 1 .. n. Users who go on behind the list find nothing new
    there: M2 is sum_k G_k P(k) + G_n F(n + 1), the cut-off identity of section 3.3. In M1, M3 and
    M4 they have nothing.

    Parameters
    ----------
    model
        "M1" .. "M4", or the words above.
    law
        P(k), for as many ranks as there are gains.
    gains
        g_k, shape (n,); rel_k in the paper.
    effort
        f, from the ranks to as many numbers; f(k) = 1/k if none is given: M3 is the expected
        reciprocal of the last rank, M4 expected precision.

    Raises
    ------
    InputError
        for an unknown model, gains that are not finite or not as many as the law's ranks, and
        efforts that are not one finite number for each rank.

    >>> law = StoppingLaw.of([0.5, 0.25])
    >>> [accumulate(model, law, [0, 1]) for model in MODELS]
    [0.25, 0.5, 0.625, 0.125]
    """
    kind = model_of(model)
    mass = law.mass
    remedy = "give a gain for each rank of the law"
    g = real_array("gains", gains, remedy=remedy, shape=mass.shape)
    remedy = "count what is unjudged as 0"
    check_each("gain", g, np.isfinite(g), "be finite", remedy=remedy, place="rank {}")
    if kind == "M1":
        return float(g @ mass)
    if kind == "M2":
        return float(g @ law.viewing)
    f = efforts(effort, len(mass))
    return float((f if kind == "M3" else f * g.cumsum()) @ mass)


def efforts(effort: EffortFunction | None, n: int) -> Floats:
    """Return f(k) for k = 1 .. n.

    Raises InputError if f does not give one finite number for each rank.
    """
    ranks = np.arange(1.0, n + 1)
    if effort is None:
        return 1 / ranks
    remedy = "return one number for each rank"
    f = real_array("effort", effort(ranks), remedy=remedy)
    if f.shape != ranks.shape or not np.isfinite(f).all():
        raise InputError("effort", f.tolist(), f"be {n} finite numbers", remedy=remedy)
    return f


def model_of(name: str) -> str:
    """Return "M1" .. "M4" of a model's name.

    Raises InputError for an unknown name.

    >>> model_of("total utility")
    'M2'
    """
    if name in MODELS:
        return name
    if name not in _WORDS:
        rule = f"be one of {', '.join((*MODELS, *_WORDS))}"
        raise InputError("model", name, rule, remedy="name a model")
    return _WORDS[name]
