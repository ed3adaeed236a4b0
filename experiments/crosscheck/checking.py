"""Formula beside simulation, with a verdict on each difference: the main job.

Three values of precision stand side by side at every recall value: PRUM as published, the exact
value where the navigation admits one, and what simulated users had. Simulation against exact is a
test with a promised rate of false alarms; PRUM against the exact value is a measurement. "Exact"
is under the navigation that is named beside it: no navigation is how people truly browse.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.depths import checked, depths_of, quantile_table
from prum.experiments.crosscheck.means import (
    OF_LISTS,
    SYMBOLS,
    means_of,
    measured_by,
    with_law_error,
)
from prum.experiments.crosscheck.systems import system_table
from prum.experiments.crosscheck.verdicts import Judgement, Quantities, judge, quantities
from prum.experiments.crosscheck.worth import Worth, strays, users_needed, worth_table
from prum.experiments.statistics.multiplicity import level_of_each
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Axes, Cell, Given, Kept, grid
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.failures import NotComputed
from prum.experiments.sweeps.jobs import Simulate, compute
from prum.experiments.sweeps.progress import Progress
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here, Workers
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.link_use import LinkUse, OpeningUse
from prum.simulator.model import Independent, InputError, Links, ListCosts, Navigation, Task
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.model.errors import proportion, whole_number
from prum.simulator.model.list_costs import ELEMENTS
from prum.simulator.sampling.sampler import checked_seed, checked_threads
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK, MOST_USERS

if TYPE_CHECKING:
    import pandas as pd

# Comparisons get more plain users by themselves up to so many times as many, or so many.
_MOST_TIMES, _FEW_USERS = 16, 8 * BLOCK


@dataclass(frozen=True, slots=True)
class CheckedList:
    """One list checked: its three values and what names it.

    `rare` is a second run, with rare users, where the first cannot carry every comparison, and
    `more` the first with more users, where the second can't either. `strays` is how far users may
    stray where nothing varies by the exact law.
    """

    campaign: str
    system: str
    topic: str
    navigation: str
    prum: PrecisionRecall
    exact: PrecisionRecall | None
    simulated: Simulation
    classical: PrecisionRecall
    rare: Simulation | None = None
    more: Simulation | None = None
    strays: Floats | None = None

    @property
    def names(self) -> tuple[str, str, str]:
        """Campaign, system and topic."""
        return self.campaign, self.system, self.topic

    @property
    def quantities(self) -> Quantities:
        """What is compared."""
        compared = quantities(self.exact, self.simulated, self.rare, self.more)
        return replace(compared, strays=self.strays)

    @property
    def reference(self) -> Floats:
        """Precision under this navigation: exact if it has a closed form, else simulated."""
        return self.simulated.precision if self.exact is None else self.exact.precision

    @property
    def reference_name(self) -> str:
        """What `reference` is, with the navigation under which it holds."""
        return f"{'simulated' if self.exact is None else 'exact'}, {self.navigation}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Crosscheck:
    """The outcome of a cross-check: every comparison, every system, and the verdict.

    Attributes
    ----------
    cases
        One list each, with its three values.
    comparisons
        A row for each campaign, system, topic and r, with its `unit` if costs are counted:
        `prum`, `exact`, `simulated` precision with standard `error` and 95 % interval `low`,
        `high`; `mean_ratio`, E[CL / C] for contrast; what precision is the ratio of, E[CL] and
        E[C]: `prum_leading`, `exact_leading`, `simulated_leading` with standard error
        `leading_error`, and `prum_consulted`, `exact_consulted`, `simulated_consulted`,
        `consulted_error`;
        `rare`, whether these are from users of whom a quarter were drawn as rare; `users`, how
        many there were;
        `z_leading`, `z_consulted`, `z_precision` of simulation against exact; `p`, the smaller
        two-sided p-value of the first two; `verdict`; `detectable_leading`, `detectable_consulted`
        and `detectable`, the errors of E[CL], E[C] and of precision by one of them that would have
        been shown with probability .8; `users_needed` where it is unresolved; `prum_error`, PRUM
        less the exact value or, without one, the simulated, as `reference_name` says with the
        navigation; and the same against the simulation's interval, `prum_error_low`,
        `prum_error_high`.
    systems
        A row for each campaign and system: see `system_table`.
    level
        The family-wise level: the promised rate of false alarms of the whole cross-check.
    num_tested
        Single tests made; each is judged at level / num_tested (Bonferroni).
    unit
        What is counted: elements, or what they cost. With a cost, what stands here of C and CL
        holds of what these elements cost, in this unit.
    quantiles
        None unless they were asked for; else a row for each campaign, system, topic, r and
        `probability`: the quantile of C(r), how many elements so many users consult at most,
        `exact` and `simulated`, `p` of a two-sided test (see
        `prum.experiments.crosscheck.depths`), `verdict`.
    """

    cases: tuple[CheckedList, ...]
    comparisons: "pd.DataFrame"
    systems: "pd.DataFrame"
    level: float
    num_tested: int
    num_users: int
    seed: int
    parameters: dict[str, Any] = field(default_factory=dict)
    quantiles: "pd.DataFrame | None" = None
    unit: str = ELEMENTS

    @property
    def verdict(self) -> str:
        """ "disagrees" if any comparison does, "agrees" if none does and some were tested.

        But "unresolved" if one that was not tested is so many of its errors off that a test at its
        level would have said that it disagrees.
        """
        verdicts = set(self.comparisons["verdict"])
        if self.quantiles is not None:
            verdicts |= set(self.quantiles["verdict"])
        if "disagrees" in verdicts:
            return "disagrees"
        from scipy.special import ndtri

        most = -ndtri(level_of_each(self.level, self.num_tested) / 2)
        if any((case.quantities.errors_off() > most).any() for case in self.cases):
            return "unresolved"
        return "agrees" if "agrees" in verdicts else "not tested"

    @property
    def num_rare(self) -> int:
        """Number of comparisons that were judged on users of whom a quarter were drawn as rare."""
        table = self.comparisons
        return int((table["rare"] & (table["verdict"] != "unresolved")).sum())

    @property
    def of_more(self) -> str:
        """How many comparisons had more users than were asked for, in a sentence; "" if none."""
        users = self.comparisons.loc[~self.comparisons["rare"], "users"]
        more = users[users > self.num_users]
        if not len(more):
            return ""
        up_to = "" if more.min() == more.max() else "up to "
        return (
            f"{len(more):,} judged on {up_to}{more.max():,} users, since {self.num_users:,} are "
            "too few for them."
        )

    @property
    def largest_prum_error(self) -> float:
        """PRUM less the exact, or else simulated, value where it is furthest from 0."""
        errors = self.comparisons["prum_error"].to_numpy()
        return float(errors[np.argmax(np.abs(errors))])

    @property
    def worth(self) -> Worth:
        """The errors that this cross-check would have shown, and the users that it lacks."""
        return Worth.of(self.comparisons)

    def to_frame(self) -> "pd.DataFrame":
        """Return the comparisons, a row for each campaign, system, topic and r."""
        return self.comparisons.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON: NaN and infinities are None or text."""
        return {
            "verdict": self.verdict,
            "level": self.level,
            "num_tested": self.num_tested,
            "num_users": self.num_users,
            "seed": self.seed,
            **({} if self.unit == ELEMENTS else {"unit": self.unit}),
            "worth": self.worth.to_dict(),
            **self.parameters,
            "comparisons": _records(self.comparisons),
            "systems": _records(self.systems),
            **({} if self.quantiles is None else {"quantiles": _records(self.quantiles)}),
        }

    def __repr__(self) -> str:
        columns = ["r", "prum", "exact", "simulated", "error", "p", "verdict"]
        names = ["campaign", "system", "topic"] if len(self.cases) > 1 else []
        shown = "\n".join(
            table.to_string(
                index=False,
                float_format=lambda value: f"{value:.5f}",
                na_rep="-",
                max_rows=40,
            )
            for table in (self.comparisons[names + columns], means_of(self.comparisons, names))
        )
        counts = self.comparisons["verdict"].value_counts().to_dict()
        summary = ", ".join(
            f"{count} {verdict if count == 1 else str(verdict).removesuffix('s')}"
            for verdict, count in counts.items()
        )
        unit = "" if self.unit == ELEMENTS else f"in {self.unit}, "
        return (
            f"{shown}\n{unit}{self.verdict}: {summary} "
            f"({self.num_users:,} users of seed {self.seed}, family-wise level {self.level:g})"
        )


