"""The links of a campaign: of a file, or made by a way from elements or links; and which matter."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from prum.simulator.collections.fitted_files import file_of, read_browsed
from prum.simulator.collections.links import read_elements, read_links, read_pairs
from prum.simulator.collections.xml import read_xml
from prum.simulator.model import Elements, InputError, Links, Navigation
from prum.simulator.model.errors import shown
from prum.simulator.model.kinds import base_of, kind_of, navigation_of
from prum.simulator.model.way_names import Way, chosen_way
from prum.simulator.tables.files import bare_name, place, readable


@dataclass(frozen=True, slots=True)
class Linked:
    """Links, of each topic where they depend on its ideals, and what is known of their origin.

    `documents` are those of elements, if there are any; `named` what the files name; `way` and
    `elements` what made the links. They are browsed by `kind`, as `navigation_of` names it, or by a
    fitted file; `navigation` is that itself, where it was fitted or given.
    """

    links: Links | dict[str, Links]
    documents: Mapping[str, str] | None = None
    named: Sequence[str] = ()
    way: Way | None = None
    elements: Elements | None = None
    kind: str = "independent"
    navigation: Navigation | None = None

    def browsed(self, kind: str | None = None) -> Navigation | dict[str, Navigation]:
        """Return the links as a navigation, for each topic if they differ.

        A kind that names a fitted file stands for the navigation in it, whatever the links.

        Raise InputError as `navigation_of` and `read_browsed`, and if the links do not admit it.
        """
        kind = self.kind if kind is None else kind
        if self.navigation is not None and kind == self.kind:
            return self.navigation
        if file_of(kind):
            return read_browsed(kind, self.documents)
        if self.way is not None:
            self.way.check_kind(kind)
        try:
            if isinstance(self.links, Links):
                return navigation_of(kind, self.links, self.documents)
            return {
                topic: navigation_of(kind, links, self.documents)
                for topic, links in self.links.items()
            }
        except InputError as error:
            if self.way is None:
                raise
            # Links that were made are in no file.
            raise error.at(f"way {self.way.name}") from None


def linked(
    links: str | Path | Links | dict[str, Links] | None,
    elements: Sequence[str | Path],
    way_name: str | None,
    ideals: Mapping[str, Sequence[str]],
    *,
    qrels: str | Path,
    tree: Elements | None = None,
    kind: str | Navigation | None = None,
    credited: Mapping[str, Collection[str]] | None = None,
    relevance: Callable[[str], Mapping[str, float]] | None = None,
) -> Linked:
    """Return the links of a campaign with these ideals, which `qrels` names; see `read_campaign`.

    Links that are made lead only to ideals of some topic, and to what is `credited` beside them,
    where nothing else matters. Beside links elements make none, but say which document each is part
    of. `tree` holds the elements, if they were read already, and `elements` are empty if no file
    holds them. Ways by judgements read the `relevance` of a topic, element -> worth in [0, 1]. A
    navigation that was fitted or is given has links of its own. Links may be topic -> table, which
    no way takes.
    """
    has_tree = bool(elements) or tree is not None
    has_own = brings_links(kind)
    if has_own and not (links is None and way_name is None):
        thing = "links" if way_name is None else "a way"
        rule, remedy = f"go without {thing}: it has links of its own", "leave out one of the two"
        raise InputError("navigation", _named(kind), rule, remedy=remedy)
    way = chosen_way(way_name, links=has_own or links is not None, elements=has_tree)
    documents, navigation = None, None
    if has_tree:
        tree = read_trees(elements) if tree is None else tree
        documents = tree.document_of
        rule = f"be an element of {place(elements[0]) if elements else 'the elements'}"
        rule += f" and {len(elements) - 1} more" * (len(elements) > 1)
        for what, named in (("ideal", ideals), ("credited element", credited or {})):
            for topic, members in named.items():
                _check_elements(f"{what} of topic {topic}", members, tree, rule, qrels)
    kind_name = _named(kind) or ("independent" if way is None else way.kind)
    if tree is not None and way is not None and way.of == "elements":
        near = credited or {}
        if way.is_for_each_topic:
            links = {
                topic: way.links(
                    tree, members, near.get(topic, ()), relevance(topic) if relevance else None
                )
                for topic, members in ideals.items()
            }
        else:
            targets = {y for members in (*ideals.values(), *near.values()) for y in members}
            links = way.links(tree, targets)
        return Linked(links, documents, tree.ids, way, tree, kind_name)
    if has_own:
        navigation = read_browsed(kind, documents) if isinstance(kind, str) else kind
        links = None if navigation is None else navigation.links
    origin = links if isinstance(links, str | Path) else "links"
    if links is None:
        links = Links({})
    elif isinstance(links, dict):
        links = _by_topic(links, way, ideals)
    elif not isinstance(links, Links):
        links = read_links(links, certain=is_expansion(kind)) if way is None else read_pairs(links)
    ends: Collection[str] = ()
    for table in [links] if isinstance(links, Links) else links.values():
        ends = table.elements if not ends else {*ends, *table.elements}
    if tree is not None:
        _check_elements("end of a link", ends, tree, "be among the elements", origin)
    if way is not None and isinstance(links, Links):
        links = way.links(links, ())
    ids = tuple(ends) if tree is None else tree.ids
    return Linked(links, documents, ids, way, kind=kind_name, navigation=navigation)


def brings_links(kind: str | Navigation | None) -> bool:
    """Return whether a navigation needs no links beside it: a fitted file, or one that is given.

    >>> brings_links("fitted.json + fading .9"), brings_links("walk")
    (True, False)
    """
    return kind is not None and (not isinstance(kind, str) or file_of(kind) is not None)


def _named(kind: str | Navigation | None) -> str:
    return kind if isinstance(kind, str) else "" if kind is None else kind_of(kind)


def _by_topic(links: dict[str, Links], way: Way | None, topics: Iterable[str]) -> dict[str, Links]:
    """Return the links of these topics; raise for one that has none, and for a way."""
    if way is not None:
        remedy = "leave out one of the two"
        raise InputError("way", way.name, "go without links of each topic", remedy=remedy)
    lacking = next((topic for topic in topics if topic not in links), None)
    if lacking is not None:
        remedy = "give Links({}) where nobody browses"
        raise InputError("topic", lacking, "have links, as others do", remedy=remedy)
    return {topic: links[topic] for topic in topics}


def is_expansion(kind: str | Navigation | None) -> bool:
    """Return whether links are expanded by name, which are certain where nothing else is said."""
    return isinstance(kind, str) and file_of(kind) is None and base_of(kind) == "expansion"


def read_trees(files: Sequence[str | Path]) -> Elements:
    """Return the elements of one table, or of XML files.

    Raise InputError as `read_elements` and `read_xml`, and for several tables; OSError if a
    file cannot be read.
    """
    for file in files:
        if not isinstance(file, str | os.PathLike):
            remedy = "name it, or give a table of elements"
            raise InputError("file of elements", file, "be a name", remedy=remedy)
    if all(bare_name(str(file)).lower().endswith(".xml") for file in files):
        return read_xml(*files)
    if len(files) > 1:
        thing = "files of elements"
        rule = "be one table, or XML files (.xml, .xml.gz) only"
        remedy = "put all elements into one table"
        raise InputError(thing, [readable(path) for path in files], rule, remedy=remedy)
    return read_elements(files[0])


def _check_elements(
    thing: str, named: Iterable[str], tree: Elements, rule: str, file: str | Path
) -> None:
    """Raise InputError for what is not an element: the ids differ, or a file is missing."""
    stranger = next((element for element in named if element not in tree.code), None)
    if stranger is not None:
        like = f"write ids like {shown(tree.ids[-1])}, or " if tree.ids else ""
        raise InputError(
            thing, stranger, rule, remedy=f"{like}give all elements", place=place(file)
        )


# Topic -> list, whose items are elements, tuples of tied ones, or keys with scores.
_Lists = TypeVar("_Lists", bound=Mapping[str, Iterable[str | tuple[str, ...]]])


@dataclass(frozen=True, slots=True)
class LinkUse:
    """Numbers of links: in all, from a listed element, to an ideal.

    Links that show nothing are not counted: those from an element to itself, and of probability 0.
    If topics have their own links, these are sums over topics.
    """

    num_links: int
    from_listed: int
    to_ideals: int

    def __str__(self) -> str:
        if not self.num_links:
            return "no links: nobody browses"
        return (
            f"{self.num_links:,} link{'s' * (self.num_links > 1)}: {self.from_listed:,} from "
            f"listed elements, {self.to_ideals:,} to ideals"
        )


class LinkWatch:
    """Counts the links that matter for some topics, while lists come in.

    `links`: one table, or topic -> table; `ideals`: topic -> its ideals.

    >>> watch = LinkWatch(Links({("x", "a"): 0.5, ("y", "x"): 0.5}), {"t": ["a"]})
    >>> watch.add({"t": ["x", "a"]})
    >>> print(watch.use)
    2 links: 1 from listed elements, 1 to ideals
    """

    def __init__(
        self, links: Links | Mapping[str, Links], ideals: Mapping[str, Sequence[str]]
    ) -> None:
        tables: list[tuple[Links, tuple[str, ...]]]
        if isinstance(links, Links):
            tables = [(links, tuple(ideals))]
        else:
            tables = [(links[topic], (topic,)) for topic in ideals]
        self._ideals, self._listed = ideals, ""
        self._tables = [
            (
                table,
                (table.probabilities > 0) & (table.sources != table.targets),
                topics,
                set[int | None](),
            )
            for table, topics in tables
        ]

    def add(self, lists: Mapping[str, Iterable[str | tuple[str, ...]]]) -> None:
        """Take note of the lists of one system, by topic."""
        for table, _, topics, listed in self._tables:
            for topic in topics if len(table) else ():
                items = ((x,) if isinstance(x, str) else x for x in lists.get(topic, ()))
                elements = [element for item in items for element in item]
                listed.update(map(table.code.get, elements))
                self._listed = self._listed or next(iter(elements), "")

    def through(self, systems: Iterable[tuple[str, _Lists]]) -> Iterator[tuple[str, _Lists]]:
        """Yield systems with their lists, taking note of them."""
        for system, lists in systems:
            self.add(lists)
            yield system, lists

    @property
    def use(self) -> LinkUse:
        """The numbers, by the lists so far."""
        total = np.zeros(3, dtype=np.int64)
        for table, shows, topics, listed in self._tables:
            ideals = {table.code.get(ideal) for topic in topics for ideal in self._ideals[topic]}
            total[0] += shows.sum()
            for field, ends, numbers in ((1, table.sources, listed), (2, table.targets, ideals)):
                among = np.zeros(len(table.elements), dtype=np.bool_)
                among[[number for number in numbers if number is not None]] = True
                total[field] += (shows & among[ends]).sum()
        return LinkUse(*total.tolist())

    def checked(self, file: str | Path) -> LinkUse:
        """Return the numbers for links that were read from a file.

        Raise InputError if no link matters: there is none, none starts at a listed element (if any
        is listed), or none leads to an ideal. Perhaps ids are written in another way.
        """
        use, lacks = self.use, ""
        if not use.num_links:
            lacks = "of a probability above 0"
        elif not use.from_listed and self._listed:
            lacks = "from a listed element"
        elif not use.to_ideals:
            lacks = "to an ideal"
        if not lacks:
            return use
        remedy = "leave links out if nobody browses"
        if use.num_links:
            table, shows = next(x[:2] for x in self._tables if x[1].any())
            row, ideal = int(shows.argmax()), next(iter(self._ideals.values()))[0]
            source, target = (table.elements[x[row]] for x in (table.sources, table.targets))
            remedy = f"links lead from ids like {shown(source)} to ids like {shown(target)}, runs "
            remedy += f"list ids like {shown(self._listed)}, ideals have ids like {shown(ideal)}: "
            remedy += "use the same ids in all files, or leave links out"
        thing = f"number of links {lacks}"
        raise InputError(thing, 0, "be at least 1", remedy=remedy, place=place(file))


def check_browsable(kind: object, *, given: bool) -> None:
    """Raise InputError if a navigation is named, but neither links nor elements."""
    if kind is not None and not given:
        remedy = "give links or elements, or leave it out"
        raise InputError("navigation", kind, "have links", remedy=remedy)
