"""Chunks, pieces of documents that a retriever ranks, and spans, pieces that users need."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.costs import MOST_COST, MOST_COST_RULE
from prum.simulator.model.errors import InputError, check_id, shown, whole_number
from prum.simulator.model.tables import (
    IdTable,
    Links,
    Place,
    are_ids,
    check_equal_lengths,
    check_rows,
    key_of,
    number_column,
    numbered,
    places,
    rows_of_ids,
    shown_rows,
)
from prum.simulator.model.task import content_key

# What the end minus the start of a chunk counts.
CHARACTERS = "characters"
# Columns of costs that are read without being asked for.
TOKENS = "tokens"
KNOWN_UNITS = (TOKENS, "seconds")
# The largest offset; up to it, floats hold every whole number.
MOST_CHARACTERS = 2**53
_COUNT = "count the characters of the document from 0"


class ChunkTable(IdTable):
    """A table of chunks, pieces of documents that may overlap; read-only.

    Parameters
    ----------
    rows
        ``{chunk: (document, start, end)}``: characters ``start`` to ``end - 1``, from 0.
    parents
        ``{chunk: parent}``, of a hierarchy of chunks: the larger chunk that a chunk was cut from.
    amounts
        Unit -> what reading each chunk costs, tokens, say, in the order of the rows.

    Attributes
    ----------
    ids
        The chunks, in the order of the rows; the arrays below follow it, shape (n,) each.
    documents
        The documents that occur, sorted.
    document
        The number of each chunk's document.
    starts, ends
        Where each chunk begins and ends, in characters.
    parents
        The number of the chunk that each belongs to, or -1.
    amounts
        Unit -> what reading each chunk costs.

    Raises InputError for an id that is empty or not text, a chunk with two rows, a start or an end
    that is not a whole number, a start below 0, an end that does not lie after the start, a parent
    that is not in the table, of another document or in its own child, an amount that is not
    positive and finite.

    >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 80, 180)})
    >>> pieces.documents, pieces.ends.tolist()
    (('report',), [100, 180])
    >>> eval(repr(pieces)) == pieces
    True
    """

    documents: tuple[str, ...]
    document: Ints
    starts: Ints
    ends: Ints
    parents: Ints
    amounts: Mapping[str, Floats]

    def __init__(
        self,
        rows: Mapping[str, tuple[str, int, int]],
        *,
        parents: Mapping[str, str] | None = None,
        amounts: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        if not isinstance(rows, Mapping):
            rule = "be a mapping {chunk: (document, start, end)}"
            remedy = "use ChunkTable.from_columns for columns"
            raise InputError("chunks", rows, rule, remedy=remedy)
        for chunk, row in rows.items():
            if not isinstance(row, tuple) or len(row) != 3:
                rule, remedy = "be (document, start, end)", "give its place in the document"
                raise InputError(f"row of chunk {chunk!r}", row, rule, remedy=remedy)
        above = parents or {}
        for chunk in above:
            if chunk not in rows:
                remedy = "give the chunk a row"
                raise InputError("chunk with a parent", chunk, "be a chunk", remedy=remedy)
        columns = zip(*rows.values(), strict=True) if rows else ([], [], [])
        names = [above.get(chunk) for chunk in rows]
        table = ChunkTable.from_columns(list(rows), *columns, parents=names, amounts=amounts)
        self.__dict__.update(table.__dict__)

    @classmethod
    def from_columns(
        cls,
        chunks: Iterable[str],
        documents: Iterable[str],
        starts: ArrayLike,
        ends: ArrayLike,
        *,
        parents: Iterable[str | None] | None = None,
        amounts: Mapping[str, ArrayLike] | None = None,
        origin: str = "",
        lines: ArrayLike | None = None,
    ) -> Self:
        """Build the table from columns of equal length.

        `origin` (a file's name) and `lines` (the line of each row) only serve messages.

        >>> ChunkTable.from_columns(["one"], ["report"], [0], [100], amounts={"tokens": [25]})
        ChunkTable({'one': ('report', 0, 100)}, amounts={'tokens': [25.0]})
        """
        ids, names = list(chunks), list(documents)
        above = [None] * len(ids) if parents is None else list(parents)
        place = places("chunks", origin, lines)
        begins, stops = _offsets("start", starts, ids, place), _offsets("end", ends, ids, place)
        remedy = "give document, start and end of each chunk, and a parent or None"
        sizes = map(len, (ids, names, begins, stops, above))
        check_equal_lengths("chunks", *sizes, remedy=remedy)
        number = rows_of_ids("chunk", ids, place)
        if not are_ids(names):
            for row, (chunk, name) in enumerate(zip(ids, names, strict=True)):
                check_id(f"document of chunk {chunk!r}", name, place=place(row))
        late = np.flatnonzero(stops <= begins)
        if late.size:
            row = int(late[0])
            thing, rule = f"end of chunk {ids[row]!r}", f"lie after the start, {begins[row]}"
            raise InputError(thing, int(stops[row]), rule, remedy=_COUNT, place=place(row))
        distinct = tuple(sorted(map(str, set(names))))
        code = map(numbered(distinct).__getitem__, names)
        document = np.fromiter(code, np.int64, len(names))
        costs = {unit: _amounts(unit, each, ids, place) for unit, each in (amounts or {}).items()}
        for each in costs.values():
            each.setflags(write=False)
        return cls._of(
            ids=tuple(number),
            documents=distinct,
            document=document,
            starts=begins,
            ends=stops,
            parents=_parent_rows(above, ids, number, document, place),
            amounts=costs,
        )

    def __iter__(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield (chunk, document, start, end)."""
        columns = (column.tolist() for column in (self.document, self.starts, self.ends))
        for chunk, document, start, end in zip(self.ids, *columns, strict=True):
            yield chunk, self.documents[document], start, end

    @cached_property
    def document_code(self) -> dict[str, int]:
        """The number of each document."""
        return numbered(self.documents)

    def numbers(self, chunks: Iterable[str]) -> Ints:
        """Return the numbers of some chunks, in their order.

        Raises InputError for an id that is not a chunk.

        >>> ChunkTable({"one": ("report", 0, 100)}).numbers(["one", "one"]).tolist()
        [0, 0]
        """
        ids = list(chunks)
        numbers = [self.code.get(chunk, -1) for chunk in ids]
        if -1 in numbers:
            remedy = f"write ids like {shown(self.ids[-1])}" if self.ids else "give chunks"
            remedy += ", or give all chunks" * bool(self.ids)
            raise InputError("chunk", ids[numbers.index(-1)], "be in the table", remedy=remedy)
        return np.array(numbers, dtype=np.int64)

    def ends_of(self, links: Links) -> Ints:
        """Return the number of the chunk that each of ``links.elements`` is.

        Raises InputError for an element of the links that is not a chunk.

        >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 80, 180)})
        >>> pieces.ends_of(Links({("two", "one"): 0.5})).tolist()
        [0, 1]
        """
        # Many questions share one table of links: what was found last is kept.
        kept: tuple[Links, Ints] | None = self.__dict__.get("_linked")
        if kept is None or kept[0] is not links:
            try:
                kept = links, self.numbers(links.elements)
            except InputError as error:
                raise InputError(
                    "end of a link", error.value, "be a chunk", remedy=error.remedy
                ) from None
            self.__dict__["_linked"] = kept
        return kept[1]

    @cached_property
    def lengths(self) -> Ints:
        """Number of characters of each chunk."""
        return self.ends - self.starts

    @property
    def units(self) -> tuple[str, ...]:
        """Units of cost: characters, and those of `amounts`."""
        return (CHARACTERS, *self.amounts)

    def amount(self, unit: str = CHARACTERS, links: Links | None = None) -> Floats:
        """Return what reading each chunk costs, in a unit; shape (n,).

        With `links`, this is its own cost and in the mean that of what is opened from it: the sum
        of each link's probability times the cost of its target. A link of a chunk to itself opens
        nothing.

        Raises InputError for a unit that the table does not have; as `ends_of`.

        >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 80, 180)})
        >>> pieces.amount("characters", Links({("one", "two"): 0.5})).tolist()
        [150.0, 100.0]
        """
        if unit not in self.units:
            rule = f"be one of {', '.join(self.units)}"
            amounts = f"ChunkTable(..., amounts={{{unit!r}: [...]}})"
            remedy = f"give chunks a column {unit}; in Python, {amounts}"
            raise InputError("unit of cost", unit, rule, remedy=remedy)
        alone = self.lengths.astype(np.float64) if unit == CHARACTERS else self.amounts[unit]
        if links is None or not len(links):
            return alone
        kept: dict[str, tuple[Links, Floats]] = self.__dict__.setdefault("_opened", {})
        if unit not in kept or kept[unit][0] is not links:
            numbers = self.ends_of(links)
            sources, targets = numbers[links.sources], numbers[links.targets]
            opened = np.where(sources != targets, links.probabilities * alone[targets], 0.0)
            each = alone + np.bincount(sources, weights=opened, minlength=len(self))
            each.setflags(write=False)
            kept[unit] = links, each
        return kept[unit][1]

    @cached_property
    def key(self) -> str:
        """SHA-256 of the table."""
        return content_key([list(self.amounts), key_of(len(self), self._rows)])

    def _rows(self, span: slice) -> Iterator[tuple[object, ...]]:
        arrays = (self.starts, self.ends, self.parents, *self.amounts.values())
        names = [self.documents[k] for k in self.document[span].tolist()]
        return zip(self.ids[span], names, *(x[span].tolist() for x in arrays), strict=True)

    def __repr__(self) -> str:
        text = shown_rows((f"{row[0]!r}: {row[1:]!r}" for row in self), len(self))
        inner = np.flatnonzero(self.parents >= 0)
        if len(inner):
            above = (f"{self.ids[k]!r}: {self.ids[self.parents[k]]!r}" for k in inner)
            text += f", parents={shown_rows(above, len(inner))}"
        if self.amounts:
            amounts = (
                f"{unit!r}: [{shown_rows(map(repr, each.tolist()), len(self))[1:-1]}]"
                for unit, each in self.amounts.items()
            )
            text += f", amounts={{{', '.join(amounts)}}}"
        return f"ChunkTable({text})"


def _offsets(thing: str, values: ArrayLike, ids: Sequence[str], place: Place) -> Ints:
    """Return a column of offsets as whole numbers of at least 0; 12.0 is one, 12.5 is not."""
    remedy = "give one number for each chunk"
    array = number_column(f"{thing}s of chunks", values, remedy=remedy)
    check_rows(
        lambda row: thing + (f" of chunk {ids[row]!r}" if row < len(ids) else ""),
        array,
        (array >= 0) & (array <= MOST_CHARACTERS) & (array == np.floor(array)),
        f"be a whole number from 0 to {MOST_CHARACTERS}",
        place,
        remedy=_COUNT,
    )
    return array.astype(np.int64)


def _parent_rows(
    parents: Sequence[str | None],
    ids: Sequence[str],
    number: dict[str, int],
    documents: Ints,
    place: Place,
) -> Ints:
    """Return the row of each parent, -1 for none; raise for one that cannot be."""
    rows = np.full(len(ids), -1, dtype=np.int64)
    inner = [row for row, parent in enumerate(parents) if parent is not None]
    for row in inner:
        rows[row] = number.get(str(parents[row]), row)
    itself = np.arange(len(ids))
    bad = (rows >= 0) & ((rows == itself) | (documents[rows] != documents))
    rule, remedy = "be another chunk of the same document", "correct its id, or leave it empty"
    if not bad.any():
        # Two steps up, four, eight: who is not at the top after so many is in a circle, or below.
        above, rest = rows.copy(), len(ids)
        while rest:
            above, rest = np.where(above >= 0, above[above], -1), rest // 2
        bad, rule = above >= 0, "not lie in its own child"
    if bad.any():
        row = int(np.argmax(bad))
        thing = f"parent of chunk {ids[row]!r}"
        raise InputError(thing, parents[row], rule, remedy=remedy, place=place(row))
    return rows


def _amounts(unit: str, values: ArrayLike, ids: Sequence[str], place: Place) -> Floats:
    """Return what each chunk costs in a unit, positive and at most `MOST_COST`."""
    check_id("unit of cost", unit)
    if unit == CHARACTERS:
        remedy = "leave it out: offsets give the characters"
        raise InputError("unit of cost", unit, "not be characters", remedy=remedy)
    thing, remedy = f"{unit} of chunks", "give one for each chunk"
    array = number_column(thing, values, remedy=remedy).astype(np.float64)
    if len(array) != len(ids):
        raise InputError(thing, values, f"be {len(ids)} numbers", remedy=remedy)
    valid = (array > 0) & (array <= MOST_COST)
    check_rows(lambda row: f"{unit} of chunk {ids[row]!r}", array, valid, MOST_COST_RULE, place)
    return array


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of a document: characters ``start`` to ``end - 1``, counted from 0.

    Raises InputError for a document that is not named, a start below 0, an end that is not after
    the start.

    >>> Span("report", 120, 180).length
    60
    """

    document: str
    start: int
    end: int

    def __post_init__(self) -> None:
        check_id("document of a span", self.document)
        start, end = (
            whole_number(
                f"{name} of a span",
                value,
                least=0,
                most=MOST_CHARACTERS,
                remedy=_COUNT,
            )
            for name, value in (("start", self.start), ("end", self.end))
        )
        if end <= start:
            rule = f"lie after the start, {start}"
            raise InputError("end of a span", end, rule, remedy="give start and end in characters")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)

    @property
    def length(self) -> int:
        """Number of characters."""
        return self.end - self.start

    @property
    def place(self) -> str:
        """The place as ids have it.

        >>> Span("report", 120, 180).place
        'report:120-180'
        """
        return f"{self.document}:{self.start}-{self.end}"
