"""Which users each list gets: plain ones, rare ones where these are too few, and more of them.

A list's users grow in steps that are fixed beforehand, `sizes`, until each of its comparisons can
be judged or the last size is reached. How often a comparison might be judged is known before any
user is drawn, and its p-value pays for all of them (see `prum.experiments.crosscheck.verdicts`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from prum.experiments.crosscheck.checked_list import CheckedList
from prum.experiments.crosscheck.detectable_errors import strays, users_needed
from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.store import Store
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model.arrays import Flags
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK

# By default a list gets so many times as many users as at first, or so many; in steps of this.
_MOST_TIMES, _FEW_USERS, _STEP = 16, 8 * BLOCK, 4
# By these a comparison may be judged at each step: plain users, rare ones, or the bound of what
# both leave.
TESTS_OF_A_STEP = 3


def sizes(num_users: int, most_users: int | None = None) -> tuple[int, ...]:
    """Return how many users a list has at first, then, ... and at last, `most_users`.

    >>> sizes(100_000), sizes(1_000, 20_000), sizes(1_000, 500)
    ((100000, 400000, 1600000), (1000, 4000, 16000, 20000), (1000,))
    """
    most = max(_MOST_TIMES * num_users, _FEW_USERS) if most_users is None else most_users
    chosen = [num_users]
    while chosen[-1] < most:
        chosen.append(min(_STEP * chosen[-1], most))
    return tuple(chosen)


def with_distribution(cell: Cell) -> Cell:
    """Return the cell whose simulation keeps the distribution of C(r)."""
    if cell.estimator != "simulated":
        return cell
    return replace(cell, content={**cell.content, "distribution": True})


def cases_of(cells: list[Cell], store: Store, looks: int) -> list[CheckedList]:
    """Return a case for each list, from its four cells; it may have so many `looks`."""
    lists: dict[tuple[str, str, str], dict[str, Any]] = {}
    for cell in cells:
        values = lists.setdefault((cell.source.name, cell.system, cell.topic), {})
        values[cell.estimator] = store.result(cell.key)
        if cell.estimator == "exact":
            values["navigation"] = cell.navigation
    estimators = ("navigation", "prum", "exact", "simulated", "no-browsing")
    cases = [
        CheckedList(*names, *(values[of] for of in estimators)) for names, values in lists.items()
    ]
    return [replace(case, looks=looks) for case in cases]


@dataclass(frozen=True, slots=True)
class MoreUsers:
    """A cell of more users of a list, plain or `rare` ones, from the first it does not have yet."""

    cell: Cell
    first: int
    rare: bool


_More = dict[tuple[str, str, str], MoreUsers]


def of_rare_users(
    cells: list[Cell], cases: list[CheckedList], size: int, *, adds_up: bool
) -> _More:
    """Return rare users, by names, up to `size` of lists that those they have cannot carry.

    An engine that cannot add to its users simulates all of them again.
    """
    lists = {
        case.names: 0 if case.rare is None else case.rare.num_users
        for case in cases
        if case.exact is not None
        and (not case.quantities.tested.all() or (case.strays is not None and case.rare is None))
    }
    return _more(cells, lists, size, adds_up, rare=True)


def of_more_users(
    cells: list[Cell], cases: list[CheckedList], size: int, *, adds_up: bool
) -> _More:
    """Return more plain users, by names, up to `size` of lists where these judge what is left.

    By the exact law.
    """
    lists = {}
    for case in cases:
        compared = case.quantities
        lacking: Flags = ~np.all(compared.tested, axis=0)
        needed = users_needed(case.exact, len(lacking), compared.leads_needed)[lacking]
        if (needed <= size).any():
            lists[case.names] = (case.more or case.simulated).num_users
    return _more(cells, lists, size, adds_up, rare=False)


def _more(
    cells: list[Cell],
    lists: Mapping[tuple[str, str, str], int],
    size: int,
    adds_up: bool,
    *,
    rare: bool,
) -> _More:
    """Return the cells of lists with so many users, told apart by their keys, without C(r)'s law.

    So what a store holds of another number of users is another cell.
    """
    found = {}
    for cell in cells:
        names = (cell.source.name, cell.system, cell.topic)
        if cell.estimator != "simulated" or lists.get(names, size) >= size:
            continue
        first = lists[names]
        told: dict[str, Any] = {"rare": True} if rare else {}
        if first:
            told["further"] = first if adds_up else size
        content = {key: value for key, value in cell.content.items() if key != "distribution"}
        more = replace(cell, content={**content, **told})
        found[names] = MoreUsers(more, first if adds_up else 0, rare)
    return found


def with_more(cases: list[CheckedList], store: Store, more: _More) -> list[CheckedList]:
    """Return the cases with the users that some of them got, added to those they had."""

    def of(case: CheckedList) -> CheckedList:
        if case.names not in more:
            return case
        users = more[case.names]
        found = cast("Simulation", store.result(users.cell.key))
        if users.rare:
            return replace(case, rare=case.rare + found if case.rare and users.first else found)
        had = case.more or case.simulated.without_distribution()
        return replace(case, more=had + found if users.first else found)

    return [of(case) for case in cases]


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
