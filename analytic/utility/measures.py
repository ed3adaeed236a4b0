"""The grid of measures: a stopping distribution and an accumulation model make a measure."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.accumulation import EffortFunction, accumulate, efforts, model_of
from prum.analytic.utility.distributions import STATIC, Parameters, check_name, law_of, parameters
from prum.analytic.utility.documents import DocumentPool, Documents, Gain, documents_of, pool_of
from prum.analytic.utility.laws import StoppingLaw
from prum.simulator.model import InputError
from prum.simulator.model.errors import whole_number

# A measure's name, or distribution and model, where the distribution may be a law of your own.
UtilityMeasure: TypeAlias = str | tuple[str | StoppingLaw, str]

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

    Raises
    ------
    InputError
        for an unknown name, what `stopping` and `accumulate` refuse, cutoff < 1, a law of another
        length, and normalised with a law of your own or an effort that rises.

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
        self._check_effort(len(best))
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
        length = max(n, len(pool.known()))
        return length if self.cutoff is None else min(self.cutoff, length)

    def _value(self, ranked: Documents, pool: DocumentPool) -> float:
        law, gains = self.law(ranked, pool), self.counted(ranked).gains
        return accumulate(self.model, law, gains, effort=self.effort)

    def _check_effort(self, n: int) -> None:
        if self.effort is None or self.model in ("M1", "M2"):
            return
        rises = np.flatnonzero(np.diff(efforts(self.effort, n)) > 0)
        if rises.size:
            rule, remedy = "be left out if effort rises", "compare unnormalised scores"
            place = f"rank {rises[0] + 2}"
            raise InputError("normalised", True, rule, remedy=remedy, place=place)


def score_of(
    name: UtilityMeasure,
    theta: float | Gain,
    base: float,
    effort: EffortFunction | None,
    cutoff: int | None,
    normalised: bool,
) -> UtilityScore:
    """Return a measure by its name and parameters.

    Raises InputError as `utility`.
    """
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
    """Return the distribution and the model of a measure.

    Raises InputError for a name that is not in `MEASURES`, and a pair that is no cell of the grid.

    >>> cell_of("EPR"), cell_of(("RRR", "effort"))
    (('ERR', 'M4'), ('RRR', 'M3'))
    """
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
