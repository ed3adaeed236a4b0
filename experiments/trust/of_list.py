"""One list under every dependence, with PRUM and bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.bounds import PrecisionBounds, any_dependence_bounds
from prum.analytic.precision.independent import exact
from prum.analytic.precision.published import prum
from prum.analytic.precision.walks import NoWalkError
from prum.experiments.trust.dependences import (
    NamedDependence,
    NoSuchUsersError,
    ReachedList,
)
from prum.experiments.trust.values import DependentValue, UserLimit, value_of
from prum.simulator.model import ListCosts, Navigation, Task

PRUM, INDEPENDENT = "PRUM", "independent"


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
        Of precision at r = 1 .. t, whatever the dependence between all visits.
    """

    values: Mapping[str, DependentValue]
    lacking: Mapping[str, str]
    bounds: PrecisionBounds

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

    def is_missing(self, name: str, r: int | None) -> bool:
        """Return whether users were too few: at r, or somewhere in the mean over r."""
        unresolved = self.values[name].unresolved
        return bool((unresolved if r is None else unresolved[r - 1 : r]).any())

    def is_idle(self, name: str) -> bool:
        """Return whether there are such users, and nothing can depend on it."""
        return name in self.values and self.values[name].how == "idle"


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
    """
    given = ReachedList(task, navigation, costs)
    u = task.num_unranked
    independent = exact(given.reach, u, costs=costs)
    values = {
        PRUM: DependentValue.of_exact(prum(given.reach, u, costs=costs).precision),
        INDEPENDENT: DependentValue.of_exact(independent.precision),
    }
    if given.most_uncertain("user") > 1:
        bounds = any_dependence_bounds(given.reach, u, costs=costs)
    else:
        bounds = PrecisionBounds(
            np.arange(1, task.num_ideals + 1),
            *(independent.consulted, independent.consulted),
            *(independent.precision, independent.precision),
        )
    lacking: dict[str, str] = {}
    for dependence in table:
        try:
            value = value_of(given, dependence, independent, effort)
        except (NoSuchUsersError, NoWalkError) as error:
            lacking[dependence.name] = str(error)
            continue
        if value.how == "simulated" and dependence.is_bound:
            value = value.within(bounds.precision_low, bounds.precision_high)
        values[dependence.name] = value
    return ListTrust(values, lacking, bounds)
