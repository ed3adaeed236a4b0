"""The texts of documents: files of a folder, or rows of a corpus as BEIR has it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from errno import ENOENT
from pathlib import Path, PurePath, PurePosixPath

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError, shown
from prum.simulator.tables.files import FilePath, bare_name, place, readable, text_lines
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.names import TEXT
from prum.simulator.tables.read import read

# What offsets may count: characters of Unicode as Python does, bytes of UTF-8 as Rust and Go, and
# units of UTF-16 as JavaScript and Java.
OFFSETS = ("characters", "bytes", "utf-16")

LAYOUT = Layout(
    what="file of texts",
    columns=(
        FileColumn(name="_id", aliases=("id", "doc", "document")),
        FileColumn.of(TEXT, nullable=True),
    ),
    rule="be text",
    remedy="correct the row",
    bounds_in_csv=False,
    others=True,
)


class Texts(Mapping[str, str]):
    """The text of each document; read-only.

    Parameters
    ----------
    texts
        Document -> its text.
    folder
        The folder that the documents are files of, named from there. Then `canonical` knows a
        document by any end of its file's path, with or without the file's suffix.
    origin
        What messages call the texts.

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
        self._texts, self.origin = dict(texts), origin
        self._above = () if folder is None else PurePath(os.path.abspath(folder)).parts
        self._by_name: dict[str, list[str]] = {}
        if folder is not None:
            for document in self._texts:
                name = PurePosixPath(document)
                for short in {name.name, name.stem}:
                    self._by_name.setdefault(short, []).append(document)

    def __getitem__(self, document: str) -> str:
        return self._texts[document]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def canonical(self, document: str, *, thing: str = "document", place: str = "") -> str:
        """Return the document that is named so.

        Raises
        ------
        InputError
            if there is none, or more than one.
        """
        if document in self._texts:
            return document
        parts = PurePosixPath(document.replace("\\", "/")).parts
        fitting = [
            known
            for known in self._by_name.get(parts[-1] if parts else "", ())
            if self._ends_with(known, parts)
        ]
        if len(fitting) == 1:
            return fitting[0]
        rule = f"be a document of {self.origin}"
        if fitting:
            remedy = f"name one of {shown(fitting[0])} and {shown(fitting[1])}"
            raise InputError(thing, document, f"{rule}, and only one", remedy=remedy, place=place)
        like = f"write names like {shown(next(iter(self._texts)))}, or " if self._texts else ""
        raise InputError(thing, document, rule, remedy=f"{like}give its text", place=place)

    def _ends_with(self, known: str, parts: Sequence[str]) -> bool:
        """Return whether a document's whole path ends with these parts, up to its suffix."""
        path = (*self._above, *PurePosixPath(known).parts)
        return path[-len(parts) :][:-1] == tuple(parts[:-1])


def read_texts(path: FilePath) -> Texts:
    """Return the texts of documents: the files of a folder, or a table's rows.

    In a folder each file is a document, in UTF-8, plain or compressed, folders inside included; its
    id is its path from there. Names that begin with a dot are left out. Texts are kept as they are,
    with their line ends; a byte-order mark is no part of them.

    A table is a file as `read_links` takes them, with columns ``_id`` (or id, doc, document) and
    ``text`` (or content), such as BEIR's corpus.jsonl. Other columns are ignored: a title is no
    part of the text.

    Raises
    ------
    InputError
        for a folder without files, a file that is not UTF-8, a table without these columns, a
        document with two rows.
    OSError
        if a file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "report.md").write_bytes(b"One.\\r\\nTwo.")
    >>> dict(read_texts(folder))
    {'report.md': 'One.\\r\\nTwo.'}
    """
    if os.path.isdir(path):
        files = sorted(
            file
            for file in Path(path).rglob("*")
            if not any(part.startswith(".") for part in file.relative_to(path).parts)
            and not file.is_dir()
        )
        if not files:
            remedy = "give a folder with a file for each document"
            raise InputError(
                "number of texts", 0, "be at least 1", remedy=remedy, place=place(path)
            )
        texts = {_name(file, path): "".join(text_lines(file)) for file in files}
        return Texts(texts, folder=path, origin=place(path))
    if not os.path.lexists(path):
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), os.fspath(path))
    table = read(path, LAYOUT)
    documents, contents = table.columns
    number = dict[str, int]()
    for row, document in enumerate(documents):
        if number.setdefault(document, row) != row:
            remedy = "leave one of its rows out"
            raise InputError(
                "document", document, "have one row", remedy=remedy, place=table.place(row)
            )
    values = ["" if text is None else text for text in contents]
    return Texts(dict(zip(documents, values, strict=True)), origin=place(path))


def _name(file: Path, folder: FilePath) -> str:
    relative = file.relative_to(folder)
    return readable(relative.with_name(bare_name(relative.name)).as_posix())


def in_characters(text: str, offsets: ArrayLike, counted: str) -> Ints:
    """Return offsets into a text in characters, of offsets in other units; -1 where there is none.

    ``counted`` is "characters", "bytes" (of UTF-8) or "utf-16" (units of UTF-16, as in JavaScript).
    An offset inside a character, or beyond the text, is none of characters.

    Raises
    ------
    InputError
        for other units.

    >>> in_characters("né", [0, 1, 2, 3, 9], "bytes").tolist()
    [0, 1, -1, 2, -1]
    """
    if counted not in OFFSETS:
        rule = f"be one of {', '.join(OFFSETS)}"
        raise InputError("offsets", counted, rule, remedy="say what they count")
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    if counted == "characters":
        sizes = np.ones(len(points), dtype=np.int64)
    elif counted == "utf-16":
        sizes = 1 + (points >= 0x10000)
    else:
        sizes = 1 + (points >= 0x80) + (points >= 0x800).astype(np.int64) + (points >= 0x10000)
    before = np.concatenate(([0], np.cumsum(sizes)))
    wanted = np.asarray(offsets, dtype=np.int64)
    at = np.minimum(np.searchsorted(before, wanted), len(points))
    return np.where(before[at] == wanted, at, -1)
