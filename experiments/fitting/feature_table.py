"""Columns that people add themselves, of elements or of links, and the files that hold them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_id
from prum.simulator.model.tables import places
from prum.simulator.tables.cells import number_of
from prum.simulator.tables.files import FilePath, place
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.read import read

ELEMENT, SOURCE, TARGET = "element", "source", "target"
LAYOUT = Layout(
    what="file of features",
    columns=tuple(
        FileColumn(name=name, nullable=True, optional=True) for name in (ELEMENT, SOURCE, TARGET)
    ),
    rest=FileColumn(name="", either=True, nullable=True),
    rule="be a number or text",
    remedy="write it like 12.5, or leave it empty",
    bounds_in_csv=False,
)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """What is known of elements, or of links, in rows.

    Parameters
    ----------
    keys
        Whose each row is: an element, or a source and a target. An element may have several rows,
        as of several categories.
    numbers
        By column, a number for each row, NaN where it is not known.
    texts
        By column, a text for each row, None where it is not known.

    >>> table = FeatureTable.of(["a", "b"], {"age": [3, None], "kind": ["old", "new"]})
    >>> table.numbers["age"].tolist(), table.texts["kind"]
    ([3.0, nan], ('old', 'new'))
    """

    keys: tuple[tuple[str, ...], ...]
    numbers: Mapping[str, Floats]
    texts: Mapping[str, tuple[str | None, ...]]

    @classmethod
    def of(
        cls,
        keys: Iterable[str | tuple[str, str]],
        columns: Mapping[str, Sequence[float | str | None]],
        *,
        origin: str = "",
        lines: Sequence[int] | None = None,
    ) -> "FeatureTable":
        """Return the table of columns, each of texts or of numbers, which may be written as texts.

        `origin` (a file's name) and `lines` (the line of each row) only serve messages.

        Raises
        ------
        InputError
            for an id that is no text or empty, a table without rows or columns, a column of
            another length or without values, a link with two rows, an element with two numbers
            in one column.
        """
        rows = tuple(key if isinstance(key, tuple) else (key,) for key in keys)
        where = places("features", origin, lines)
        for number, row in enumerate(rows):
            if len(row) != len(rows[0]) or len(row) > 2:
                rule, remedy = "be all elements or all links", "give them a table each"
                raise InputError("ids of features", row, rule, remedy=remedy, place=where(number))
            for name, value in zip(
                (ELEMENT,) if len(row) == 1 else (SOURCE, TARGET), row, strict=True
            ):
                check_id(name, value, place=where(number))
        if not rows or not columns:
            rule, remedy = "have rows, and a column beside ids", "add what is known of them"
            raise InputError("features", "empty", rule, remedy=remedy, place=origin)
        numbers, texts = dict[str, Floats](), dict[str, tuple[str | None, ...]]()
        for name, values in columns.items():
            if len(values) != len(rows):
                thing, rule = f"length of column {name!r}", f"be {len(rows)}, as of ids"
                raise InputError(thing, len(values), rule, remedy="give one value a row")
            # NaN is what pandas has for a missing value; it alone differs from itself.
            each = [None if value == "" or value != value else value for value in values]
            if all(value is None for value in each):
                rule, remedy = "hold a value", "leave the column out"
                raise InputError(f"column {name!r}", "empty", rule, remedy=remedy, place=origin)
            column = np.array([np.nan if x is None else number_of(str(x)) for x in each])
            if np.isinf(column).any():
                number = int(np.flatnonzero(np.isinf(column))[0])
                rule, remedy = "be finite", "give a smaller number"
                raise InputError(name, each[number], rule, remedy=remedy, place=where(number))
            if np.isnan(column).sum() == each.count(None):
                numbers[name] = column
            else:
                texts[name] = tuple(None if value is None else str(value) for value in each)
        first = dict[tuple[str, ...], int]()
        for number, row in enumerate(rows):
            other = first.setdefault(row, number)
            if other != number and len(row) == 2:
                remedy = f"keep it or the one in {where(other)}"
                raise InputError("link", row, "be given once", remedy=remedy, place=where(number))
            for name, column in numbers.items():
                two = column[[other, number]]
                if two[0] != two[1] and not np.isnan(two).all():
                    thing, rule = f"{name} of {row[0]!r}", f"be as in {where(other)}"
                    remedy = "give an element one number"
                    raise InputError(thing, float(two[1]), rule, remedy=remedy, place=where(number))
        return cls(rows, numbers, texts)


def read_features(path: FilePath) -> FeatureTable:
    """Return the features of a file: columns element, or source and target, and any others.

    A column all of whose values are numbers is one of numbers, any other one of texts, which say
    to what category something belongs. Values may be missing: empty, null. The formats are those
    of `read_links`.

    Raises
    ------
    InputError
        as `read_links` and `FeatureTable.of`; for columns element and source in one file.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "kinds.csv"
    >>> _ = path.write_text("element,kind,age\\na,old,3\\nb,new,\\n")
    >>> table = read_features(path)
    >>> table.keys, table.texts["kind"], table.numbers["age"].tolist()
    ((('a',), ('b',)), ('old', 'new'), [3.0, nan])
    """
    table = read(path, LAYOUT)
    names, values = table.names, table.columns
    given = [any(value not in (None, "") for value in column) for column in values[:3]]
    if given not in ([True, False, False], [False, True, True]):
        rule = "name either elements or both ends of links"
        remedy = "have the columns element, or source and target"
        shown = ", ".join(name for name, holds in zip(names[:3], given, strict=True) if holds)
        raise InputError("ids of features", shown, rule, remedy=remedy, place=place(path))
    keys = values[0] if given[0] else zip(values[1], values[2], strict=True)
    columns = dict(zip(names[3:], values[3:], strict=True))
    return FeatureTable.of(keys, columns, origin=table.origin, lines=table.lines)
