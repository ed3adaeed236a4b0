"""Rows of places in documents: offsets checked against texts, or looked up by the words beside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from prum.simulator.collections.locating import canonical, check_shown, located
from prum.simulator.collections.texts import OFFSETS, in_characters
from prum.simulator.model import InputError
from prum.simulator.model.chunk_columns import MOST_CHARACTERS

_REMEDY = "count the characters of the document from 0"


@dataclass(frozen=True, slots=True)
class WrittenPlace:
    """A row of a file that says where something stands, as far as it does.

    Parameters
    ----------
    thing, place
        What messages call it, and where the row stands.
    document, start, end
        The place, or None.
    text
        The words that stand there, or None.
    loose
        Whether the words may be others than those of the document, where offsets are given: an
        answer, or a chunk with a heading before it.
    """

    thing: str
    place: str
    document: str | None
    start: float | None
    end: float | None
    text: str | None
    loose: bool = False


def placed(
    rows: Sequence[WrittenPlace],
    texts: Mapping[str, str] | None,
    *,
    counted: str = "characters",
    first: bool = False,
) -> list[tuple[str, int, int]]:
    """Return (document, start, end) of each row, in characters, with the documents' own names.

    Raises
    ------
    InputError
        for a row without a place that is not found by its words, in `texts`, an end that does not
        lie after the start, a document without text, offsets beyond it, and offsets that show
        something else than the words beside them.
    """
    check_counted(counted, texts)
    names = dict[str, str]()
    spots = [_spot(row, texts, names, first=first) for row in rows]
    if texts is None:
        return spots
    # Each document is counted once.
    given = [row for row in range(len(rows)) if rows[row].start is not None]
    order = {document: k for k, document in enumerate(dict.fromkeys(spot[0] for spot in spots))}
    given.sort(key=lambda row: order[spots[row][0]])
    for document, members in groupby(given, key=lambda row: spots[row][0]):
        numbers = list(members)
        offsets = [spots[row][1:] for row in numbers]
        inside = _in_text(
            [rows[row] for row in numbers], offsets, document, texts[document], counted
        )
        for row, (start, end) in zip(numbers, inside, strict=True):
            spots[row] = document, start, end
    return spots


def check_counted(counted: str, texts: Mapping[str, str] | None) -> None:
    """Raise InputError unless offsets may count this, with or without the texts of documents."""
    if counted not in OFFSETS:
        rule = f"be one of {', '.join(OFFSETS)}"
        raise InputError("offsets", counted, rule, remedy="say what offsets count")
    if counted != "characters" and texts is None:
        remedy = "give the texts of the documents, which turn them into characters"
        raise InputError("offsets", counted, "be characters without texts", remedy=remedy)


def _spot(
    row: WrittenPlace, texts: Mapping[str, str] | None, names: dict[str, str], *, first: bool
) -> tuple[str, int, int]:
    """Return where a row says that it stands, or where its words do; offsets as its file has them.

    `names` keeps what documents are called.
    """
    if row.start is None and row.end is None and texts is not None and row.text is not None:
        thing = f"text of {row.thing}"
        span = located(row.text, texts, row.document, first=first, thing=thing, place=row.place)
        return span.document, span.start, span.end
    if row.document is None or row.start is None or row.end is None:
        given = {"document": row.document, "start": row.start, "end": row.end}
        name = next(name for name, value in given.items() if value is None)
        remedy = "fill it in" + ", or give its words, and the texts of documents" * (name != "end")
        raise InputError(f"{name} of {row.thing}", None, "be given", remedy=remedy, place=row.place)
    start, end = _offset("start", row.start, row), _offset("end", row.end, row)
    if end <= start:
        thing, rule = f"end of {row.thing}", f"lie after the start, {start}"
        raise InputError(thing, end, rule, remedy=_REMEDY, place=row.place)
    if texts is None:
        _check_length(row, end - start)
        return row.document, start, end
    if row.document not in names:
        thing = f"document of {row.thing}"
        names[row.document] = canonical(row.document, texts, thing=thing, place=row.place)
    return names[row.document], start, end


def _offset(name: str, value: float, row: WrittenPlace) -> int:
    """Return an offset of a row as the whole number that it is to be; 12.0 is one, 12.5 is not."""
    if not 0 <= value <= MOST_CHARACTERS or value != int(value):
        rule = f"be a whole number from 0 to {MOST_CHARACTERS}"
        raise InputError(f"{name} of {row.thing}", value, rule, remedy=_REMEDY, place=row.place)
    return int(value)


def _check_length(row: WrittenPlace, length: int) -> None:
    """Raise if the words of a row have another length than its place, in an unknown document."""
    if row.text is None or row.loose or len(row.text) == length:
        return
    sizes = {"bytes": len(row.text.encode()), "utf-16": len(row.text.encode("utf-16-le")) // 2}
    other = next((unit for unit, size in sizes.items() if size == length), None)
    remedy = "correct the offsets, or leave them or the text out"
    if other is not None:
        remedy = f"these count {other}: give the texts of the documents, and offsets={other!r}"
    thing, rule = f"length of the text of {row.thing}", f"be {length}, from start to end"
    raise InputError(thing, len(row.text), rule, remedy=remedy, place=row.place)


def _in_text(
    rows: Sequence[WrittenPlace],
    offsets: Sequence[tuple[int, int]],
    document: str,
    text: str,
    counted: str,
) -> list[tuple[int, int]]:
    """Return the offsets of rows of one document in characters, checked against its text."""
    inside = _counted(text, offsets, counted)
    differ = [
        number
        for number, (row, (start, end)) in enumerate(zip(rows, inside, strict=True))
        if row.text is not None and (min(start, end) < 0 or text[start:end] != row.text)
    ]
    for other in OFFSETS if differ and not text.isascii() else ():
        others = _counted(text, [offsets[number] for number in differ], other)
        for number, (start, end) in zip(differ, others, strict=True):
            row = rows[number]
            if other != counted and 0 <= start < end and text[start:end] == row.text:
                remedy = f"these count {other}: read the file with offsets={other!r}"
                raise InputError(
                    f"place of {row.thing}", "{} to {}".format(*offsets[number]),
                    f"count {counted}",
                    remedy=f"{remedy}, or convert them", place=row.place,
                )  # fmt: skip
    for row, written, ends in zip(rows, offsets, inside, strict=True):
        for name, value, offset in zip(("start", "end"), written, ends, strict=True):
            if offset < 0:
                rule = f"lie in document {document!r}, which ends at {len(text)}"
                if counted != "characters":
                    rule = f"be a place between characters of document {document!r}, in {counted}"
                thing, remedy = f"{name} of {row.thing}", "give offsets into this text, from 0"
                raise InputError(thing, value, rule, remedy=remedy, place=row.place)
        if row.text is not None and not row.loose:
            check_shown(document, *ends, text, row.text, thing=row.thing, place=row.place)
    return inside


def _counted(text: str, offsets: Sequence[tuple[int, int]], unit: str) -> list[tuple[int, int]]:
    """Return offsets in characters, -1 where there is none."""
    if unit == "characters":
        size = len(text)
        return [(start if start <= size else -1, end if end <= size else -1)
                for start, end in offsets]  # fmt: skip
    return [(start, end) for start, end in in_characters(text, offsets, unit).tolist()]
