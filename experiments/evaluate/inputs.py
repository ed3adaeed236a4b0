"""From files or data to what is scored: judged topics, runs one after the other, campaigns."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from prum.experiments.evaluate.given import (
    called,
    given_costs,
    given_elements,
    given_links,
    given_qrels,
    given_runs,
)
from prum.experiments.evaluate.remarks import InputWarnings, input_warnings
from prum.experiments.frame.design import Option
from prum.experiments.frame.inputs import QRELS, RUNS, CostOptions, IdealOptions, LinkOptions
from prum.experiments.measures.judged import (
    ENDLESS,
    Collection,
    Judged,
    RankingLike,
    Taken,
    near_misses,
    taken,
)
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.costs import units_of
from prum.simulator.collections.judgements import (
    Assessed,
    Graded,
    assessed_ideals,
    check_judged,
    judgements_from,
    ordered,
    relevance_of,
    systems_in,
)
from prum.simulator.collections.linking import (
    LinkUse,
    LinkWatch,
    brings_links,
    check_browsable,
    linked,
    read_trees,
)
from prum.simulator.collections.preferences import Preferences
from prum.simulator.collections.probabilities import read_intents
from prum.simulator.collections.qrels import Diverse, ideals_of, scale_of
from prum.simulator.collections.trec import RUN_LINES, RunByTopic, named_runs
from prum.simulator.model import Costs, Elements, InputError, Links, Navigation
from prum.simulator.tables.files import looked_at, place, readable
from prum.simulator.tables.read import form_of

# What `given_runs` and `given_qrels` return: files, or what the readers make of files.
RunsGiven = Sequence[str | Path] | Mapping[str, str | Path | Mapping[str, RankingLike]]
# What `given_costs` returns: files, smucker-clarke, and units of costs.
CostsGiven = str | Path | Mapping[str, Costs]
QrelsGiven = str | Path | Graded | Assessed | Diverse | Preferences


def read_judged(
    qrels: QrelsGiven,
    *,
    elements: Sequence[str | Path] | Elements = (),
    links: str | Path | Links | None = None,
    way: str | None = None,
    kind: str | Navigation | None = None,
    collection_size: int | None = None,
    ideal_grade: int = 1,
    ideals: str = "strict",
    by_subtopic: bool = False,
    costs: Sequence[CostsGiven] = (),
    credits: Iterable[str | None] = (),
    by_grade: bool = False,
) -> tuple[list[Judged], list[str]]:
    """Return the judged topics that have an ideal, and the names of those that have none.

    Options are those of `evaluate`, or what the readers return; of subtopics measures without them
    take an element's highest grade.

    Parameters
    ----------
    by_subtopic
        Whether the second column of qrels names subtopics although no element has several.
    credits
        The quantisations by which measures credit what users browse to: links that are made lead to
        these near misses, too.
    by_grade
        Whether topics without ideals are returned, too, if they have a positive grade.

    Raise InputError as the readers; if no topic has an ideal, or the size contradicts the elements.
    """
    has_tree = isinstance(elements, Elements) or bool(elements)
    check_browsable(kind, given=brings_links(kind) or links is not None or has_tree)
    grades, assessed, subtopics, preferences = judgements_from(qrels, by_subtopic=by_subtopic)
    origin = "qrels" if isinstance(qrels, Mapping) else qrels
    files = () if isinstance(elements, Elements) else elements
    tree = elements if isinstance(elements, Elements) else read_trees(files) if files else None
    if assessed is None:
        ideals_by_topic = ideals_of(grades, ideal_grade=ideal_grade)
    else:
        ideals_by_topic = assessed_ideals(assessed, tree, ideals, place=place(origin))
    chosen = {topic: members for topic, members in ideals_by_topic.items() if members}
    if not chosen:
        thing = "number of topics with an ideal element"
        rule, remedy = "be at least 1", "judge more elements, or lower what counts as ideal"
        raise InputError(thing, 0, rule, remedy=remedy, place=place(origin))
    highest, unsure = scale_of(grades)
    collection = Collection(highest_grade=highest, unsure=unsure)
    graded = dict[str, tuple[str, ...]]()
    if by_grade and assessed is None:
        graded = {
            x: ()
            for x in ideals_by_topic
            if x not in chosen and max(grades[x].values(), default=0) > 0
        }
    judged = [
        Judged(
            topic,
            members,
            grades.get(topic),
            None if assessed is None else assessed[topic],
            collection,
            None if subtopics is None else subtopics[topic],
            ideal_grade,
            preferences=None if preferences is None else tuple(preferences[topic]),
        )
        for topic, members in (chosen | graded).items()
    ]
    table = linked(
        links,
        files,
        way,
        chosen,
        qrels=origin,
        tree=tree,
        kind=kind,
        credited=near_misses([topic for topic in judged if topic.ideals], credits),
        relevance=partial(relevance_of, grades, assessed),
    )
    size = collection_size
    if tree is not None:
        if size is not None and size < len(tree):
            rule = f"be at least {len(tree)}, the number of elements"
            raise InputError("collection size", size, rule, remedy="leave it out")
        size = len(tree) if size is None else size
    collection = replace(
        collection,
        size=size,
        elements=tree,
        linked=table,
        kind=table.kind,
        costs=units_of(costs, tree),
        browsed={},
    )
    judged = [replace(topic, collection=collection) for topic in judged]
    return judged, [topic for topic, members in ideals_by_topic.items() if not members]


def read_inputs(
    design: Any, qrels: Any, elements: Any, links: Any, kind: Any, **more: Any
) -> tuple[list[Judged], list[str], LinkWatch]:
    """Return a design's judged topics, those without ideals, and what counts the links used."""
    judged, without = read_judged(
        qrels,
        elements=elements,
        links=links,
        way=design.way,
        kind=kind,
        collection_size=design.collection_size,
        ideal_grade=design.ideal_grade,
        ideals=design.ideals,
        **more,
    )
    ideals = {topic.topic: topic.ideals for topic in judged if topic.ideals}
    return judged, without, LinkWatch(judged[0].collection.linked.links, ideals)


