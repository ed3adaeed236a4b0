"""The grid of measures: a stopping distribution and an accumulation model make a measure.

An accumulation is what a user who stops at a rank has by then, or met of what is preferred.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.documents import DocumentPool, Documents, Gain, documents_of, pool_of
from prum.analytic.utility.laws import (
    STATIC,
    Parameters,
    StoppingLaw,
    check_name,
    law_of,
    parameters,
)
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array, whole_number

Sample = Literal["one", "all"]
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

    Raises InputError for an unknown model, gains that are not finite or not as many as the law's
    ranks, and efforts that are not one finite number for each rank.

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
    """Return f(k) for k = 1 .. n."""
    ranks = np.arange(1.0, n + 1)
    if effort is None:
        return 1 / ranks
    remedy = "return one number for each rank"
    f = real_array("effort", effort(ranks), remedy=remedy)
    if f.shape != ranks.shape or not np.isfinite(f).all():
        raise InputError("effort", f.tolist(), f"be {n} finite numbers", remedy=remedy)
    return f


def model_of(name: str) -> str:
    """Return "M1" .. "M4" of a model's name."""
    if name in MODELS:
        return name
    if name not in _WORDS:
        rule = f"be one of {', '.join((*MODELS, *_WORDS))}"
        raise InputError("model", name, rule, remedy="name a model")
    return _WORDS[name]


def preference_utility(
    law: StoppingLaw, preferred: ArrayLike, *, sample: Sample = "one", itself: bool = True
) -> float:
    """Return how many preferred documents a user meets (Carterette 2011, section 5.2).

    A user's rank k has probability P(k). Of the documents at ranks 1 .. k one is drawn uniformly,
    or all are taken, and each that is preferred to the document at k counts 1:

        one    sum_k P(k) (1/k) sum_{j <= k} preferred[j, k]
        all    sum_k P(k) sum_{j <= k} preferred[j, k]

    The paper says "above k" and that with binary relevance, A preferred to B if A is relevant, the
    expectations are exactly M4 (f(k) = 1/k) and M2. They are if k itself is among the documents
    drawn, and so preferred to itself if relevant: sum_{j <= k} rel_j = R_k. This is the default.
    Drawn strictly above k, j < k, with `itself` False, "all" is M2 - M1, and "one" is
    sum_{k > 1} P(k) R_{k-1} / (k - 1). A strict preference, which has zeros on its diagonal, gives
    the same in "all" either way.

    For a strict total order, P(k) = 1/n and C concordant pairs out of n (n - 1) / 2, "all" is
    E = C / n, so that Kendall's tau = 4 C / (n (n - 1)) - 1 = 4 E / (n - 1) - 1. It is proportional
    to tau, as the paper says, if discordant pairs count -1: E = tau (n - 1) / 2. With "one",
    `itself` False and P uniform on 2 .. n, 2 E - 1 is tau_AP of Yilmaz, Aslam and Robertson (2008).

    Parameters
    ----------
    law
        P(k), k = 1 .. n.
    preferred
        1 where the document at rank j is preferred to that at rank k, entry [j, k] from 0, else 0;
        or any weight, -1 for pairs in the wrong order, say. Shape (n, n), or (n, n + 1): the last
        column is what a user who goes on behind the list compares with. "all" counts it with the
        law's remainder, as M2 does; of which documents "one" would be drawn there is not known.
    sample
        "one" or "all".
    itself
        Whether the document at k is among those drawn.

    Raises InputError for a wrong shape, weights that are not finite, or an unknown `sample`.

    >>> law = StoppingLaw.of([0.5, 0.25])
    >>> preferred = preferred_if_relevant([0, 1])
    >>> [preference_utility(law, preferred, sample=drawn) for drawn in ("one", "all")]  # M4, M2
    [0.125, 0.5]
    """
    n = len(law.mass)
    remedy = "give a row and a column for each rank"
    weights = real_array("preferred", preferred, remedy=remedy)
    if weights.shape not in ((n, n), (n, n + 1)):
        rule = f"have shape ({n}, {n}) or ({n}, {n + 1})"
        raise InputError("preferred", weights.shape, rule, remedy=remedy)
    valid, remedy = np.isfinite(weights), "give 0 for no preference"
    check_each("preferred", weights, valid, "be finite", remedy=remedy, place="ranks {} and {}")
    if sample not in ("one", "all"):
        raise InputError("sample", sample, "be one or all", remedy="choose one")
    counted = np.triu(weights[:, :n], 0 if itself else 1).sum(axis=0)
    if sample == "all":
        behind = law.remainder * float(weights[:, n:].sum())
        return float(law.mass @ counted) + behind
    drawn_from = np.arange(n) + (1 if itself else 0)
    return float(law.mass @ (counted / np.maximum(drawn_from, 1)))


