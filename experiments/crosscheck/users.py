"""Which users each list gets: plain ones, rare ones where these are too few, and more of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from prum.experiments.crosscheck.detectable_errors import strays, users_needed
from prum.experiments.crosscheck.result import CheckedList
from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.store import Store
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model.arrays import Flags
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK

if TYPE_CHECKING:
    pass


# Comparisons get more plain users by themselves up to so many times as many, or so many; and at
# first as many rare users as plain ones, then so many times as many.
_MOST_TIMES, _FEW_USERS = 16, 8 * BLOCK
TIMES_RARE = (1, 4)


def with_distribution(cell: Cell) -> Cell:
    """Return the cell whose simulation keeps the distribution of C(r)."""
    if cell.estimator != "simulated":
        return cell
    return replace(cell, content={**cell.content, "distribution": True})


def cases_of(cells: list[Cell], store: Store) -> list[CheckedList]:
    """Return a case for each list, from its four cells."""
    lists: dict[tuple[str, str, str], dict[str, Any]] = {}
    for cell in cells:
        values = lists.setdefault((cell.source.name, cell.system, cell.topic), {})
        values[cell.estimator] = store.result(cell.key)
        if cell.estimator == "exact":
            values["navigation"] = cell.navigation
    estimators = ("navigation", "prum", "exact", "simulated", "no-browsing")
    return [
        CheckedList(*names, *(values[of] for of in estimators)) for names, values in lists.items()
    ]


def of_rare_users(cells: list[Cell], cases: list[CheckedList]) -> dict[tuple[str, str, str], Cell]:
    """Return cells of rare users, by names, of lists that those they have cannot carry."""
    unresolved = {
        case.names
        for case in cases
        if case.exact is not None
        and (not case.quantities.tested.all() or (case.strays is not None and case.rare is None))
    }
    return {
        names: _other_cell(cell, rare=True)
        for cell in cells
        if cell.estimator == "simulated"
        and (names := (cell.source.name, cell.system, cell.topic)) in unresolved
    }


def with_rare(
    cases: list[CheckedList], store: Store, rare: Mapping[tuple[str, str, str], Cell]
) -> list[CheckedList]:
    """Return the cases with the rare users that some of them got."""
    return [
        replace(case, rare=cast("Simulation", store.result(rare[case.names].key)))
        if case.names in rare
        else case
        for case in cases
    ]


def _other_cell(cell: Cell, **users: Any) -> Cell:
    """Return the cell of other users of a list, told apart by its key; C(r) has no distribution."""
    content = {key: value for key, value in cell.content.items() if key != "distribution"}
    return replace(cell, content={**content, **users})


def with_more(
    case: CheckedList,
    store: Store,
    further: Mapping[tuple[str, str, str], "MoreUsers"],
    adds_up: bool,
) -> CheckedList:
    """Return the case with its further users, added to the first ones if they `adds_up`."""
    if case.names not in further:
        return case
    more = cast("Simulation", store.result(further[case.names].cell.key))
    if adds_up:
        more = case.simulated.without_distribution() + more
    return replace(case, more=more)


def with_strays(cases: list[CheckedList], campaigns: list[Campaign]) -> list[CheckedList]:
    """Return cases, with how far users may stray where they can though the exact law is fixed."""
    named = {campaign.name: campaign for campaign in campaigns}

    def of(case: CheckedList) -> CheckedList:
        fixed = case.quantities.fixed
        if case.exact is None or not fixed.any() or case.simulated.costs is not None:
            return case
        campaign = named[case.campaign]
        task = campaign.task(case.system, case.topic)
        # Whose first element is an ideal stops there with it, whatever the links.
        begins = task.ranking[:1]
        if fixed.sum() == fixed[:, 0].sum() and set(begins) & set(task.ideals):
            return case
        straying = strays(task, campaign.navigation_on(case.topic), case.exact)
        return replace(case, strays=straying) if (straying * fixed).any() else case

    return [of(case) for case in cases]


@dataclass(frozen=True, slots=True)
class MoreUsers:
    """A cell of so many more plain users of a list, from the first that it does not have yet."""

    cell: Cell
    first: int
    number: int


def of_more_users(
    cells: list[Cell], cases: list[CheckedList]
) -> dict[tuple[str, str, str], MoreUsers]:
    """Return the more plain users, by names, of lists that lack them.

    As many as the exact law asks for, if these are at most 16 times as many, or eight blocks.
    """
    lists = {}
    for case in cases:
        compared, n = case.quantities, case.simulated.num_users
        lacking: Flags = ~np.all(compared.tested, axis=0)
        needed = users_needed(case.exact, len(lacking), compared.leads_needed)[lacking]
        enough = needed[needed <= max(_MOST_TIMES * n, _FEW_USERS)]
        if len(enough) and enough.max() > n:
            lists[case.names] = n, (int(np.ceil(enough.max() / n)) - 1) * n
    return {
        names: MoreUsers(_other_cell(cell, further=lists[names][0]), *lists[names])
        for cell in cells
        if cell.estimator == "simulated"
        and (names := (cell.source.name, cell.system, cell.topic)) in lists
    }