def links_used(watch: LinkWatch, links: Any, kind: str | Navigation | None) -> LinkUse:
    """Return how links are used; raise InputError if some are given and none matters."""
    if links is not None:
        return watch.checked(links if isinstance(links, str | Path) else "links")
    if brings_links(kind):
        return watch.checked(kind if isinstance(kind, str) else "navigation")
    return watch.use


def with_intents(judged: Sequence[Judged], intents: Any) -> list[Judged]:
    """Return topics whose subtopics have probabilities, as `read_intents` reads them."""
    probabilities = read_intents(intents)
    lacking = next((topic.topic for topic in judged if topic.topic not in probabilities), None)
    if lacking is not None:
        raise InputError(
            "judged topic",
            lacking,
            "have intents with probabilities, as others do",
            remedy="add rows for its subtopics",
            place=place(intents) if isinstance(intents, str | Path) else "intents",
        )
    return [replace(topic, intents=probabilities[topic.topic]) for topic in judged]


def read_lists(
    runs: RunsGiven,
    judged: Sequence[Judged],
    *,
    takes: Taken,
    by_topic: bool = False,
    precision: str = "double",
) -> Iterator[tuple[str, Any]]:
    """Yield (system, topic -> ranking) of each run; with `by_topic`, `RunByTopic` of TREC's files.

    A run is a file, TREC or INEX, named by `named_runs` unless it has a name; or topic -> list,
    whose items are elements, best first, or keys with scores. Scores order lists as `read_run`
    says, in a `precision`. Rankings hold ties or scores if some measure takes them.
    """
    tree = judged[0].collection.elements
    topics = [topic.topic for topic in judged]
    for name, lists, origin in _systems(runs, takes, by_topic, precision):
        if isinstance(lists, RunByTopic):
            yield name, lists
            continue
        check_judged(lists, topics, origin)
        if tree is not None:
            check_retrieved(lists, topics, tree, place=origin)
        yield name, lists


