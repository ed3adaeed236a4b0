"""A task and a way of browsing: its reach, PRUM, and the exact value where there is one."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from prum.analytic.precision.alike import alike_counts, exact_alike
from prum.analytic.precision.consulted_law import ConsultedLaw
from prum.analytic.precision.contexts import Contexts, contexts_of
from prum.analytic.precision.covering import covering_laws, covering_reach
from prum.analytic.precision.independent import exact, from_changes
from prum.analytic.precision.joint import MOST_LATER, exact_joint, joint_counts
from prum.analytic.precision.mixtures import (
    Places,
    UnsettledError,
    beta_mixture,
    mixture,
    normal_mixture,
    over_beta,
    over_normal,
)
from prum.analytic.precision.published import Counts, normal_counts, prum
from prum.analytic.precision.reach import checked_reach
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.precision.seen import Changes, changes, fewer_than
from prum.simulator.model import (
    Beta,
    Browsing,
    Coupled,
    Covering,
    Independent,
    ListCosts,
    Mixture,
    Navigation,
    OneFactor,
    Task,
    Types,
    Walk,
)
from prum.simulator.model.arrays import Floats
from prum.simulator.model.list_costs import costs_of_list
from prum.simulator.model.mixture import browsing_of

if TYPE_CHECKING:
    from scipy import sparse

T = TypeVar("T")

# Subsets of ideals times ranks that an exact value may take, at once and for each of many types of
# users: some seconds, 512 MiB.
_MOST_JOINT_CELLS, _MOST_MIXED_CELLS = 1 << 26, 1 << 22
_MOST_JOINT_IDEALS = 16


def reach_matrix(task: Task, navigation: Navigation) -> "sparse.csr_array":
    """Return P(l_i -> x) of a task, shape (o, t), sparse; column x is ``task.ideals[x]``.

    For `Independent` and `Coupled` the table's own probabilities; for `Walk` the probability that
    the path from the entry visits the ideal. `Browsing` multiplies them by what PRUM can take:
    the mean over users, the factor of the rank, the factor of users who have seen nothing yet, and
    the mean over r of the factor of need. A ranked ideal has 1 at its rank, the second occurrence
    of an element nothing.

    `Mixture`: the shares' mean of the types' P(l_i -> x), which is 1 where that of all of them is.

    `Covering`: what each rank alone shows of a span in the mean (`whole`: the probability that it
    shows all of it); nothing for a chunk that one above is, under another id.

    >>> task = Task(["c", "a", "c"], ["a"], 2)
    >>> reach_matrix(task, Independent({("c", "a"): 0.4})).toarray().tolist()
    [[0.4], [1.0], [0.0]]
    """
    if isinstance(navigation, Covering):
        return covering_reach(task, navigation)
    if isinstance(navigation, Mixture):
        first, *others = (reach_matrix(task, of_type) for of_type in navigation.navigations)
        mean = first
        for share, reach in zip(navigation.shares[1:], others, strict=True):
            # What is certain for all types is certain, whatever rounding makes of shares.
            mean = mean + share * (reach - first)
        mean.data.clip(0, 1, out=mean.data)
        return mean
    browsing = browsing_of(navigation)
    contexts = contexts_of(task, browsing.navigation)
    if browsing.is_plain:
        return contexts.reach
    return contexts.scaled(reach_factors(task, browsing))


def reach_factors(task: Task, navigation: Navigation) -> Floats:
    """Return what P(l_i -> x) is multiplied by in `reach_matrix`, shape (o,); the mean of types."""
    if isinstance(navigation, Mixture):
        factors = [reach_factors(task, of_type) for of_type in navigation.navigations]
        mean: Floats = np.array(navigation.shares) @ np.stack(factors)
        return mean
    browsing = browsing_of(navigation)
    part = float(browsing.satiated(1)[0] * browsing.needed(task.num_ideals).mean())
    if browsing.population is not None:
        part *= browsing.population.mean
    return part * browsing.rank_factors(task)


def prum_of(
    task: Task,
    navigation: Navigation,
    *,
    counts: Counts = "poisson-binomial",
    costs: ListCosts | None = None,
) -> PrecisionRecall:
    """Return PRUM of a task: from its P(x -> y), whatever dependence the navigation has.

    For all but `Independent` this is the noisy-or summary of what is visited, not the joint law.

    >>> prum_of(Task(["c", "a"], ["a"], 2), Independent({("c", "a"): 0.4}))
    PrecisionRecall(PRUM, t = 1: precision .6250)
    """
    reach = reach_matrix(task, navigation)
    return prum(reach, task.num_unranked, counts=counts, costs=costs)


def independent_of(
    task: Task,
    navigation: Navigation,
    *,
    counts: Counts = "poisson-binomial",
    costs: ListCosts | None = None,
) -> PrecisionRecall:
    """Return what would be exact if every visit were independent, with the same P(x -> y).

    From what `prum_of` knows, but without its Hypothesis 2.3: the two differ by that alone. With
    normal counts by `normal_counts`.

    >>> independent_of(Task(["c", "a"], ["a"], 2), Walk({("c", "a"): 0.4}))
    PrecisionRecall(exact, t = 1: precision .6250)
    """
    reach = reach_matrix(task, navigation)
    if counts == "normal":
        return normal_counts(reach, task.num_unranked, costs=costs)
    return exact(reach, task.num_unranked, costs=costs)


def closed_form(
    task: Task, navigation: Navigation, *, costs: ListCosts | None = None
) -> PrecisionRecall | None:
    """Return the exact value where the way of browsing admits one, else None.

    `Independent`: `exact`, always. `Coupled` and `Walk`: `exact_joint`, up to 16 ideals and 2^26
    ranks times subsets. `Covering`: as `exact`, from the union of what chunks show; a mixture given
    the openings that show parts of two spans, up to 12 of them. `Mixture`: where all types have
    one, the ratio of the shares' means of E[CL] and E[C]. What `Browsing` adds:

    population
        a mixture over types, or quadrature over the factor, of the values given the factor; up to
        2^22 ranks times subsets. Not `OneFactor` on a `Walk`, and not where quadrature does not
        settle: exclusive visits have corners where their probabilities come to sum to 1.
    fading, documents
        other probabilities at each rank.
    satiation
        `exact_joint` with a row for each number of ideals seen: up to 16 ideals and 2^26 of these
        rows times subsets; without that bound where all ranks show all ideals alike
        (`exact_alike`).
    need
        the value of each factor, at the recall values that it belongs to.
    unranked
        `exact_joint` with the unranked elements, up to 1000 that may show something; not
        together with fading, documents or satiation, where their order matters.

    With `costs`, all is counted in what ranks cost, as by `exact`.

    >>> closed_form(Task(["c", "a"], ["a"], 2), Walk({("c", "a"): 0.4}))
    PrecisionRecall(exact joint, t = 1: precision .6250)
    """
    if isinstance(navigation, Covering):
        return _covered(task, navigation, costs)
    if isinstance(navigation, Mixture):
        values = [closed_form(task, of_type, costs=costs) for of_type in navigation.navigations]
        known = [value for value in values if value is not None]
        return mixture(known, navigation.shares) if len(known) == len(values) else None
    browsing = browsing_of(navigation)
    results = _by_need(task, browsing, _mixed, costs)
    if results is None:
        return None
    alike = len({*browsing.needed(task.num_ideals)}) == 1
    return results[0] if alike else _picked(results)


def consulted_law(task: Task, navigation: Navigation) -> ConsultedLaw | None:
    """Return the law of C(r), r = 1 .. t, where `closed_form` has a value, else None.

    None, too, of types that browse from different numbers of unranked elements.
    """
    if isinstance(navigation, Covering):
        return _covered_law(task, navigation)
    if isinstance(navigation, Mixture):
        of_types = [consulted_law(task, of_type) for of_type in navigation.navigations]
        known = [law for law in of_types if law is not None]
        if len(known) < len(of_types) or len({law.browsed for law in known}) > 1:
            return None
        return ConsultedLaw.mixed(zip(navigation.shares, known, strict=True))
    laws = _by_need(task, browsing_of(navigation), _mixed_law)
    return None if laws is None else ConsultedLaw.picked(laws)


def _covered(task: Task, covering: Covering, costs: ListCosts | None) -> PrecisionRecall | None:
    """Return the exact value of users who read chunks."""
    laws = covering_laws(task, covering)
    if laws is None:
        return None
    u = task.num_unranked
    results = [from_changes(change, u, costs=costs, method="exact") for _, change in laws]
    return results[0] if len(laws) == 1 else mixture(results, [share for share, _ in laws])


def _covered_law(task: Task, covering: Covering) -> ConsultedLaw | None:
    """Return the law of C(r) of users who read chunks."""
    laws = covering_laws(task, covering)
    if laws is None:
        return None
    u = task.num_unranked
    return ConsultedLaw.mixed((share, _law_of(change, u)) for share, change in laws)


def _law_of(change: Changes, unranked: int) -> ConsultedLaw:
    """Return the law of C(r) where ideals are seen independently."""
    t = change.num_ideals
    wanting, last = fewer_than(change, np.arange(1, t + 1))
    later = np.repeat(last[:, np.newaxis], t, axis=1)
    return ConsultedLaw(np.arange(1, t + 1), t, unranked, wanting, later)


def _by_need(
    task: Task,
    browsing: Browsing,
    mixed: "Callable[[_Value, Browsing, float], T]",
    costs: ListCosts | None = None,
) -> list[T] | None:
    """Return what users with the factor of each need have, or None without a closed form."""
    if browsing.unranked and {"fading", "documents", "satiation"} & set(browsing.turned):
        return None
    if isinstance(browsing.navigation, Walk) and isinstance(browsing.population, OneFactor):
        return None
    value = _Value.of(task, browsing, costs)
    if value is None:
        return None
    needed = browsing.needed(task.num_ideals).tolist()
    try:
        results = {need: mixed(value, browsing, need) for need in sorted(set(needed))}
    except UnsettledError:
        return None
    return [results[need] for need in needed]


class _Value:
    """The exact value of users who are alike, for any factor of theirs."""

    def __init__(
        self, task: Task, browsing: Browsing, costs: ListCosts | None, *, joint: bool
    ) -> None:
        self.task, self.joint = task, joint
        self.costs = costs_of_list(costs, task.num_ranked)
        self.contexts = contexts_of(task, browsing.navigation)
        self.ranks = browsing.rank_factors(task)
        self.satiation, self.satiated = browsing.satiation, browsing.satiated(task.num_ideals)
        self.later = self.contexts.unranked() if browsing.unranked else None
        self.rho = browsing.population.rho if isinstance(browsing.population, OneFactor) else 0.0

    @classmethod
    def of(cls, task: Task, browsing: Browsing, costs: ListCosts | None) -> "_Value | None":
        """Return the value, or None if it is too much to compute."""
        navigation = browsing.navigation
        tossed = isinstance(navigation, Independent) or (
            isinstance(navigation, Coupled) and navigation.is_independent
        )
        by_success = len(browsing.satiation) > 1
        value = cls(task, browsing, costs, joint=not tossed or by_success or browsing.unranked)
        if not value.joint or value.alike is not None:
            return value
        if isinstance(browsing.population, Beta | OneFactor) and any(
            contexts.has_corners(by_quantile=isinstance(browsing.population, OneFactor))
            for contexts in (value.contexts, value.later)
            if contexts is not None
        ):
            return None
        t = task.num_ideals
        cells = task.num_ranked * (t if by_success else 1) << t
        if value.later is not None:
            m = value.later.num_elements
            cells += m * m << t
            if m > MOST_LATER:
                return None
        most = _MOST_JOINT_CELLS if browsing.population is None else _MOST_MIXED_CELLS
        return value if t <= _MOST_JOINT_IDEALS and cells <= most else None

    @property
    def alike(self) -> Floats | None:
        """p_i, if each rank shows all ideals alike and users change with success."""
        if len(self.satiation) == 1 or self.later is not None:
            return None
        return self.contexts.alike()

    def at(self, part: float, z: float | None = None) -> PrecisionRecall:
        """Return the value of users with a factor, or with z of one factor for all visits."""
        contexts, u, factors = self._of_user(z), self.task.num_unranked, part * self.ranks
        if not self.joint:
            return exact(contexts.scaled(factors * self.satiated[0]), u, costs=self.costs)
        if self.alike is not None and (shown := contexts.alike()) is not None:
            return exact_alike(
                shown * factors, self.task.num_ideals, u,
                satiation=self.satiation, costs=self.costs,
            )  # fmt: skip
        within, later = self._within(contexts, factors), self._later(part, z)
        return exact_joint(within, u, later=later, costs=self.costs)

    def law_at(self, part: float, z: float | None = None) -> ConsultedLaw:
        """Return the law of C(r) of these users."""
        contexts, u, factors = self._of_user(z), self.task.num_unranked, part * self.ranks
        t = self.task.num_ideals
        if not self.joint:
            reach = checked_reach(contexts.scaled(factors * self.satiated[0]))
            return _law_of(changes(reach), u)
        if self.alike is not None and (shown := contexts.alike()) is not None:
            counts, _ = alike_counts(shown * factors, t, self.satiation)
            return ConsultedLaw.of_counts(counts, u)
        later_shown = self._later(part, z)
        counts, still_wanting = joint_counts(self._within(contexts, factors), later_shown)
        if later_shown is None:
            return ConsultedLaw.of_counts(counts, u)
        return ConsultedLaw.of_browsed(counts, still_wanting, u)

    def _of_user(self, z: float | None) -> Contexts:
        return self.contexts if z is None else self.contexts.with_factor(self.rho, z)

    def _within(self, contexts: Contexts, factors: Floats) -> Floats:
        if len(self.satiation) > 1:
            return np.stack([contexts.within(factors * part) for part in self.satiated], axis=1)
        return contexts.within(factors * self.satiated[0])

    def _later(self, part: float, z: float | None) -> Floats | None:
        if self.later is None:
            return None
        later = self.later if z is None else self.later.with_factor(self.rho, z)
        return later.within(np.full(later.num_elements, part))


def _mixed(value: _Value, browsing: Browsing, need: float) -> PrecisionRecall:
    """Return the value over users who differ."""
    population = browsing.population
    if isinstance(population, Types):
        kinds = [value.at(need * factor) for factor in population.factors]
        return mixture(kinds, population.weights)
    if isinstance(population, Beta):
        return beta_mixture(lambda factor: value.at(need * factor), population.a, population.b)
    if isinstance(population, OneFactor):
        return normal_mixture(lambda z: value.at(need, z))
    return value.at(need)


def _mixed_law(value: _Value, browsing: Browsing, need: float) -> ConsultedLaw:
    """Return the law of C(r) over users who differ."""
    population = browsing.population
    if isinstance(population, Types):
        pairs = zip(population.weights, population.factors, strict=True)
        return ConsultedLaw.mixed((share, value.law_at(need * part)) for share, part in pairs)

    def of(places: Places) -> ConsultedLaw:
        of_normal = isinstance(population, OneFactor)
        return ConsultedLaw.mixed(
            (share, value.law_at(need, node) if of_normal else value.law_at(need * node))
            for node, share in places
        )

    if isinstance(population, Beta):
        return over_beta(of, _law_change, population.a, population.b)
    if isinstance(population, OneFactor):
        return over_normal(of, _law_change)
    return value.law_at(need)


def _law_change(coarse: ConsultedLaw, fine: ConsultedLaw) -> float:
    means = np.abs(coarse.means - fine.means) / fine.means
    return float(max(means.max(), np.abs(coarse.wanting - fine.wanting).max()))


def _picked(results: list[PrecisionRecall]) -> PrecisionRecall:
    """Return the value at each r from the result of that r."""

    def each(name: str) -> Floats:
        return np.array([getattr(result, name)[r] for r, result in enumerate(results)])

    return PrecisionRecall(
        each("leading"),
        each("consulted"),
        method="exact by need",
        unit=results[0].unit,
        consulted_deviation=each("consulted_deviation"),
        consulted_skewness=each("consulted_skewness"),
    )
