"""Formula beside simulation, with a verdict on each difference: the main job.

Three values of precision stand side by side at every recall value: PRUM as published, the exact
value where the navigation admits one, and what simulated users had. Simulation against exact is a
test with a promised rate of false alarms; PRUM against the exact value is a measurement. "Exact"
is under the navigation that is named beside it: no navigation is how people truly browse.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic.precision.of_task import check_orders
from prum.experiments.crosscheck.approximations import PRUM, ClaimVerdict, claims_of, judged_claims
from prum.experiments.crosscheck.approximations import (
    Given as GivenApproximation,
)
from prum.experiments.crosscheck.checked_list import CheckedList, Claimed
from prum.experiments.crosscheck.compared import (
    OF_LISTS,
    SYMBOLS,
    measured_by,
    with_law_error,
)
from prum.experiments.crosscheck.depths import (
    check_countable,
    checked,
    depths_of,
    quantile_table,
    rank_table,
    ranks_of,
)
from prum.experiments.crosscheck.detectable_errors import detectable_table
from prum.experiments.crosscheck.result import Crosscheck
from prum.experiments.crosscheck.tables import system_table
from prum.experiments.crosscheck.users import (
    TESTS_OF_A_STEP,
    cases_of,
    of_more_users,
    sizes,
    with_distribution,
    with_more,
    with_strays,
)
from prum.experiments.crosscheck.values import navigation_of_list
from prum.experiments.crosscheck.verdicts import Judgement, judge
from prum.experiments.crosscheck.view import crosscheck_view
from prum.experiments.evaluate.given import given_links, is_list
from prum.experiments.evaluate.inputs import CampaignOptions, given_campaign
from prum.experiments.statistics.tests import level_of_each
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Axes, Cell, Given, Kept, grid
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.failures import NotComputed
from prum.experiments.sweeps.jobs import Simulate, compute
from prum.experiments.sweeps.progress import Progress
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here, Workers
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.campaign_files import check_size_known
from prum.simulator.collections.linking import Linked
from prum.simulator.model import InputError, ListCosts, Task
from prum.simulator.model.arrays import Flags
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import did_you_mean, proportion, whole_number
from prum.simulator.sampling.sampler import checked_seed, checked_threads
from prum.simulator.sampling.streams import MOST_USERS

if TYPE_CHECKING:
    import pandas as pd


def crosscheck(
    given: Any,
    navigation: Any = None,
    *,
    qrels: Any = None,
    links: Any = None,
    num_users: int = 100_000,
    seed: int = 1,
    level: float = 0.01,
    costs: ListCosts | None = None,
    simulate: Simulate | None = None,
    quantiles: Sequence[float] = (),
    by_rank: bool = False,
    most_users: int | None = None,
    approximations: Mapping[str, GivenApproximation] | None = None,
    **of_runs: Any,
) -> Crosscheck:
    """Check simulation against the closed form on each list, and measure PRUM's error.

    `given` is a `Task`, whose users browse by `navigation`: `Walk` and the like, or links,
    (source, target) -> probability, which are visited independently; without either nobody
    browses. Or it is a `Campaign`, or several; or runs, with `qrels`, `links` and, as `evaluate`
    takes them, `elements`, `way`, `collection_size`, `ideal_grade`, `ideals` and `names`. With
    `links`, and of campaigns, `navigation` may be a name ("walk").

    At each r two tests compare simulated E[CL(r)] and E[C(r)], whose ratio is precision, with
    their exact values: z with the measured standard error, p with the skewness of C(r) taken out.
    Where `num_users` cannot carry a comparison more are drawn, `most_users` of a list at most (16
    times as many and at least 131,072 by default); what these cannot carry either is called
    unresolved (see `prum.experiments.crosscheck.verdicts`). `level` is the rate of false alarms of
    all tests together. With `costs`, of a task, what elements cost takes the place of their number,
    on both sides; both take costs in whole steps (`ListCosts.stepped`), so that only what is
    counted is compared.
    `simulate` is an engine to be checked instead of `prum.simulator.simulate`. `quantiles` are
    probabilities, .9 for how many elements nine users in ten consult at most: exact quantiles of
    C(r) beside simulated ones, tested under the same level; `by_rank`, P(rank is consulted) and
    P(rank leads to something new) for each rank and r, on the first users alone.
    `approximations` by name get the same verdict: functions of (task, navigation) that return
    precision at r = 1 .. t, shape (t,), or a `PrecisionRecall`; such values themselves; or tables
    (a file, a data frame) with columns topic, system, r, precision, and CL and C if they are known.
    What is found of each stands in `verdicts` and in columns of `comparisons`.

    Raises
    ------
    InputError
        as `simulate` and `evaluate`, for what is no navigation, a level or a probability outside
        (0, 1), and an approximation that does not give a number for each r.

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
    taken = [one.name for one in CampaignOptions.fields()]
    for name in [name for name in of_runs if qrels is None or name not in taken]:
        known = {*signature(crosscheck).parameters, *taken} - {name}
        remedy = did_you_mean(name, known, "leave it out, or give runs with qrels=...")
        rule = "be an option" if qrels is not None else "be left out without qrels"
        raise InputError(name, of_runs[name], rule, remedy=remedy)
    if qrels is not None:
        design = CampaignOptions(given, qrels, links=links, navigation=navigation, **of_runs)
        check_size_known(design.collection_size, design.elements)
        campaigns = [given_campaign(design)[0]]
    else:
        campaigns = _campaigns(given, navigation, links, costs)
        for campaign in campaigns:
            campaign.check_links()
    return crosscheck_campaigns(
        campaigns,
        cost=None if costs is None else costs.unit,
        num_users=num_users,
        seed=seed,
        level=level,
        simulate=simulate,
        quantiles=quantiles,
        by_rank=by_rank,
        most_users=most_users,
        approximations=approximations,
    )