def _systems(
    runs: RunsGiven, takes: Taken, by_topic: bool, precision: str
) -> Iterator[tuple[str, Any, str]]:
    """Yield the name, the lists and the origin of each system."""
    read = partial(systems_in, takes=takes, precision=precision)
    if not isinstance(runs, Mapping):
        for name, file in named_runs(runs):
            # A pipe cannot be read again, if lines of a topic do not stand together.
            if by_topic and not form_of(file, RUN_LINES) and os.path.isfile(file):
                yield name, RunByTopic(file, precision), place(file)
                continue
            for system, lists in read(name, file).items():
                yield system, lists, place(file)
        return
    for name, run in runs.items():
        if not isinstance(run, str | Path):
            lists = ordered(run, takes, precision)
            plain = {q: x for q, x in lists.items() if not isinstance(run[q], Mapping)}
            if takes == "ranking":
                lists.update({q: taken(x, takes) for q, x in plain.items()})
            yield name, lists, called(name)
            continue
        with looked_at(run) as file:
            systems = read(name, file)
        if len(systems) > 1:
            thing, rule = f"systems of run {name}", "be one"
            remedy = "give the file itself as runs, or a file for each system"
            raise InputError(thing, ", ".join(systems), rule, remedy=remedy, place=place(run))
        yield name, next(iter(systems.values())), place(run)


def check_retrieved(
    lists: Mapping[str, RankingLike], topics: Sequence[str], tree: Elements, *, place: str
) -> None:
    """Raise if a list for one of the topics holds what is not among the elements."""
    for topic in topics:
        for item in lists.get(topic, ()):
            for element in (item,) if isinstance(item, str) else item:
                if element not in tree.code:
                    thing = f"element retrieved for topic {topic}"
                    rule = "be in the table of elements"
                    remedy = "check its id, or give all elements"
                    raise InputError(thing, element, rule, remedy=remedy, place=place)


class CampaignOptions(LinkOptions, CostOptions, IdealOptions):
    """Runs, judgements, links and elements."""

    runs: Annotated[Any, Option("Runs.", data=RUNS)] = field(kw_only=False)
    qrels: Annotated[Any, QRELS] = field(kw_only=False)


def given_campaign(design: Any) -> tuple[Campaign, tuple[InputWarnings, ...], LinkUse, bool]:
    """Return the campaign that a design with `CampaignOptions` names, by files or data.

    With it what is odd of each run's lists, how links are used, and whether the collection's size
    is known; one that is not is `ENDLESS`.
    """
    from prum.experiments.fitting.fitted import navigation_kind

    kind = navigation_kind(design.navigation)
    qrels, links = given_qrels(design.qrels), given_links(design.links, design.way)
    elements, costs = given_elements(design.elements), given_costs(design.costs)
    judged, without, watch = read_inputs(design, qrels, elements, links, kind, costs=costs)
    ideals = {topic.topic: topic.ideals for topic in judged}
    collection, counted = judged[0].collection, list[InputWarnings]()
    read = dict[str, dict[str, tuple[str, ...]]]()
    for system, by_topic in watch.through(
        read_lists(given_runs(design.runs), judged, takes="ranking")
    ):
        counted.append(input_warnings(system, by_topic, judged))
        read[system] = {topic: taken(by_topic.get(topic, ()), "ranking") for topic in ideals}
    if not read:
        raise InputError("runs", (), "be at least one", remedy="name a run")
    use = links_used(watch, links, kind)
    campaign = Campaign(
        name=readable(Path(qrels).name) if isinstance(qrels, str | Path) else "runs",
        ideals=ideals,
        runs=read,
        navigation=collection.linked.browsed(),
        collection_size=ENDLESS if collection.size is None else collection.size,
        without_ideals=tuple(without),
        costs=collection.costs,
    )
    return campaign, tuple(counted), use, collection.size is not None
