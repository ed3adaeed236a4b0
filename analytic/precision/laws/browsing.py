"""Users who differ, or change while they browse: dials turned on what elements show."""

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from prum.analytic.precision.coupled import Contexts
from prum.analytic.precision.joint import MOST_LATER, joint_counts
from prum.analytic.precision.laws.law import contexts_of
from prum.analytic.precision.mixtures import QuadratureNodes, UnsettledError, over_beta, over_normal
from prum.analytic.precision.questions import LawQuestion
from prum.analytic.precision.reach import checked_reach
from prum.analytic.precision.seen import changes
from prum.simulator.model import Beta, Browsing, OneFactor, Task, Types
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    from scipy import sparse

T = TypeVar("T")

# Subsets of ideals times ranks that an exact value may take, at once and for each of many types of
# users: some seconds, 512 MiB.
_MOST_JOINT_CELLS, _MOST_MIXED_CELLS = 1 << 26, 1 << 22
_MOST_JOINT_IDEALS = 16


class BrowsingLaw:
    """The law of users who browse by the contexts of elements, with dials."""

    def __init__(self, task: Task, browsing: Browsing) -> None:
        self.task, self.browsing = task, browsing
        self.rho = browsing.population.rho if isinstance(browsing.population, OneFactor) else 0.0
        self.by_success = len(browsing.satiation) > 1

    @cached_property
    def contexts(self) -> Contexts:
        """What the elements of the list show."""
        return contexts_of(self.task, self.browsing.base)

    @cached_property
    def later(self) -> Contexts | None:
        """What unranked elements show, where users browse from them."""
        if not self.browsing.unranked:
            return None
        task, base, ranked = self.task, self.browsing.base, set(self.task.ranking)
        links = self.browsing.links
        sources = {links.elements[k] for k in np.unique(links.sources[links.probabilities > 0])}
        candidates = tuple(sorted((sources | {*task.ideals}) - ranked))
        largest = len(candidates) + len(ranked) + task.num_ideals
        contexts = contexts_of(Task(candidates, task.ideals, largest), base)
        showing = [candidates[k] for k in np.unique(contexts.reach.nonzero()[0])]
        return contexts_of(Task(showing, task.ideals, largest), base)

    def reach(self) -> "sparse.csr_array":
        """Return P(l_i -> x) with what PRUM can take of the dials."""
        if self.browsing.is_plain:
            return self.contexts.reach
        return self.contexts.scaled(self.factors())

    def factors(self) -> Floats:
        """Return the mean factor of each rank."""
        browsing = self.browsing
        part = float(browsing.satiated(1)[0] * browsing.needed(self.task.num_ideals).mean())
        if browsing.population is not None:
            part *= browsing.population.mean
        return part * browsing.rank_factors(self.task)

    def answer(self, question: LawQuestion[T]) -> T | None:
        """Return the answer for each number of ideals wanted, from the users of that need."""
        if not self._is_feasible():
            return None
        needed = self.browsing.needed(self.task.num_ideals).tolist()
        try:
            answers = {need: self._of_need(need, question) for need in sorted(set(needed))}
        except UnsettledError:
            return None
        return (
            answers[needed[0]]
            if len(answers) == 1
            else question.picked([answers[x] for x in needed])
        )

    def _is_feasible(self) -> bool:
        """Return whether there is a closed form, and it is not too much to compute."""
        browsing, population = self.browsing, self.browsing.population
        if browsing.unranked and {"fading", "documents", "satiation"} & {*browsing.turned}:
            return False
        if browsing.base.is_walk and isinstance(population, OneFactor):
            return False
        if not self.is_joint:
            return True
        if isinstance(population, Beta | OneFactor) and any(
            contexts.has_corners(by_quantile=isinstance(population, OneFactor))
            for contexts in (self.contexts, self.later)
            if contexts is not None
        ):
            return False
        t = self.task.num_ideals
        cells = self.task.num_ranked * (t if self.by_success else 1) << t
        if self.later is not None:
            m = self.later.num_elements
            cells += m * m << t
            if m > MOST_LATER:
                return False
        most = _MOST_JOINT_CELLS if population is None else _MOST_MIXED_CELLS
        return t <= _MOST_JOINT_IDEALS and cells <= most

    @property
    def is_joint(self) -> bool:
        """Whether which ideals a user has seen together matters."""
        return self.browsing.base.tossed is None or self.by_success or self.browsing.unranked

    def _of_need(self, need: float, question: LawQuestion[T]) -> T:
        """Return the answer over users who differ."""
        population = self.browsing.population
        if population is None:
            return self._of_user(need, None, question)
        if isinstance(population, Types):
            pairs = zip(population.weights, population.factors, strict=True)
            return question.mixed(
                (share, self._of_user(need * factor, None, question)) for share, factor in pairs
            )

        @question.remembered
        def answer_at(node: float) -> T:
            if isinstance(population, OneFactor):
                return self._of_user(need, node, question)
            return self._of_user(need * node, None, question)

        def of(places: QuadratureNodes) -> T:
            return question.mixed((share, answer_at(node)) for node, share in places)

        if isinstance(population, Beta):
            return over_beta(of, question.change, population.a, population.b)
        return over_normal(of, question.change)

    def _of_user(self, part: float, z: float | None, question: LawQuestion[T]) -> T:
        """Return the answer for users with a factor, or with z of one factor for all visits."""
        task, browsing = self.task, self.browsing
        contexts = self.contexts if z is None else self.contexts.with_factor(self.rho, z)
        t, u, factors = task.num_ideals, task.num_unranked, part * browsing.rank_factors(task)
        satiated = browsing.satiated(t)
        if not self.is_joint:
            return question.tossed(
                changes(checked_reach(contexts.scaled(factors * satiated[0]))), u
            )
        if self.by_success:
            within = np.stack([contexts.within(factors * part) for part in satiated], axis=1)
        else:
            within = contexts.within(factors * satiated[0])
        if self.later is None:
            return question.counted(*joint_counts(within)[:2], u, "exact joint")
        later = self.later if z is None else self.later.with_factor(self.rho, z)
        return question.browsed(within, later.within(np.full(later.num_elements, part)), u)


law = BrowsingLaw
