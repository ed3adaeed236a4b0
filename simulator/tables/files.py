"""Text files: plain or compressed, UTF-8, read in blocks of whole lines.

gzip, xz and bzip2 are told by their first bytes. Columns may be separated by blanks.
"""

import gzip
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError, shown

_ENOUGH_TO_TELL = 10


def _gzip(stream: io.BufferedIOBase) -> io.BufferedIOBase:
    return gzip.GzipFile(fileobj=stream)


def _xz(stream: io.BufferedIOBase) -> io.BufferedIOBase:
    import lzma

    return lzma.LZMAFile(cast(Any, stream))


def _bzip2(stream: io.BufferedIOBase) -> io.BufferedIOBase:
    import bz2

    return bz2.BZ2File(cast(Any, stream))


# A text may well begin with BZh; the six bytes behind the level are those of a block, or an end.
_FORMATS: Mapping[str, tuple[Callable[[bytes], bool], Callable[..., io.BufferedIOBase]]] = {
    "gzip": (lambda first: first.startswith(b"\x1f\x8b"), _gzip),
    "xz": (lambda first: first.startswith(b"\xfd7zXZ\0"), _xz),
    "bzip2": (
        lambda first: first[:3] == b"BZh" and first[4:] in (b"1AY&SY", b"\x17rE8P\x90"),
        _bzip2,
    ),
}
SUFFIXES = (".gz", ".xz", ".bz2")


class DamageError(Exception):
    """A compressed file is cut off or corrupt; `format` is its format."""

    def __init__(self, text: str, *, format: str) -> None:
        super().__init__(text)
        self.format = format


