"""A campaign of files or data: what `trust` and `crosscheck` take of what `evaluate` takes."""

from pathlib import Path
from typing import Any, NamedTuple

from prum.experiments.evaluate.given import given_qrels, given_runs
from prum.experiments.evaluate.given_tables import given_costs, given_elements, given_links
from prum.experiments.evaluate.inputs import links_from, read_judged, read_lists
from prum.experiments.evaluate.remarks import InputWarnings, input_warnings
from prum.experiments.fitting.files import given_navigation
from prum.experiments.measures.judged import ENDLESS, taken
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.link_use import LinkUse, LinkWatch
from prum.simulator.model import InputError
from prum.simulator.tables.files import readable


class GivenCampaign(NamedTuple):
    """A campaign, what is odd of each run's lists, how links are used, and whether size is known.

    A collection of unknown size is `ENDLESS`.
    """

    campaign: Campaign
    warnings: tuple[InputWarnings, ...]
    links: LinkUse
    knows_size: bool


def given_campaign(
    runs: Any,
    qrels: Any,
    *,
    links: Any = None,
    elements: Any = (),
    way: str | None = None,
    navigation: Any = None,
    collection_size: int | None = None,
    ideal_grade: int = 1,
    ideals: str = "strict",
    names: str = "file",
    costs: Any = (),
) -> GivenCampaign:
    """Return the campaign of runs, judgements and links, each a file or data, as of `evaluate`.

    Raises
    ------
    InputError
        as `evaluate`.
    OSError
        if a file cannot be read.
    """
    given = given_navigation(navigation)
    name = readable(Path(qrels).name) if isinstance(qrels, str | Path) else "runs"
    runs, qrels = given_runs(runs), given_qrels(qrels)
    links, elements = given_links(links), given_elements(elements)
    judged, without = read_judged(
        qrels,
        elements=elements,
        links=links,
        way=way,
        kind=given.kind,
        collection_size=collection_size,
        ideal_grade=ideal_grade,
        ideals=ideals,
        costs=given_costs(costs),
    )
    wanted = {topic.topic: topic.ideals for topic in judged}
    collection = judged[0].collection
    watch, counted = LinkWatch(collection.linked.links, wanted), list[InputWarnings]()
    read = dict[str, dict[str, tuple[str, ...]]]()
    for system, by_topic in watch.through(read_lists(runs, judged, takes="ranking", names=names)):
        counted.append(input_warnings(system, by_topic, judged))
        read[system] = {topic: taken(by_topic.get(topic, ()), "ranking") for topic in wanted}
    if not read:
        raise InputError("runs", (), "be at least one", remedy="name a run")
    file = links_from(links, given.kind)
    use = watch.use if file is None else watch.checked(file)
    campaign = Campaign(
        name=name,
        ideals=wanted,
        runs=read,
        navigation=collection.linked.browsed(),
        collection_size=ENDLESS if collection.size is None else collection.size,
        without_ideals=tuple(without),
        costs=collection.costs,
    )
    return GivenCampaign(campaign, tuple(counted), use, collection.size is not None)
