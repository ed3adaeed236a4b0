"""Checks of the columns of chunks: ids, offsets, parents and amounts."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import InputError
from prum.simulator.model.task import check_id

# What the end minus the start of a chunk counts.
CHARACTERS = "characters"
# Columns of costs that are read without being asked for.
TOKENS = "tokens"
KNOWN_UNITS = (TOKENS, "seconds")
# The largest offset; up to it, floats hold every whole number.
MOST_CHARACTERS = 2**53

_Place = Callable[[int], str]


def checked_ids(
    ids: Sequence[str], documents: Sequence[str], place: _Place
) -> tuple[list[str], dict[str, int]]:
    """Return the ids as texts, and the row of each; raise for a bad one, or one with two rows."""
    if not _are_texts(ids) or not _are_texts(documents):
        for row, (chunk, document) in enumerate(zip(ids, documents, strict=True)):
            check_id("chunk", chunk, place=place(row))
            check_id(f"document of chunk {chunk!r}", document, place=place(row))
    texts = list(map(str, ids))  # NumPy's strings are of another type
    number = dict(zip(texts, range(len(texts)), strict=True))
    if len(number) < len(texts):
        first = dict[str, int]()
        for row, chunk in enumerate(texts):
            if first.setdefault(chunk, row) != row:
                remedy = f"give it another id than in {place(first[chunk])}"
                raise InputError("chunk", chunk, "have one row", remedy=remedy, place=place(row))
    return texts, number


def _are_texts(ids: Sequence[object]) -> bool:
    return set(map(type, ids)) <= {str} and "" not in ids


def offsets(thing: str, values: ArrayLike, ids: Sequence[str], place: _Place) -> Ints:
    """Return a column of offsets as whole numbers of at least 0; 12.0 is one, 12.5 is not."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1 or (array.dtype.kind not in "fiu" and array.size):
        remedy = "give one number for each chunk"
        raise InputError(f"{thing}s of chunks", values, "be a column of numbers", remedy=remedy)
    if array.dtype.kind == "f":
        good = (array >= 0) & (array <= MOST_CHARACTERS) & (array == np.floor(array))
    else:
        good = (array >= 0) & (array <= MOST_CHARACTERS)
    wrong = np.flatnonzero(~good)
    if wrong.size:
        row = int(wrong[0])
        chunk = f" of chunk {ids[row]!r}" if row < len(ids) else ""
        rule = f"be a whole number from 0 to {MOST_CHARACTERS}"
        remedy = "count the characters of the document from 0"
        raise InputError(thing + chunk, array[row].item(), rule, remedy=remedy, place=place(row))
    return array.astype(np.int64)


def parent_rows(
    parents: Sequence[str | None],
    ids: Sequence[str],
    number: dict[str, int],
    documents: Ints,
    place: _Place,
) -> Ints:
    """Return the row of each parent, -1 for none; raise for one that cannot be."""
    rows = np.full(len(ids), -1, dtype=np.int64)
    inner = [row for row, parent in enumerate(parents) if parent is not None]
    for row in inner:
        rows[row] = number.get(str(parents[row]), row)
    own = np.arange(len(ids))
    bad = (rows >= 0) & ((rows == own) | (documents[rows] != documents))
    rule, remedy = "be another chunk of the same document", "correct its id, or leave it empty"
    if not bad.any():
        # Two steps up, four, eight: who is not at the top after so many is in a circle, or below.
        above, rest = rows.copy(), len(ids)
        while rest:
            above, rest = np.where(above >= 0, above[above], -1), rest // 2
        bad, rule = above >= 0, "not lie in its own child"
    if bad.any():
        row = int(np.argmax(bad))
        thing = f"parent of chunk {ids[row]!r}"
        raise InputError(thing, parents[row], rule, remedy=remedy, place=place(row))
    return rows


def amounts_of(unit: str, values: ArrayLike, ids: Sequence[str], place: _Place) -> Floats:
    """Return what each chunk costs in a unit, positive and finite."""
    check_id("unit of cost", unit)
    if unit == CHARACTERS:
        remedy = "leave it out: offsets tell characters"
        raise InputError("unit of cost", unit, "not be characters", remedy=remedy)
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0))
    if array.shape != (len(ids),) or (array.dtype.kind not in "fiu" and array.size):
        rule = f"be {len(ids)} numbers"
        raise InputError(f"{unit} of chunks", values, rule, remedy="give one for each chunk")
    array = array.astype(np.float64)
    wrong = np.flatnonzero(~((array > 0) & np.isfinite(array)))
    if wrong.size:
        row = int(wrong[0])
        raise InputError(
            f"{unit} of chunk {ids[row]!r}", float(array[row]), "be positive and finite",
            remedy="correct the row", place=place(row),
        )  # fmt: skip
    return array
