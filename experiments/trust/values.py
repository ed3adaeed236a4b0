"""The value of one dependence on one list: exact where that is quick, else of simulated users."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from prum.analytic.precision.mixtures import mixture, normal_nodes
from prum.analytic.precision.of_task import closed_form
from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.statistics.intervals import normal_factor
from prum.experiments.trust.dependences import NamedDependence, ReachedList
from prum.experiments.trust.verb import MOST_USERS, WIDTH
from prum.simulator.model import Navigation
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.model.browsing import browsing_of
from prum.simulator.model.population import OneFactor
from prum.simulator.sampling.sampler import simulate
from prum.simulator.sampling.simulation import Simulation

How = Literal["exact", "quadrature", "simulated", "idle"]

# Ranks times sets of ideals, or times squared ideals, of which an exact value is quick.
_QUICK_SETS, _QUICK_CELLS, _MOST_JOINT = 1 << 18, 1 << 22, 16
# Users who are simulated before it is known how many suffice; a little more than suffice.
_PILOT, _MORE = 1_024, 1.1
# The most that the mean of C(r) over users may have of standard deviations, beside its value, and
# of skewness; else they are too few for what happens rarely, by the law of independent visits.
_ROUGH, _LOPSIDED = 0.1, 1.0
# Two orders of quadrature that differ by less, at every r, are not doubled once more.
_SETTLED, _FIRST, _LAST = 1e-4, 16, 128


@dataclass(frozen=True, slots=True)
class UserLimit:
    """How far simulation goes.

    Parameters
    ----------
    half_width
        Of the 95 % interval of a list's precision, at every r: users are simulated until it is
        this.
    most_users
        But no more than so many.
    seed
        Which users.
    """

    half_width: float = WIDTH
    most_users: int = MOST_USERS
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class DependentValue:
    """Precision of a list at r = 1 .. t, arrays of shape (t,).

    Parameters
    ----------
    precision
        E[CL(r)] / E[C(r)]; NaN where it is unresolved.
    half
        Half of its 95 % interval by users; of quadrature how much its last order changed; 0 if it
        is exact, NaN where it is unresolved.
    how
        "exact", "quadrature" or "simulated"; "idle" where the dependence changes nothing, and the
        value is that of independent visits.
    num_users
        Simulated users, 0 of the others.
    unresolved
        Where users are too few for what happens rarely.
    """

    precision: Floats
    half: Floats
    how: How
    num_users: int
    unresolved: Flags

    @classmethod
    def of_exact(cls, precision: Floats, how: How = "exact") -> "DependentValue":
        """Return a value without error."""
        zeros = np.zeros(len(precision))
        return cls(precision, zeros, how, 0, zeros.astype(np.bool_))

    def within(self, low: Floats, high: Floats) -> "DependentValue":
        """Return the same, moved between bounds where so many users err beyond them."""
        return replace(self, precision=np.clip(self.precision, low, high))


def value_of(
    given: ReachedList, dependence: NamedDependence, independent: PrecisionRecall, effort: UserLimit
) -> DependentValue:
    """Return precision under a dependence; `independent` is that of independent visits.

    Raise NoSuchUsersError, NoWalkError if no users of this kind have these P(x -> y).
    """
    if dependence.is_idle(given):
        dependence.make(given)  # raises
        return DependentValue.of_exact(independent.precision, "idle")
    return _value(given, dependence.make(given), independent, effort)


def _value(
    given: ReachedList,
    made: Navigation | Floats,
    independent: PrecisionRecall,
    effort: UserLimit,
) -> DependentValue:
    """Return precision of one kind of users, at all r."""
    if not isinstance(made, Navigation):
        return DependentValue.of_exact(given.scored(made).precision)
    navigation = made
    if navigation.tossed is not None:
        tossed = ReachedList(given.task, navigation.tossed, given.costs)
        return DependentValue.of_exact(tossed.scored(tossed.reach.data).precision)
    mixed = _mixed(given, navigation)
    if mixed is not None:
        return mixed
    if _is_quick(given, navigation):
        exact = closed_form(given.task, navigation, costs=given.costs)
        if exact is not None:
            return DependentValue.of_exact(exact.precision)
    return _simulated(given, navigation, independent, effort)


def _mixed(given: ReachedList, navigation: Navigation) -> DependentValue | None:
    """Return the value of users who differ and whose visits are tossed; None of others."""
    if navigation.turned != ("population",):
        return None
    from scipy.special import ndtr, ndtri

    population, tossed = browsing_of(navigation).population, navigation.base.tossed
    if tossed is None or not isinstance(population, OneFactor):
        return None
    most = ReachedList(given.task, tossed, given.costs)
    slack = ndtri(most.reach.data)
    slope, spread = population.rho**0.5, (1 - population.rho) ** 0.5
    # What is certain stays certain: its slack is infinite.
    return _settled(lambda z: most.scored(ndtr((slack - slope * z) / spread)))


def _settled(value_at: Callable[[float], PrecisionRecall]) -> DependentValue:
    """Return the mixture of `at` over a normal factor, the order doubled until two agree."""
    by_node: dict[float, PrecisionRecall] = {}

    def of(order: int) -> Floats:
        nodes, weights = normal_nodes(order)
        places = [(z, w) for z, w in zip(nodes.tolist(), weights.tolist(), strict=True) if w > 0]
        for z, _ in places:
            if z not in by_node:
                by_node[z] = value_at(z)
        return mixture([by_node[z] for z, _ in places], [w for _, w in places]).precision

    order, coarse = _FIRST, of(_FIRST)
    while True:
        order *= 2
        fine = of(order)
        change: Floats = np.abs(fine - coarse)
        if change.max() <= _SETTLED or order >= _LAST:
            none = np.zeros(len(fine), dtype=np.bool_)
            return DependentValue(fine, change, "quadrature", 0, none)
        coarse = fine


def _is_quick(given: ReachedList, navigation: Navigation) -> bool:
    """Return whether an exact value, if there is one, takes less than some tenths of a second."""
    if navigation.types:
        return all(_is_quick(given, of_type) for of_type in navigation.types)
    task = given.task
    if navigation.expansion is not None:
        return is_quick_joint(task.num_ranked, task.num_ideals)
    browsing = browsing_of(navigation)
    if browsing.base.tossed is None or {"satiation", "unranked"} & set(browsing.turned):
        many = 1 if browsing.population is None else _FIRST
        return is_quick_joint(task.num_ranked * many, task.num_ideals)
    return max(task.num_ranked, 1) * task.num_ideals**2 <= _QUICK_CELLS


def is_quick_joint(num_ranks: int, num_ideals: int) -> bool:
    """Return whether the exact value of visits that depend on each other is quick.

    >>> is_quick_joint(100, 8), is_quick_joint(1000, 10), is_quick_joint(1000, 200)
    (True, False, False)
    """
    return num_ideals <= _MOST_JOINT and max(num_ranks, 1) << num_ideals <= _QUICK_SETS


def _simulated(
    given: ReachedList, navigation: Navigation, independent: PrecisionRecall, effort: UserLimit
) -> DependentValue:
    """Return the value of as many users as the interval needs, the same users in every list."""

    def users(first: int, count: int) -> Simulation:
        return simulate(
            given.task,
            navigation,
            num_users=count,
            first_user=first,
            seed=effort.seed,
            unranked="expected",
            threads=1,
            costs=given.costs,
        )

    pilot = min(_PILOT, effort.most_users)
    simulation, needed = users(0, pilot), _users_needed(independent)
    open_ = needed <= effort.most_users
    widest = _half(simulation)[open_].max(initial=0.0)
    num_wanted = math.ceil(needed[open_].max(initial=0.0))
    if widest > effort.half_width:
        num_wanted = max(num_wanted, int(pilot * _MORE * (widest / effort.half_width) ** 2))
    more = min(num_wanted, effort.most_users) - pilot
    if more > 0:
        simulation = simulation + users(pilot, more)
    unresolved = needed > simulation.num_users
    return DependentValue(
        np.where(unresolved, np.nan, simulation.precision),
        np.where(unresolved, np.nan, _half(simulation)),
        "simulated",
        simulation.num_users,
        unresolved,
    )


def _half(simulation: Simulation) -> Floats:
    half: Floats = normal_factor() * simulation.precision_error
    return half


def _users_needed(independent: PrecisionRecall) -> Floats:
    """Return how many users show enough, at each r, of what happens rarely; 0 if nothing varies."""
    deviation, skewness = independent.consulted_deviation, independent.consulted_skewness
    if deviation is None or skewness is None:
        raise TypeError(independent.method)
    rough = deviation / (_ROUGH * independent.consulted)
    lopsided = np.nan_to_num(np.abs(skewness)) / _LOPSIDED
    needed: Floats = np.where(deviation > 0, np.maximum(rough, lopsided) ** 2, 0.0)
    return needed
