"""Logs: a row for each event, in Parquet or JSON lines, on disk whole or not at all."""

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from prum.experiments.output import check_packages, naming, whole_file
from prum.simulator.model import InputError
from prum.simulator.sessions.visits import Entry

# Each with its type in Parquet. `rank` counts on after the list, `reason` is that of "stop".
COLUMNS = {
    "system": "string",
    "user": "int64",
    "session": "int32",
    "query": "string",
    "time": "float64",
    "action": "string",
    "rank": "int64",
    "element": "string",
    "origin": "string",
    "ideal": "bool",
    "new": "bool",
    "reason": "string",
}
FORMATS = (".parquet", ".jsonl", ".jsonl.gz")
# Rows that are held before they are written: a row group of Parquet.
ROWS_HELD = 100_000

Row = tuple[Any, ...]
Write = Callable[[str, Entry], object]


class _Writer(Protocol):
    def write(self, rows: list[Row]) -> None:
        """Write some rows."""

    def close(self) -> None:
        """Write what is still held, and what ends the file."""

    def give_up(self) -> None:
        """Write no more."""


def check_log(path: str | Path) -> None:
    """Raise if a log can't be written by that name, before there is anything to write.

    Raises
    ------
    InputError
        for a name that ends with none of `FORMATS`, and without pyarrow for Parquet.
    """
    _format_of(path)


@contextmanager
def log_to(path: str | Path) -> Iterator[Write]:
    """Give a function that writes a system's entry as a row.

    The file is there when the context ends, complete; if it is left by an error or Ctrl-C, what
    was there before stays, and nothing else.

    Raises
    ------
    InputError
        as `check_log`, and for text that no file can hold.
    OSError
        with the file's name, if the disk is full, the folder closed, and the like.
    """
    make = _format_of(path)
    held: list[Row] = []
    with whole_file(path) as file:
        writer = make(file)

        def flush() -> None:
            with naming(path):
                writer.write(held)
            held.clear()

        def write(system: str, entry: Entry) -> None:
            user, session, query, time, event, reason, _ = entry
            held.append(
                (
                    system, user, session, query, time, event.action, event.rank, event.element,
                    event.origin, event.ideal, event.new, reason,
                )
            )  # fmt: skip
            if len(held) >= ROWS_HELD:
                flush()

        try:
            yield write
            flush()
            with naming(path):
                writer.close()
        except BaseException:
            writer.give_up()
            raise


class _JsonLines:
    """Rows as JSON objects, a line each, plain or packed by gzip."""

    def __init__(self, file: IO[bytes], *, packed: bool = False) -> None:
        self._file = file
        # Names no file and no time: equal rows make equal files.
        self._packer = zlib.compressobj(wbits=31) if packed else None
        self._encode = json.JSONEncoder(
            ensure_ascii=False, separators=(",", ":"), allow_nan=False
        ).encode

    def write(self, rows: list[Row]) -> None:
        """Write some rows."""
        names = tuple(COLUMNS)
        lines = [self._encode(dict(zip(names, row, strict=True))) for row in rows]
        content = "".join(f"{line}\n" for line in lines).encode()
        self._file.write(self._packer.compress(content) if self._packer else content)

    def close(self) -> None:
        """Write what ends a packed file."""
        if self._packer:
            self._file.write(self._packer.flush())

    def give_up(self) -> None:
        """Nothing is written later."""


class _Parquet:
    """Row groups of Parquet."""

    def __init__(self, file: IO[bytes]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._pa = pa
        self._schema = pa.schema(
            [(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()]
        )
        self._writer = pq.ParquetWriter(file, self._schema, compression="zstd")

    def write(self, rows: list[Row]) -> None:
        """Write a row group."""
        if rows:
            columns = [
                self._pa.array(values, field.type)
                for values, field in zip(zip(*rows, strict=True), self._schema, strict=True)
            ]
            self._writer.write_table(self._pa.table(columns, schema=self._schema))

    def close(self) -> None:
        """Write the index at the end."""
        self._writer.close()

    def give_up(self) -> None:
        """Keep the writer from writing the index later."""
        self._writer.is_open = False


def _format_of(path: str | Path) -> Callable[[IO[bytes]], _Writer]:
    name = Path(path).name.lower()
    if name.endswith(".parquet"):
        check_packages("pyarrow", extra="parquet", use="write Parquet")
        return _Parquet
    if name.endswith(".jsonl"):
        return _JsonLines
    if name.endswith(".jsonl.gz"):
        return lambda file: _JsonLines(file, packed=True)
    raise InputError(
        "log", str(path), f"end with {', '.join(FORMATS[:-1])} or {FORMATS[-1]}",
        remedy="name it log.parquet, say",
    )  # fmt: skip
