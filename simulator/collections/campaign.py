"""A campaign: topics with their ideals, systems with their lists, one way of browsing; from files.

Files are lists, judgements, and links, or elements or chunks that make links.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from prum.simulator.collections.chunk_files import read_chunks
from prum.simulator.collections.gold_files import read_gold
from prum.simulator.collections.judgements import (
    Lists,
    assessed_ideals,
    check_judged,
    judgements_from,
    lists_of_runs,
    relevance_of,
)
from prum.simulator.collections.linking import (
    Linked,
    LinkUse,
    LinkWatch,
    brings_links,
    check_browsable,
    linked,
    read_trees,
)
from prum.simulator.collections.placing import read_texts
from prum.simulator.collections.qrels import ideals_of
from prum.simulator.model import (
    Costs,
    Covering,
    Elements,
    InputError,
    Links,
    ListCosts,
    Navigation,
    Task,
)
from prum.simulator.model.covering import NEEDS
from prum.simulator.model.errors import shown
from prum.simulator.model.kinds import kind_of
from prum.simulator.model.task import content_key
from prum.simulator.model.way_names import Way, way_of
from prum.simulator.tables.files import place, readable


@dataclass(frozen=True, slots=True)
class Campaign:
    """Several systems on several topics over one collection.

    Each topic has ideals, which are spans where lists hold chunks; each system a ranking for each
    topic, empty for one that it did not answer. The navigation says how users browse, for each
    topic where it depends on the topic's ideals. Of chunks each list's own `collection_size` may be
    larger: `Covering.collection_size`. Judged topics `without_ideals` are left out. `documents`,
    `way` and `elements` are those of links that were made. `costs` have units, where users are
    charged for what they consult; chunks cost what their table says.
    """

    name: str
    ideals: Mapping[str, Sequence[str]]
    runs: Mapping[str, Mapping[str, Sequence[str]]]
    navigation: Navigation | Mapping[str, Navigation]
    collection_size: int
    without_ideals: tuple[str, ...] = ()
    documents: Mapping[str, str] | None = None
    way: Way | None = None
    elements: Elements | None = None
    costs: Mapping[str, Costs | ListCosts] = field(default_factory=dict)

    def task(self, system: str, topic: str) -> Task:
        """Return the task of one system on one topic."""
        ranking, size = self.runs[system].get(topic, ()), self.collection_size
        navigation = self.navigation_on(topic)
        if navigation.reading is not None:
            size = navigation.reading.collection_size(len(set(ranking)))
        try:
            return Task(ranking, self.ideals[topic], size)
        except InputError as error:
            raise error.at(f"system {system}, topic {topic}") from None

    def tasks(self) -> Iterator[tuple[str, str, Task]]:
        """Yield (system, topic, task), topic by topic."""
        for topic in self.ideals:
            for system in self.runs:
                yield system, topic, self.task(system, topic)

    def navigation_on(self, topic: str) -> Navigation:
        """Return how users browse on a topic."""
        if isinstance(self.navigation, Mapping):
            return self.navigation[topic]
        return self.navigation

    @property
    def of_spans(self) -> bool:
        """Whether the ideals are spans, and lists hold chunks that show them."""
        return self.navigation_on(next(iter(self.ideals))).reading is not None

    @property
    def links(self) -> Links | dict[str, Links]:
        """The links, each topic's if they differ."""
        if not isinstance(self.navigation, Mapping):
            return self.navigation.links
        tables = {topic: browsed.links for topic, browsed in self.navigation.items()}
        first = next(iter(tables.values()))
        return first if all(table is first for table in tables.values()) else tables

    @property
    def link_use(self) -> LinkUse:
        """How many links there are, start at a listed element, and lead to an ideal.

        Of spans, what shows a part of them is counted.
        """
        return self.link_watch().use

    def link_watch(self) -> LinkWatch:
        """Return a count of the links that matter, by all lists."""
        shown = dict(self.ideals)
        for topic, reading in self._readings().items():
            shown[topic] = reading.touching()
        watch = LinkWatch(self.links, shown)
        for lists in self.runs.values():
            watch.add(lists)
        return watch

    def check_links(self) -> None:
        """Raise InputError if there are links, but none matters; see `LinkWatch.checked`."""
        watch = self.link_watch()
        if watch.use.num_links:
            watch.checked("links")

    @property
    def navigation_keys(self) -> dict[str, str]:
        """The key of the navigation on each topic."""
        if isinstance(self.navigation, Mapping):
            return {topic: self.navigation[topic].key for topic in self.ideals}
        return dict.fromkeys(self.ideals, self.navigation.key)

    @property
    def navigation_key(self) -> str:
        """The key of how users browse on all topics."""
        if isinstance(self.navigation, Mapping):
            return content_key(self.navigation_keys)
        return self.navigation.key

    def costs_of(self, task: Task, navigation: Navigation, unit: str) -> ListCosts:
        """Return what the ranks of a task's list cost in a unit, in whole steps."""
        if navigation.reading is not None and unit not in self.costs:
            costs: ListCosts = navigation.reading.costs_along(task, unit)
        elif unit in self.costs:
            costs = self.costs[unit].along(task)
        else:
            rule = f"be one of {', '.join(map(repr, sorted(self.costs)))}"
            if not self.costs:
                rule = "be left out without costs"
            raise InputError("unit of cost", unit, rule, remedy="give what elements cost in it")
        return costs.stepped(task.num_unranked)

    @property
    def kind(self) -> str:
        """The kind of navigation, as `navigation_of` names it."""
        return kind_of(self.navigation_on(next(iter(self.ideals))))

    def browsed(self, kind: str) -> "Campaign":
        """Return the same campaign with its links browsed in another way, or by a fitted file."""
        if kind == self.kind:
            return self
        if self.of_spans:
            return replace(self, navigation=self._needing(kind))
        table = Linked(self.links, self.documents, way=self.way)
        if not brings_links(kind):
            return replace(self, navigation=table.browsed(kind))
        campaign = replace(self, navigation=table.browsed(kind), way=None)
        campaign.link_watch().checked(kind)
        return campaign

    def _readings(self) -> dict[str, Covering]:
        """Return how chunks are read on each topic; nothing where ideals are no spans."""
        readings = {topic: self.navigation_on(topic).reading for topic in self.ideals}
        return {topic: x for topic, x in readings.items() if x is not None}

    def _needing(self, kind: str) -> dict[str, Navigation]:
        """Return how chunks are read by those who need a share of a span, or the whole."""
        if kind not in NEEDS:
            rule = "be left out where chunks are read for spans"
            remedy = "say what is needed of spans instead, share or whole"
            raise InputError("navigation", kind, rule, remedy=remedy)
        return {topic: reading.needing(kind) for topic, reading in self._readings().items()}


