"""Covering: users who read chunks of documents and need spans, whatever chunks overlap."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.simulator.model.chunk_table import CHARACTERS, ChunkTable, Span
from prum.simulator.model.costs import ListCosts
from prum.simulator.model.errors import InputError, check_id
from prum.simulator.model.navigation import Navigation
from prum.simulator.model.tables import Links
from prum.simulator.model.task import Task

# What users may need of a span.
NEEDS = ("share", "whole")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Covering(Navigation):
    """Chunks show spans: a consulted chunk shows the characters it covers, and no chunk twice.

    The ideals of the task are spans, its ranking holds chunks. A user needs a point of span x,
    uniform over its characters and drawn independently for each span; they see x at the first
    consulted chunk that covers the point. If they need the `whole` span, they see it when the
    chunks consulted so far cover all of it. From chunk c the user opens chunk y, each on its own
    and at each rank anew, with the probability of the link (c, y): what y covers is then shown
    at that rank too. The second occurrence of a chunk in a list shows and opens nothing.

    Behind the list stand the chunks that are not ranked, in random order; each unseen span needs
    one of them. A task's collection has `len(chunks)` elements, or as many more as it takes for
    every span to have one (`collection_size`).

    Parameters
    ----------
    chunks
        All chunks, `ChunkTable`.
    spans
        Ideal -> `Span`: what a user looks for.
    links
        What is opened from chunks: ``{(chunk, chunk): probability}``, or `Links`; none by default.
    whole
        Whether all of a span is needed, and not a point of it.

    Raises InputError for values of other types, a link from or to something that is not a chunk.

    >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 80, 180)})
    >>> Covering(pieces, {"gold": Span("report", 90, 110)})
    Covering(2 chunks, 1 span)
    """

    instead = "take prum crosscheck, or simulate and closed_form in Python, for chunks and spans"
    chunks: ChunkTable
    spans: Mapping[str, Span]
    links: Links
    whole: bool

    def __init__(
        self,
        chunks: ChunkTable,
        spans: Mapping[str, Span],
        *,
        links: Mapping[tuple[str, str], float] | Links | None = None,
        whole: bool = False,
    ) -> None:
        if not isinstance(chunks, ChunkTable):
            raise InputError("chunks", chunks, "be a ChunkTable", remedy="write ChunkTable({...})")
        if not isinstance(spans, Mapping):
            rule, remedy = "be a mapping {ideal: span}", "give each span an id"
            raise InputError("spans", spans, rule, remedy=remedy)
        for ideal, span in spans.items():
            check_id("ideal", ideal)
            if not isinstance(span, Span):
                remedy = "write Span(document, start, end)"
                raise InputError(f"span of {ideal!r}", span, "be a Span", remedy=remedy)
        table = links if isinstance(links, Links) else Links(links or {})
        chunks.ends_of(table)
        object.__setattr__(self, "chunks", chunks)
        object.__setattr__(self, "spans", dict(sorted(spans.items())))
        object.__setattr__(self, "links", table)
        object.__setattr__(self, "whole", bool(whole))

    @property
    def reading(self) -> "Covering":
        """Itself."""
        return self

    @property
    def words(self) -> tuple[str, dict[str, Any]]:
        """How much of a span is needed; no words of `navigation_of`."""
        return "whole" if self.whole else "share", {}

    def collection_size(self, num_ranked: int) -> int:
        """Return the size of the collection of a task with so many distinct ranked chunks.

        >>> pieces = ChunkTable({"one": ("report", 0, 100)})
        >>> Covering(pieces, {"gold": Span("report", 90, 110)}).collection_size(1)
        2
        """
        return max(len(self.chunks), num_ranked + len(self.spans))

    def check(self, task: Task) -> None:
        """Check that a task is one of reading these chunks.

        Raises InputError for an ideal that has no span, a ranked id that is not a chunk, and fewer
        elements behind the list than ideals.
        """
        for ideal in task.ideals:
            if ideal not in self.spans:
                rule, remedy = (
                    "have a span",
                    "name its span in Covering(chunks, {ideal: Span(...)})",
                )
                raise InputError("ideal", ideal, rule, remedy=remedy)
        self.chunks.numbers(task.ranking)
        if task.num_unranked < task.num_ideals:
            raise InputError(
                "number of unranked chunks",
                task.num_unranked,
                f"be at least {task.num_ideals}, one for each span",
                remedy="take the size that navigation.collection_size gives",
            )

    def touching(self) -> tuple[str, ...]:
        """Return the chunks that show a part of a span.

        >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 80, 140)})
        >>> Covering(pieces, {"gold": Span("report", 60, 80)}).touching()
        ('one',)
        """
        chunks = self.chunks
        shows = np.zeros(len(chunks), dtype=np.bool_)
        for x in self.spans.values():
            there = chunks.document == chunks.document_code.get(x.document, -1)
            shows |= there & (chunks.starts < x.end) & (x.start < chunks.ends)
        return tuple(chunks.ids[k] for k in np.flatnonzero(shows).tolist())

    def needing(self, need: str) -> "Covering":
        """Return the same for users who need the "whole" of a span, or a "share", any point of it.

        Raises InputError for another need.
        """
        if not isinstance(need, str) or need not in NEEDS:
            remedy = "take share, any point of a span, or whole"
            raise InputError("need", need, f"be {' or '.join(NEEDS)}", remedy=remedy)
        if (need == "whole") == self.whole:
            return self
        return Covering(self.chunks, self.spans, links=self.links, whole=not self.whole)

    @property
    def alone(self) -> "Covering":
        """The same for users who open no other chunk."""
        return Covering(self.chunks, self.spans, whole=self.whole)

    def costs_along(self, task: Task, unit: str = CHARACTERS) -> ListCosts:
        """Return what the ranks of a list cost in a unit of the chunks, and a chunk behind it.

        A rank costs its chunk's own cost and in the mean that of what is opened from it: the sum
        over its links of the probability times the target's cost. The second occurrence of a chunk
        opens nothing. Behind the list stand chunks in random order, each of which is taken to cost
        the mean of the chunks that are not ranked, openings included; of all chunks if all are
        ranked. This is a definition: it does not matter which of them show something.

        Raises InputError for a unit that the chunks do not have, a ranked id that is not a chunk,
        and if there is no chunk.

        >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 80, 140)})
        >>> gold = {"gold": Span("report", 90, 110)}
        >>> covering = Covering(pieces, gold, links={("one", "two"): 1})
        >>> covering.costs_along(Task(["one"], ["gold"], 2))
        ListCosts([160.0], 60.0, unit='characters')
        """
        if not len(self.chunks):
            raise InputError("number of chunks", 0, "be at least 1", remedy="give the chunks")
        alone, each = self.chunks.amount(unit), self.chunks.amount(unit, self.links)
        numbers = self.chunks.numbers(task.ranking)
        first = np.zeros(len(numbers), dtype=np.bool_)
        first[np.unique(numbers, return_index=True)[1]] = True
        behind = np.ones(len(each), dtype=np.bool_)
        behind[numbers] = False
        mean = float(each[behind if behind.any() else ~behind].mean())
        return ListCosts(np.where(first, each[numbers], alone[numbers]), mean, unit=unit)

    def _content(self) -> list[Any]:
        spans = [(ideal, x.document, x.start, x.end) for ideal, x in self.spans.items()]
        return [self.chunks.key, spans, self.links.key, self.whole]

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        spans = f"{len(self.spans)} span{'s' if len(self.spans) != 1 else ''}"
        more = f", {len(self.links)} links" if len(self.links) else ""
        return f"Covering({len(self.chunks)} chunks, {spans}{more}{', whole' * self.whole})"
