"""Compressed files, read as what they hold: gzip, xz and bzip2, told by their first bytes."""

import gzip
import io
import zlib
from collections.abc import Callable, Mapping
from typing import Any, cast

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
