"""Which column of a table of lists says the system of each row, and columns that nobody knows."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import compress
from numbers import Integral

from prum.simulator.model.errors import InputError
from prum.simulator.tables.cells import is_missing
from prum.simulator.tables.names import SYSTEM, WEAK, one_column, plain


def without_empty(names: Sequence[str], values: Callable[[str], Sequence[object]]) -> list[str]:
    """Return names of columns without those of a system that hold nothing."""
    return [
        name
        for name in names
        if plain(name) not in SYSTEM
        or not (column := values(name))
        or not all(map(is_missing, column))
    ]


def check_complete(name: str, values: Sequence[object], *, place: str) -> None:
    """Raise InputError for a column of systems with an empty cell, naming its row."""
    for row, value in enumerate(values, start=1):
        if is_missing(value):
            raise InputError(
                f"column {name!r}, which names systems, in row {row}",
                "empty",
                "name a system in every row",
                remedy="fill it in, or rename the column",
                place=place,
            )


def system_of_lists(
    names: Sequence[str],
    values: Callable[[str], Sequence[object]],
    topic: str,
    element: str,
    rank: str | None,
    *,
    place: str,
) -> str | None:
    """Return the column that says which system each row of a table of lists is of.

    If each topic has every element, and every rank if there are ranks, only once, the table may be
    one system's, and the column may describe documents. A `tag` or `name` with another value in
    every row of a topic does. If its values repeat, or if there are ranks and the column has
    another known name, either is possible. A column called `system` always names systems.

    Raises
    ------
    InputError
        for several columns that may be it, one that may describe documents, or empty cells.
    """
    names = without_empty(names, values)
    fits = [name for name in names if plain(name) in SYSTEM]
    if not fits:
        return None
    if any(plain(name) == SYSTEM[0] for name in fits):
        name = one_column("system", fits, SYSTEM, place=place)
    else:
        topics = list(map(str, values(topic)))
        one_list = all(
            len(set(zip(topics, map(str, values(column)), strict=True))) == len(topics)
            for column in (element, rank)
            if column is not None
        )
        told = {name: _told(topics, values(name)) for name in fits} if one_list else {}
        several = {name: len({value for _, value in pairs}) > 1 for name, pairs in told.items()}
        fits = [
            name
            for name in fits
            if not several.get(name)
            or plain(name) not in WEAK
            or len(set(told[name])) < len(told[name])
        ]
        name = one_column("system", fits, SYSTEM, place=place)
        if name is not None and several.get(name) and (rank is not None or plain(name) in WEAK):
            first, second, *_ = dict.fromkeys(value for _, value in told[name])
            raise InputError(
                f"column {name!r}, which may name systems or describe documents,",
                f"{first}, {second}, ...",
                "be called system if it names systems",
                remedy="rename it, or leave it out",
                place=place,
            )
    if name is not None:
        check_complete(name, values(name), place=place)
    return name


def _told(topics: Sequence[str], values: Sequence[object]) -> list[tuple[str, str]]:
    there = [not is_missing(value) for value in values]
    return list(compress(zip(topics, map(str, values), strict=True), there))


def check_lists(
    lists: Sequence[Hashable],
    elements: Sequence[Hashable],
    ranks: Sequence[Hashable] | None,
    others: Mapping[str, Sequence[object]],
    *,
    place: str,
) -> None:
    """Raise for a column that splits the lists of topics, as one that names systems does.

    A row says that an element is in a list, perhaps at a rank. If ranks are there and each once,
    there is one list for each topic. Otherwise a column splits lists if some list has several of
    its values, and these repeat: mostly within a list, or over the elements, one of which has
    several. What describes each element by itself, like a title, does neither. Whole numbers and
    truth values have to explain more: elements or ranks that are in a list twice, but not with the
    same value.

    Raises
    ------
    InputError
        naming the column.
    """
    num = len(lists)
    if ranks is not None and len(set(zip(lists, ranks, strict=True))) == num:
        return
    num_lists = len(set(lists))
    once = [elements] if ranks is None else [elements, ranks]
    repeated = any(len(set(zip(lists, column, strict=True))) < num for column in once)
    for name, values in others.items():
        if repeated and all(isinstance(value, Integral) for value in values):
            splits = all(len(set(zip(lists, values, x, strict=True))) == num for x in once)
            if splits and 2 * len(set(values)) <= num:
                raise unknown_column(name, values, place=place)
        if not all(isinstance(value, str) for value in values):
            continue
        parts = len(set(zip(lists, values, strict=True)))
        repeats = 2 * len(set(values)) <= num
        several = len(set(zip(elements, values, strict=True))) > len(set(elements))
        if parts > num_lists and (2 * parts <= num or (repeats and several)):
            raise unknown_column(name, values, place=place)


def unknown_column(name: str, values: Sequence[object], *, place: str) -> InputError:
    """Return the error that a column tells rows apart, and nobody knows what it is."""
    first, second, *_ = dict.fromkeys(map(str, values))
    return InputError(
        f"column {name!r}, which tells rows of the same topic apart,",
        f"{first}, {second}, ...",
        "have a name that is known",
        remedy="call it system if it names systems, and leave it out if not",
        place=place,
    )
