"""Elements: trees of documents, videos or pages, and where each part begins and how long it is."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import InputError, check_id
from prum.simulator.model.tables import (
    IdTable,
    check_equal_lengths,
    check_rows,
    number_column,
    places,
    rows_of_ids,
    shown_rows,
)

# Starts and lengths come from decimal text: the ends of a part and of its parent may differ by
# rounding, in proportion to where they lie.
TOLERANCE = 1e-9


class Elements(IdTable):
    """A table of elements, each in its parent or a document of its own; read-only.

    An element covers the interval from its start to its start + length, in the unit of the table
    (words, characters, seconds), counted from the beginning of its document. A parent's interval
    holds those of its children. Siblings may overlap, like chunks of a page cut with a stride, and
    need not fill their parent. *x contains y* means that x is an ancestor of y: siblings that
    overlap do not contain each other, however their intervals lie.

    Document order is that of a depth-first walk that takes siblings by start; equal starts keep the
    order of the rows. Documents are sorted by id.

    Parameters
    ----------
    rows
        ``{element: (parent, length, start)}``; the parent of a document is None. Without a start,
        or with None, an element begins where the sibling in the row before it ends; a first child
        begins with its parent, a document at 0.

    Attributes
    ----------
    ids
        The elements in document order; the arrays below follow this order, shape (n,) each.
    parents
        The number of each element's parent, -1 for a document.
    depths
        0 for documents, 1 for their children, and so on.
    documents
        The number of the document that each element belongs to.
    afters
        The number after that of the last descendant: element i contains i + 1 ... afters[i] - 1.
    starts, lengths
        Where each element begins and how long it is.

    Raises InputError for an id that is empty or not text, an element with two rows, a parent that
    is not in the table or lies in its own child, a number that is negative or not finite, an
    element that extends beyond its parent.

    >>> page = Elements({"page": (None, 60), "one": ("page", 40), "two": ("page", 20)})
    >>> page.ids, page.starts.tolist(), page.parents.tolist()
    (('page', 'one', 'two'), [0.0, 0.0, 40.0], [-1, 0, 0])
    >>> eval(repr(page)) == page
    True
    """

    parents: Ints
    depths: Ints
    documents: Ints
    afters: Ints
    starts: Floats
    lengths: Floats

    def __init__(
        self,
        rows: "Mapping[str, tuple[str | None, float] | tuple[str | None, float, float | None]]",
    ) -> None:
        if not isinstance(rows, Mapping):
            rule = "be a mapping {element: (parent, length, start)}"
            raise InputError("elements", rows, rule, remedy="use Elements.from_columns for columns")
        for element, row in rows.items():
            if not isinstance(row, tuple) or len(row) not in (2, 3):
                rule = "be (parent, length) or (parent, length, start)"
                remedy = "give None for the parent of a document"
                raise InputError(f"row of element {element!r}", row, rule, remedy=remedy)
        table = Elements.from_columns(
            list(rows),
            [row[0] for row in rows.values()],
            [row[1] for row in rows.values()],
            [row[2] if len(row) == 3 else None for row in rows.values()],
        )
        self.__dict__.update(table.__dict__)

    @classmethod
    def from_columns(
        cls,
        elements: Iterable[str],
        parents: Iterable[str | None],
        lengths: ArrayLike,
        starts: Iterable[float | None] | None = None,
        *,
        origin: str = "",
        lines: ArrayLike | None = None,
    ) -> Self:
        """Build the table from columns of equal length.

        `origin` (a file's name) and `lines` (the line of each row) only serve messages.

        >>> Elements.from_columns(["a", "b"], [None, "a"], [60, 40])
        Elements({'a': (None, 60.0, 0.0), 'b': ('a', 40.0, 0.0)})
        """
        ids, above = list(elements), list(parents)
        given = [None] * len(ids) if starts is None else list(starts)
        place = places("elements", origin, lines)

        def called(thing: str) -> Callable[[int], str]:
            return lambda row: f"{thing} of {ids[row]!r}"

        def mistake(thing: str, row: int, value: object, rule: str, remedy: str) -> InputError:
            return InputError(called(thing)(row), value, rule, remedy=remedy, place=place(row))

        sizes = _numbers("lengths", lengths)
        remedy = "give one parent, length and start for each element"
        check_equal_lengths("elements", *map(len, (ids, above, sizes, given)), remedy=remedy)
        missing = np.array([start is None for start in given], dtype=np.bool_)
        begins = _numbers("starts", [0.0 if start is None else start for start in given])
        row_of = rows_of_ids("element", ids, place)
        for thing, values in (("length", sizes), ("start", begins)):
            valid, rule = (values >= 0) & np.isfinite(values), "be a finite number of at least 0"
            check_rows(called(thing), values, valid, rule, place)
        parent_rows = [-1] * len(ids)
        for row, parent in enumerate(above):
            if parent is None:
                continue
            check_id(f"parent of {ids[row]!r}", parent, place=place(row))
            if parent not in row_of:
                remedy = "give the parent a row, or leave it empty"
                raise mistake("parent", row, parent, "be an element of the table", remedy)
            parent_rows[row] = row_of[parent]

        order = _laid_out(parent_rows, ids, sizes, begins, missing)
        if len(order) < len(ids):
            row = min(set(range(len(ids))).difference(order))
            rule = "lead up to a document, and not lie in its own child"
            raise mistake("parent", row, above[row], rule, "leave it empty for a document")
        with np.errstate(over="ignore"):
            endless = np.flatnonzero(~np.isfinite(begins + sizes))
        if endless.size:
            row, rule = int(endless[0]), "be a finite number"
            raise mistake("end", row, float("inf"), rule, "give smaller numbers")
        table = cls._of_order(order, parent_rows, ids, sizes, begins)
        inner = np.flatnonzero(table.parents >= 0)
        outer, last = table.parents[inner], table.starts + table.lengths
        slack = TOLERANCE * last[outer]
        for thing, side, values, wrong in (
            ("start", "before", table.starts, table.starts[inner] < table.starts[outer] - slack),
            ("end", "after", last, last[inner] - slack > last[outer]),
        ):
            if wrong.any():
                number, holder = (int(x[np.argmax(wrong)]) for x in (inner, outer))
                rule = f"not lie {side} the {thing} {values[holder]} of its parent "
                rule += repr(table.ids[holder])
                remedy = "correct start or length of either"
                raise mistake(thing, order[number], float(values[number]), rule, remedy)
        return table

    @classmethod
    def _of_order(
        cls,
        order: list[int],
        parent_rows: list[int],
        ids: list[str],
        sizes: Floats,
        begins: Floats,
    ) -> Self:
        """Return the table whose element k is row ``order[k]`` of the columns."""
        number_of = np.empty(len(order) + 1, dtype=np.int64)
        number_of[order] = np.arange(len(order))
        number_of[-1] = -1  # the parent row of a document is -1
        parents = number_of[np.array(parent_rows, dtype=np.int64)[order]]
        depths, documents = [0] * len(order), list(range(len(order)))
        afters = list(range(1, len(order) + 1))
        above = parents.tolist()
        for number, parent in enumerate(above):
            if parent >= 0:
                depths[number] = depths[parent] + 1
                documents[number] = documents[parent]
        for number in range(len(order) - 1, -1, -1):
            if (parent := above[number]) >= 0:
                afters[parent] = max(afters[parent], afters[number])
        return cls._of(
            ids=tuple(str(ids[row]) for row in order),  # NumPy's strings are of another type
            parents=parents,
            depths=np.array(depths, dtype=np.int64),
            documents=np.array(documents, dtype=np.int64),
            afters=np.array(afters, dtype=np.int64),
            starts=begins[order],
            lengths=sizes[order],
        )

    def __iter__(self) -> Iterator[tuple[str, str | None, float, float]]:
        """Yield (element, parent, length, start) in document order."""
        for element, parent, length, start in self._rows(slice(None)):
            yield element, None if parent < 0 else self.ids[parent], length, start

    @cached_property
    def document_of(self) -> dict[str, str]:
        """The document of each element, by ids; a document is its own.

        >>> Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10)}).document_of["c"]
        'a'
        """
        return {
            element: self.ids[document]
            for element, document in zip(self.ids, self.documents.tolist(), strict=True)
        }

    def number(self, element: str) -> int:
        """Return the number of an element.

        Raises InputError if it is not in the table.
        """
        try:
            return self.code[element]
        except (KeyError, TypeError):
            raise InputError(
                "element", element, "be in the table of elements", remedy="check its id"
            ) from None

    def numbers(self, elements: Iterable[str]) -> Ints:
        """Return the numbers of some elements, sorted, each once."""
        if isinstance(elements, str):
            raise InputError(
                "elements", elements, "be several ids, not one text", remedy="give a list of texts"
            )
        return np.unique(np.array([self.number(element) for element in elements], dtype=np.int64))

    def children(self, element: str) -> tuple[str, ...]:
        """Return the children of an element in document order.

        >>> Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10)}).children("a")
        ('b',)
        """
        number = self.number(element)
        children, child = list[str](), number + 1
        while child < self.afters[number]:
            children.append(self.ids[child])
            child = int(self.afters[child])
        return tuple(children)

    def ancestors(self, element: str) -> tuple[str, ...]:
        """Return the elements that contain an element, nearest first.

        >>> Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10)}).ancestors("c")
        ('b', 'a')
        """
        ancestors, number = list[str](), int(self.parents[self.number(element)])
        while number >= 0:
            ancestors.append(self.ids[number])
            number = int(self.parents[number])
        return tuple(ancestors)

    def contains(self, x: str, y: str) -> bool:
        """Return whether x contains y, which is another element."""
        above, below = self.number(x), self.number(y)
        return bool(above < below < self.afters[above])

    def _rows(self, span: slice) -> Iterator[tuple[Any, ...]]:
        columns = (column[span].tolist() for column in (self.parents, self.lengths, self.starts))
        return zip(self.ids[span], *columns, strict=True)

    def __repr__(self) -> str:
        return f"Elements({shown_rows((f'{row[0]!r}: {row[1:]!r}' for row in self), len(self))})"


def _numbers(thing: str, values: ArrayLike) -> Floats:
    """Return a column of numbers as floats, without -0.0: equal tables have equal keys."""
    array = number_column(thing, values, remedy="give one number a row")
    return array.astype(np.float64) + 0.0


def _laid_out(
    parent_rows: Sequence[int],
    ids: Sequence[str],
    sizes: Floats,
    begins: Floats,
    missing: Flags,
) -> list[int]:
    """Fill in the missing starts, and return the rows below documents in document order."""
    children: list[list[int]] = [[] for _ in parent_rows]
    roots = list[int]()
    for row, parent in enumerate(parent_rows):
        (children[parent] if parent >= 0 else roots).append(row)
    length, start, unknown = sizes.tolist(), begins.tolist(), missing.tolist()
    order = list[int]()
    pending = sorted(roots, key=ids.__getitem__, reverse=True)
    while pending:
        row = pending.pop()
        order.append(row)
        end = start[row]
        for child in children[row]:
            if unknown[child]:
                start[child] = end
            end = start[child] + length[child]
        children[row].sort(key=start.__getitem__)
        pending.extend(reversed(children[row]))
    begins[:] = start
    return order