def crosscheck(
    task: Task,
    navigation: Navigation | Links | Mapping[tuple[str, str], float],
    *,
    num_users: int = 100_000,
    seed: int = 1,
    level: float = 0.01,
    costs: ListCosts | None = None,
    simulate: Simulate | None = None,
    quantiles: Sequence[float] = (),
) -> Crosscheck:
    """Check simulation against the closed form on one list, and measure PRUM's error.

    At each r two tests compare simulated E[CL(r)] and E[C(r)], whose ratio is precision, with
    their exact values: z with the measured standard error, p with the skewness of C(r) taken out.
    What the number of users cannot carry is left out and called unresolved (see
    `prum.experiments.crosscheck.verdicts`). `level` is the rate of false alarms of all tests
    together. Of links, (source, target) -> probability, all visits are independent.
    With `costs` what elements cost takes the place of their number, on both sides; both take costs
    in whole steps (`ListCosts.stepped`), so that only what is counted is compared.
    `simulate` is an engine to be checked instead of `prum.simulator.simulate`. `quantiles` are
    probabilities, .9 for how many elements nine users in ten consult at most: exact quantiles of
    C(r) beside simulated ones, tested under the same level.

    Raises
    ------
    InputError
        as `simulate`, for what is no navigation, and a level or a probability outside (0, 1).

    >>> from prum.simulator import Task
    >>> task = Task(["c", "d", "a", "b"], ["a", "b"], 4)          # Fig. 5 and Table III
    >>> links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    >>> crosscheck(task, links).verdict
    'agrees'
    """
    if not isinstance(task, Task):
        rule, remedy = "be a Task", "give Task(ranking, ideals, collection_size)"
        raise InputError("task", task, rule, remedy=remedy)
    if isinstance(navigation, Mapping | Links):
        navigation = Independent(navigation)
    if not isinstance(navigation, Navigation):
        rule, remedy = "be links, or a navigation", 'give {("x", "a"): 0.5}, or Walk(links)'
        raise InputError("navigation", navigation, rule, remedy=remedy)
    campaign = Campaign(
        name="task",
        ideals={"topic": task.ideals},
        runs={"list": {"topic": task.ranking}},
        navigation=navigation,
        collection_size=task.collection_size,
        costs={} if costs is None else {costs.unit: costs},
    )
    return crosscheck_campaigns(
        [campaign],
        cost=None if costs is None else costs.unit,
        num_users=num_users,
        seed=seed,
        level=level,
        simulate=simulate,
        quantiles=quantiles,
    )


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
    proportion("level", level, open_interval=True, remedy="give .01 for one percent")
    checked_seed(seed)
    checked_threads(threads)
    whole_number("num_users", num_users, least=1, most=MOST_USERS, remedy="say how many users")
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
            cells = [_with_distribution(cell) for cell in cells]
        compute_here = partial(compute, threads=threads if here else 1, simulate=simulate)
        budget = UserBudget(num_users, whole=simulate is not None)

        def computed(wanted: list[Cell], budget: UserBudget) -> None:
            outcome = run(wanted, store, workers, budget, function=compute_here, progress=progress)
            for reason in outcome.failures.values():
                raise NotComputed(reason)

        computed(cells, budget)
        cases = _cases(cells, store)
        cases = _with_strays(cases, campaigns)
        if simulate is None or "rare" in signature(simulate).parameters:
            again = _unresolved(cells, cases)
            computed(list(again.values()), budget)
            cases = [
                replace(case, rare=_simulation(store, again.get(case.names))) for case in cases
            ]
        further = _further(cells, cases)
        for times in sorted({times for _, times in further.values()}):
            count = (times - 1) * num_users
            wanted = [cell for cell, own in further.values() if own == times]
            computed(wanted, replace(budget, num_users=count, first_user=num_users))
        cases = [_with_more(case, store, further, simulate is None) for case in cases]
    compared = [case.quantities for case in cases]
    depths = depths_of(cases, campaigns, quantiles)
    num_others = sum(of_list.num_tested for of_list in depths)
    judged, num_tested = judge(compared, level, num_others=num_others)
    threshold = level_of_each(level, num_tested)
    comparisons = pd.concat(
        [_rows(case, outcome) for case, outcome in zip(cases, judged, strict=True)],
        ignore_index=True,
    )
    exact = [case.exact for case in cases]
    worth = worth_table(compared, exact, judged, threshold)
    comparisons = comparisons.join(worth)
    if cost is not None:
        comparisons.insert(list(comparisons.columns).index("r"), "unit", cost)
    parameters = {
        "version": cases[0].simulated.version,
        "campaigns": [
            {
                "name": campaign.name,
                "navigation": type(campaign.navigation_on(next(iter(campaign.ideals)))).__name__,
                "navigation_key": campaign.navigation_key,
                "way": campaign.way and campaign.way.name,
                "kind": campaign.kind,
                "links": asdict(campaign.link_use),
                "collection_size": campaign.collection_size,
                "num_topics": len(campaign.ideals),
                "without_ideals": list(campaign.without_ideals),
            }
            for campaign in campaigns
        ],
    }
    return Crosscheck(
        tuple(cases),
        comparisons,
        pd.concat([system_table(campaign.name, cases) for campaign in campaigns]).reset_index(
            drop=True
        ),
        level,
        num_tested,
        num_users,
        seed,
        parameters,
        quantile_table(cases, depths, threshold),
        ELEMENTS if cost is None else cost,
    )


