"""Dependences by name: how users may browse who have the same P(x -> y), each a row of a table.

Hypothesis 2.2 says that all visits of a user are independent. P(x -> y) does not: it is the same
for users whose visits from one element exclude each other, follow one path, or are made or left
out together; for users who decide on an ideal once, whatever leads to it; and for users who
differ. A row says so in plain words and makes the navigation of such users, or independent visits
that see the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from prum.analytic.precision.independent import from_changes
from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.precision.reach import Reach
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.precision.seen import Changes, changes
from prum.analytic.precision.walks import walk_of
from prum.experiments.frame.numbers import exactly
from prum.experiments.trust.verb import CORRELATED, DIFFER
from prum.simulator.model import (
    Browsing,
    Copula,
    Coupled,
    Independent,
    InputError,
    Links,
    ListCosts,
    Navigation,
    Task,
)
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.kinds import kind_of
from prum.simulator.model.population import OneFactor

if TYPE_CHECKING:
    from scipy import sparse

# What rounding leaves of a probability that is too large.
_ROUNDING = 1e-12


class NoSuchUsersError(InputError):
    """No users of this kind have these P(x -> y)."""


@dataclass(frozen=True)
class ReachedList:
    """A list, and what the navigation that was given says of it: P(x -> y) from its elements.

    Parameters
    ----------
    task
        The list.
    navigation
        The one that was given; only its P(x -> y) count.
    costs
        What its elements cost; 1 each by default.
    """

    task: Task
    navigation: Navigation
    costs: ListCosts | None = None

    @cached_property
    def reach(self) -> "sparse.csr_array":
        """P(l_i -> x), shape (o, t)."""
        matrix = reach_matrix(self.task, self.navigation).tocsr()
        matrix.data = np.clip(matrix.data, 0, 1)
        matrix.eliminate_zeros()
        matrix.sort_indices()
        return matrix

    @cached_property
    def itself(self) -> Flags:
        """Which entries of the reach are an element's way to itself, in the order of its data."""
        ideals, ranking = np.array(self.task.ideals, dtype=object), self.task.ranking
        listed = np.array(ranking, dtype=object)[self._ranks] if ranking else ideals[:0]
        itself: Flags = (listed == ideals[self.reach.indices]).astype(np.bool_)
        return itself

    @cached_property
    def uncertain(self) -> Flags:
        """Which entries are browsing that may show its ideal first or not."""
        certain = np.logical_or.accumulate(self.dense >= 1)
        before = np.vstack([np.zeros((1, certain.shape[1]), dtype=np.bool_), certain])
        seen = before[self._ranks, self._columns]
        uncertain: Flags = ~self.itself & (self.reach.data < 1) & ~seen
        return uncertain

    def most_uncertain(self, of: Literal["element", "ideal", "user"]) -> int:
        """Return the most uncertain visits of one rank, to one ideal, or of a user."""
        if of == "user":
            return int(self.uncertain.sum())
        places = (self._ranks if of == "element" else self._columns)[self.uncertain]
        return int(np.bincount(places).max()) if places.size else 0

    @cached_property
    def _ranks(self) -> Ints:
        return np.repeat(np.arange(self.task.num_ranked), np.diff(self.reach.indptr))

    def changes(self, probabilities: Floats) -> Changes:
        """Return what each rank changes, with other probabilities than the reach's."""
        shape = self.task.num_ranked, self.task.num_ideals
        return changes(Reach(*shape, self._ranks, self._columns, probabilities))

    def scored(self, probabilities: Floats) -> PrecisionRecall:
        """Return the exact value of independent visits of other probabilities than the reach's."""
        change = self.changes(probabilities)
        u, costs = self.task.num_unranked, self.costs
        return from_changes(change, u, costs=costs, spread=False, method="exact")

    @cached_property
    def dense(self) -> Floats:
        """P(l_i -> x) as a whole matrix, shape (o, t)."""
        return np.asarray(self.reach.toarray(), dtype=np.float64)

    def as_visits(self, seen: Floats) -> Floats:
        """Return the probabilities of independent visits that see ideals as early.

        P(x -> y) tells no more of P(seen by rank i) than Fréchet's limits: it is between the
        largest of the ranks' probabilities and their sum, 1 at most. An ideal is seen for the first
        time at rank i with P(seen by i) - P(seen by i - 1), and ideals are independent of each
        other, so that visits of this conditional probability see the same.

        `seen`: P(seen by rank i), i = 1 .. o, of each ideal; shape (o, t).

        Returns
        -------
        Floats
            in the order of the reach's data.
        """
        before = np.vstack([np.zeros(seen.shape[1]), seen[:-1]])
        left = 1 - before
        visits = np.divide(seen - before, left, out=np.zeros_like(seen), where=left > _ROUNDING)
        return np.asarray(np.clip(visits[self._ranks, self._columns], 0, 1))

    @cached_property
    def _columns(self) -> Ints:
        return self.reach.indices.astype(np.int64)

    @cached_property
    def table(self) -> Independent:
        """Each P(x -> y) of the list as a link, tossed on its own."""
        kept, ideals = ~self.itself, self.task.ideals
        sources = [self.task.ranking[rank] for rank in self._ranks[kept].tolist()]
        targets = [ideals[column] for column in self.reach.indices[kept].tolist()]
        return Independent(Links.from_columns(sources, targets, self.reach.data[kept]))


