"""Tables of ids, read-only: what links, elements and chunks share, and the links themselves."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prum.simulator.model.arrays import Counts, Flags, Floats, Ints
from prum.simulator.model.errors import InputError, check_each, check_id, check_pair, real_array
from prum.simulator.model.task import canonical_json

# Rows that are shown at most, and how many are if there are more.
_MOST_SHOWN, _FEW = 1000, 8
# Rows of which the key's text is made at once.
_PIECE = 1 << 16

# What says where a row of a table stands, for messages.
Place = Callable[[int], str]


class KeyedTable:
    """A table that equals another of its kind if their keys are equal."""

    @cached_property
    def key(self) -> str:
        """SHA-256 of the table."""
        return key_of(len(self), self._rows)

    def __len__(self) -> int:
        raise NotImplementedError

    def _rows(self, span: slice) -> Iterable[object]:
        """Return some rows as plain data, which tell the table from others."""
        raise NotImplementedError

    @classmethod
    def _of(cls, **columns: Any) -> Self:
        """Return the table of these columns, which are not to be changed any more."""
        table = cls.__new__(cls)
        table.__dict__.update(columns)
        for column in columns.values():
            if isinstance(column, np.ndarray):
                column.setflags(write=False)
        return table

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self is other or self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class IdTable(KeyedTable):
    """A table of things of which each has a row, and an id."""

    ids: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def code(self) -> dict[str, int]:
        """The number of each id."""
        return numbered(self.ids)


def numbered(ids: Sequence[str]) -> dict[str, int]:
    """Return the number of each id, from 0."""
    return dict(zip(ids, range(len(ids)), strict=True))


def key_of(num_rows: int, rows: Callable[[slice], Iterable[object]]) -> str:
    """Return the SHA-256 of a table as canonical JSON, made and hashed piece by piece."""
    digest = hashlib.sha256(b"[")
    for begin in range(0, num_rows, _PIECE):
        text = canonical_json(list(rows(slice(begin, begin + _PIECE))))[1:-1]
        digest.update(f",{text}".encode("ascii") if begin else text.encode("ascii"))
    digest.update(b"]")
    return digest.hexdigest()


def shown_rows(rows: Iterable[str], num_rows: int) -> str:
    """Return rows between braces, few of them if they are many."""
    first = list(islice(rows, _MOST_SHOWN))
    if num_rows > len(first):
        first = [*first[:_FEW], f"... {num_rows - _FEW} more"]
    return "{" + ", ".join(first) + "}"


# --- columns that are given ---------------------------------------------------------------------


def places(table: str, origin: str, lines: ArrayLike | None) -> Place:
    """Return what says, for messages, where a row stands: in a file, or in columns."""
    numbers = None if lines is None else np.asarray(lines, dtype=np.int64)

    def place(row: int) -> str:
        where = f"row {row + 1}" if numbers is None else f"line {numbers[row]}"
        return f"{origin}, {where}" if origin else f"{where} of {table}"

    return place


def check_equal_lengths(table: str, *sizes: int, remedy: str) -> None:
    """Raise InputError unless all columns of a table are of one length."""
    if len(set(sizes)) > 1:
        rule = "be of equal length"
        raise InputError(f"columns of {table}", sizes, rule, remedy=remedy)


def are_ids(values: Sequence[object]) -> bool:
    """Return whether all values are texts, and none is empty."""
    return set(map(type, values)) <= {str} and "" not in values


def check_once(thing: str, keys: Sequence[Any], place: Place) -> None:
    """Raise InputError for the first key that stands in a row before."""
    first = dict[Any, int]()
    for row, key in enumerate(keys):
        if first.setdefault(key, row) != row:
            remedy = f"keep it or the one in {place(first[key])}"
            raise InputError(thing, key, "be given once", remedy=remedy, place=place(row))


def rows_of_ids(thing: str, ids: Sequence[str], place: Place) -> dict[str, int]:
    """Return the row of each id; raise InputError for a bad one, or one with two rows."""
    if not are_ids(ids):
        for row, value in enumerate(ids):
            check_id(thing, value, place=place(row))
    number = numbered(list(map(str, ids)))  # NumPy's strings are of another type
    if len(number) < len(ids):
        check_once(thing, ids, place)
    return number


def number_column(thing: str, values: ArrayLike, *, remedy: str) -> NDArray[Any]:
    """Return a column of numbers as it is; raise InputError unless it is one."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1 or (array.dtype.kind not in "fiu" and array.size):
        raise InputError(thing, values, "be a column of numbers", remedy=remedy)
    return array


def check_rows(
    thing: Callable[[int], str],
    values: NDArray[Any],
    valid: Flags,
    rule: str,
    place: Place,
    *,
    remedy: str = "correct the row",
) -> None:
    """Raise InputError for the first row whose value is not valid."""
    if not valid.all():
        row = int(np.argmin(valid))
        raise InputError(thing(row), values[row].item(), rule, remedy=remedy, place=place(row))


# --- links --------------------------------------------------------------------------------------