def _with_distribution(cell: Cell) -> Cell:
    """Return the cell whose simulation keeps the distribution of C(r)."""
    if cell.estimator != "simulated":
        return cell
    return replace(cell, content={**cell.content, "distribution": True})


def _cases(cells: list[Cell], store: Store) -> list[CheckedList]:
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


def _simulation(store: Store, cell: Cell | None) -> Simulation | None:
    """Return what was simulated for a cell, None without one."""
    return None if cell is None else cast("Simulation", store.result(cell.key))


def _unresolved(cells: list[Cell], cases: list[CheckedList]) -> dict[tuple[str, str, str], Cell]:
    """Return cells of rare users, by names, of the lists that plain users cannot carry."""
    unresolved = {
        case.names
        for case in cases
        if case.exact is not None and (case.strays is not None or not case.quantities.tested.all())
    }
    return {
        names: _with_rare_users(cell)
        for cell in cells
        if cell.estimator == "simulated"
        and (names := (cell.source.name, cell.system, cell.topic)) in unresolved
    }


def _with_rare_users(cell: Cell) -> Cell:
    """Return the cell of users of whom a quarter are rare, who have no distribution of C(r)."""
    return _other_cell(cell, "rare")


def _of_further_users(cell: Cell) -> Cell:
    """Return the cell of the users after those of a cell; by its own key these are told apart."""
    return _other_cell(cell, "further")


