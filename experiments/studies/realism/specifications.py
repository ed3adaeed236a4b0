"""Specifications of made collections as plain tables: dials read, set, and written as TOML."""

import copy
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Plain = Mapping[str, Any]
# What a dial is set to.
Setting = str | float | int | bool | Sequence[str | float | Sequence[int]] | None


@dataclass(frozen=True, slots=True)
class Change:
    """A dial that was set: its path, its values (None: not given before), and why."""

    dial: str
    before: Setting
    after: Setting
    reason: str


def dial_of(content: Plain, dial: str, default: Any = None) -> Any:
    """Return the value of a dial, or the default.

    >>> dial_of({"systems": [{"depth": 5}]}, "systems.0.depth")
    5
    """
    value: Any = content
    for step in dial.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, (list, tuple)) and int(step) < len(value):
            value = value[int(step)]
        else:
            value = None
        if value is None:
            return default
    return value


def with_dial(content: Plain, dial: str, value: Any) -> dict[str, Any]:
    """Return the tables with a dial set; missing tables are made.

    >>> with_dial({"name": "a"}, "collection.inside", 0.5)
    {'name': 'a', 'collection': {'inside': 0.5}}
    """
    changed = copy.deepcopy(dict(content))
    table: Any = changed
    *steps, last = dial.split(".")
    for step in steps:
        table = table[int(step)] if isinstance(table, list) else table.setdefault(step, {})
    if isinstance(table, list):
        table[int(last)] = value
    else:
        table[last] = value
    return changed


def toml_text(content: Plain) -> str:
    """Return tables, arrays and plain values as TOML, tables in tables inline; None is left out.

    >>> print(toml_text({"name": "a", "systems": [{"name": "b", "strength": [0.5, 2]}]}), end="")
    name = "a"
    <BLANKLINE>
    [[systems]]
    name = "b"
    strength = [0.5, 2]
    """
    tables = {name: value for name, value in content.items() if _is_table(value)}
    lines = _pairs({name: value for name, value in content.items() if name not in tables})
    for name, value in tables.items():
        begin, end, parts = (
            ("[", "]", [value]) if isinstance(value, Mapping) else ("[[", "]]", value)
        )
        for part in parts:
            lines += ["", f"{begin}{_key(name)}{end}", *_pairs(part)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _is_table(value: object) -> bool:
    """Return whether a value is a table, or an array of tables."""
    if isinstance(value, (list, tuple)) and value:
        return all(isinstance(part, Mapping) for part in value)
    return isinstance(value, Mapping)


def _pairs(table: Plain) -> list[str]:
    return [f"{_key(name)} = {_value(value)}" for name, value in table.items() if value is not None]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(text: str) -> str:
    # JSON leaves DEL as it is, which TOML does not take.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(_pairs(value))}}}"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
