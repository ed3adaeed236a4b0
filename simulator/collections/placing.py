"""The texts of documents, in files of a folder or a corpus as BEIR has it; and places in them.

Texts are looked up, and offsets checked against the words beside them.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from errno import ENOENT
from functools import lru_cache
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError, Span
from prum.simulator.model.arrays import Ints
from prum.simulator.model.chunk_table import MOST_CHARACTERS
from prum.simulator.model.errors import shown
from prum.simulator.tables.files import FilePath, bare_name, place, readable, text_lines
from prum.simulator.tables.read import read
from prum.simulator.tables.schemas import SCHEMAS

# What offsets may count: characters of Unicode as Python does, bytes of UTF-8 as Rust and Go, and
# units of UTF-16 as JavaScript and Java.
OFFSETS = ("characters", "bytes", "utf-16")


class Texts(dict[str, str]):
    """The text of each document; messages call them `origin`.

    Where documents are files of a `folder`, and named from there, `canonical` knows a document by
    any end of its file's path, with or without the file's suffix.

    >>> texts = Texts({"law/a.md": "Yes.", "law/b.md": "No."}, folder="corpora")
    >>> texts.canonical("a"), texts.canonical("corpora/law/a.md"), texts["law/b.md"]
    ('law/a.md', 'law/a.md', 'No.')
    """

    def __init__(
        self, texts: Mapping[str, str], *, folder: FilePath | None = None, origin: str = "the texts"
    ) -> None:
        for document, text in texts.items():
            if not isinstance(text, str):
                remedy = "give each document as one text"
                raise InputError(f"text of {document!r}", text, "be text", remedy=remedy)
        super().__init__(texts)
        self.origin = origin
        self._above = () if folder is None else PurePath(os.path.abspath(folder)).parts
        self._by_name: dict[str, list[str]] = {}
        for document in self if folder is not None else ():
            name = PurePosixPath(document)
            for short in {name.name, name.stem}:
                self._by_name.setdefault(short, []).append(document)

    def canonical(self, document: str, *, thing: str = "document", place: str = "") -> str:
        """Return the document that is named so."""
        if document in self:
            return document
        parts = PurePosixPath(document.replace("\\", "/")).parts
        fitting = [
            path
            for path in self._by_name.get(parts[-1] if parts else "", ())
            if (*self._above, *PurePosixPath(path).parts)[-len(parts) :][:-1] == parts[:-1]
        ]
        if len(fitting) == 1:
            return fitting[0]
        rule = f"be a document of {self.origin}"
        if fitting:
            remedy = f"name one of {shown(fitting[0])} and {shown(fitting[1])}"
            raise InputError(thing, document, f"{rule}, and only one", remedy=remedy, place=place)
        like = f"write names like {shown(next(iter(self)))}, or " if self else ""
        raise InputError(thing, document, rule, remedy=f"{like}give its text", place=place)


def read_texts(source: Any) -> Texts:
    """Return the texts of documents: the files of a folder, or a table's rows.

    In a folder each file is a document, in UTF-8, plain or compressed, folders inside included; its
    id is its path from there. Names that begin with a dot are left out. Texts are kept as they are,
    but for a byte-order mark. A table has the columns ``_id`` (or id, doc, document) and ``text``
    (or content), as BEIR's corpus.jsonl; a title is no part of the text.

    Raise InputError for a folder without files, a file that is not UTF-8, a table without these
    columns, a document with two rows. Raise OSError if a file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "report.md").write_bytes(b"One.\\r\\nTwo.")
    >>> dict(read_texts(folder))
    {'report.md': 'One.\\r\\nTwo.'}
    """
    is_path = isinstance(source, str | os.PathLike)
    if is_path and os.path.isdir(source):
        files = sorted(
            file
            for file in Path(source).rglob("*")
            if not any(part.startswith(".") for part in file.relative_to(source).parts)
            and not file.is_dir()
        )
        if not files:
            remedy = "give a folder with a file for each document"
            rule, where = "be at least 1", place(source)
            raise InputError("number of texts", 0, rule, remedy=remedy, place=where)
        texts = dict[str, str]()
        for file in files:
            name = file.relative_to(source)
            name = name.with_name(bare_name(name.name))
            texts[readable(name.as_posix())] = "".join(text_lines(file))
        return Texts(texts, folder=source, origin=place(source))
    if is_path and not os.path.lexists(source):
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), os.fspath(source))
    table = read(source, SCHEMAS["texts"])
    documents, contents = table.columns.values()
    texts = {x: text or "" for x, text in zip(documents, contents, strict=True)}
    return Texts(texts, origin=table.origin)


def in_characters(text: str, offsets: ArrayLike, counted: str) -> Ints:
    """Return offsets into a text in characters, of offsets in other units; -1 where there is none.

    ``counted`` is "characters", "bytes" (of UTF-8) or "utf-16" (units of UTF-16, as in JavaScript).
    An offset inside a character, or beyond the text, is none of characters.

    >>> in_characters("né", [0, 1, 2, 3, 9], "bytes").tolist()
    [0, 1, -1, 2, -1]
    """
    check_counted(counted, {})
    starts, given = _starts(text, counted), np.asarray(offsets, dtype=np.int64)
    places = np.minimum(np.searchsorted(starts, given), len(starts) - 1)
    return np.where(starts[places] == given, places, -1)


@lru_cache(maxsize=4)
def _starts(text: str, counted: str) -> Ints:
    """Return where the characters of a text begin, and where it ends."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    longer_from = {"characters": (), "utf-16": (0x10000,), "bytes": (0x80, 0x800, 0x10000)}
    sizes = np.ones(len(points), dtype=np.int64)
    for point in longer_from[counted]:
        sizes += points >= point
    return np.concatenate(([0], np.cumsum(sizes)))