def _other_cell(cell: Cell, name: str) -> Cell:
    content = {key: value for key, value in cell.content.items() if key != "distribution"}
    return replace(cell, content={**content, name: True})


def _with_more(
    case: CheckedList,
    store: Store,
    further: dict[tuple[str, str, str], tuple[Cell, int]],
    adds_up: bool,
) -> CheckedList:
    """Return the case with its further users, added to the first ones if they `adds_up`."""
    if case.names not in further:
        return case
    more = cast("Simulation", store.result(further[case.names][0].key))
    if adds_up:
        more = case.simulated.without_distribution() + more
    return replace(case, more=more)


def _with_strays(cases: list[CheckedList], campaigns: list[Campaign]) -> list[CheckedList]:
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


def _further(
    cells: list[Cell], cases: list[CheckedList]
) -> dict[tuple[str, str, str], tuple[Cell, int]]:
    """Return cells of more plain users, by names, of lists that lack them, and how often as many.

    As many as the exact law asks for, if these are at most 16 times as many, or eight blocks.
    """
    lists = {}
    for case in cases:
        compared, n = case.quantities, case.simulated.num_users
        lacking: Flags = ~np.all(compared.tested, axis=0)
        needed = users_needed(case.exact, len(lacking), compared.leads_needed)[lacking]
        enough = needed[needed <= max(_MOST_TIMES * n, _FEW_USERS)]
        if len(enough):
            lists[case.names] = int(np.ceil(enough.max() / n))
    return {
        names: (_of_further_users(cell), lists[names])
        for cell in cells
        if cell.estimator == "simulated"
        and (names := (cell.source.name, cell.system, cell.topic)) in lists
        and lists[names] > 1
    }


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


def link_use(crosscheck: Crosscheck, campaign: str) -> LinkUse:
    """Return how many links a campaign has, and how many of them matter."""
    entry_of_campaign = next(
        entry for entry in crosscheck.parameters["campaigns"] if entry["name"] == campaign
    )
    kind = OpeningUse if entry_of_campaign.get("navigation") == "Covering" else LinkUse
    return kind(**entry_of_campaign["links"])


def _records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return rows as plain data: NaN as None, infinite as "inf" or "-inf"."""

    def plain(value: Any) -> Any:
        if isinstance(value, (float, np.floating)):
            number = float(value)
            if np.isnan(number):
                return None
            return number if np.isfinite(number) else str(number)
        return int(value) if isinstance(value, np.integer) else value

    return [
        {str(name): plain(value) for name, value in row.items()}
        for row in table.to_dict(orient="records")
    ]
