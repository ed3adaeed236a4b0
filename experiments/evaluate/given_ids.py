"""Ids as people hold them in Python, texts or whole numbers: brought to texts.

Files and data frames have ids of either kind; the model has texts only, by which ideals are ordered
and the keys of results are made.
"""

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

from prum.simulator.model import InputError

_TEXT, _ITEMS = {str}, {str, tuple}


def id_of(value: Any, thing: str, place: str) -> str:
    """Return a text as it is, a whole number as text.

    Raises
    ------
    InputError
        for anything else.

    >>> id_of(7, "topic", "runs")
    '7'
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(value)
    raise InputError(
        thing, value, "be a text that is not empty, or a whole number", remedy="correct it",
        place=place,
    )  # fmt: skip


def once(known: Mapping[str, object], key: str, thing: str, place: str) -> None:
    """Raise `InputError` if a key is there already."""
    if key in known:
        raise InputError(thing, key, "be there once", remedy="drop one of its rows", place=place)


def with_ids(by: Mapping[Any, Any], thing: str, place: str) -> Mapping[str, Any]:
    """Return the same mapping, or one whose keys are texts where some are none.

    Raises
    ------
    InputError
        as `id_of`, or for two keys that are the same text.

    >>> with_ids({1: 0.5, "b": 2}, "element", "run x")
    {'1': 0.5, 'b': 2}
    """
    if set(map(type, by)) <= _TEXT:
        return by
    named: dict[str, Any] = {}
    for key, value in by.items():
        name = id_of(key, thing, place)
        once(named, name, thing, place)
        named[name] = value
    return named


def is_list(data: Any) -> bool:
    """Return whether data can be a topic's list: a list, a tuple, an array or a series."""
    is_frame = hasattr(data, "itertuples")
    return isinstance(data, list | tuple) or (hasattr(data, "tolist") and not is_frame)


def list_of(given: Any, topic: str, place: str) -> Any:
    """Return a topic's list: element -> score, or elements (in tuples where they are tied).

    Elements best first may be any iterable that has an order; a series must hold texts, for one of
    numbers might be of ids or of scores.

    Raises
    ------
    InputError
        for other data, or an element that is no id.

    >>> list_of([3, ("b", 7)], "q", "run x")
    ('3', ('b', '7'))
    """
    if isinstance(given, Mapping):
        return with_ids(given, f"element of topic {topic}", place)
    if isinstance(given, list | tuple) and _are_texts(given):
        return given
    items = given.tolist() if hasattr(given, "tolist") else given
    is_scored = hasattr(given, "to_dict") and not all(isinstance(item, str) for item in items)
    if is_scored or isinstance(items, str | bytes | set | frozenset) or not _is_iterable(items):
        raise InputError(
            f"type of the list of topic {topic}", type(given).__name__,
            "be that of elements, best first, or of a mapping from elements to scores",
            remedy=f"give its {'tolist() or to_dict()' if is_scored else 'elements in a list'}",
            place=place,
        )  # fmt: skip
    thing = f"element of topic {topic}"
    return tuple(
        tuple(id_of(tied, thing, place) for tied in item)
        if isinstance(item, list | tuple)
        else id_of(item, thing, place)
        for item in items
    )


def _are_texts(items: list[Any] | tuple[Any, ...]) -> bool:
    kinds = set(map(type, items))
    if kinds <= _TEXT:
        return True
    tied = (element for item in items if isinstance(item, tuple) for element in item)
    return kinds <= _ITEMS and set(map(type, tied)) <= _TEXT


def _is_iterable(data: Any) -> bool:
    return isinstance(data, Iterable)
