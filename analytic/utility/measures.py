"""The grid of measures: a stopping distribution and an accumulation model make a measure.

And what unjudged documents may still change: the lowest and the highest score they allow.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.documents import (
    Documents,
    Gain,
    best_first,
    documents_of,
    pool_of,
    relevant_of,
)
from prum.analytic.utility.laws import STATIC, StoppingLaw, check_name, law_of, parameters
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, real_array, whole_number

# f(k) of all ranks at once: takes the ranks 1 .. n, returns as many numbers.
EffortFunction: TypeAlias = Callable[[Floats], ArrayLike]

MODELS = ("M1", "M2", "M3", "M4")


def accumulate(
    model: str, law: StoppingLaw, gains: ArrayLike, *, effort: EffortFunction | None = None
) -> float:
    """Return what users of a stopping law have, by one of four models (Carterette 2011, section 2).

    ===== =============== ==================== =================================
    model called          formula              expectation of
    ===== =============== ==================== =================================
    M1    utility         sum_k g_k P(k)       the last document's gain (1)
    M2    total utility   sum_k g_k F(k)       all gains on the way (2)
    M3    effort          sum_k f(k) P(k)      f at the last rank (3)
    M4    average utility sum_k f(k) G_k P(k)  all gains on the way times f (4)
    ===== =============== ==================== =================================

    with G_k = g_1 + .. + g_k and k = 1 .. n. Users who go on behind the list find nothing new
    there: M2 is sum_k G_k P(k) + G_n F(n + 1), the cut-off identity of section 3.3. In M1, M3 and
    M4 they have nothing.

    Parameters
    ----------
    model
        "M1" .. "M4".
    law
        P(k), for as many ranks as there are gains.
    gains
        g_k, shape (n,); rel_k in the paper.
    effort
        f, from the ranks to as many numbers; f(k) = 1/k if none is given: M3 is the expected
        reciprocal of the last rank, M4 expected precision.

    Raises InputError for an unknown model, gains that are not finite or not as many as the law's
    ranks, and efforts that are not one finite number for each rank.

    >>> law = StoppingLaw.of([0.5, 0.25])
    >>> [accumulate(model, law, [0, 1]) for model in MODELS]
    [0.25, 0.5, 0.625, 0.125]
    """
    check_model(model)
    mass = law.mass
    remedy = "give a gain for each rank of the law"
    g = real_array("gains", gains, remedy=remedy, shape=mass.shape)
    remedy = "count what is unjudged as 0"
    check_each("gain", g, np.isfinite(g), "be finite", remedy=remedy, place="rank {}")
    if model == "M1":
        return float(g @ mass)
    if model == "M2":
        return float(g @ law.viewing)
    f = efforts(effort, len(mass))
    return float((f if model == "M3" else f * g.cumsum()) @ mass)


def efforts(effort: EffortFunction | None, n: int) -> Floats:
    """Return f(k) for k = 1 .. n."""
    ranks = np.arange(1.0, n + 1)
    if effort is None:
        return 1 / ranks
    remedy = "return one number for each rank"
    f = real_array("effort", effort(ranks), remedy=remedy)
    if f.shape != ranks.shape or not np.isfinite(f).all():
        raise InputError("effort", f.tolist(), f"be {n} finite numbers", remedy=remedy)
    return f


def check_model(name: str) -> None:
    """Raise InputError if this is no model."""
    if name not in MODELS:
        raise InputError("model", name, f"be one of {', '.join(MODELS)}", remedy="name a model")


# A measure's name, or distribution and model, where the distribution may be a law of your own.
UtilityMeasure: TypeAlias = str | tuple[str | StoppingLaw, str]

# The fifteen measures by name: how users stop, and what is counted for them.
MEASURES: MappingProxyType[str, tuple[str, str]] = MappingProxyType(
    {
        "RBP": ("RBP", "M1"),
        "RBTR": ("RBP", "M2"),
        "RBAP": ("RBP", "M4"),
        "CDG": ("DCG", "M1"),
        "DCG": ("DCG", "M2"),
        "DAG": ("DCG", "M4"),
        "RRG": ("RR", "M1"),
        "SumRR": ("RR", "M2"),
        "RAP": ("RR", "M4"),
        "ERR": ("ERR", "M3"),
        "EPR": ("ERR", "M4"),
        "ARR": ("AP", "M3"),
        "AP": ("AP", "M4"),
        "RRR": ("RRR", "M3"),
        "RRAP": ("RRR", "M4"),
    }
)
"""Table 1 of Carterette (2011), where SumRR is called RR: name -> (distribution, model)."""


def utility(
    name: UtilityMeasure,
    relevance: ArrayLike,
    num_relevant: int | ArrayLike | None = None,
    *,
    theta: float | Gain = 0.5,
    base: float = 2.0,
    gain: Gain = "binary",
    highest: float | None = None,
    effort: EffortFunction | None = None,
    cutoff: int | None = None,
    normalised: bool = False,
) -> float:
    """Return a measure of the grid of stopping distributions and models (Carterette 2011, table 1).

    `accumulate` of a model over the law `stopping`. AP is average precision, DCG
    sum rel_k / log(k + 1), RBP sum theta (1 - theta)^(k-1) rel_k, RBTR sum (1 - theta)^(k-1) rel_k.
    SumRR, the paper's RR, is sum rel_k / k, and not the reciprocal rank of the first relevant one.

    Parameters
    ----------
    name
        One of `MEASURES`, or any other cell as (distribution, model), ("RRR", "M2") for example.
        The distribution may be a `StoppingLaw` of your own, for as many ranks as are counted.
    relevance
        The ranking's grades by rank, shape (n,); nan where unjudged, which counts as not relevant.
    num_relevant
        R, the number of relevant documents, each of gain 1; or the grades of all judged documents,
        those in the list included, in any order. AP's distribution and normalisation need it.
    theta, base
        Of the distribution, as in `stopping`.
    gain, highest
        What grades are worth, as in `gains_of`.
    effort
        f of M3 and M4, as in `accumulate`; 1 / k if none is given.
    cutoff
        K >= 1: the list ends with rank K. Its users who go on find nothing new, as behind any list;
        so K behind the end of the list changes nothing.
    normalised
        Divide by the value of the best ranking (section 3.2): all relevant documents, the highest
        gains first, to rank K, and as long as the list at least. 0 if that is 0. In [0, 1] with
        effort 1 / k, but for ("ERR", "M2") with theta by grade, where another may be better.

    Returns
    -------
    float
        At least 0. M1 is at most the highest gain; M4 too, and M3 at most 1, with effort 1 / k; M2
        at most the sum of gains.

    Raises InputError for an unknown name, what `stopping` and `accumulate` refuse, cutoff < 1, a
    law of another length, and normalised with a law or an effort of your own.

    >>> fig1 = [k in (1, 2, 3, 5, 8, 11, 17, 24) for k in range(1, 25)]
    >>> round(utility("AP", fig1, 8), 4), round(utility("DCG", fig1, 8, cutoff=2), 4)
    (0.7144, 1.6309)
    >>> utility("ERR", [2, 0, 1], gain="exponential")           # theta .5 times 3/4, times 1/4
    0.4010416666666667
    """
    judgements = documents_of(relevance, num_relevant, gain, theta, highest)
    pool = pool_of(judgements, num_relevant)
    return score_of(name, theta, base, effort, cutoff, normalised).of(judgements.ranked, pool)


@dataclass(frozen=True, slots=True)
class UtilityScore:
    """A measure with all it depends on but documents; what the parameters of `utility` say."""

    distribution: str | StoppingLaw
    model: str
    theta: float
    base: float
    effort: EffortFunction | None
    cutoff: int | None
    normalised: bool

    def of(self, ranked: Documents, pool: Documents | None) -> float:
        """Return the value of a ranking."""
        value = self._value(ranked, pool)
        if not self.normalised:
            return value
        relevant = relevant_of(pool)
        others = max(ranked.shape[1] - relevant.shape[1], 0)
        most = self._value(np.pad(relevant, ((0, 0), (0, others))), pool)
        return value / most if most > 0 else 0.0

    def law(self, ranked: Documents, pool: Documents | None) -> StoppingLaw:
        """Return the stopping law of a ranking, of as many ranks as are counted."""
        if isinstance(self.distribution, StoppingLaw):
            return self.distribution
        counted = ranked[:, : self.cutoff]
        return law_of(self.distribution, counted, pool, self.theta, self.base)

    def _value(self, ranked: Documents, pool: Documents | None) -> float:
        gains = ranked[0, : self.cutoff]
        return accumulate(self.model, self.law(ranked, pool), gains, effort=self.effort)


def score_of(
    name: UtilityMeasure,
    theta: float | Gain,
    base: float,
    effort: EffortFunction | None,
    cutoff: int | None,
    normalised: bool,
) -> UtilityScore:
    """Return a measure by its name and parameters."""
    distribution, model = cell_of(name)
    if normalised and (effort is not None or isinstance(distribution, StoppingLaw)):
        rule, remedy = "be left out with a law or an effort of your own", "do not normalise"
        raise InputError("normalised", True, rule, remedy=remedy)
    settings = np.nan, np.nan
    if isinstance(distribution, str):
        settings = parameters(distribution, theta, base)
    if cutoff is not None:
        cutoff = whole_number("cutoff", cutoff, least=1, remedy="leave it out for the whole list")
    return UtilityScore(distribution, model, *settings, effort, cutoff, normalised)


def cell_of(name: UtilityMeasure) -> tuple[str | StoppingLaw, str]:
    """Return the distribution and the model of a measure."""
    if isinstance(name, str):
        if name not in MEASURES:
            rule = f"be one of {', '.join(MEASURES)}"
            remedy = "write SumRR" if name == "RR" else "or give distribution and model"
            raise InputError("measure", name, rule, remedy=remedy)
        return MEASURES[name]
    if not isinstance(name, tuple) or len(name) != 2:
        rule = "be a name or a distribution with a model"
        raise InputError("measure", name, rule, remedy="name a measure")
    distribution, model = name
    if not isinstance(distribution, StoppingLaw):
        check_name(distribution)
    check_model(model)
    return distribution, model


# Ways of judging that are tried one by one, some 0.1 ms each.
MOST_WAYS = 4096


def utility_bounds(
    name: UtilityMeasure,
    relevance: ArrayLike,
    num_relevant: int | ArrayLike | None = None,
    *,
    theta: float | Gain = 0.5,
    base: float = 2.0,
    gain: Gain = "binary",
    highest: float | None = None,
    cutoff: int | None = None,
    normalised: bool = False,
    beyond: bool = False,
) -> tuple[float, float]:
    """Return the lowest and the highest `utility` over all ways of judging the unjudged documents.

    What turns out relevant adds to R, or to the grades of judged documents. Documents outside the
    list stay as they are. Some way of judging attains each bound:

    - A static distribution, M1 to M4, not normalised: every document adds to the score by itself.
    - Two gains only: of all ways with the same number of relevant documents the ones at the top are
      best and those at the bottom worst, for both AP's R and the best ranking depend on the number
      only. That is one score for each number, twice.
    - More gains, ERR and RRR by M3, not normalised: more relevance ends the search earlier.
    - More gains elsewhere: all ways are tried, if they are no more than `MOST_WAYS`.

    Parameters
    ----------
    relevance
        The ranking's grades by rank, nan or None where unjudged.
    num_relevant
        As in `utility`, of documents that are judged.
    beyond
        Count the users who go on behind the list, or the cut-off, too, who may find the highest
        gain there: M1 with a static distribution only, since M2's sum over all ranks need not be
        finite. The residual of RBP (Moffat and Zobel 2008) is highest - lowest then.
    theta, base, gain, highest, cutoff, normalised
        As in `utility`. Unjudged documents may have each grade of a mapping; 0 or 1 with "binary";
        0, 1, 2 .. up to the highest with "linear" and "exponential"; with a function those seen.

    Returns
    -------
    tuple[float, float]
        (lowest, highest).

    Raises InputError for what `utility` refuses, `beyond` elsewhere, and for too many ways.

    >>> utility_bounds("RBP", [1, None, 0]), utility_bounds("RBP", [1, None, 0], beyond=True)
    ((0.5, 0.75), (0.5, 0.875))
    >>> low, high = utility_bounds("AP", [None, 1, None], 1)
    >>> round(low, 4), round(high, 4)
    (0.5, 1.0)
    """
    judgements = documents_of(relevance, num_relevant, gain, theta, highest)
    ranked, pool, levels = judgements.ranked, pool_of(judgements, num_relevant), judgements.levels()
    score = score_of(name, theta, base, None, cutoff, normalised)
    if beyond and not (_is_static(score) and score.model == "M1" and not normalised):
        rule = "be left out but for M1, static and not normalised"
        raise InputError("beyond", True, rule, remedy="count the list alone")
    unjudged = np.flatnonzero(np.isnan(judgements.grades))
    values = []
    for way in _ways(score, ranked, pool, len(unjudged), levels):
        judged = ranked.copy()
        judged[:, unjudged] = levels[:, way]
        joined = None if pool is None else best_first(np.hstack((pool, levels[:, way])))
        values.append(score.of(judged, joined))
    rest = score.law(ranked, pool).remainder * float(levels[0].max()) if beyond else 0.0
    return min(values), max(values) + rest


def _is_static(score: UtilityScore) -> bool:
    """Return whether the distribution does not look at relevance."""
    return isinstance(score.distribution, StoppingLaw) or score.distribution in STATIC


def _ways(
    score: UtilityScore, ranked: Documents, pool: Documents | None, u: int, levels: Documents
) -> Iterator[Ints]:
    """Return ways of judging with the lowest and the highest score among them.

    A way has the number of a level for each of u unjudged documents, from the top of the list.
    """
    searches = score.model == "M3" and score.distribution in ("ERR", "RRR")
    if (_is_static(score) or searches) and not score.normalised:
        worth = levels[int(score.distribution == "ERR")]
        return (np.full(u, choice(worth)) for choice in (np.argmin, np.argmax))
    everything = np.hstack((ranked, levels) if pool is None else (ranked, levels, pool))
    if levels.shape[1] == np.unique(everything, axis=1).shape[1] == 2:
        places = np.arange(u)
        tops = ((places < relevant).astype(np.int64) for relevant in range(u + 1))
        return (way for top in tops for way in (top, top[::-1]))
    if (number := levels.shape[1] ** u) > MOST_WAYS:
        rule, remedy = f"be at most {MOST_WAYS}", "take binary gains, or do not normalise"
        raise InputError("ways of judging what is unjudged", number, rule, remedy=remedy)
    return (np.array(way, np.int64) for way in product(range(levels.shape[1]), repeat=u))
