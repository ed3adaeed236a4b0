"""Formula beside simulation, with a verdict on each difference: the main job.

Three values of precision stand side by side at every recall value: PRUM as published, the exact
value where the navigation admits one, and what simulated users had. Simulation against exact is a
test with a promised rate of false alarms; PRUM against the exact value is a measurement. "Exact"
is under the navigation that is named beside it: no navigation is how people truly browse.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prum.analytic.precision.of_task import check_orders
from prum.experiments.crosscheck.approximations import Given as GivenApproximation
from prum.experiments.crosscheck.approximations import Names, claims_of
from prum.experiments.crosscheck.ranks import (
    check_countable,
    judged,
    ranks_of,
)
from prum.experiments.crosscheck.result import Crosscheck
from prum.experiments.crosscheck.tables import CheckedList, comparison_rows, system_table
from prum.experiments.crosscheck.verdicts import TESTS, Ends, Judgement, law_of, users_of
from prum.experiments.crosscheck.view import crosscheck_view
from prum.experiments.evaluate.campaigns import campaigns_of
from prum.experiments.statistics.tests import level_of_each
from prum.experiments.sweeps.cells import Cell, Given, Kept, grid
from prum.experiments.sweeps.engine import UserBudget, run
from prum.experiments.sweeps.failures import NotComputed
from prum.experiments.sweeps.jobs import Simulate, compute
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here, Workers
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError, ListCosts, Navigation, Task
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import proportion, whole_number
from prum.simulator.sampling.sampler import checked_seed, checked_threads
from prum.simulator.sampling.streams import MOST_USERS

# Users of a list at most by default: of several, and of a single one.
_MOST_OF_MANY, _MOST_OF_ONE = 1 << 21, 1 << 24


def crosscheck(
    given: Any,
    qrels: Any = None,
    *,
    navigation: Any = None,
    links: Any = None,
    num_users: int = 100_000,
    seed: int = 1,
    level: float = 0.01,
    detect: float = 0.1,
    costs: ListCosts | None = None,
    simulate: Simulate | None = None,
    by_rank: bool = False,
    most_users: int | None = None,
    approximations: Mapping[str, GivenApproximation] | None = None,
    **of_runs: Any,
) -> Crosscheck:
    """Check simulation against the closed form on each list, and measure PRUM's error.

    `given` is a `Task`, whose users browse by `navigation`, which may stand in the second place:
    `Walk` and the like, or links, (source, target) -> probability, which are visited independently;
    without either nobody browses. Or it is a `Campaign`, or several; or runs, with `qrels`, `links`
    and, as `evaluate` takes them, `elements`, `way`, `collection_size`, `ideal_grade`, `ideals`
    and `names`. With `links`, and of campaigns, `navigation` may be a name ("walk").

    At each r simulated E[CL(r)] and E[C(r)], whose ratio is precision, and the spread of C(r) are
    tested against their exact values, by inequalities that hold for any law and any number of users
    (see `prum.experiments.crosscheck.inequalities`). `level` is the rate of false alarms of all
    tests together. The exact law says how many users a list gets, before any is drawn: the fewest
    that would show an error of `detect` of E[C(r)] at each r with probability .8, at least
    `num_users`, at most `most_users` (2^21 by default, of a single list 2^24). Where these do not
    show it and nothing disagrees the comparison is unresolved. With `costs`, of a task, what
    elements cost takes the place of their number, on both sides; both take costs in whole steps
    (`ListCosts.stepped`), so that only what is counted is compared.
    `simulate` is an engine to be checked instead of `prum.simulator.simulate`; its users must be
    independent of each other. `by_rank` adds P(rank is consulted) and P(rank leads to something
    new) for each rank and r, on `num_users` users.
    `approximations` by name are functions of (task, navigation) that return precision at r = 1 ..
    t, shape (t,), or a `PrecisionRecall`; such values themselves; or tables (a file, a data frame)
    with columns topic, system, r, precision, or CL and C. Where the exact value stands their error
    is a number and not tested; see `verdicts` and `comparisons`.

    Raises
    ------
    InputError
        as `simulate` and `evaluate`, for what is no navigation, a level or a share outside (0, 1),
        and an approximation that does not give a number for each r.

    >>> from prum.simulator import Task
    >>> task = Task(["c", "d", "a", "b"], ["a", "b"], 4)          # Fig. 5 and Table III
    >>> links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    >>> crosscheck(task, links).verdict
    'agrees'
    """
    if costs is not None and not isinstance(given, Task):
        raise InputError("costs", costs, "be those of a Task", remedy="give a list of its own")
    if not isinstance(costs, ListCosts | None):
        raise InputError("costs", costs, "be ListCosts", remedy="see Costs.along")
    campaigns = campaigns_of(
        given,
        qrels,
        navigation=navigation,
        links=links,
        costs=costs,
        options=signature(crosscheck).parameters,
        **of_runs,
    )
    return crosscheck_campaigns(
        campaigns,
        num_users=num_users,
        seed=seed,
        level=level,
        detect=detect,
        cost=None if costs is None else costs.unit,
        simulate=simulate,
        by_rank=by_rank,
        most_users=most_users,
        approximations=approximations,
    )


def crosscheck_campaigns(
    campaigns: Sequence[Campaign],
    *,
    num_users: int,
    seed: int,
    level: float = 0.01,
    detect: float = 0.1,
    simulate: Simulate | None = None,
    by_rank: bool = False,
    most_users: int | None = None,
    approximations: Mapping[str, GivenApproximation] | None = None,
    cost: str | None = None,
    threads: int | None = None,
    store: Store | None = None,
    workers: Workers | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Crosscheck:
    """Check every list of every campaign under one family-wise level.

    `cost` is a unit of the campaigns' costs, in which users are charged for what they consult.
    A cross-check is a sweep: `store` keeps its results, so that it can be cut off and go on, and
    `workers` compute it, by default this process on `threads` threads (all processors). Results
    do not depend on them. `progress` is called as by `prum.experiments.sweeps.sweep`. All else is
    as `crosscheck` has it. Raises as `crosscheck`, and `NotComputed` if a value could not be
    computed.
    """
    import pandas as pd

    if not isinstance(by_rank, bool):
        raise InputError("by_rank", by_rank, "be True or False", remedy="give one of them")
    if not (simulate is None or callable(simulate)):
        raise InputError("simulate", simulate, "be a function", remedy="leave it out")
    if simulate is not None and (by_rank or store is not None or workers is not None):
        rule = "be left out with by_rank, a store or workers, which do not know it"
        remedy = "check another engine in this process and in memory"
        raise InputError("simulate", simulate, rule, remedy=remedy)
    proportion("level", level, open_interval=True, remedy="give .01 for one percent")
    proportion("detect", detect, open_interval=True, remedy="give .1 for a tenth of E[C]")
    whole_number("num_users", num_users, least=1, most=MOST_USERS, remedy="say how many users")
    if most_users is not None:
        remedy = "say how many users a list may have"
        whole_number("most_users", most_users, least=1, most=MOST_USERS, remedy=remedy)
    checked_seed(seed)
    num_threads = checked_threads(threads)
    lists = _lists(campaigns)
    if by_rank:
        check_countable(lists)
    claims = claims_of({} if approximations is None else approximations, lists)
    of_ranks = lists if by_rank else {}
    ranks, num_others = ranks_of(of_ranks, num_users, seed, num_threads)
    store = Store() if store is None else store
    workers = Here() if workers is None else workers
    here = isinstance(workers, Here)
    function = partial(compute, threads=threads if here else 1, simulate=simulate)
    with TemporaryDirectory(prefix="prum-") as folder:
        sources = [
            Given(campaign) if here else Kept.of(campaign, Path(folder, str(number)))
            for number, campaign in enumerate(campaigns)
        ]
        cells = grid(sources, seeds=(seed,), cost=cost)

        def computed(estimator: str, budget: UserBudget) -> dict[Names, Any]:
            """Return the results of an estimator, by the names of lists."""
            chosen = [cell for cell in cells if cell.estimator == estimator]
            outcome = run(chosen, store, workers, budget, function=function, progress=progress)
            for reason in outcome.failures.values():
                raise NotComputed(reason)
            return {_names(cell): store.result(cell.key) for cell in chosen}

        formulas = {of: computed(of, UserBudget(0)) for of in ("exact", "prum", "no-browsing")}
        named = {campaign.name: campaign for campaign in campaigns}
        exact, ends = formulas["exact"], dict[Names, Ends]()
        for names, (task, browsed) in lists.items():
            costs = None if cost is None else named[names[0]].costs_of(task, browsed, cost)
            ends[names] = Ends.of(task, browsed, costs)
        laws = {names: law_of(exact[names], ends[names]) for names in lists}
        rows = sum(len(law.mean) for law in laws.values() if law is not None)
        num_tested = num_others + TESTS * rows
        threshold = level_of_each(level, num_tested)
        most = most_users or (_MOST_OF_ONE if len(lists) == 1 else _MOST_OF_MANY)
        least, most = num_users, max(num_users, most)
        users = users_of([*laws.values()], detect, threshold, least=least, most=most)
        of_lists = dict(zip(lists, users, strict=True))
        planned = {cell.key: of_lists[_names(cell)] for cell in cells}
        budget = UserBudget(lambda cell: planned[cell.key], whole=simulate is not None)
        simulated = computed("simulated", budget)
    ways = {_names(cell): cell.navigation for cell in cells if cell.estimator == "exact"}
    num_open = sum(task.num_ideals for names, (task, _) in lists.items() if laws[names] is None)
    confidence = 1 - level_of_each(level, num_open)
    cases = [
        CheckedList(
            *names,
            ways[names],
            formulas["prum"][names],
            exact[names],
            simulated[names],
            formulas["no-browsing"][names],
            Judgement.of(
                exact[names],
                simulated[names],
                ends[names],
                level=threshold,
                share=detect,
                confidence=confidence,
            ),
            claims[names],
        )
        for names in lists
    ]
    comparisons = pd.concat([comparison_rows(case) for case in cases], ignore_index=True)
    if cost is not None:
        comparisons.insert(list(comparisons.columns).index("r"), "unit", cost)
    systems = [system_table(campaign.name, cases) for campaign in campaigns]
    names_of_claims = tuple(approximations or ())
    numbers: dict[str, Any] = {
        "num_users": num_users,
        "most_users": most,
        "seed": seed,
        "level": level,
        "detect": detect,
    }
    return Crosscheck(
        view_of=crosscheck_view,
        cases=tuple(cases),
        comparisons=comparisons,
        systems=pd.concat(systems).reset_index(drop=True),
        num_tested=num_tested,
        campaigns=tuple(map(_described, campaigns)),
        ranks=None if ranks is None else judged(ranks, threshold),
        unit=ELEMENTS if cost is None else cost,
        approximations=names_of_claims,
        arguments=numbers | ({"approximations": [*names_of_claims]} if names_of_claims else {}),
        **numbers,
    )


def _names(cell: Cell) -> Names:
    return cell.source.name, cell.system, cell.topic


def _lists(campaigns: Sequence[Campaign]) -> dict[Names, tuple[Task, Navigation]]:
    """Return each list and how its users browse, by campaign, system and topic.

    Raise InputError without any campaign, for two of one name, and for ties that are too many.
    """
    if not campaigns:
        raise InputError("campaigns", (), "be at least one", remedy="give a Task or a Campaign")
    lists: dict[Names, tuple[Task, Navigation]] = {}
    for campaign in campaigns:
        for system, topic, task in campaign.tasks():
            browsed = campaign.navigation_on(topic)
            if (names := (campaign.name, system, topic)) in lists:
                remedy = "rename one of the two"
                raise InputError("campaign", names[0], "have a name of its own", remedy=remedy)
            try:
                if browsed.is_tied:
                    check_orders(task, browsed)
            except InputError as error:
                raise error.at(f"system {system}, topic {topic}") from None
            lists[names] = task, browsed
    return lists


def _described(campaign: Campaign) -> dict[str, Any]:
    """Return what is known of a campaign."""
    return {
        "name": campaign.name,
        "navigation": type(campaign.navigation_on(next(iter(campaign.ideals)))).__name__,
        "navigation_key": campaign.navigation_key,
        "way": campaign.way.name if campaign.way else None,
        "kind": campaign.kind,
        "links": campaign.link_use,
        "collection_size": campaign.collection_size,
        "num_topics": len(campaign.ideals),
        "without_ideals": list(campaign.without_ideals),
    }
