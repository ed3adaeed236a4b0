"""The links of a campaign: as a file has them, or made by a way, from elements or other links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from prum.simulator.collections.elements import read_elements
from prum.simulator.collections.files import place, readable
from prum.simulator.collections.links import read_links
from prum.simulator.collections.unpacked import bare_name
from prum.simulator.collections.xml import read_xml
from prum.simulator.model import Elements, InputError, Links, Navigation
from prum.simulator.model.errors import shown
from prum.simulator.model.kinds import navigation_of
from prum.simulator.model.way_names import Way, chosen_way


@dataclass(frozen=True, slots=True)
class Linked:
    """Links, and what is known of their origin.

    Parameters
    ----------
    links
        One table, or topic -> table where it depends on the topic's ideals.
    documents
        Element -> document, if there are elements.
    named
        The elements that the files name.
    way
        The way that made the links, if they were made.
    elements
        The elements from which they were made, if any.
    """

    links: Links | dict[str, Links]
    documents: Mapping[str, str] | None = None
    named: Sequence[str] = ()
    way: Way | None = None
    elements: Elements | None = None

    def browsed(self, kind: str) -> Navigation | dict[str, Navigation]:
        """Return the links as a navigation, for each topic if they differ.

        Raises
        ------
        InputError
            as `navigation_of`, and if the links do not admit it.
        """
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
    links: str | Path | Links | None,
    elements: Sequence[str | Path],
    way_name: str | None,
    ideals: Mapping[str, Sequence[str]],
    *,
    qrels: str | Path,
    tree: Elements | None = None,
) -> Linked:
    """Return the links of a campaign with these ideals, which `qrels` names; see `read_campaign`.

    Links that are made lead only to ideals of some topic, where nothing else matters. Beside links
    elements make none, but say which document each is part of. `tree` holds the elements, if they
    were read already, and `elements` are empty if no file holds them.
    """
    there = bool(elements) or tree is not None
    way = chosen_way(way_name, links=links is not None, elements=there)
    if there:
        tree = read_trees(elements) if tree is None else tree
        _check_known(ideals, tree, elements, qrels)
    if tree is not None and way is not None and way.of == "elements":
        by_way: Links | dict[str, Links]
        if way.is_for_each_topic:
            by_way = {topic: way.links(tree, wanted) for topic, wanted in ideals.items()}
        else:
            by_way = way.links(tree, {ideal for wanted in ideals.values() for ideal in wanted})
        return Linked(by_way, tree.document_of, tree.ids, way, tree)
    table = _table(links)
    if tree is not None:
        _check_linked(table, tree, links)
    return Linked(
        table if way is None else way.links(table, ()),
        None if tree is None else tree.document_of,
        table.elements if tree is None else tree.ids,
        way,
    )


def _table(links: str | Path | Links | None) -> Links:
    if links is None:
        return Links({})
    return links if isinstance(links, Links) else read_links(links)


def read_trees(files: Sequence[str | Path]) -> Elements:
    """Return the elements of one table, or of XML files.

    Raises
    ------
    InputError
        as `read_elements` and `read_xml`, and for several tables.
    OSError
        if a file cannot be read.
    """
    num_xml = sum(map(_is_xml, files))
    if num_xml == len(files):
        return read_xml(*files)
    if len(files) > 1:
        thing = "files of elements"
        rule = "be one table, or XML files (.xml, .xml.gz) only"
        remedy = "put all elements into one table"
        raise InputError(thing, [readable(path) for path in files], rule, remedy=remedy)
    return read_elements(files[0])


def _is_xml(path: str | Path) -> bool:
    return bare_name(PurePath(path).name).lower().endswith(".xml")


def _check_linked(table: Links, tree: Elements, links: str | Path | Links | None) -> None:
    """Raise if a link starts or ends at what is not an element."""
    stranger = next((end for end in table.elements if end not in tree.code), None)
    if stranger is not None:
        thing, rule = "end of a link", "be among the elements"
        remedy = f"write ids like {shown(tree.ids[-1])}, or give all elements"
        file = place(links) if isinstance(links, str | Path) else "links"
        raise InputError(thing, stranger, rule, remedy=remedy, place=file)


def _check_known(
    ideals: Mapping[str, Sequence[str]],
    tree: Elements,
    elements: Sequence[str | Path],
    qrels: str | Path,
) -> None:
    """Raise if an ideal is not an element: the ids differ, or a file is missing."""
    for topic, wanted in ideals.items():
        for ideal in wanted:
            if ideal not in tree.code:
                files = place(elements[0]) if elements else "the elements"
                more = f" and {len(elements) - 1} more" if len(elements) > 1 else ""
                thing = f"ideal of topic {topic}"
                rule = f"be an element of {files}{more}"
                remedy = f"write ids like {shown(tree.ids[-1])}, or give all elements"
                raise InputError(thing, ideal, rule, remedy=remedy, place=place(qrels))