class Links(KeyedTable):
    """A table of links with probabilities, kept by source and sorted, read-only.

    Parameters
    ----------
    rows
        ``{(source, target): probability}``, or another `Links`.

    Attributes
    ----------
    elements
        The ids that occur, sorted; the arrays below refer to them by number.
    starts, targets, probabilities
        Row k of source i for ``starts[i] <= k < starts[i + 1]``; shapes (n + 1,), (m,), (m,).

    Raises InputError for an id that is empty or not text, a probability outside [0, 1], a pair with
    two rows.

    >>> links = Links({("c", "a"): 0.4, ("c", "b"): 0.4})
    >>> links.elements, links.starts.tolist(), links.targets.tolist()
    (('a', 'b', 'c'), [0, 0, 0, 2], [0, 1])
    """

    elements: tuple[str, ...]
    starts: Ints
    targets: Counts
    probabilities: Floats

    def __init__(self, rows: "Mapping[tuple[str, str], float] | Links") -> None:
        if not isinstance(rows, Links):
            if not isinstance(rows, Mapping):
                rule = "be a mapping {(source, target): probability}"
                remedy = "use Links.from_columns for three columns"
                raise InputError("links", rows, rule, remedy=remedy)
            pairs = [check_pair("a pair of links", pair) for pair in rows]
            sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
            rows = Links.from_columns(sources, targets, list(rows.values()))
        self.__dict__.update(rows.__dict__)

    @classmethod
    def from_columns(
        cls,
        sources: Iterable[str],
        targets: Iterable[str],
        probabilities: ArrayLike,
        *,
        origin: str = "",
        lines: ArrayLike | None = None,
    ) -> Self:
        """Build the table from three columns of equal length.

        `origin` (a file's name) and `lines` (the line of each row) only serve messages.

        >>> Links.from_columns(["c"], ["a"], [0.4])
        Links({('c', 'a'): 0.4})
        """
        source_ids, target_ids = list(sources), list(targets)
        place = places("links", origin, lines)
        remedy = "give one number for each pair"
        column = number_column("probabilities", probabilities, remedy=remedy)
        values = column.astype(np.float64) + 0.0  # no -0.0: equal tables have equal keys
        check_equal_lengths("links", len(source_ids), len(target_ids), len(values), remedy=remedy)
        if not (are_ids(source_ids) and are_ids(target_ids)):
            for row, (source, target) in enumerate(zip(source_ids, target_ids, strict=True)):
                check_id("source", source, place=place(row))
                check_id("target", target, place=place(row))
        check_rows(
            lambda row: f"probability of {source_ids[row]!r} -> {target_ids[row]!r}",
            values,
            (values >= 0) & (values <= 1),
            "lie in [0, 1]",
            place,
        )
        elements = tuple(sorted(map(str, set(source_ids).union(target_ids))))
        code = numbered(elements)
        source_codes = np.fromiter(map(code.__getitem__, source_ids), np.int32, len(source_ids))
        target_codes = np.fromiter(map(code.__getitem__, target_ids), np.int32, len(target_ids))
        order = np.lexsort((target_codes, source_codes))
        source_codes, target_codes, values = source_codes[order], target_codes[order], values[order]
        same = (source_codes[1:] == source_codes[:-1]) & (target_codes[1:] == target_codes[:-1])
        if same.any():
            check_once("link", list(zip(source_ids, target_ids, strict=True)), place)
        counts = np.bincount(source_codes, minlength=len(elements))
        return cls._of(
            elements=elements,
            starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            targets=target_codes,
            probabilities=values,
            _origin=origin,
            _lines=None if lines is None else np.asarray(lines, dtype=np.int64)[order],
        )

    def with_probabilities(self, probabilities: ArrayLike) -> Self:
        """Return a table of the same pairs, with other probabilities of its rows.

        Raises InputError for a probability outside [0, 1], another number of them.

        >>> Links({("c", "a"): 0.4, ("c", "b"): 0.4}).with_probabilities([0.1, 0.2])
        Links({('c', 'a'): 0.1, ('c', 'b'): 0.2})
        """
        values = real_array(
            "probabilities", probabilities, remedy="give one for each row", shape=(len(self),)
        )
        check_each(
            "probability {}",
            values,
            (values >= 0) & (values <= 1),
            "lie in [0, 1]",
            remedy="correct it",
        )
        columns = {name: column for name, column in self.__dict__.items() if name != "key"}
        return self._of(**columns | {"probabilities": values + 0.0})

    _origin: str
    _lines: Ints | None

    def __len__(self) -> int:
        return len(self.targets)

    def __iter__(self) -> Iterator[tuple[str, str, float]]:
        """Yield (source, target, probability), sorted by ids."""
        return self._rows(slice(None))

    @cached_property
    def sources(self) -> Counts:
        """The source of each row, as a number of `elements`; shape (m,)."""
        sources = np.repeat(np.arange(len(self.elements), dtype=np.int32), np.diff(self.starts))
        sources.setflags(write=False)
        return sources

    @cached_property
    def code(self) -> dict[str, int]:
        """The number of each element."""
        return numbered(self.elements)

    def place(self, row: int) -> str:
        """Return where row `row` was read, for messages; empty where it was not read."""
        if self._lines is None:
            return self._origin
        return f"{self._origin}, line {int(self._lines[row])}"

    def _rows(self, span: slice) -> Iterator[tuple[str, str, float]]:
        columns = self.sources[span], self.targets[span], self.probabilities[span]
        for source, target, p in zip(*(column.tolist() for column in columns), strict=True):
            yield self.elements[source], self.elements[target], p

    def __repr__(self) -> str:
        return f"Links({self._rows_shown()})"

    def _rows_shown(self) -> str:
        return shown_rows((f"({x!r}, {y!r}): {p!r}" for x, y, p in self), len(self))
