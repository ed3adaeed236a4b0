"""The layout of a column file: which columns it has, and what each may hold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from prum.simulator.model.errors import InputError


@dataclass(frozen=True, kw_only=True)
class FileColumn:
    """A column of text, or of numbers from 0 to `most`.

    Numbers of a flag are 0 or 1: false or true in JSONL and Parquet. A nullable column may be empty
    in places (null in JSONL and Parquet), an optional one missing.
    """

    name: str
    number: bool = False
    whole: bool = False
    flag: bool = False
    nullable: bool = False
    optional: bool = False
    most: float = math.inf


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The columns of a kind of file, and how messages name the file and the rule of its numbers.

    With `others` there may be more columns, which are not read. In CSV and TSV the bounds of
    numbers are checked if `bounds_in_csv`; else, as in Parquet, the table made from the columns
    checks them.
    """

    what: str
    columns: tuple[FileColumn, ...]
    rule: str
    remedy: str
    bounds_in_csv: bool
    others: bool = False

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]


def check_names(names: Sequence[str], layout: Layout, *, place: str) -> None:
    """Raise InputError unless `names` are those of `layout`, each once."""
    known = layout.names
    needed = [column.name for column in layout.columns if not column.optional]
    if (
        len(set(names)) != len(names)
        or not set(needed) <= set(names)
        or not (layout.others or set(names) <= set(known))
    ):
        at_will = "".join(f", {name} at will" for name in known if name not in needed)
        thing = "wrong column names: the row of names"
        rule = f"be {', '.join(known)} in any order{at_will}{', and others' * layout.others}"
        remedy = "name these columns" + ", and leave out others" * (not layout.others)
        raise InputError(thing, ", ".join(names), rule, remedy=remedy, place=place)


def no_number(column: FileColumn, value: object, layout: Layout, *, place: str) -> InputError:
    """Return the error for a cell without a number that its column allows."""
    rule = "be true or false" if column.flag else layout.rule
    return InputError(column.name, value, rule, remedy=layout.remedy, place=place)
