"""The links of a campaign: as a file has them, or made of elements or of others by a way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from prum.simulator.collections.elements import read_elements
from prum.simulator.collections.files import place, readable
from prum.simulator.collections.links import read_links
from prum.simulator.collections.xml import read_xml
from prum.simulator.model import Elements, InputError, Links, Navigation
from prum.simulator.model.errors import shown
from prum.simulator.model.kinds import navigation_of
from prum.simulator.model.way_names import Way, chosen_way


@dataclass(frozen=True, slots=True)
class Linked:
    """Links, and what is known of where they come from.

    Parameters
    ----------
    links
        One table, or topic -> table where it hangs on the topic's ideals.
    documents
        Element -> document, if there are elements.
    named
        The elements that the files name.
    way
        How the links were made, if they were.
    elements
        What they were made of, if it was elements.
    """

    links: Links | dict[str, Links]
    documents: Mapping[str, str] | None = None
    named: Sequence[str] = ()
    way: Way | None = None
    elements: Elements | None = None

    def browsed(self, kind: str) -> Navigation | dict[str, Navigation]:
        """Return the links browsed in a way that is named, each topic's if they differ.

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
            # Links that are made stand in no file.
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

    What is made only leads to ideals of some topic, where that is all that matters. `tree` holds
    the elements, if they are read already; without files they are not of a file.
    """
    there = bool(elements) or tree is not None
    way = chosen_way(way_name, links=links is not None, elements=there)
    if way is None or links is not None:
        table = _table(links)
        if way is None:
            return Linked(table, named=table.elements)
        return Linked(way.links(table, ()), named=table.elements, way=way)
    tree = read_trees(elements) if tree is None else tree
    _check_known(ideals, tree, elements, qrels)
    made: Links | dict[str, Links]
    if way.is_for_each_topic:
        made = {topic: way.links(tree, wanted) for topic, wanted in ideals.items()}
    else:
        made = way.links(tree, {ideal for wanted in ideals.values() for ideal in wanted})
    return Linked(made, tree.document_of, tree.ids, way, tree)


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
        raise InputError(
            "files of elements",
            [readable(path) for path in files],
            "be one table, or XML files (.xml, .xml.gz) only",
            remedy="put all elements into one table",
        )
    return read_elements(files[0])


def _is_xml(path: str | Path) -> bool:
    return PurePath(path).name.lower().removesuffix(".gz").endswith(".xml")


def _check_known(
    ideals: Mapping[str, Sequence[str]],
    tree: Elements,
    elements: Sequence[str | Path],
    qrels: str | Path,
) -> None:
    """Raise if an ideal is no element: its id is written in another way, or a file is missing."""
    for topic, wanted in ideals.items():
        for ideal in wanted:
            if ideal not in tree.code:
                files = place(elements[0]) if elements else "the elements"
                more = f" and {len(elements) - 1} more" if len(elements) > 1 else ""
                raise InputError(
                    f"ideal of topic {topic}",
                    ideal,
                    f"be an element of {files}{more}",
                    remedy=f"write ids like {shown(tree.ids[-1])}, or give all elements",
                    place=place(qrels),
                )
