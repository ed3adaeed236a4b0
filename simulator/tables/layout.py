"""The layout of a column file: which columns it has, and what each may hold.

Columns as they are written come some 100,000 rows at a time.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError
from prum.simulator.tables.names import column_of

_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class FileColumn:
    """A column of text, or of numbers from 0 to `most`.

    Numbers of a flag are 0 or 1: false or true in JSONL and Parquet. A nullable column may be empty
    in places (null in JSONL and Parquet), an optional one missing. A column may be called by an
    alias; if several of its names occur, the first counts. Its rule and remedy are those of the
    layout unless it has its own. A column that may be either holds texts or numbers, as the file
    has them: in CSV and TSV all are texts.
    """

    name: str
    number: bool = False
    either: bool = False
    whole: bool = False
    flag: bool = False
    nullable: bool = False
    optional: bool = False
    most: float = math.inf
    aliases: tuple[str, ...] = ()
    rule: str = ""
    remedy: str = ""

    @classmethod
    def of(cls, names: Sequence[str], **may: Any) -> "FileColumn":
        """Return a column that may have any of some names, of several the first."""
        return cls(name=names[0], aliases=tuple(names[1:]), **may)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of a cell; ids may be whole numbers."""
        kinds = ["string", "integer"]
        if self.number or self.either:
            number = "boolean" if self.flag else "integer" if self.whole else "number"
            kinds = [number, *(["string"] if self.either else [])]
        bounds: dict[str, Any] = {"minimum": 0} if self.number and not self.flag else {}
        if bounds and math.isfinite(self.most):
            bounds["maximum"] = self.most
        also = f"also called {', '.join(self.aliases)}" if self.aliases else ""
        about = {"description": also} if also else {}
        return {"type": [*kinds, *(["null"] if self.nullable else [])], **bounds, **about}


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The columns of a kind of file, and how messages name the file and the rule of its numbers.

    With `others` there may be more columns, which are not read; with a `rest`, which are all read
    as that column is, if it is in each row. In CSV and TSV the bounds of numbers are checked if
    `bounds_in_csv`; else the table made from the columns checks them. `rows` is what messages call
    rows that are in no file.
    """

    what: str
    columns: tuple[FileColumn, ...]
    rule: str
    remedy: str
    bounds_in_csv: bool
    others: bool = False
    rest: FileColumn | None = None
    rows: str = "the table"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of a row, as a line of JSON has it, with the first of its names.

        >>> number = FileColumn(name="p", number=True, most=1.0, optional=True)
        >>> of_links = Layout(what="", columns=(number,), rule="", remedy="", bounds_in_csv=False)
        >>> of_links.schema()["properties"]
        {'p': {'type': ['number'], 'minimum': 0, 'maximum': 1.0}}
        """
        more = {} if self.rest is None else self.rest.schema()
        return {
            "type": "object",
            "properties": {column.name: column.schema() for column in self.columns},
            "required": [column.name for column in self.columns if not column.optional],
            "additionalProperties": more or self.others,
        }

    def as_written(self, names: Sequence[str]) -> "Layout":
        """Return the layout with each column called as in a file with these names."""
        written = [column_of(names, (each.name, *each.aliases)) for each in self.columns]
        columns = tuple(
            column if name is None or name == column.name else replace(column, name=name)
            for column, name in zip(self.columns, written, strict=True)
        )
        if self.rest is not None:
            known = {column.name for column in columns}
            more = (replace(self.rest, name=name) for name in names if name not in known)
            return replace(self, columns=(*columns, *more), rest=None)
        return self if columns == self.columns else replace(self, columns=columns)


def check_names(names: Sequence[str], layout: Layout, *, place: str) -> None:
    """Raise InputError unless `names` are those of `layout`, each once."""
    written = layout.as_written(names)
    needed = [column.name for column in written.columns if not column.optional]
    if (
        len(set(names)) != len(names)
        or not set(needed) <= set(names)
        or not (layout.others or set(names) <= set(written.names))
    ):
        known = ", ".join(_named(column) for column in layout.columns if not column.optional)
        optional = "".join(f", optionally {_named(x)}" for x in layout.columns if x.optional)
        thing = "wrong column names: the row of names"
        others = layout.others or layout.rest is not None
        rule = f"be {known} in any order{optional}{', and others' * others}"
        remedy = "name these columns" + ", and leave out others" * (not others)
        if any(";" in name for name in names):
            remedy = "separate columns by commas, not semicolons"
        raise InputError(thing, ", ".join(names), rule, remedy=remedy, place=place)


def _named(column: FileColumn) -> str:
    """Return what a column may be called, the first few of many names."""
    return " or ".join((column.name, *column.aliases)[:_MOST_NAMED])


def no_number(column: FileColumn, value: object, layout: Layout, *, place: str) -> InputError:
    """Return the error for a cell without a number that its column allows."""
    rule = "be true or false" if column.flag else column.rule or layout.rule
    remedy = column.remedy or layout.remedy
    return InputError(column.name, value, rule, remedy=remedy, place=place)


# Rows that are looked at together.
ROWS_AT_ONCE = 200_000
# Takes names of columns, and their place, to those to read, and whether they should be numbers; or
# raises.
Choice = Callable[[Sequence[str], str], dict[str, bool]]


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """Columns by name, all of the same rows; each row with its number in the file.

    A cell that is empty is "" or null. `typed` says whether cells are numbers where they mean
    numbers, as in JSON and Parquet, and not all of them texts.
    """

    columns: dict[str, Any]
    numbers: Ints
    unit: str
    typed: bool

    def place(self, path: str, row: int) -> str:
        """Return where a row stands."""
        where = f"{self.unit} {self.numbers[row]}"
        return f"{path}, {where}" if path else where