# Makes a navigation; or, of users who see what independent visits would, the probabilities of these
# in the place of the reach's.
Maker = Callable[[ReachedList], Navigation | Floats]
# Which visits depend on each other.
Joins = Literal["element", "ideal", "user", "given"]


@dataclass(frozen=True, slots=True)
class NamedDependence:
    """Users who have the same P(x -> y) and depend on something.

    Parameters
    ----------
    name
        A word or two.
    about
        Who they are, in a sentence.
    clause
        The same behind "if", in a few words.
    make
        What such users do on a list, as `Maker` has it.
    joins
        Which visits depend on each other: those from one element, those to one ideal, or all of a
        user; or other things, on the navigation that was given. Of the first three bounds hold.
    is_extreme
        Whether visits depend on each other as far as P(x -> y) allows.
    """

    name: str
    about: str
    clause: str
    make: Maker
    joins: Joins
    is_extreme: bool = False

    @property
    def is_bound(self) -> bool:
        """Whether bounds for any dependence between visits hold."""
        return self.joins in ("element", "ideal", "user")

    def is_idle(self, given: ReachedList) -> bool:
        """Return whether on this list nothing can depend on it: users see what independent ones do.

        A visit depends on no other where there is no other of its kind that may happen or not.
        """
        return self.joins != "given" and given.most_uncertain(self.joins) < 2


AS_GIVEN = "as given"


def dependences(
    *, differ: float = DIFFER, correlated: float = CORRELATED
) -> tuple[NamedDependence, ...]:
    """Return the table of dependences.

    Parameters
    ----------
    differ
        The correlation of all visits of a user, of one factor.
    correlated
        The correlation of visits from one element, of a Gaussian copula.

    Raise InputError for a correlation outside [0, 1].

    >>> [dependence.name for dependence in dependences()]
    ['exclusive', 'walk', 'correlated', 'comonotone', 'taste', 'users differ']
    """
    population, copula = OneFactor(differ), Copula(correlated)
    return (
        NamedDependence(
            "exclusive",
            "who sees one ideal from an element sees no other from it, as far as P(x → y) allows",
            "visits from one element exclude each other",
            lambda given: Coupled(given.table, "exclusive"),
            "element",
            is_extreme=True,
        ),
        NamedDependence(
            "walk",
            "users follow one path of links from each element, with these P(x → y)",
            "users walk",
            _walk,
            "element",
        ),
        NamedDependence(
            "correlated",
            f"visits from one element are correlated by {copula.rho:g} (Gaussian copula)",
            "visits from one element are correlated",
            lambda given: Coupled(given.table, copula),
            "element",
        ),
        NamedDependence(
            "comonotone",
            "who sees an ideal from an element sees every likelier one from it",
            "visits from one element go together",
            lambda given: Coupled(given.table, "comonotone"),
            "element",
            is_extreme=True,
        ),
        NamedDependence(
            "taste",
            "a user likes an ideal or not: one answer, whatever leads to it",
            "users like an ideal or not",
            lambda given: given.as_visits(np.maximum.accumulate(given.dense)),
            "ideal",
            is_extreme=True,
        ),
        NamedDependence(
            "users differ",
            "some users browse more than others, from every element "
            f"(one-factor {exactly(population.rho)})",
            "users differ",
            lambda given: Browsing(given.table, population),
            "user",
        ),
    )


def as_given(kind: str, navigation: Navigation) -> NamedDependence | None:
    """Return the dependence of the navigation that was given, if the table has none like it.

    >>> as_given("walk", Independent({})) is None, as_given("fading .9", Independent({})).name
    (True, 'as given')
    """
    if kind in ("independent", "exclusive", "walk", "comonotone"):
        return None
    joins: Joins = "given"
    if (navigation.takes_dials and not navigation.is_walk) or (
        navigation.expansion is not None and navigation.expansion.tosses == "seed"
    ):
        joins = "element"
    elif navigation.base.takes_dials and {*navigation.turned} <= {"population", "fading"}:
        joins = "user"
    return NamedDependence(
        AS_GIVEN, f"users browse as was given: {kind}", f"users browse by {kind}", _given, joins
    )


def _given(given: ReachedList) -> Navigation:
    return given.navigation


def _walk(given: ReachedList) -> Navigation:
    way = given.navigation
    if way.turned:
        raise NoSuchUsersError(
            "navigation of a walk",
            kind_of(way),
            "have no dials",
            remedy="give the links without dials",
        )
    return walk_of(given.task, way)


# The table with its defaults.
DEPENDENCES = dependences()
