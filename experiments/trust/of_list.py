"""One list: PRUM, the exact value, bounds, and the value under every dependence."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prum.analytic.precision.bounds import PrecisionBounds, precision_bounds
from prum.analytic.precision.consulted import consulted_quantiles
from prum.analytic.precision.improved import link_gradient
from prum.analytic.precision.independent import exact
from prum.analytic.precision.published import prum
from prum.analytic.precision.walk_of_reach import NoWalkError
from prum.experiments.trust.dependences import (
    NamedDependence,
    NoSuchUsersError,
    ReachedList,
)
from prum.experiments.trust.values import DependentValue, UserLimit, value_of
from prum.simulator.model import ListCosts, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.list_costs import costs_of_list

PRUM, INDEPENDENT = "PRUM", "independent"
# Shares of users who are done.
SHARES = (0.5, 0.9)
# Links kept of those that would improve the list most.
_MOST_LINKS = 5


@dataclass(frozen=True, slots=True, eq=False)
class ListTrust:
    """A list under every dependence.

    Parameters
    ----------
    values
        "PRUM", "independent" and the names of dependences -> value; r = 1 .. t.
    lacking
        Dependence -> why no such users have these P(x -> y).
    bounds
        Of precision at r = 1 .. t, whatever the dependence between visits from one element.
    quantiles
        Elements within which each of `SHARES` of the users are done, shape (shares, t), under
        independence.
    paid
        What these elements cost; as many as there are where elements are counted.
    links
        (source, target, P(x -> y), derivative of mean precision) of the links that would improve it
        most, under independence; none where costs are counted.
    seconds
        What it took, of one processor.
    """

    values: Mapping[str, DependentValue]
    lacking: Mapping[str, str]
    bounds: PrecisionBounds
    quantiles: Ints
    paid: Floats
    links: tuple[tuple[str, str, float, float], ...]
    seconds: float

    @property
    def num_ideals(self) -> int:
        """t, the number of ideals."""
        return len(self.values[PRUM].precision)

    def average(self, name: str) -> float:
        """Return the mean of precision over r = 1 .. t.

        NaN if there are no such users, or too few at some r.
        """
        value = self.values.get(name)
        return float("nan") if value is None else float(value.precision.mean())

    def at(self, name: str, r: int) -> float:
        """Return precision at r; NaN if there are fewer ideals, no such users, or too few."""
        value = self.values.get(name)
        if value is None or r > self.num_ideals:
            return float("nan")
        return float(value.precision[r - 1])


def list_trust(
    task: Task,
    navigation: Navigation,
    table: Sequence[NamedDependence],
    effort: UserLimit,
    *,
    costs: ListCosts | None = None,
) -> ListTrust:
    """Return what a list's precision is under each dependence with the same P(x -> y).

    The links, probabilities and ranks are those of `reach_matrix`; nobody browses after the list.
    With `costs` all of it counts what elements cost.

    Raises
    ------
    InputError
        as `reach_matrix`; for costs of another list.
    """
    began = time.process_time()
    given = ReachedList(task, navigation, costs)
    u = task.num_unranked
    independent = exact(given.reach, u, costs=costs)
    values = {
        PRUM: DependentValue.of_exact(prum(given.reach, u, costs=costs).precision),
        INDEPENDENT: DependentValue.of_exact(independent.precision),
    }
    bounds = precision_bounds(given.reach, u, costs=costs)
    lacking: dict[str, str] = {}
    for dependence in table:
        try:
            value = value_of(given, dependence, independent, effort)
        except (NoSuchUsersError, NoWalkError) as error:
            lacking[dependence.name] = str(error)
            continue
        is_bound = dependence.is_within and value.how == "simulated"
        values[dependence.name] = (
            value.within(bounds.precision_low, bounds.precision_high) if is_bound else value
        )
    quantiles = consulted_quantiles(task, given.table, SHARES)
    if quantiles is None:
        raise TypeError(given.table)
    paid = costs_of_list(costs, task.num_ranked).up_to(quantiles)
    links = _best_links(given) if costs is None else ()
    return ListTrust(values, lacking, bounds, quantiles, paid, links, time.process_time() - began)


def _best_links(given: ReachedList) -> tuple[tuple[str, str, float, float], ...]:
    """Return the links that would improve mean precision most, those of P = 0 among them."""
    if not given.task.num_ranked or not given.uncertain.any():
        return ()
    best = link_gradient(given.task, given.table).best(_MOST_LINKS)
    return tuple(link for link in best if link[3] > 0)
