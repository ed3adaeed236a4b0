"""Tables in the place of files, as parameters of measures of ir_measures: texts that name them.

ir_measures compares measures as they are printed. So a table goes by a name made of what it holds:
equal tables have equal names, and a printed measure reads back as long as a measure with the table
is there.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final
from weakref import WeakValueDictionary

from prum.simulator.model import Elements, Links

_COLUMNS: Final = {
    "links": ("source", "target", "probability"),
    "elements": ("element", "parent", "length"),
}


class TableName(str):
    """The name of a table, which it holds."""

    table: Links | Elements

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.table,)


_NAMES: WeakValueDictionary[str, TableName] = WeakValueDictionary()


def table_name(key: str, value: object) -> object:
    """Return the name of a table of links or elements; anything else as it is.

    A table is `Links`, `Elements`, the mapping that these are made of, or a data frame with the
    columns of their files.

    Raises
    ------
    InputError
        as `Links` and `Elements`.
    """
    if key not in _COLUMNS or isinstance(value, str):
        return _NAMES.get(value, value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return _named(Links(value) if key == "links" else Elements(value))
    columns = getattr(value, "columns", ())
    if all(column in columns for column in _COLUMNS[key]):
        return _named(_from_frame(key, value))
    return _named(value) if isinstance(value, Links | Elements) else value


def table_of(name: str | None) -> Links | Elements | None:
    """Return the table that a parameter names, None for the name of a file."""
    return name.table if isinstance(name, TableName) else None


def _from_frame(key: str, frame: Any) -> Links | Elements:
    first, second, third = (frame[column].tolist() for column in _COLUMNS[key])
    if key == "links":
        return Links.from_columns(first, second, third)
    parents = [parent if isinstance(parent, str) else None for parent in second]
    starts = frame["start"].tolist() if "start" in frame.columns else None
    return Elements.from_columns(first, parents, third, starts)


def _named(table: Links | Elements) -> TableName:
    digest = sha256(repr(table).encode("utf-8")).hexdigest()[:12]
    kind = "links" if isinstance(table, Links) else "elements"
    name = TableName(f"{kind}-{digest}")
    if name in _NAMES:
        return _NAMES[name]
    name.table = table
    _NAMES[name] = name
    return name
