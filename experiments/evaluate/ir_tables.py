"""Tables in the place of files, as parameters of measures of ir_measures: texts that name them.

ir_measures compares measures as they are printed. So a table goes by a name made of what it holds:
equal tables have equal names, and a printed measure reads back as long as a measure with the table
is there.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from weakref import WeakValueDictionary

from prum.experiments.evaluate.given_tables import given_elements, given_links
from prum.simulator.model import Elements, Links

_GIVEN: Final[Mapping[str, Callable[[Any], Any]]] = {
    "links": given_links,
    "elements": given_elements,
}


class TableName(str):
    """The name of a table, which it holds."""

    table: Links | Elements

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.table,)


_NAMES: WeakValueDictionary[str, TableName] = WeakValueDictionary()


def table_name(key: str, value: object) -> object:
    """Return the name of a table or file of links or elements; anything else as it is.

    A table is `Links`, `Elements`, the mapping that these are made of, or a data frame with the
    columns of their files.

    Raises
    ------
    InputError
        as `Links` and `Elements`.
    """
    if isinstance(value, str | Path):
        return _NAMES.get(str(value), str(value))
    if isinstance(value, Mapping | Links | Elements) or hasattr(value, "columns"):
        return _named(_GIVEN[key](value)) if key in _GIVEN else value
    return value


def table_of(name: str | None) -> Links | Elements | None:
    """Return the table that a parameter names, None for the name of a file."""
    return name.table if isinstance(name, TableName) else None


def _named(table: Links | Elements) -> TableName:
    digest = sha256(repr(table).encode("utf-8")).hexdigest()[:12]
    kind = "links" if isinstance(table, Links) else "elements"
    name = TableName(f"{kind}-{digest}")
    if name in _NAMES:
        return _NAMES[name]
    name.table = table
    _NAMES[name] = name
    return name