def preferred_if_relevant(relevance: ArrayLike) -> Floats:
    """Return the relation "A is preferred to B if A is relevant", shape (n, n + 1).

    Entry [j, k] is rel_j for all k; a document is preferred to itself if it is relevant. The last
    column stands for documents behind the list.

    Raises InputError for relevance that is not a sequence of finite numbers.

    >>> preferred_if_relevant([0, 1]).tolist()
    [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    """
    remedy = "give the relevance of each rank"
    gains = real_array("relevance", relevance, remedy=remedy)
    if gains.ndim != 1 or not np.isfinite(gains).all():
        raise InputError("relevance", gains.tolist(), "be a list of finite numbers", remedy=remedy)
    return np.repeat(gains[:, np.newaxis], len(gains) + 1, axis=1)


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
    law of another length, and normalised with a law of your own or an effort that rises.

    >>> fig1 = [k in (1, 2, 3, 5, 8, 11, 17, 24) for k in range(1, 25)]
    >>> round(utility("AP", fig1, 8), 4), round(utility("DCG", fig1, 8, cutoff=2), 4)
    (0.7144, 1.6309)
    >>> utility("ERR", [2, 0, 1], gain="exponential")           # theta .5 times 3/4, times 1/4
    0.4010416666666667
    """
    judgements = documents_of(relevance, num_relevant, gain, theta, highest)
    pool = pool_of(judgements, num_relevant)
    score = score_of(name, theta, base, effort, cutoff, normalised)
    return score.of(judgements.ranked, pool)


@dataclass(frozen=True, slots=True)
class UtilityScore:
    """A measure with all it depends on but documents; what the parameters of `utility` say."""

    distribution: str | StoppingLaw
    model: str
    settings: Parameters
    effort: EffortFunction | None
    cutoff: int | None
    normalised: bool

    @property
    def static(self) -> bool:
        """Whether the distribution does not look at relevance."""
        return isinstance(self.distribution, StoppingLaw) or self.distribution in STATIC

    def of(self, ranked: Documents, pool: DocumentPool) -> float:
        """Return the value of a ranking."""
        value = self._value(ranked, pool)
        if not self.normalised:
            return value
        best = pool.best(self.best_length(len(ranked), pool))
        if self.effort is not None and self.model in ("M3", "M4"):
            rises = np.flatnonzero(np.diff(efforts(self.effort, len(best))) > 0)
            if rises.size:
                rule, remedy = "be left out if effort rises", "compare unnormalised scores"
                place = f"rank {rises[0] + 2}"
                raise InputError("normalised", True, rule, remedy=remedy, place=place)
        highest = self._value(best, pool)
        return value / highest if highest > 0 else 0.0

    def law(self, ranked: Documents, pool: DocumentPool) -> StoppingLaw:
        """Return the stopping law of a ranking, of as many ranks as are counted."""
        if isinstance(self.distribution, StoppingLaw):
            return self.distribution
        return law_of(self.distribution, self.counted(ranked), pool, self.settings)

    def counted(self, ranked: Documents) -> Documents:
        """Return the ranking to the cut-off."""
        return ranked if self.cutoff is None else ranked.first(self.cutoff)

    def best_length(self, n: int, pool: DocumentPool) -> int:
        """Return how many ranks the best ranking has if the list has n."""
        length = max(n, len(pool.checked_relevant()))
        return length if self.cutoff is None else min(self.cutoff, length)

    def _value(self, ranked: Documents, pool: DocumentPool) -> float:
        law, gains = self.law(ranked, pool), self.counted(ranked).gains
        return accumulate(self.model, law, gains, effort=self.effort)


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
    if isinstance(distribution, str):
        settings = parameters(distribution, theta, base)
    elif normalised:
        remedy = "name a distribution: the best ranking may have another law"
        raise InputError("normalised", True, "be left out with a law of your own", remedy=remedy)
    else:
        settings = Parameters(np.nan, np.nan)
    if cutoff is not None:
        cutoff = whole_number("cutoff", cutoff, least=1, remedy="leave it out for the whole list")
    return UtilityScore(distribution, model, settings, effort, cutoff, normalised)


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
    return distribution, model_of(model)
