"""Text files as people have them: plain or gzipped, UTF-8, read in blocks of whole lines."""

import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from prum.simulator.model.errors import InputError

FilePath = str | os.PathLike[str]

# What a cut-off or corrupt gzip file raises, depending on where the damage lies.
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)

_SURROGATES = re.compile("[\ud800-\udfff]")
_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLOCK_SIZE = 1 << 16
_MOST_BYTES_SHOWN = 12


def place(path: FilePath, line: int | None = None) -> str:
    """Return where a message points: the file's name on one line, and the line's number.

    >>> place("links.csv", 7), place("odd\\nname")
    ('links.csv, line 7', "'odd\\\\nname'")
    """
    name = os.fspath(path)
    name = name if name.isprintable() else repr(name)
    return name if line is None else f"{name}, line {line}"


def readable(name: FilePath) -> str:
    """Return a name as text that UTF-8 can hold: bytes that are none show as U+FFFD.

    >>> readable("bm25.run")
    'bm25.run'
    """
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", os.fspath(name))


@contextmanager
def opened(path: FilePath) -> Iterator[io.BufferedIOBase]:
    """Open `path` for reading bytes, unpacked if its first two bytes are those of gzip.

    The name does not matter. Reading a damaged gzip file raises one of `DAMAGE`; a file that is
    missing or cannot be read raises OSError.
    """
    with open(path, "rb") as raw:
        if raw.peek(2)[:2] != _GZIP:
            yield raw
        else:
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked


def damaged(error: BaseException, *, place: str) -> InputError:
    """Return the error that a gzip file cannot be unpacked at `place`."""
    return InputError(
        "compressed data",
        str(error),
        "be a complete gzip file",
        remedy="copy or compress the file again",
        place=place,
    )


def no_lines(path: FilePath) -> InputError:
    """Return the error that a file holds nothing."""
    return InputError(
        "number of lines that are not blank",
        0,
        "be at least 1",
        remedy="check what wrote the file",
        place=place(path),
    )


def blocks(path: FilePath) -> Iterator[tuple[int, bytes]]:
    """Yield (number of the first line, block of whole lines) from the top of a text file.

    A line ends with LF or CR LF, nothing else; the last one need not end. The blocks are valid
    UTF-8 without NUL bytes; a byte-order mark at the start is left out. No more than a block, or a
    line if that is longer, is held at a time.

    Raises
    ------
    InputError
        for a NUL byte, bytes that are no UTF-8, a cut-off or corrupt gzip file.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two"
    >>> _ = path.write_bytes(gzip.compress(b"\\xef\\xbb\\xbfone\\r\\ntwo"))
    >>> list(blocks(path))
    [(1, b'one\\r\\n'), (2, b'two')]
    """
    line, pieces = 1, list[bytes]()
    with opened(path) as stream:
        while True:
            try:
                chunk = stream.read1(_BLOCK_SIZE)
            except DAMAGE as error:
                raise damaged(error, place=place(path, line)) from None
            whole = chunk.rfind(b"\n") + 1
            if chunk and not whole:
                pieces.append(chunk)
                continue
            block = b"".join([*pieces, chunk[:whole]])
            pieces = [chunk[whole:]]
            if line == 1:
                block = block.removeprefix(_BYTE_ORDER_MARK)
            if block:
                _check_text(path, line, block)
                yield line, block
                line += block.count(b"\n")
            if not chunk:
                return


def text_lines(path: FilePath) -> Iterator[str]:
    """Yield the lines of a text file with their line ends; see `blocks` for rules and errors."""
    for _, block in blocks(path):
        yield from io.StringIO(block.decode(), newline="\n")


def _check_text(path: FilePath, line: int, block: bytes) -> None:
    """Raise InputError if `block`, which begins with line `line`, is no UTF-8 or holds NUL."""
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
