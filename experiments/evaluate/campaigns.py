"""A campaign of files or data: what `trust` and `crosscheck` take of what `evaluate` takes."""

from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

from prum.experiments.evaluate.given import given_qrels, given_runs
from prum.experiments.evaluate.given_tables import given_costs, given_elements, given_links
from prum.experiments.evaluate.inputs import links_from, read_judged, read_lists
from prum.experiments.evaluate.remarks import InputWarnings, input_warnings
from prum.experiments.fitting.files import given_navigation
from prum.experiments.frame.design import Option
from prum.experiments.frame.inputs import QRELS, RUNS, CostOptions, IdealOptions, LinkOptions
from prum.experiments.measures.judged import ENDLESS, taken
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.link_use import LinkUse, LinkWatch
from prum.simulator.model import InputError
from prum.simulator.tables.files import readable


class CampaignOptions(LinkOptions, CostOptions, IdealOptions):
    """Runs, judgements, links and elements."""

    runs: Annotated[Any, Option("Runs.", data=RUNS)] = field(kw_only=False)
    qrels: Annotated[Any, QRELS] = field(kw_only=False)


def given_campaign(design: Any) -> tuple[Campaign, tuple[InputWarnings, ...], LinkUse, bool]:
    """Return the campaign that a design with `CampaignOptions` names, by files or data.

    With it what is odd of each run's lists, how links are used, and whether the collection's size
    is known; one that is not is `ENDLESS`.

    Raises
    ------
    InputError
        as `evaluate`.
    OSError
        if a file cannot be read.
    """
    given = given_navigation(design.navigation)
    qrels, links = given_qrels(design.qrels), given_links(design.links)
    judged, without = read_judged(
        qrels,
        elements=given_elements(design.elements),
        links=links,
        way=design.way,
        kind=given.kind,
        collection_size=design.collection_size,
        ideal_grade=design.ideal_grade,
        ideals=design.ideals,
        costs=given_costs(design.costs),
    )
    wanted = {topic.topic: topic.ideals for topic in judged}
    collection = judged[0].collection
    watch, counted = LinkWatch(collection.linked.links, wanted), list[InputWarnings]()
    read = dict[str, dict[str, tuple[str, ...]]]()
    for system, by_topic in watch.through(
        read_lists(given_runs(design.runs), judged, takes="ranking", names=design.names)
    ):
        counted.append(input_warnings(system, by_topic, judged))
        read[system] = {topic: taken(by_topic.get(topic, ()), "ranking") for topic in wanted}
    if not read:
        raise InputError("runs", (), "be at least one", remedy="name a run")
    file = links_from(links, given.kind)
    use = watch.use if file is None else watch.checked(file)
    campaign = Campaign(
        name=readable(Path(qrels).name) if isinstance(qrels, str | Path) else "runs",
        ideals=wanted,
        runs=read,
        navigation=collection.linked.browsed(),
        collection_size=ENDLESS if collection.size is None else collection.size,
        without_ideals=tuple(without),
        costs=collection.costs,
    )
    return campaign, tuple(counted), use, collection.size is not None
