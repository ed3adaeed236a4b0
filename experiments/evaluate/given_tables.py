"""Links, elements and costs as people hold them in Python: tables, mappings, data frames."""

from collections.abc import Iterable, Mapping
from numbers import Integral
from pathlib import Path
from typing import Any

from prum.simulator.collections.costs import read_costs, table_of
from prum.simulator.collections.elements import read_elements
from prum.simulator.collections.links import read_links
from prum.simulator.model import Costs, Elements, InputError, Links


def given_links(links: Any) -> Any:
    """Return a file, or links: of (source, target) -> probability, or of a data frame.

    Topic -> `Links`, where they differ, stays as it is.

    Raises
    ------
    InputError
        as `Links`; for missing columns, or other data.

    >>> given_links({("x", "a"): 0.5})
    Links({('x', 'a'): 0.5})
    """
    if isinstance(links, Mapping) and not isinstance(links, Links):
        if links and all(isinstance(of_topic, Links) for of_topic in links.values()):
            return dict(links)
        return Links(_with_pairs(links))
    if links is None or isinstance(links, str | Path | Links):
        return links
    return read_links(links)


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
        return Elements(_with_parents(elements))
    if isinstance(elements, str | Path):
        return [elements]
    if isinstance(elements, list | tuple | Elements):
        return elements
    return read_elements(elements)


def given_costs(costs: Any) -> tuple[str | Path | Mapping[str, Costs], ...]:
    """Return files, "smucker-clarke", and costs: of unit -> element -> number, or of a data frame.

    Raises
    ------
    InputError
        as `table_of`; for a data frame without the column element or another, or other data.

    >>> given_costs({"tokens": {"a": 120}})[0]["tokens"].mean("a")
    120.0
    """
    if isinstance(costs, list | tuple):
        return tuple(source for each in costs for source in given_costs(each))
    if costs is None:
        return ()
    if isinstance(costs, str | Path):
        return (costs,)
    if isinstance(costs, Mapping):
        return ({unit: _unit_costs(unit, each) for unit, each in costs.items()},)
    return (read_costs(costs),)


def _unit_costs(unit: Any, each: Any) -> Costs:
    if isinstance(each, Costs):
        return each
    if not isinstance(each, Mapping):
        remedy = "give {unit: {element: number}}"
        raise InputError(f"costs in {unit}", type(each).__name__, "be a mapping", remedy=remedy)
    return table_of(unit, _texts(each), list(each.values()))


def _texts(ids: Iterable[Any]) -> list[Any]:
    """Return whole numbers as texts, and all else as it is, for the model to judge."""
    return [_text(value) for value in ids]


def _text(value: Any) -> Any:
    is_number = isinstance(value, Integral) and not isinstance(value, bool)
    return str(value) if is_number else value


def _with_pairs(links: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return links whose ids are texts, others as they are."""
    if {kind for pair in links if isinstance(pair, tuple) for kind in map(type, pair)} <= {str}:
        return links
    pairs = [tuple(_texts(pair)) if isinstance(pair, tuple) else pair for pair in links]
    return dict(zip(_each_once(pairs, "link", "links"), links.values(), strict=True))


def _with_parents(elements: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return elements whose ids and parents are texts, others as they are."""
    if set(map(type, elements)) <= {str}:
        return elements
    rows = [
        (_text(row[0]), *row[1:]) if isinstance(row, tuple | list) and row else row
        for row in elements.values()
    ]
    return dict(zip(_each_once(_texts(elements), "element", "elements"), rows, strict=True))


def _each_once(keys: list[Any], thing: str, place: str) -> list[Any]:
    if len(set(keys)) < len(keys):
        twice = next(key for at, key in enumerate(keys) if key in keys[:at])
        raise InputError(thing, twice, "be given once", remedy="drop one of its rows", place=place)
    return keys