_REMEDY = "count the characters of the document from 0"


@dataclass(frozen=True, slots=True)
class WrittenPlace:
    """A row of a file that says where a `thing` stands, as far as it does.

    `text` are the words that stand there; `loose` ones may be others than those of the document,
    where offsets are given: an answer, or a chunk with a heading before it.
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

    Raise InputError for a row without a place that is not found by its words, in `texts`, an end
    that does not lie after the start, a document without text, offsets beyond it, and offsets that
    show something else than the words beside them.
    """
    check_counted(counted, texts)
    names = dict[str, str]()
    return [_spot(row, texts, names, counted, first=first) for row in rows]


def check_counted(counted: str, texts: Mapping[str, str] | None) -> None:
    """Raise InputError unless offsets may count this, with or without the texts of documents."""
    if not isinstance(counted, str) or counted not in OFFSETS:
        rule = f"be one of {', '.join(OFFSETS)}"
        raise InputError("offsets", counted, rule, remedy="say what offsets count")
    if counted != "characters" and texts is None:
        remedy = "give the texts of the documents, which turn them into characters"
        raise InputError("offsets", counted, "be characters without texts", remedy=remedy)


def _spot(
    row: WrittenPlace,
    texts: Mapping[str, str] | None,
    names: dict[str, str],
    counted: str,
    *,
    first: bool,
) -> tuple[str, int, int]:
    """Return where a row says that it stands, or where its words do; `names` keeps documents'."""

    def wrong(part: str, value: Any, rule: str, remedy: str) -> InputError:
        return InputError(f"{part} of {row.thing}", value, rule, remedy=remedy, place=row.place)

    if row.start is None and row.end is None and texts is not None and row.text is not None:
        thing = f"text of {row.thing}"
        span = located(row.text, texts, row.document, first=first, thing=thing, place=row.place)
        return span.document, span.start, span.end
    if row.document is None or row.start is None or row.end is None:
        given = {"document": row.document, "start": row.start, "end": row.end}
        name = next(name for name, value in given.items() if value is None)
        remedy = "fill it in" + ", or give its words, and the texts of documents" * (name != "end")
        raise wrong(name, None, "be given", remedy)
    for name, value in (("start", row.start), ("end", row.end)):
        if not 0 <= value <= MOST_CHARACTERS or value != int(value):
            raise wrong(name, value, f"be a whole number from 0 to {MOST_CHARACTERS}", _REMEDY)
    start, end = int(row.start), int(row.end)
    if end <= start:
        raise wrong("end", end, f"lie after the start, {start}", _REMEDY)
    if texts is None:
        if row.text is not None and not row.loose and len(row.text) != end - start:
            remedy = "correct the offsets, or give the texts and say by offsets what they count"
            rule = f"be {end - start}, from start to end"
            thing = f"length of the text of {row.thing}"
            raise InputError(thing, len(row.text), rule, remedy=remedy, place=row.place)
        return row.document, start, end
    if row.document not in names:
        thing = f"document of {row.thing}"
        names[row.document] = _named(texts).canonical(row.document, thing=thing, place=row.place)
    document = names[row.document]
    text = texts[document]
    inside = [x if x <= len(text) else -1 for x in (start, end)]
    if counted != "characters":
        inside = in_characters(text, (start, end), counted).tolist()
    words = text[max(inside[0], 0) : max(inside[1], 0)]
    for unit in OFFSETS if row.text not in (None, words) and not text.isascii() else ():
        begin, stop = in_characters(text, (start, end), unit).tolist()
        if unit != counted and 0 <= begin < stop and text[begin:stop] == row.text:
            remedy = f"these count {unit}: read the file with offsets={unit!r}, or convert them"
            raise wrong("place", f"{start} to {end}", f"count {counted}", remedy)
    for name, value, offset in zip(("start", "end"), (start, end), inside, strict=True):
        if offset < 0:
            rule = f"lie in document {document!r}, which ends at {len(text)}"
            if counted != "characters":
                rule = f"be a place between characters of document {document!r}, in {counted}"
            raise wrong(name, value, rule, "give offsets into this text, from 0")
    if not row.loose and row.text not in (None, words):
        remedy, begin = f"there stands {shown(words)}", text.find(row.text)
        remedy += f", and this from {begin} to {begin + len(row.text)}" * (begin >= 0)
        remedy += ": correct the offsets, or leave them or the text out"
        rule = f"be the characters {inside[0]} to {inside[1]} of document {document!r}"
        raise wrong("text", row.text, rule, remedy)
    return document, inside[0], inside[1]