def _campaigns(given: Any, navigation: Any, links: Any, costs: ListCosts | None) -> list[Campaign]:
    """Return campaigns that are given, browsed by `navigation`, or the one of a task."""
    if isinstance(given, Task):
        if isinstance(navigation, str):
            navigation = Linked(given_links({} if links is None else links)).browsed(navigation)
        elif navigation is None:
            navigation = {} if links is None else given_links(links)
        browsed = navigation_of_list(given, navigation)
        unit = {} if costs is None else {costs.unit: costs}
        runs = {"list": {"topic": given.ranking}}
        ideals = {"topic": given.ideals}
        return [Campaign("task", ideals, runs, browsed, given.collection_size, costs=unit)]
    campaigns = [given] if isinstance(given, Campaign) else given
    if not (is_list(campaigns) and all(isinstance(one, Campaign) for one in campaigns)):
        rule, remedy = "be a Task, a Campaign, or runs", "give qrels=... beside runs"
        raise InputError("what is checked", given, rule, remedy=remedy)
    if navigation is None:
        return list(campaigns)
    if isinstance(navigation, str):
        return [campaign.browsed(navigation) for campaign in campaigns]
    return [
        replace(campaign, navigation=navigation_of_list(next(campaign.tasks())[2], navigation))
        for campaign in campaigns
    ]