class PrefixedStream(io.RawIOBase):
    """Bytes that were read from a stream already, and then its rest."""

    def __init__(self, beginning: bytes, stream: io.BufferedIOBase) -> None:
        self._beginning, self._stream = beginning, stream

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer as far as one reading goes, and return the number of bytes."""
        if not self._beginning:
            return self._stream.readinto1(buffer)
        size = min(len(buffer), len(self._beginning))
        buffer[:size], self._beginning = self._beginning[:size], self._beginning[size:]
        return size


class _Unpacked(io.RawIOBase):
    """What a compressed stream holds; damage raises `DamageError`, whatever the format."""

    def __init__(self, stream: io.BufferedIOBase, format: str) -> None:
        self._stream, self._format = stream, format

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        try:
            return self._stream.readinto1(buffer)
        except OSError as error:
            # Errors of the system carry a number.
            if error.errno is not None:
                raise
            raise DamageError(str(error), format=self._format) from None
        except Exception as error:
            if isinstance(error, EOFError | zlib.error) or type(error).__name__ == "LZMAError":
                raise DamageError(str(error), format=self._format) from None
            raise


def unpacked(raw: io.BufferedReader) -> io.BufferedIOBase:
    """Return a stream of what a file holds, from its beginning; unpacked if it is compressed.

    It can be sought in only if it could before and is not compressed. Reading what is damaged
    raises `DamageError`.
    """
    first = raw.read(_ENOUGH_TO_TELL)
    stream: io.BufferedIOBase = raw
    if raw.seekable():
        raw.seek(-len(first), io.SEEK_CUR)
    else:
        stream = io.BufferedReader(PrefixedStream(first, raw))
    for name, (begins, unpack) in _FORMATS.items():
        if begins(first):
            return io.BufferedReader(_Unpacked(unpack(stream), name), 1 << 16)
    return stream


def bare_name(name: str) -> str:
    """Return the name of a file without the suffix of a compressed one.

    >>> bare_name("bm25.run.gz"), bare_name(".xz")
    ('bm25.run', '.xz')
    """
    for suffix in SUFFIXES:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def is_json(name: str) -> bool:
    """Return whether a file is called one of JSON as a whole, packed or not.

    >>> is_json("run.JSON.gz"), is_json("run.jsonl")
    (True, False)
    """
    return bare_name(name).lower().endswith(".json")


FilePath = str | os.PathLike[str]

_SURROGATES = re.compile("[\ud800-\udfff]")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK_SIZE, _BLOCK_SIZE = 1 << 16, 1 << 17
_LONGEST_LINE = 1 << 24
_MOST_BYTES_SHOWN = 12

# The meaning of - on a command line. It is read by its number: opening the name again may not be
# allowed, and would read a file from its top again.
STANDARD_INPUT = "/dev/stdin"
_STANDARD_INPUT_NUMBER = 0


class Opened(os.PathLike[str]):
    """A file that is open and whose beginning is known; a reader takes it for its path, once.

    Attributes
    ----------
    beginning
        Its lines up to the first that is not blank, and no comment, unpacked; at most 16 MiB.
    line
        This first line, without blanks around it.
    """

    def __init__(self, path: FilePath, stream: io.BufferedIOBase, beginning: bytes) -> None:
        self._name, self.stream, self.beginning = os.fspath(path), stream, beginning
        self.line = beginning.removeprefix(BYTE_ORDER_MARK).strip().rpartition(b"\n")[2].strip()

    def __fspath__(self) -> str:
        return self._name


def place(path: FilePath, line: int | None = None) -> str:
    """Return the place a message names: the file, on one line, and the number of the line.

    >>> place("links.csv", 7), place("odd\\nname")
    ('links.csv, line 7', "'odd\\\\nname'")
    """
    name = os.fspath(path)
    name = name if name.isprintable() else repr(name)
    return name if line is None else f"{name}, line {line}"


def readable(name: FilePath) -> str:
    """Return a name as text that UTF-8 can hold: other bytes show as U+FFFD.

    >>> readable("bm25.run")
    'bm25.run'
    """
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", os.fspath(name))


@contextmanager
def opened(path: FilePath) -> Iterator[io.BufferedIOBase]:
    """Open `path` for reading bytes, unpacked if its first bytes are those of gzip, xz or bzip2.

    The name does not matter. A file is opened once and read from start to end, so that it may be a
    pipe; only a file that is neither packed nor a pipe allows seeking. Reading a damaged packed
    file raises `DamageError`; a file that is missing or cannot be read raises OSError.
    """
    if isinstance(path, Opened):
        yield path.stream
        return
    is_file = os.fspath(path) != STANDARD_INPUT
    if is_file and "\0" in os.fsdecode(path):
        raise InputError("name of a file", os.fspath(path), "hold no NUL", remedy="name another")
    with open(path if is_file else _STANDARD_INPUT_NUMBER, "rb", closefd=is_file) as raw:
        yield unpacked(raw)


@contextmanager
def looked_at(path: FilePath) -> Iterator[Opened]:
    """Open a file, read its beginning, and yield it to be read from the top.

    Raise InputError if it begins as a compressed file but is damaged, and OSError if it cannot be
    opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two"
    >>> _ = path.write_text("one\\ntwo\\n")
    >>> with looked_at(path) as file:
    ...     print(file.beginning, list(blocks(file)))
    b'one\\n' [(1, b'one\\ntwo\\n')]
    """
    with opened(path) as stream:
        beginning = bytearray()  # which grows in place, whatever the number of blank lines
        try:
            while line := stream.readline(_LONGEST_LINE - len(beginning)):
                beginning += line
                if (text := line.removeprefix(BYTE_ORDER_MARK).strip()) and text[:1] != b"#":
                    break
        except DamageError as error:
            raise damaged(error, place=place(path)) from None
        read = bytes(beginning)
        yield Opened(path, io.BufferedReader(PrefixedStream(read, stream)), read)


def damaged(error: DamageError, *, place: str) -> InputError:
    """Return the error that a compressed file cannot be unpacked at `place`."""
    rule, remedy = f"be a complete {error.format} file", "copy or compress the file again"
    return InputError("compressed data", str(error), rule, remedy=remedy, place=place)


def no_lines(path: FilePath) -> InputError:
    """Return the error that a file holds nothing."""
    thing, rule = "number of lines that are not blank", "be at least 1"
    return InputError(thing, 0, rule, remedy="check what wrote the file", place=place(path))


def blocks(path: FilePath) -> Iterator[tuple[int, bytes]]:
    """Yield (number of the first line, block of whole lines) from the top of a text file.

    A line ends with LF or CR LF; the last need not end. The blocks are valid UTF-8 without NUL
    bytes; a byte-order mark at the start is left out. No more than a block, or a line if that is
    longer, is held at a time; a line may have 16 MiB.

    Raise InputError for a NUL byte, bytes that are not UTF-8, a line that is too long, a cut-off or
    corrupt compressed file, and OSError if the file cannot be opened or read.

    >>> import gzip, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two"
    >>> _ = path.write_bytes(gzip.compress(b"\\xef\\xbb\\xbfone\\r\\ntwo"))
    >>> list(blocks(path))
    [(1, b'one\\r\\ntwo')]
    """
    line, pieces = 1, list[bytes]()
    whole = rest = 0  # bytes of whole lines, and of the line that has not ended yet
    with opened(path) as stream:
        while True:
            damage = None
            try:
                chunk = stream.read1(_CHUNK_SIZE)
            except DamageError as error:
                chunk, damage = b"", damaged(error, place="")
            end = chunk.rfind(b"\n") + 1
            size = rest + (chunk.index(b"\n") if end else len(chunk))
            if size > _LONGEST_LINE:
                thing = "number of bytes read of the line so far"
                rule = f"be at most {_LONGEST_LINE}"
                damage = InputError(thing, size, rule, remedy="end lines by LF or CR LF")
            if damage is None:
                pieces.append(chunk)
                whole += rest + end if end else 0
                rest = len(chunk) - end if end else rest + len(chunk)
                if chunk and whole < _BLOCK_SIZE:
                    continue
            read = b"".join(pieces)
            block = read[:whole] if chunk or damage else read
            pieces, whole = [read[whole:]], 0
            if line == 1:
                block = block.removeprefix(BYTE_ORDER_MARK)
            if block:
                _check_text(path, line, block)
                yield line, block
                line += block.count(b"\n")
            if damage is not None:
                raise damage.at(place(path, line))
            if not chunk:
                return


def text_lines(path: FilePath) -> Iterator[str]:
    """Yield the lines of a text file with their line ends; see `blocks` for rules and errors."""
    for _, block in blocks(path):
        yield from io.StringIO(block.decode(), newline="\n")


def _check_text(path: FilePath, line: int, block: bytes) -> None:
    """Raise InputError if `block`, which begins with line `line`, is not UTF-8 or holds NUL."""
    if (nul := block.find(b"\0")) >= 0:
        raise InputError(
            "text",
            _bytes_at(block, nul),
            "hold no NUL byte (a binary file does)",
            remedy="give a text file in UTF-8, plain or gzipped",
            place=place(path, line + block.count(b"\n", 0, nul)),
        )
    if block.isascii():
        return
    try:
        block.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            "text",
            _bytes_at(block, error.start),
            "be UTF-8",
            remedy="save the file as UTF-8",
            place=place(path, line + block.count(b"\n", 0, error.start)),
        ) from None


def _bytes_at(block: bytes, position: int) -> bytes:
    """Return a few bytes from `position` on, within its line."""
    return block[position : position + _MOST_BYTES_SHOWN].split(b"\n")[0]


_TAB, _LINE_END, _BLANK = b"\t\n "
_COMMENTS = re.compile(rb"^#[^\n]*", re.MULTILINE)


class WordTable:
    """Lines with the same number of words, which become texts when they are asked for.

    Parameters
    ----------
    block
        UTF-8 text that holds the lines.
    edges
        Where each word begins and ends, shape (lines, words, 2).
    lines
        The number of each line.
    """

    def __init__(self, block: bytes, edges: Ints, lines: Sequence[int]) -> None:
        self._marks = np.frombuffer(block, dtype=np.uint8)
        self._edges, self.lines = edges, lines

    def words(self, column: int, rows: Ints | slice = slice(None)) -> list[str]:
        """Return the words of a column, or of some of its rows."""
        return self.text(column, rows).split("\n")[:-1]

    def text(self, column: int, rows: Ints | slice = slice(None)) -> str:
        """Return the words of a column, or of some of its rows, each with a line's end."""
        begins, ends = self._edges[rows, column].T
        # All words one after the other, the mark behind each being made a line's end.
        sizes = ends - begins + 1
        stops = np.cumsum(sizes)
        places = np.arange(stops[-1]) + np.repeat(begins - (stops - sizes), sizes)
        marks = self._marks.take(places)
        marks[stops - 1] = _LINE_END
        text: str = marks.tobytes().decode()
        return text

    def changes(self, column: int) -> Ints:
        """Return the rows, the first included, whose word is not that of the row before."""
        begins, ends = self._edges[:, column].T
        sizes = ends - begins
        differ = np.ones(len(sizes), dtype=np.bool_)
        differ[1:] = sizes[1:] != sizes[:-1]
        for number in range(int(sizes.max())):
            letters = self._marks.take(begins + number, mode="clip")
            differ[1:] |= (letters[1:] != letters[:-1]) & (sizes[1:] > number)
        return np.flatnonzero(differ)


