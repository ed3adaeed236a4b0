"""The links that matter: how many start at a listed element, and how many lead to an ideal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags
from prum.simulator.model.errors import shown
from prum.simulator.tables.files import place

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
            f"{self.num_links:,} link{'s' * (self.num_links > 1)}, "
            f"{self.from_listed:,} from listed elements, {self.to_ideals:,} to ideals"
        )


class OpeningUse(LinkUse):
    """Numbers of links by which chunks open others: in all, from a listed chunk, to what shows a
    part of a span.
    """

    def __str__(self) -> str:
        if not self.num_links:
            return "no links: nobody opens other chunks"
        return (
            f"{self.num_links:,} link{'s' * (self.num_links > 1)}, {self.from_listed:,} from "
            f"listed chunks, {self.to_ideals:,} to chunks that show a part of a span"
        )


class LinkWatch:
    """Counts the links that matter for some topics, while lists come in.

    `links`: one table, or topic -> table; `ideals`: topic -> its ideals.

    >>> watch = LinkWatch(Links({("x", "a"): 0.5, ("y", "x"): 0.5}), {"t": ["a"]})
    >>> watch.add({"t": ["x", "a"]})
    >>> print(watch.use)
    2 links, 1 from listed elements, 1 to ideals
    """

    def __init__(
        self, links: Links | Mapping[str, Links], ideals: Mapping[str, Sequence[str]]
    ) -> None:
        self._ideals = ideals
        self._tables = (
            [(links, tuple(ideals), set[int | None]())]
            if isinstance(links, Links)
            else [(links[topic], (topic,), set[int | None]()) for topic in ideals]
        )
        self._listed = ""

    def add(self, lists: Mapping[str, Iterable[str | tuple[str, ...]]]) -> None:
        """Take note of the lists of one system, by topic."""
        for table, topics, listed in self._tables:
            for topic in topics if len(table) else ():
                items = lists.get(topic, ())
                elements = [
                    x for item in items for x in ((item,) if isinstance(item, str) else item)
                ]
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
        for table, topics, listed in self._tables:
            shows = _shows(table)
            wanted = {table.code.get(ideal) for topic in topics for ideal in self._ideals[topic]}
            starts = _among(table, listed)[table.sources]
            ends = _among(table, wanted)[table.targets]
            total += [shows.sum(), (shows & starts).sum(), (shows & ends).sum()]
        return LinkUse(*total.tolist())

    def checked(self, file: str | Path) -> LinkUse:
        """Return the numbers for links that were read from a file.

        Raise InputError if no link matters: there is none, none starts at a listed element (if any
        is listed), or none leads to an ideal. Perhaps ids are written in another way.
        """
        use = self.use
        if not use.num_links:
            thing = "number of links of a probability above 0"
            remedy = "leave links out if nobody browses"
        elif not use.from_listed and self._listed:
            thing, source = "number of links from a listed element", self._example(start=True)
            remedy = f"links start at ids like {source}, runs list ids like {shown(self._listed)}"
        elif not use.to_ideals:
            thing, target = "number of links to an ideal", self._example(start=False)
            ideal = shown(next(iter(self._ideals.values()))[0])
            remedy = f"links lead to ids like {target}, ideals have ids like {ideal}"
        else:
            return use
        if use.num_links:
            remedy += ": use the same ids in all files, or leave links out"
        raise InputError(thing, 0, "be at least 1", remedy=remedy, place=place(file))

    def _example(self, *, start: bool) -> str:
        """Return the element where some link starts, or ends, for a message."""
        table = next(table for table, *_ in self._tables if _shows(table).any())
        ends = table.sources if start else table.targets
        return shown(table.elements[int(ends[_shows(table)][0])])


def check_browsable(kind: object, *, given: bool) -> None:
    """Raise InputError if a navigation is named, but neither links nor elements."""
    if kind is not None and not given:
        raise InputError(
            "navigation", kind, "have links", remedy="give links or elements, or leave it out"
        )


def _shows(table: Links) -> Flags:
    shows: Flags = (table.probabilities > 0) & (table.sources != table.targets)
    return shows


def _among(table: Links, numbers: set[int | None]) -> Flags:
    among = np.zeros(len(table.elements), dtype=np.bool_)
    among[[number for number in numbers if number is not None]] = True
    return among
