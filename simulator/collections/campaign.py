"""A campaign: topics with their ideals, systems with their lists, and one way of browsing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from prum.simulator.collections.files import place, readable, run_names
from prum.simulator.collections.link_use import LinkUse, LinkWatch, check_browsable
from prum.simulator.collections.linking import Linked, linked
from prum.simulator.collections.read import ideals_of, read_qrels, read_run
from prum.simulator.model import Elements, Independent, InputError, Links, Navigation, Task
from prum.simulator.model.errors import shown
from prum.simulator.model.kinds import kind_of, navigation_of
from prum.simulator.model.task import content_key
from prum.simulator.model.way_names import Way


@dataclass(frozen=True, slots=True)
class Campaign:
    """Several systems on several topics over one collection.

    Parameters
    ----------
    name
        A name to show.
    ideals
        Topic -> ideal elements.
    runs
        System -> topic -> ranking, empty for a topic that the system did not answer.
    navigation
        How users browse; topic -> navigation where it depends on the topic's ideals.
    collection_size
        Number of elements of the collection.
    without_ideals
        Judged topics that hold no ideal and are left out.
    documents
        Element -> document, if it is known.
    way
        The way that made the links, if they were made.
    elements
        The elements, if links were made from them.
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

    def task(self, system: str, topic: str) -> Task:
        """Return the task of one system on one topic.

        Raises
        ------
        InputError
            as `Task`, naming system and topic.
        """
        try:
            return Task(self.runs[system].get(topic, ()), self.ideals[topic], self.collection_size)
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
    def links(self) -> Links | dict[str, Links]:
        """The links, each topic's if they differ."""
        if isinstance(self.navigation, Mapping):
            return {topic: browsed.links for topic, browsed in self.navigation.items()}
        return self.navigation.links

    @property
    def link_use(self) -> LinkUse:
        """How many links there are, start at a listed element, and lead to an ideal."""
        return self.link_watch().use

    def link_watch(self) -> LinkWatch:
        """Return a count of the links that matter, by all lists."""
        watch = LinkWatch(self.links, self.ideals)
        for lists in self.runs.values():
            watch.add(lists)
        return watch

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

    @property
    def kind(self) -> str:
        """The kind of navigation, as `navigation_of` names it."""
        return kind_of(self.navigation_on(next(iter(self.ideals))))

    def browsed(self, kind: str) -> "Campaign":
        """Return the same campaign with its links browsed in another way.

        Raises
        ------
        InputError
            as `navigation_of`, and if the links do not admit it.
        """
        if kind == self.kind:
            return self
        table = Linked(self.links, self.documents, way=self.way)
        return replace(self, navigation=table.browsed(kind))


def read_campaign(
    runs: Sequence[str | Path],
    qrels: str | Path,
    links: str | Path | None = None,
    *,
    elements: Sequence[str | Path] = (),
    way: str | None = None,
    collection_size: int,
    kind: str | None = None,
    ideal_grade: int = 1,
) -> Campaign:
    """Return a campaign from TREC runs and qrels, and from links or elements that make links.

    A system is named by its file, with its folders if another has the same name. Topics of a run
    that were not judged are ignored, as by trec_eval. Without links and elements nobody browses. By
    default users browse as the way is meant, along the steps of a walk; else independently.

    Parameters
    ----------
    elements
        A table of elements, or XML files, each a document: `read_elements`, `read_xml`.
    way
        The way that makes links, as `way_of` reads it; by default elements make those of their
        structure, and links stay as they are.
    kind
        How users browse, as `navigation_of` names it.

    Raises
    ------
    InputError
        as the readers, `way_of` and `navigation_of`; if no topic has an ideal, if an ideal is not
        among the elements, if a run is given twice, if both links and elements are given, if a kind
        is given but neither of these, if no link starts at a listed element or none leads to an
        ideal, if no listed element is among the elements, or if the files name more elements than
        the collection holds.
    OSError
        if a file cannot be read.
    """
    check_browsable(kind, given=links is not None or bool(elements))
    grades = read_qrels(qrels)
    judged = ideals_of(grades, ideal_grade=ideal_grade)
    ideals = {topic: wanted for topic, wanted in judged.items() if wanted}
    if not ideals:
        thing = "number of topics with an ideal element"
        rule = "be at least 1"
        remedy = f"lower the ideal grade (now {ideal_grade}) or judge more elements"
        raise InputError(thing, 0, rule, remedy=remedy, place=str(qrels))
    lists: dict[str, dict[str, tuple[str, ...]]] = {}
    texts: dict[str, str] = {}
    for name, path in zip(run_names(runs), runs, strict=True):
        lists[name] = read_run(path, texts=texts)
    table = linked(links, elements, way, ideals, qrels=qrels)
    if kind is None:
        kind = "independent" if table.way is None else table.way.kind
    navigation = table.browsed(kind)
    listed = set[str]().union(
        *(by_topic.get(topic, ()) for by_topic in lists.values() for topic in ideals)
    )
    if elements and listed and listed.isdisjoint(table.named):
        thing, rule = "number of listed elements among the elements", "be at least 1"
        remedy = f"elements have ids like {shown(table.named[-1])}, runs list ids like "
        remedy += f"{shown(min(listed))}: write them alike, or give all elements"
        raise InputError(thing, 0, rule, remedy=remedy, place=place(elements[0]))
    named = listed.union(table.named, *ideals.values())
    if len(named) > collection_size:
        raise InputError(
            "collection size",
            collection_size,
            f"be at least {len(named)}, the elements that runs, qrels and "
            f"{'elements' if elements else 'links'} name",
            remedy="count every element of the collection",
        )
    campaign = Campaign(
        name=readable(Path(qrels).name),
        ideals=ideals,
        runs=lists,
        navigation=navigation,
        collection_size=collection_size,
        without_ideals=tuple(topic for topic, wanted in judged.items() if not wanted),
        documents=table.documents,
        way=table.way,
        elements=table.elements,
    )
    if links is not None:
        campaign.link_watch().checked(links)
    return campaign