def crosscheck_campaigns(
    campaigns: list[Campaign],
    *,
    num_users: int,
    seed: int,
    level: float = 0.01,
    cost: str | None = None,
    simulate: Simulate | None = None,
    threads: int | None = None,
    store: Store | None = None,
    workers: Workers | None = None,
    progress: Callable[[Progress], object] | None = None,
    quantiles: Sequence[float] = (),
    by_rank: bool = False,
    most_users: int | None = None,
    approximations: Mapping[str, GivenApproximation] | None = None,
) -> Crosscheck:
    """Check every list of every campaign under one family-wise level.

    `cost` is a unit of the campaigns' costs, in which users are charged for what they consult.
    A cross-check is a sweep: `store` keeps its results, so that it can be cut off and go on, and
    `workers` compute it, by default this process on `threads` threads (all processors). Results
    do not depend on them. `progress` is called as by `prum.experiments.sweeps.sweep`. Raises as
    `crosscheck`, and `NotComputed` if a value could not be computed.
    """
    import pandas as pd

    checked(quantiles)
    if not isinstance(by_rank, bool):
        raise InputError("by_rank", by_rank, "be True or False", remedy="give one of them")
    if not (simulate is None or callable(simulate)):
        raise InputError("simulate", simulate, "be a function", remedy="leave it out")
    if not campaigns:
        raise InputError("campaigns", (), "be at least one", remedy="give a Task or a Campaign")
    proportion("level", level, open_interval=True, remedy="give .01 for one percent")
    checked_seed(seed)
    num_threads = checked_threads(threads)
    whole_number("num_users", num_users, least=1, most=MOST_USERS, remedy="say how many users")
    if most_users is not None:
        remedy = "say how many users a list may have"
        whole_number("most_users", most_users, least=1, most=MOST_USERS, remedy=remedy)
    names = [campaign.name for campaign in campaigns]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                "campaign", name, "have a name of its own", remedy="rename one of the two"
            )
    if simulate is not None and (store is not None or workers is not None):
        rule = "be left out with a store or workers, whose keys do not know it"
        remedy = "check another engine in this process and in memory"
        raise InputError("simulate", simulate, rule, remedy=remedy)
    for campaign in campaigns:
        is_tied = campaign.navigation_on(next(iter(campaign.ideals))).is_tied
        for system, topic, task in campaign.tasks() if is_tied else ():
            try:
                check_orders(task, campaign.navigation_on(topic))
            except InputError as error:
                raise error.at(f"system {system}, topic {topic}") from None
    if by_rank:
        if simulate is not None:
            remedy = "check another engine without ranks"
            raise InputError("by_rank", True, "be left out with another engine", remedy=remedy)
        check_countable(campaigns)
    claims = claims_of({} if approximations is None else approximations, campaigns)
    store = Store() if store is None else store
    workers = Here() if workers is None else workers
    here = isinstance(workers, Here)
    with TemporaryDirectory(prefix="prum-") as folder:
        cells = grid(
            [
                Given(campaign) if here else Kept.of(campaign, Path(folder, str(number)))
                for number, campaign in enumerate(campaigns)
            ],
            Axes(seeds=(seed,), cost=(cost,)),
        )
        if quantiles:
            cells = [with_distribution(cell) for cell in cells]
        compute_here = partial(compute, threads=threads if here else 1, simulate=simulate)
        budget = UserBudget(num_users, whole=simulate is not None)

        def computed(wanted: list[Cell], budget: UserBudget) -> None:
            outcome = run(wanted, store, workers, budget, function=compute_here, progress=progress)
            for reason in outcome.failures.values():
                raise NotComputed(reason)

        computed(cells, budget)
        steps = sizes(num_users, most_users)
        # Another engine simulates a list's users at once, so it cannot add to them.
        adds_up = simulate is None
        cases = with_strays(cases_of(cells, store, looks=TESTS_OF_A_STEP * len(steps)), campaigns)
        for size in steps:
            more = of_more_users(cells, cases, size, adds_up=adds_up)
            for first in sorted({users.first for users in more.values()}):
                wanted = [users.cell for users in more.values() if users.first == first]
                computed(wanted, replace(budget, num_users=size - first, first_user=first))
            cases = with_more(cases, store, more)
    cases = [
        replace(case, claims={PRUM: Claimed.of_prum(case.prum), **claims[case.names]})
        for case in cases
    ]
    compared = [case.quantities for case in cases]
    depths = depths_of(cases, campaigns, quantiles)
    ranks = ranks_of(cases, campaigns, num_users, seed, num_threads) if by_rank else []
    num_others = sum(of_list.num_tested for of_list in depths)
    num_others += sum(of_list.tests("exact").number for of_list in ranks)
    judged, num_tested = judge(compared, level, num_others=num_others)
    threshold = level_of_each(level, num_tested)
    claimed = judged_claims(cases, level)
    comparisons = pd.concat(
        [
            _rows(case, outcome).assign(**_columns(case, {n: c[at] for n, c in claimed.items()}))
            for at, (case, outcome) in enumerate(zip(cases, judged, strict=True))
        ],
        ignore_index=True,
    )
    exact = [case.exact for case in cases]
    worth = detectable_table(compared, exact, judged, threshold)
    comparisons = comparisons.join(worth)
    if cost is not None:
        comparisons.insert(list(comparisons.columns).index("r"), "unit", cost)
    return Crosscheck(
        view_of=crosscheck_view,
        cases=tuple(cases),
        comparisons=comparisons,
        systems=pd.concat(
            [system_table(campaign.name, cases) for campaign in campaigns]
        ).reset_index(drop=True),
        level=level,
        num_tested=num_tested,
        num_users=num_users,
        most_users=steps[-1],
        seed=seed,
        campaigns=tuple(
            {
                "name": campaign.name,
                "navigation": type(campaign.navigation_on(next(iter(campaign.ideals)))).__name__,
                "navigation_key": campaign.navigation_key,
                "way": campaign.way.name if campaign.way else None,
                "kind": campaign.kind,
                "links": asdict(campaign.link_use),
                "collection_size": campaign.collection_size,
                "num_topics": len(campaign.ideals),
                "without_ideals": list(campaign.without_ideals),
            }
            for campaign in campaigns
        ),
        quantiles=quantile_table(cases, depths, threshold),
        ranks=rank_table(cases, ranks, level, threshold),
        unit=ELEMENTS if cost is None else cost,
        approximations=tuple(approximations or ()),
        arguments={
            "num_users": num_users,
            "most_users": steps[-1],
            "seed": seed,
            "level": level,
            **({"approximations": list(approximations)} if approximations else {}),
        },
    )


