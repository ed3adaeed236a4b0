"""Links and elements as people hold them in Python: tables, mappings, and data frames."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from prum.simulator.model import Elements, InputError, Links

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "links": ("source", "target", "probability"),
    "elements": ("element", "parent", "length"),
}


def given_links(links: Any) -> Any:
    """Return a file, or links: of (source, target) -> probability, or of a data frame.

    Raises
    ------
    InputError
        as `Links`; for missing columns, or other data.

    >>> given_links({("x", "a"): 0.5})
    Links({('x', 'a'): 0.5})
    """
    if isinstance(links, Mapping) and not isinstance(links, Links):
        return Links(links)
    if links is None or isinstance(links, str | Path | Links):
        return links
    return Links.from_columns(*_columns("links", links))


def given_elements(elements: Any) -> Any:
    """Return files, or elements: of element -> (parent, length, start), or of a data frame.

    Raises
    ------
    InputError
        as `Elements`; for missing columns, or other data.

    >>> given_elements({"page": (None, 9), "part": ("page", 4)}).ids
    ('page', 'part')
    """
    if isinstance(elements, Mapping) and not isinstance(elements, Elements):
        return Elements(elements)
    if isinstance(elements, str | Path):
        return [elements]
    if isinstance(elements, list | tuple | Elements):
        return elements
    ids, parents, lengths = _columns("elements", elements)
    # An empty cell of a data frame is no text.
    parents = [parent if isinstance(parent, str) else None for parent in parents]
    starts = elements["start"].tolist() if "start" in elements.columns else None
    return Elements.from_columns(ids, parents, lengths, starts)


def _columns(what: str, frame: Any) -> list[list[Any]]:
    names = getattr(frame, "columns", None)
    if names is None:
        raise InputError(
            what, type(frame).__name__, "be a file, a table, a mapping or a data frame",
            remedy=f"give a data frame with the columns {', '.join(_COLUMNS[what])}",
        )  # fmt: skip
    if not set(_COLUMNS[what]) <= set(names):
        raise InputError(
            f"columns of {what}", ", ".join(map(str, names)),
            f"include {', '.join(_COLUMNS[what])}", remedy="name them so",
        )  # fmt: skip
    return [frame[name].tolist() for name in _COLUMNS[what]]
