"""Text files: plain or compressed, UTF-8, read in blocks of whole lines.

gzip, xz and bzip2 are told by their first bytes.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from prum.simulator.model.errors import InputError

# A text may well begin with BZh; the six bytes behind the level are those of a block, or an end.
_FORMATS: dict[str, tuple[re.Pattern[bytes], Callable[..., Any]]] = {
    "gzip": (re.compile(rb"\x1f\x8b"), gzip.open),
    "xz": (re.compile(rb"\xfd7zXZ\0"), lzma.open),
    "bzip2": (re.compile(rb"BZh.(1AY&SY|\x17rE8P\x90)", re.DOTALL), bz2.open),
}
SUFFIXES = (".gz", ".xz", ".bz2")


class _Prefixed(io.RawIOBase):
    """Bytes that were read from a stream already, and then its rest."""

    def __init__(self, beginning: bytes, stream: io.BufferedIOBase) -> None:
        self._beginning, self._stream = beginning, stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if not self._beginning:
            return self._stream.readinto1(buffer)
        size = min(len(buffer), len(self._beginning))
        buffer[:size], self._beginning = self._beginning[:size], self._beginning[size:]
        return size


class _Unpacked(io.RawIOBase):
    """What a compressed stream holds; damage is an InputError, whatever the format."""

    def __init__(self, stream: io.BufferedIOBase, format: str, place: str) -> None:
        self._stream, self._format, self._place = stream, format, place

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        try:
            return self._stream.readinto1(buffer)
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            if getattr(error, "errno", None) is not None:  # the system's
                raise
            rule, remedy = f"be a complete {self._format} file", "copy or compress the file again"
            raise InputError(
                "compressed data", str(error), rule, remedy=remedy, place=self._place
            ) from None


def bare_name(name: str) -> str:
    """Return the name of a file without the suffix of a compressed one.

    >>> bare_name("bm25.run.gz"), bare_name(".xz")
    ('bm25.run', '.xz')
    """
    stem, suffix = os.path.splitext(name)
    return stem if suffix.lower() in SUFFIXES else name


def is_json(name: str) -> bool:
    """Return whether a file is called one of JSON as a whole, packed or not."""
    return bare_name(name).lower().endswith(".json")


FilePath = str | os.PathLike[str]

_SURROGATES = re.compile("[\ud800-\udfff]")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ENOUGH_TO_TELL, _CHUNK_SIZE, _BLOCK_SIZE = 10, 1 << 16, 1 << 17
_LONGEST_LINE = 1 << 24
_MOST_BYTES_SHOWN = 12

# The meaning of - on a command line. It is read by its number: opening the name again may not be
# allowed, and would read a file from its top again.
STANDARD_INPUT = "/dev/stdin"
_STANDARD_INPUT_NUMBER = 0


class Opened(os.PathLike[str]):
    """A file that is open and whose beginning is known; a reader takes it for its path, once.

    Its `beginning` are its lines up to the first that is not blank, and no comment, unpacked, at
    most 16 MiB; `line` is this first line, without blanks around it.
    """

    def __init__(self, path: FilePath, stream: io.BufferedIOBase, beginning: bytes) -> None:
        self._name, self.stream, self.beginning = os.fspath(path), stream, beginning
        lines = beginning.removeprefix(BYTE_ORDER_MARK).strip(b" \t\r\n")
        self.line = lines.rpartition(b"\n")[2].strip(b" \t\r\n")

    def __fspath__(self) -> str:
        return self._name


def place(path: FilePath, line: int | None = None) -> str:
    """Return the place a message names: the file, on one line, and the number of the line."""
    name = os.fspath(path)
    name = name if name.isprintable() else repr(name)
    return name if line is None else f"{name}, line {line}"


def readable(name: FilePath) -> str:
    """Return a name as text that UTF-8 can hold: other bytes show as U+FFFD."""
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", os.fspath(name))


@contextmanager
def opened(path: FilePath) -> Iterator[io.BufferedIOBase]:
    """Open `path` for reading bytes, unpacked if its first bytes are those of gzip, xz or bzip2.

    The name does not matter. A file is opened once and read from start to end, so that it may be a
    pipe; only a file that is neither packed nor a pipe allows seeking.

    Raise InputError for what is packed and damaged, also when it is read, and OSError for a file
    that is missing or cannot be read.
    """
    if isinstance(path, Opened):
        yield path.stream
        return
    is_file = os.fspath(path) != STANDARD_INPUT
    if is_file and "\0" in os.fsdecode(path):
        raise InputError("name of a file", os.fspath(path), "hold no NUL", remedy="name another")
    with open(path if is_file else _STANDARD_INPUT_NUMBER, "rb", closefd=is_file) as raw:
        first, stream = raw.peek(_ENOUGH_TO_TELL), raw
        if len(first) < _ENOUGH_TO_TELL and not raw.seekable():  # a pipe that is filled slowly
            first = raw.read(_ENOUGH_TO_TELL)
            stream = io.BufferedReader(_Prefixed(first, raw))
        for name, (begins, unpack) in _FORMATS.items():
            if begins.match(first):
                packed = cast(io.BufferedIOBase, unpack(stream))
                yield io.BufferedReader(_Unpacked(packed, name, place(path)), _CHUNK_SIZE)
                return
        yield stream


@contextmanager
def looked_at(path: FilePath) -> Iterator[Opened]:
    """Open a file unless it is, read its beginning, and yield it to be read from the top.

    Raise InputError if it begins as a compressed file but is damaged, and OSError if it cannot be
    opened or read.
    """
    if isinstance(path, Opened):
        yield path
        return
    with opened(path) as stream:
        beginning = bytearray()  # which grows in place, whatever the number of blank lines
        while line := stream.readline(_LONGEST_LINE - len(beginning)):
            beginning += line
            if (text := line.removeprefix(BYTE_ORDER_MARK).strip()) and text[:1] != b"#":
                break
        read = bytes(beginning)
        yield Opened(path, io.BufferedReader(_Prefixed(read, stream)), read)


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
    """
    line = 1
    with opened(path) as stream:
        while block := stream.read(_BLOCK_SIZE):
            rest = b"" if block.endswith(b"\n") else stream.readline(_LONGEST_LINE)
            if len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
                thing, rule = "number of bytes of a line", f"be at most {_LONGEST_LINE}"
                remedy = "end lines by LF or CR LF"
                line += block.count(b"\n")
                raise InputError(thing, "more", rule, remedy=remedy, place=place(path, line))
            block += rest
            if line == 1:
                block = block.removeprefix(BYTE_ORDER_MARK)
            if block:
                _check_text(path, line, block)
                yield line, block
                line += block.count(b"\n")


def text_lines(path: FilePath) -> Iterator[str]:
    """Yield the lines of a text file with their line ends, as `blocks` reads them."""
    for _, block in blocks(path):
        yield from io.StringIO(block.decode(), newline="\n")


def _check_text(path: FilePath, line: int, block: bytes) -> None:
    """Raise InputError if `block`, which begins with line `line`, is not UTF-8 or holds NUL."""
    offset, rule = block.find(b"\0"), "hold no NUL byte (a binary file does)"
    if offset < 0 and not block.isascii():
        try:
            block.decode()
        except UnicodeDecodeError as error:
            offset, rule = error.start, "be UTF-8"
    if offset >= 0:
        there = block[offset : offset + _MOST_BYTES_SHOWN].split(b"\n")[0]
        where = place(path, line + block.count(b"\n", 0, offset))
        raise InputError("text", there, rule, remedy="save the file as UTF-8 text", place=where)
