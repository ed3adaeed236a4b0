"""A single value of precision, by PRUM, exactly or of users; and the users, as `prum` has them."""

from collections.abc import Mapping
from functools import wraps
from typing import Any, Literal, get_args

from prum.analytic import closed_form, prum_of
from prum.experiments.evaluate.campaigns import navigation_of_list
from prum.simulator.model import InputError, Links, ListCosts, Navigation, Task
from prum.simulator.model.errors import did_you_mean
from prum.simulator.sampling import Simulation, sampler

By = Literal["prum", "exact", "simulated"]


def precision(
    task: Task,
    browsing: Navigation | Links | Mapping[tuple[str, str], float],
    by: By = "prum",
    *,
    costs: ListCosts | None = None,
    num_users: int = 100_000,
    seed: int = 1,
) -> Any:
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
    match by if isinstance(by, str) else "":
        case "prum":
            return prum_of(task, navigation, costs=costs)
        case "simulated":
            return simulate(task, navigation, costs=costs, num_users=num_users, seed=seed)
        case "exact":
            value = closed_form(task, navigation, costs=costs)
            if value is None:
                rule = "be 'prum' or 'simulated' where the exact value has no closed form"
                raise InputError("by", by, rule, remedy="take 'simulated'")
            return value
    roads = get_args(By)
    raise InputError("by", by, f"be one of {', '.join(roads)}", remedy=did_you_mean(by, roads))


@wraps(sampler.simulate, assigned=["__doc__"])
def simulate(task: Task, navigation: Any, *, seed: int = 1, **options: Any) -> Simulation:
    """Return the simulation of users who visit links independently if there are only links."""
    if options.keys().isdisjoint(("num_users", "half_width")):
        options["num_users"] = 100_000
    return sampler.simulate(task, navigation_of_list(task, navigation), seed=seed, **options)