def read_campaign(
    runs: Sequence[str | Path],
    qrels: str | Path,
    links: str | Path | None = None,
    *,
    elements: Sequence[str | Path] = (),
    way: str | None = None,
    collection_size: int | None = None,
    kind: str | Navigation | None = None,
    ideal_grade: int = 1,
    ideals: str = "strict",
) -> Campaign:
    """Return a campaign from runs and judgements, and from links or elements that make links.

    Runs are TREC's, INEX's submissions, or tables with names; judgements qrels with grades or with
    assessments like E3S2, INEX's assessments, or tables with names. An element that is judged for
    several subtopics has its highest grade.

    Systems are named, and folders read, as `named_runs` does. Topics of a run that were not judged
    are ignored. Without links and elements nobody browses. By default users browse as the way is
    meant, along the steps of a walk; else independently.

    Parameters
    ----------
    elements
        A table of elements, or XML files, each a document: `read_elements`, `read_xml`. Beside
        links they make none: users browse by the links, and elements tell documents.
    way
        The way that makes links, as `way_of` reads it; by default elements make those of their
        structure, and links stay as they are.
    collection_size
        Number of elements of the collection; by default those of `elements`.
    kind
        How users browse, as `navigation_of` names it; or the name of a file of `prum fit`, dials
        behind it, as "fitted.json + fading .9", or a navigation: these have links of their own.

    Raise InputError as the readers, `way_of` and `navigation_of`; if no topic has an ideal, or a
    run none of these topics; if ideals, ends of links or all that is listed are no elements;
    if no link matters, or the files name more elements than the collection holds. Raise OSError if
    a file cannot be read.
    """
    has_own = brings_links(kind)
    check_browsable(kind, given=has_own or links is not None or bool(elements))
    check_size_known(collection_size, elements)
    tree = None
    grades, assessed, *_ = judgements_from(qrels)
    if assessed is None:
        judged = ideals_of(grades, ideal_grade=ideal_grade)
        remedy = f"lower the ideal grade (now {ideal_grade}) or judge more elements"
    else:
        tree = read_trees(elements) if elements else None
        judged = assessed_ideals(assessed, tree, ideals, place=place(qrels))
        remedy = "take --ideals best, or assess some element E3S3"
    if not any(judged.values()):
        thing, rule = "number of topics with an ideal element", "be at least 1"
        raise InputError(thing, 0, rule, remedy=remedy, place=str(qrels))
    chosen = {topic: members for topic, members in judged.items() if members}
    lists = dict[str, Lists]()
    for system, by_topic, file in lists_of_runs(runs):
        check_judged(by_topic, list(chosen), place(file))
        lists[system] = by_topic
    table = linked(
        links,
        elements,
        way,
        chosen,
        qrels=qrels,
        tree=tree,
        kind=kind,
        relevance=partial(relevance_of, grades, assessed),
    )
    navigation = table.browsed()
    listed = set[str]().union(
        *(by_topic.get(topic, ()) for by_topic in lists.values() for topic in chosen)
    )
    if elements and listed and listed.isdisjoint(table.named):
        thing, rule = "number of listed elements among the elements", "be at least 1"
        remedy = f"elements have ids like {shown(table.named[-1])}, runs list ids like "
        remedy += f"{shown(min(listed))}: use the same ids, or give all elements"
        raise InputError(thing, 0, rule, remedy=remedy, place=place(elements[0]))
    named = listed.union(table.named, *chosen.values())
    if collection_size is None:
        collection_size = len(table.named)
    if len(named) > collection_size:
        others = "elements" if elements else "links"
        rule = f"be at least {len(named)}, the elements that runs, qrels and {others} name"
        remedy = "count every element of the collection"
        raise InputError("collection size", collection_size, rule, remedy=remedy)
    campaign = Campaign(
        name=readable(Path(qrels).name),
        ideals=chosen,
        runs=lists,
        navigation=navigation,
        collection_size=collection_size,
        without_ideals=tuple(topic for topic, members in judged.items() if not members),
        documents=table.documents,
        way=table.way,
        elements=table.elements,
    )
    if has_own or links is not None:
        campaign.link_watch().checked(table.kind if links is None else links)
    return campaign