def located(
    text: str,
    texts: Mapping[str, str],
    document: str | None = None,
    *,
    first: bool = False,
    thing: str = "text",
    place: str = "",
) -> Span:
    """Return where a text stands: in a document, or in any if none is named.

    The `first` place is taken of a text that stands at several, or that is refused.

    >>> located("is two", {"a": "one is one", "b": "two is two"})
    Span(document='b', start=4, end=10)
    """
    if not text:
        remedy = "give start and end, or the words"
        raise InputError(thing, text, "hold characters", remedy=remedy, place=place)
    if document is not None:
        document = _named(texts).canonical(document, thing=f"document of {thing}", place=place)
    spots = _places(text, texts if document is None else {document: texts[document]})
    span = next(spots, None)
    where = "a document" if document is None else f"document {document!r}"
    if span is None:
        remedy = "copy it from the document, or give start and end"
        raise InputError(thing, text, f"stand in {where}", remedy=remedy, place=place)
    if not first and (second := next(spots, None)) is not None:
        remedy = f"give start and end ({span.place} or {second.place}), or take the first of them"
        raise InputError(thing, text, f"stand in {where} once", remedy=remedy, place=place)
    return span


def _named(texts: Mapping[str, str]) -> Texts:
    return texts if isinstance(texts, Texts) else Texts(texts)


def _places(text: str, texts: Mapping[str, str]) -> Iterator[Span]:
    for document, content in texts.items():
        start = content.find(text)
        while start >= 0:
            yield Span(document, start, start + len(text))
            start = content.find(text, start + 1)
