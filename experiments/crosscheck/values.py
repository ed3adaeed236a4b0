"""A single value of precision, by PRUM, exactly or of users; where noisy-or errs, in words."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from prum.analytic import PrecisionRecall, closed_form, prum_of
from prum.experiments.crosscheck.tables import reference_name
from prum.experiments.frame.numbers import apart_from_zero
from prum.experiments.frame.verb import watched
from prum.simulator.model import Independent, InputError, Links, ListCosts, Navigation, Task
from prum.simulator.model.errors import did_you_mean
from prum.simulator.sampling import Simulation, simulate

if TYPE_CHECKING:
    from prum.experiments.crosscheck.result import Crosscheck

By = Literal["prum", "exact", "simulated"]


@overload
def precision(
    task: Task,
    browsing: Navigation | Links | Mapping[tuple[str, str], float],
    by: Literal["simulated"],
    *,
    costs: ListCosts | None = None,
    num_users: int = 100_000,
    seed: int = 1,
) -> Simulation: ...


@overload
def precision(
    task: Task,
    browsing: Navigation | Links | Mapping[tuple[str, str], float],
    by: Literal["prum", "exact"] = "prum",
    *,
    costs: ListCosts | None = None,
    num_users: int = 100_000,
    seed: int = 1,
) -> PrecisionRecall: ...


def precision(
    task: Task,
    browsing: Navigation | Links | Mapping[tuple[str, str], float],
    by: By = "prum",
    *,
    costs: ListCosts | None = None,
    num_users: int = 100_000,
    seed: int = 1,
) -> PrecisionRecall | Simulation:
    """Return precision(r) = E[CL(r)] / E[C(r)] of a list and its users, r = 1 .. t, in [0, 1].

    Each road gives `leading`, E[CL(r)], `consulted`, E[C(r)], and `precision`, arrays of shape
    (t,), index 0 is r = 1; that of simulated users also has their standard errors. What the three
    differ by, with a verdict, is `crosscheck`'s.

    Parameters
    ----------
    task
        The list, the ideals and the size of the collection.
    browsing
        How users browse: a navigation, or links, (source, target) -> probability, of which all
        visits are independent.
    by
        "prum": the closed form of Piwowarski, Gallinari and Dupret (2007), equations 5 to 8, under
        Hypotheses 2.1 to 2.3. "exact": the closed form without Hypothesis 2.3, under the dependence
        between visits that `browsing` has. "simulated": the mean over users drawn one by one.
    costs
        What ranks cost, counted in the place of elements.
    num_users, seed
        Of "simulated" alone: how many users, and which.

    Raises
    ------
    InputError
        for what is no task or no way of browsing; for "exact" where `browsing` has no closed form;
        and as `simulate`.

    >>> from prum.simulator import Task
    >>> task = Task(["c", "d", "a", "b"], ["a", "b"], 4)          # Fig. 5 and Table III
    >>> links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    >>> precision(task, links)
    PrecisionRecall(PRUM, t = 2: precision .6914 .6356)
    >>> precision(task, links, by="exact")
    PrecisionRecall(exact, t = 2: precision .6914 .6462)
    >>> precision(task, links, by="simulated")
    Simulation(100,000 users of seed 1, t = 2: precision .6916±.0010 .6461±.0006)
    """
    navigation = navigation_of_list(task, browsing)
    match by:
        case "prum":
            return prum_of(task, navigation, costs=costs)
        case "simulated":
            done = 0

            def more(users: int) -> None:
                nonlocal done
                done += users
                tell(done / num_users)

            with watched("precision") as tell:
                return simulate(
                    task, navigation, costs=costs, num_users=num_users, seed=seed, progress=more
                )
        case "exact":
            found = closed_form(task, navigation, costs=costs)
            if found is None:
                rule = "be 'prum' or 'simulated' where the exact value has no closed form"
                raise InputError("by", by, rule, remedy="take 'simulated'")
            return found
    roads = get_args(By)
    raise InputError("by", by, f"be one of {', '.join(roads)}", remedy=did_you_mean(by, roads))


def navigation_of_list(task: Any, browsing: Any) -> Navigation:
    """Return how users of a task browse, who visit links independently if there are only links.

    Raise InputError for what is no task, and what is neither links nor a navigation.
    """
    if not isinstance(task, Task):
        rule, remedy = "be a Task", "give Task(ranking, ideals, collection_size)"
        raise InputError("task", task, rule, remedy=remedy)
    if isinstance(browsing, Mapping | Links):
        return Independent(browsing)
    if not isinstance(browsing, Navigation):
        rule, remedy = "be links, or a navigation", 'give {("x", "a"): 0.5}, or Walk(links)'
        raise InputError("navigation", browsing, rule, remedy=remedy)
    return browsing


# A list whose precision noisy-or misses by more, averaged over recall values, is counted.
_OFF = 0.01
_MOST_SYSTEMS = 10


def noisy_or_in_words(crosscheck: "Crosscheck", campaign: str) -> str:
    """Return by how much noisy-or misses a campaign's precision; nothing where none has spans.

    PRUM multiplies what chunks miss of a span, as if they lay in it independently of each other.
    Chunks side by side cover more than that, chunks that overlap less.
    """
    entries = crosscheck.campaigns
    if all(x.get("navigation") != "Covering" for x in entries if x["name"] == campaign):
        return ""
    cases = [case for case in crosscheck.cases if case.campaign == campaign]
    rows = crosscheck.comparisons[crosscheck.comparisons["campaign"] == campaign]
    errors = rows["prum_error"]
    of_lists = errors.groupby([rows["system"], rows["topic"]]).mean()
    of_systems = of_lists.groupby(level=0, sort=False).mean()
    means = [f"{_signed(error)} ({system})" for system, error in of_systems.items()][:_MOST_SYSTEMS]
    more = len(of_systems) - len(means)
    means += [f"{more} more systems"] * (more > 0)
    num_off = int((of_lists.abs() > _OFF).sum())
    off = f"{num_off:,}" if num_off else "none"
    count = f" Lists that are off by more than {_OFF:g}: {off} of {len(of_lists):,}."
    return (
        "PRUM takes chunks to miss a span independently of each other (noisy-or), and not by what "
        f"they cover together. Against {reference_name(cases)}, its mean error is "
        f"{', '.join(means)}; at single recall values it lies between {_signed(errors.min())} and "
        f"{_signed(errors.max())}.{count if len(of_lists) > 1 else ''}"
    )


def _signed(error: float) -> str:
    return f"{error:{apart_from_zero(error, '+.4f')}}"