def _columns(case: CheckedList, found: Mapping[str, ClaimVerdict]) -> dict[str, Any]:
    """Return the columns of what approximations claim of a list, and of what was found of PRUM."""
    columns: dict[str, Any] = {}
    for name, claim in case.claims.items():
        own = "prum" if name == PRUM else name
        if name != PRUM:
            columns |= {name: claim.precision, f"{name}_error": claim.precision - case.reference}
            if claim.leading is not None:
                columns |= {f"{name}_leading": claim.leading, f"{name}_consulted": claim.consulted}
        columns |= {f"{own}_p": found[name].p, f"{own}_verdict": found[name].verdicts}
    return columns


def _rows(case: CheckedList, judged: Judgement) -> "pd.DataFrame":
    import pandas as pd

    t = case.prum.num_ideals
    r = np.arange(1, t + 1)
    unknown = np.full(t, np.nan)
    exact = unknown if case.exact is None else case.exact.precision
    compared = case.quantities
    measured = measured_by(case.simulated)
    rare: Flags = np.any(compared.rare, axis=0)
    for other, chosen in ((case.more, compared.more), (case.rare, compared.rare)):
        if other is not None and chosen is not None:
            instead, theirs = chosen.any(axis=0), measured_by(other)
            measured = {
                name: np.where(instead, theirs[name], values) for name, values in measured.items()
            }
    measured = with_law_error(measured, case.exact, compared)
    error = measured["error"]
    z_precision = np.full(t, np.nan)
    np.divide(measured["simulated"] - exact, error, out=z_precision, where=error > 0)
    means = dict(measured)
    for name in SYMBOLS:
        means[f"prum_{name}"] = getattr(case.prum, name)
        means[f"exact_{name}"] = unknown if case.exact is None else getattr(case.exact, name)
    return pd.DataFrame(
        {
            "campaign": case.campaign,
            "system": case.system,
            "topic": case.topic,
            "reference_name": case.reference_name,
            "r": r,
            "recall": r / t,
            "prum": case.prum.precision,
            "exact": exact,
            **{name: measured[name] for name in ("simulated", "error", "low", "high")},
            "mean_ratio": measured["mean_ratio"],
            **{name: means[name] for name in OF_LISTS},
            "rare": rare,
            "users": measured["users"],
            "z_leading": judged.z[0],
            "z_consulted": judged.z[1],
            "z_precision": z_precision,
            "p": judged.p,
            "verdict": judged.verdicts,
            "prum_error": case.prum.precision - case.reference,
            "prum_error_low": case.prum.precision - measured["high"],
            "prum_error_high": case.prum.precision - measured["low"],
        }
    )
