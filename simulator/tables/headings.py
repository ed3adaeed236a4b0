"""What people call the columns of tables, and columns nobody knows that name systems."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import compress
from numbers import Integral

from prum.simulator.model.errors import InputError

# A column that says which system a row is of, best known first.
SYSTEM = ("system", "run", "run_id", "runid", "run_name", "model", "model_name", "retriever",
          "chunker", "method", "tag", "name")  # fmt: skip
# These count only where no other name of a system is there: a document may have them, too.
_WEAK = ("tag", "name")


def plain(name: str) -> str:
    """Return a column's name as all its spellings are compared.

    >>> plain(" Run-ID"), plain("model name")
    ('run_id', 'model_name')
    """
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def column_of(names: Sequence[str], known: Sequence[str]) -> str | None:
    """Return the column that has a known name, of several the one that is known best.

    Of two spellings of one name it is the first.

    >>> column_of(["qid", "Score", "label"], ("grade", "label", "score"))
    'label'
    >>> column_of(["Doc ID", "doc_id"], ("doc_id",))
    'Doc ID'
    """
    by_name = {plain(name): name for name in reversed(names)}
    return next((by_name[name] for name in known if name in by_name), None)


def one_column(
    role: str, names: Sequence[str], known: Sequence[str], *, place: str, remedy: str = ""
) -> str | None:
    """Return the column of a role, None if no name fits; one called `system` is the system's.

    Raises
    ------
    InputError
        for several that may be it.

    >>> one_column("system", ["Model", "name", "qid"], SYSTEM, place="frame")
    'Model'
    """
    fits = [name for name in names if plain(name) in known]
    exact = [name for name in fits if plain(name) == SYSTEM[0]]
    strong = [name for name in fits if plain(name) not in _WEAK]
    fits = exact or strong or fits
    if len(fits) > 1:
        remedy = remedy.format(fits[0]) or "leave the others out, or rename them"
        raise InputError(
            f"columns that may be the {role}", ", ".join(fits), "be one", remedy=remedy,
            place=place,
        )  # fmt: skip
    return fits[0] if fits else None


def is_missing(value: object) -> bool:
    """Return whether a cell is empty, as data frames and CSV have it.

    >>> [is_missing(value) for value in (None, float("nan"), "", 0, "nan")]
    [True, True, True, False, False]
    """
    if isinstance(value, str):
        return not value
    is_nan = isinstance(value, float) and value != value
    return value is None or is_nan or str(value) in ("<NA>", "NaT")


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
            or plain(name) not in _WEAK
            or len(set(told[name])) < len(told[name])
        ]
        name = one_column("system", fits, SYSTEM, place=place)
        if name is not None and several.get(name) and (rank is not None or plain(name) in _WEAK):
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
        f"column {name!r}, which tells rows of the same topic apart,", f"{first}, {second}, ...",
        "have a name that is known",
        remedy="call it system if it names systems, and leave it out if not", place=place,
    )  # fmt: skip
