"""What verbs take for a campaign: a task, campaigns, or runs with judgements, files or data."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, TypeVar

from prum.experiments.evaluate.given import given_links, is_list
from prum.experiments.evaluate.inputs import CampaignOptions, given_campaign
from prum.simulator.collections import campaign as campaign_files
from prum.simulator.collections.campaign import Campaign, check_size_known
from prum.simulator.collections.linking import Linked
from prum.simulator.model import Independent, InputError, Links, ListCosts, Navigation, Task
from prum.simulator.model.errors import did_you_mean

D = TypeVar("D", bound=Any)
# How the list of a task is called among runs.
SYSTEM, TOPIC = "list", "topic"


def campaigns_of(
    given: Any,
    qrels: Any = None,
    *,
    navigation: Any = None,
    links: Any = None,
    costs: ListCosts | None = None,
    options: Iterable[str] = (),
    **of_runs: Any,
) -> list[Campaign]:
    """Return the campaign of a task, of runs and judgements, or campaigns, as they are browsed.

    In the second place a task and campaigns may have their navigation. `of_runs` are other options
    of runs; `options` are those that a user may have meant.
    """
    campaigns = [given] if isinstance(given, Campaign) else given
    is_ready = is_list(campaigns) and len(campaigns) and isinstance(campaigns[0], Campaign)
    is_of_runs = not (isinstance(given, Task) or is_ready) and qrels is not None
    taken = [option.name for option in CampaignOptions.fields()]
    for name in [name for name in of_runs if not is_of_runs or name not in taken]:
        remedy = did_you_mean(
            name, {*options, *taken} - {name}, "leave it out, or give runs with qrels=..."
        )
        rule = "be an option" if is_of_runs else "be left out without qrels"
        raise InputError(name, of_runs[name], rule, remedy=remedy)
    if is_of_runs:
        return [_of_runs(given, qrels, links=links, navigation=navigation, **of_runs)]
    if qrels is not None and navigation is not None:
        raise InputError("qrels", qrels, "be left out beside a task", remedy="leave it out")
    navigation = qrels if navigation is None else navigation
    if isinstance(given, Task):
        if isinstance(navigation, str):
            navigation = Linked(given_links({} if links is None else links)).browsed(navigation)
        elif navigation is None:
            navigation = {} if links is None else given_links(links)
        return [_of_task(given, navigation_of_list(given, navigation), costs)]
    if not (is_list(campaigns) and all(isinstance(each, Campaign) for each in campaigns)):
        rule, remedy = "be a Task, a Campaign, or runs", "give qrels=... beside runs"
        raise InputError("campaign", given, rule, remedy=remedy)
    browsed = [_browsed(campaign, navigation) for campaign in campaigns]
    for campaign in browsed:
        campaign.check_links()
    return browsed


def _of_runs(runs: Any, qrels: Any, **options: Any) -> Campaign:
    design = CampaignOptions(runs, qrels, **options)
    check_size_known(design.collection_size, design.elements)
    return given_campaign(design)[0]


def _of_task(task: Task, browsing: Navigation, costs: ListCosts | None = None) -> Campaign:
    units = {} if costs is None else {costs.unit: costs}
    runs, ideals = {SYSTEM: {TOPIC: task.ranking}}, {TOPIC: task.ideals}
    return Campaign("task", ideals, runs, browsing, task.collection_size, costs=units)


def _browsed(campaign: Campaign, navigation: Any) -> Campaign:
    if navigation is None:
        return campaign
    if isinstance(navigation, str):
        return campaign.browsed(navigation)
    browsing = navigation_of_list(next(campaign.tasks())[2], navigation)
    return replace(campaign, navigation=browsing)


def task_as_runs(design: D) -> D:
    """Return a design whose runs are a task as one of a run; its navigation may stand for qrels."""
    task = design.runs
    if not isinstance(task, Task):
        return design
    navigation, links = design.navigation, design.links
    if navigation is None:
        navigation = design.qrels
    if isinstance(navigation, Mapping | Links):
        navigation, links = None, navigation
    if not isinstance(navigation, str | None):
        navigation = navigation_of_list(task, navigation)
    return replace(
        design,
        runs={SYSTEM: {TOPIC: task.ranking}},
        qrels={TOPIC: dict.fromkeys(task.ideals, 1)},
        navigation=navigation,
        links=links,
        collection_size=task.collection_size,
    )


def _is_file(source: Any) -> bool:
    if isinstance(source, list | tuple):
        return all(map(_is_file, source))
    return source is None or isinstance(source, str | PathLike)


def read_campaign(runs: Any, qrels: Any, links: Any = None, **options: Any) -> Campaign:
    """Return a campaign from runs and judgements, and from links or elements that make links.

    All may be files, or data as `evaluate` takes them. Options are those of
    `prum.simulator.read_campaign`; `kind` says how users browse.

    Raises
    ------
    InputError
        as `prum.simulator.read_campaign`, and `evaluate` for data.
    OSError
        if a file cannot be read.

    >>> read_campaign({"s": {"q": ["x", "a"]}}, {"q": {"a": 1}}, collection_size=4).runs
    {'s': {'q': ('x', 'a')}}
    """
    if all(map(_is_file, (runs, qrels, links, options.get("elements")))):
        paths: Any = [runs] if isinstance(runs, str | PathLike) else runs
        return campaign_files.read_campaign(paths, qrels, links, **options)
    navigation = options.pop("kind", None)
    return _of_runs(runs, qrels, links=links, navigation=navigation, **options)


def navigation_of_list(task: Any, browsing: Any) -> Navigation:
    """Return how users of a task browse, who visit links independently if there are only links."""
    if not isinstance(task, Task):
        rule, remedy = "be a Task", "give Task(ranking, ideals, collection_size)"
        raise InputError("task", task, rule, remedy=remedy)
    if isinstance(browsing, Mapping | Links):
        browsing = Independent(browsing)
    if not isinstance(browsing, Navigation):
        rule, remedy = "be links, or a navigation", 'give {("x", "a"): 0.5}, or Walk(links)'
        raise InputError("navigation", browsing, rule, remedy=remedy)
    _of_task(task, browsing).check_links()
    return browsing