def web_example() -> Campaign:
    """Return the paper's Web example: Fig. 5 and Table III.

    >>> web_example().task("list", "web").ranking
    ('c', 'd', 'a', 'b')
    """
    links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    return Campaign(
        name="web",
        ideals={"web": ("a", "b")},
        runs={"list": {"web": ("c", "d", "a", "b")}},
        navigation=Independent(links),
        collection_size=4,
    )


# The eight systems: the noise in their scores, and what they think a page is worth that links to
# an ideal, beside the ideal itself.
_SYSTEMS = {
    "pointed": (0.30, 0.0),
    "pointed-noisy": (0.38, 0.0),
    "near-miss": (0.30, 0.8),
    "near-miss-noisy": (0.38, 0.8),
    "gateway": (0.30, 1.6),
    "gateway-noisy": (0.38, 1.6),
    "poor": (0.70, 0.4),
    "random": (50.0, 0.0),
}
_NUM_PAGES, _NUM_TOPICS, _DEPTH, _COMMUNITY = 3_000, 20, 100, 50
_CONTINUE = 0.85


def built_in_campaign(kind: str = "independent", *, seed: int = 2007) -> Campaign:
    """Return a made campaign: 20 topics, 8 systems, one graph of 3,000 pages, lists of 100.

    Pages link to 1 to 8 others, mostly in their community of 50, with .85 spread unevenly over the
    links. A topic's 3 to 8 ideals lie in one community. A system scores an ideal 1 and other pages
    by their strongest link to an ideal, times the system's taste for such pages, and adds noise; it
    ranks the best 100. The same seed gives the same campaign.

    >>> campaign = built_in_campaign()
    >>> len(campaign.ideals), len(campaign.runs), len(campaign.navigation.links) > 10_000
    (20, 8, True)
    """
    rng = np.random.default_rng(seed)
    width = len(str(_NUM_PAGES - 1))
    pages = [f"page{number:0{width}}" for number in range(_NUM_PAGES)]
    links: dict[tuple[str, str], float] = {}
    linking: dict[int, list[tuple[int, float]]] = {page: [] for page in range(_NUM_PAGES)}
    for page in range(_NUM_PAGES):
        base = page // _COMMUNITY * _COMMUNITY
        degree = int(rng.integers(1, 9))
        near = base + rng.permutation(_COMMUNITY)[:degree]
        far = rng.integers(0, _NUM_PAGES, degree)
        targets = np.unique(np.where(rng.random(degree) < 0.8, near, far))
        targets = targets[targets != page]
        weights = rng.exponential(size=len(targets)) ** 2
        shares = _CONTINUE * weights / weights.sum()
        for target, share in zip(targets.tolist(), shares.tolist(), strict=True):
            # Six decimals, so that a file of the links holds the same numbers.
            links[pages[page], pages[target]] = share = round(share, 6)
            linking[target].append((page, share))
    ideals: dict[str, tuple[str, ...]] = {}
    runs: dict[str, dict[str, tuple[str, ...]]] = {system: {} for system in _SYSTEMS}
    communities = rng.permutation(_NUM_PAGES // _COMMUNITY)[:_NUM_TOPICS]
    for number, community in enumerate(communities.tolist(), start=1):
        topic = f"topic{number:02}"
        wanted = community * _COMMUNITY + rng.permutation(_COMMUNITY)[: int(rng.integers(3, 9))]
        ideals[topic] = tuple(pages[page] for page in sorted(wanted.tolist()))
        strongest = np.zeros(_NUM_PAGES)
        for ideal in wanted.tolist():
            for page, share in linking[ideal]:
                strongest[page] = max(strongest[page], share / _CONTINUE)
        is_ideal = np.zeros(_NUM_PAGES)
        is_ideal[wanted] = 1
        for system, (noise, taste) in _SYSTEMS.items():
            scores = is_ideal + taste * np.sqrt(strongest) + noise * rng.normal(size=_NUM_PAGES)
            runs[system][topic] = tuple(pages[page] for page in np.argsort(-scores)[:_DEPTH])
    return Campaign(
        name={"walk": "walks", "independent": "campaign"}.get(kind, f"campaign, {kind}"),
        ideals=ideals,
        runs=runs,
        navigation=navigation_of(kind, Links(links)),
        collection_size=_NUM_PAGES,
    )