def tables(path: FilePath, names: tuple[str, ...]) -> Iterator[WordTable]:
    """Yield the lines that are not blank, and do not begin with #, many at once.

    Words have blanks or tabs between; other blanks of Unicode may be part of an id.

    Raise InputError for a line without as many columns as there are names, and as `blocks`.
    """
    for first_line, read in blocks(path):
        read = _COMMENTS.sub(b"", read) if b"#" in read else read
        block = read.replace(b"\r\n", b"\n") if b"\r" in read else read
        block = block if block.endswith(b"\n") else block.removesuffix(b"\r") + b"\n"
        marks = np.frombuffer(block, dtype=np.uint8)
        is_end = marks == _LINE_END
        between = is_end | (marks == _TAB)
        between |= marks == _BLANK
        edges = np.flatnonzero(between[1:] != between[:-1]) + 1
        if not between[0]:
            edges = np.concatenate(([0], edges))
        ends = np.flatnonzero(is_end)
        # A line ends where its last word does, or further on.
        num_words = np.diff(np.searchsorted(edges, ends, side="right"), prepend=0) // 2
        wrong = (num_words != len(names)) & (num_words != 0)
        if wrong.any():
            number = int(np.argmax(wrong))
            written = block.split(b"\n", number + 1)[number].decode()
            thing = f"number of columns of {shown(written)}"
            rule = f"be {len(names)} ({' '.join(names)})"
            remedy = "separate the columns by blanks or tabs, and write none within an id"
            if written.split()[1:2] == [{6: "0", 4: "Q0"}.get(len(names))]:
                remedy = f"this looks like {'qrels, not a run' if len(names) == 6 else 'a run'}"
            line = place(path, first_line + number)
            raise InputError(thing, int(num_words[number]), rule, remedy=remedy, place=line)
        if len(edges):
            lines = (np.flatnonzero(num_words) + first_line).tolist()
            yield WordTable(block, edges.reshape(-1, len(names), 2), lines)
