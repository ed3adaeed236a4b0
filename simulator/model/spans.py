"""ChunkTable: pieces of documents that a retriever ranks, and the spans of text that users need."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.costs import Costs
from prum.simulator.model.errors import InputError, whole_number
from prum.simulator.model.tables import KeyedTable, key_of, places, shown_rows
from prum.simulator.model.task import check_id

# What the end minus the start of a chunk counts.
CHARACTERS = "characters"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of a document: characters ``start`` to ``end - 1``, counted from 0.

    Raises
    ------
    InputError
        for a document that is not named, a start below 0, an end that is not after the start.

    >>> Span("report", 120, 180).length
    60
    """

    document: str
    start: int
    end: int

    def __post_init__(self) -> None:
        check_id("document of a span", self.document)
        start = whole_number("start of a span", self.start, least=0, remedy="count from 0")
        end = whole_number("end of a span", self.end, least=0, remedy="count from 0")
        if end <= start:
            rule = f"lie after the start, {start}"
            raise InputError("end of a span", end, rule, remedy="give start and end in characters")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)

    @property
    def length(self) -> int:
        """Number of characters."""
        return self.end - self.start


class ChunkTable(KeyedTable):
    """A table of chunks, pieces of documents that may overlap; read-only.

    Parameters
    ----------
    rows
        ``{chunk: (document, start, end)}``: characters ``start`` to ``end - 1``, from 0.

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
        The number of the chunk that each belongs to (of a hierarchy of chunks), or -1.
    amounts
        Unit -> what reading each chunk costs: tokens, say.

    Raises
    ------
    InputError
        for an id that is empty or not text, a chunk with two rows, a start below 0, an end that
        does not lie after the start, a parent that is not in the table or of another document.

    >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 80, 180)})
    >>> pieces.documents, pieces.ends.tolist()
    (('report',), [100, 180])
    >>> eval(repr(pieces)) == pieces
    True
    """

    ids: tuple[str, ...]
    documents: tuple[str, ...]
    document: Ints
    starts: Ints
    ends: Ints
    parents: Ints
    amounts: Mapping[str, Floats]

    def __init__(self, rows: Mapping[str, tuple[str, int, int]]) -> None:
        columns = zip(*rows.values(), strict=True) if rows else ([], [], [])
        table = ChunkTable.from_columns(list(rows), *columns)
        self.__dict__.update(table.__dict__)

    @classmethod
    def from_columns(
        cls,
        chunks: Iterable[str],
        documents: Iterable[str],
        starts: Sequence[int] | Ints,
        ends: Sequence[int] | Ints,
        *,
        parents: Iterable[str | None] | None = None,
        amounts: Mapping[str, ArrayLike] | None = None,
        origin: str = "",
        lines: ArrayLike | None = None,
    ) -> Self:
        """Build the table from columns of equal length.

        `origin` (a file's name) and `lines` (the line of each row) only serve messages.

        >>> ChunkTable.from_columns(["one"], ["report"], [0], [100], amounts={"tokens": [25]})
        ChunkTable({'one': ('report', 0, 100)})
        """
        ids, names = tuple(map(str, chunks)), list(documents)
        place = places("chunks", origin, lines)
        begins, stops = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
        if not len(ids) == len(names) == len(begins) == len(stops):
            sizes = (len(ids), len(names), len(begins), len(stops))
            remedy = "give document, start and end of each chunk"
            raise InputError("columns of chunks", sizes, "be of equal length", remedy=remedy)
        number: dict[str, int] = {}
        for row, (chunk, name) in enumerate(zip(ids, names, strict=True)):
            check_id("chunk", chunk, place=place(row))
            check_id(f"document of chunk {chunk!r}", name, place=place(row))
            if number.setdefault(chunk, row) != row:
                remedy = f"give it another id than in {place(number[chunk])}"
                raise InputError("chunk", chunk, "have one row", remedy=remedy, place=place(row))
        for thing, values, wrong, rule in (
            ("start", begins, begins < 0, "be at least 0"),
            ("end", stops, stops <= begins, "lie after the start"),
        ):
            if wrong.any():
                row = int(np.flatnonzero(wrong)[0])
                remedy = "count the characters of the document from 0"
                raise InputError(
                    f"{thing} of chunk {ids[row]!r}", int(values[row]), rule, remedy=remedy,
                    place=place(row),
                )  # fmt: skip
        table = cls.__new__(cls)
        table.ids = ids
        table.documents = tuple(sorted(set(names)))
        code = {name: k for k, name in enumerate(table.documents)}
        table.document = np.fromiter((code[name] for name in names), np.int64, len(names))
        table.starts, table.ends = begins, stops
        table.parents = np.full(len(ids), -1, dtype=np.int64)
        for row, parent in enumerate(parents or ()):
            if parent is None:
                continue
            above = number.get(parent, row)
            if above == row or table.document[above] != table.document[row]:
                rule = "be another chunk of the same document"
                raise InputError(
                    f"parent of chunk {ids[row]!r}", parent, rule, remedy="correct its id",
                    place=place(row),
                )  # fmt: skip
            table.parents[row] = above
        table.amounts = {
            unit: np.asarray(each, dtype=np.float64) for unit, each in (amounts or {}).items()
        }
        arrays = (table.document, begins, stops, table.parents, *table.amounts.values())
        for array in arrays:
            array.setflags(write=False)
        return table

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield (chunk, document, start, end)."""
        columns = (column.tolist() for column in (self.document, self.starts, self.ends))
        for chunk, document, start, end in zip(self.ids, *columns, strict=True):
            yield chunk, self.documents[document], start, end

    @cached_property
    def code(self) -> dict[str, int]:
        """The number of each chunk."""
        return {chunk: number for number, chunk in enumerate(self.ids)}

    @cached_property
    def lengths(self) -> Ints:
        """Number of characters of each chunk."""
        return self.ends - self.starts

    @property
    def units(self) -> tuple[str, ...]:
        """Units of cost: characters, and those of `amounts`."""
        return (CHARACTERS, *self.amounts)

    def costs(self, unit: str = CHARACTERS) -> Costs:
        """Return what reading each chunk costs, in a unit.

        Raises
        ------
        InputError
            for a unit that the table does not have.

        >>> ChunkTable({"one": ("report", 0, 100)}).costs().mean("one")
        100.0
        """
        if unit not in self.units:
            rule = f"be one of {', '.join(self.units)}"
            raise InputError("unit of cost", unit, rule, remedy=f"give chunks a column {unit}")
        each = self.lengths if unit == CHARACTERS else self.amounts[unit]
        return Costs.of(dict(zip(self.ids, each.tolist(), strict=True)), unit=unit)

    @cached_property
    def key(self) -> str:  # type: ignore[override]
        """SHA-256 of the table."""

        def rows(span: slice) -> Iterator[tuple[object, ...]]:
            arrays = (self.document, self.starts, self.ends, self.parents, *self.amounts.values())
            names = [self.documents[k] for k in self.document[span].tolist()]
            return zip(self.ids[span], names, *(x[span].tolist() for x in arrays[1:]), strict=True)

        return key_of(len(self), rows)

    def __repr__(self) -> str:
        rows = (f"{row[0]!r}: {row[1:]!r}" for row in self)
        return f"ChunkTable({shown_rows(rows, len(self))})"