def check_size_known(collection_size: int | None, elements: Sequence[object] | None) -> None:
    """Raise InputError if the size of a collection is neither given nor that of its elements."""
    if collection_size is None and not elements:
        rule = "be given where no elements are"
        remedy = "give the number of all elements, or a table of them"
        raise InputError("collection_size", None, rule, remedy=remedy)


def read_span_campaign(
    runs: Sequence[str | Path],
    chunks: str | Path,
    gold: str | Path,
    texts: str | Path | None = None,
    *,
    way: str | None = None,
    whole: bool = False,
    offsets: str = "characters",
) -> Campaign:
    """Return a campaign of systems that rank chunks for questions with gold spans.

    Systems are named, and folders read, as `named_runs` does. Topics of a run that are no questions
    are ignored; a question that a run does not answer has an empty list. The navigation on each
    topic is a `Covering`, the ideals are its spans.

    Parameters
    ----------
    chunks, gold, texts
        As `read_chunks`, `read_gold` and `read_texts` read them.
    way
        What is opened from a chunk, like "chunks next .5 parent .1"; nothing by default.
    whole
        Whether users need all of a span, and not a point of it.
    offsets
        What the offsets of chunks and gold count.

    Raise InputError as the readers, `way_of` and `chunks`; for a ranked id that is not a
    chunk, a gold span in a document that has neither a chunk nor, where texts are given, a text,
    and if no run answers a question. Raise OSError if a file cannot be read.
    """
    documents = None if texts is None else read_texts(texts)
    table = read_chunks(chunks, documents, offsets=offsets)
    needed = read_gold(gold, documents, offsets=offsets)
    # Perhaps documents are named in two ways. With its text known, a document may well have no
    # chunk: nobody sees its spans.
    named = {*table.documents, *(documents or ())}
    for question, spans in needed.spans.items():
        for document in {span.document for span in spans.values()} - named:
            thing = f"document of a span of question {question!r}"
            rule, remedy = "be a document that has chunks", "give all chunks, or the texts"
            if table.documents:
                remedy = f"write names like {shown(table.documents[0])}, {remedy}"
            raise InputError(thing, document, rule, remedy=remedy, place=place(gold))
    lists = dict[str, Lists]()
    for system, by_question, file in lists_of_runs(runs):
        lists[system] = by_question
        for question in by_question.keys() & needed.spans.keys():
            try:
                table.numbers(by_question[question])
            except InputError as error:
                raise error.at(f"{place(file)}, question {question}") from None
    topics = [topic for by_question in lists.values() for topic in by_question]
    if topics and needed.spans.keys().isdisjoint(topics):
        remedy = f"gold has questions like {shown(next(iter(needed.spans)))}, runs topics like "
        remedy += f"{shown(topics[0])}: use the same ids"
        raise InputError("number of questions that runs answer", 0, "be at least 1", remedy=remedy)
    chosen = None if way is None else way_of(way)
    links = Links({}) if chosen is None else chosen.links(table, ())
    return Campaign(
        name=readable(Path(gold).name),
        ideals={question: tuple(sorted(spans)) for question, spans in needed.spans.items()},
        runs=lists,
        navigation={
            question: Covering(table, spans, links=links, whole=whole)
            for question, spans in needed.spans.items()
        },
        collection_size=len(table),
        way=chosen,
    )
