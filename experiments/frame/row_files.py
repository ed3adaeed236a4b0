"""Files of rows, Parquet or JSON lines: written piece by piece, equal rows in equal bytes.

A piece is made by `encoded`, anywhere, and written by a writer in turn: a row group of
Parquet, or lines.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from prum.experiments.frame.files import check_packages
from prum.simulator.model import InputError

Format = Literal[".parquet", ".jsonl", ".jsonl.gz"]
FORMATS: tuple[Format, ...] = (".parquet", ".jsonl", ".jsonl.gz")
# Each column's name and its type in Parquet.
ColumnTypes = Mapping[str, str]
RowPiece = Any


def format_of(path: str | Path, *, what: str) -> Format:
    """Return the format by a file's name.

    Raise InputError for a name that ends with none of `FORMATS`, and without pyarrow for Parquet.
    """
    name = Path(path).name.lower()
    for ending in FORMATS:
        if name.endswith(ending):
            check_format(ending)
            return ending
    rule = f"end with {', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
    raise InputError(what, str(path), rule, remedy=f"name it {what}.parquet, say")


def check_format(ending: Format) -> None:
    """Raise if files of a format can't be written here.

    Raise InputError without pyarrow for Parquet.
    """
    if ending == ".parquet":
        check_packages("pyarrow", extra="parquet", use="write Parquet")


def encoded(columns: ColumnTypes, values: Sequence[Any], ending: Format) -> RowPiece:
    """Return rows, given by columns, as a piece of a file; it can be pickled."""
    if ending == ".parquet":
        import pyarrow as pa

        schema = _schema(columns)
        arrays = [
            pa.array(column, field.type) for column, field in zip(values, schema, strict=True)
        ]
        return pa.table(arrays, schema=schema)
    names = tuple(columns)
    plain = (column.tolist() if isinstance(column, np.ndarray) else column for column in values)
    lines = [_encode(dict(zip(names, row, strict=True))) for row in zip(*plain, strict=True)]
    return "".join(f"{line}\n" for line in lines).encode()


def row_writer(file: IO[bytes], columns: ColumnTypes, ending: Format) -> "RowWriter":
    """Return a writer of pieces to an open file."""
    if ending == ".parquet":
        return _Parquet(file, columns)
    return _JsonLines(file, packed=ending == ".jsonl.gz")


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def _schema(columns: ColumnTypes) -> Any:
    import pyarrow as pa

    return pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])


class _JsonLines:
    """Rows as JSON objects, a line each, plain or packed by gzip."""

    def __init__(self, file: IO[bytes], *, packed: bool) -> None:
        self._file = file
        # Without file name and time, so that equal rows make equal files.
        self._packer = zlib.compressobj(wbits=31) if packed else None

    def write(self, piece: RowPiece) -> None:
        """Write some rows."""
        self._file.write(self._packer.compress(piece) if self._packer else piece)

    def close(self) -> None:
        """Write what ends a packed file."""
        if self._packer:
            self._file.write(self._packer.flush())

    def give_up(self) -> None:
        """Nothing is written later."""


class _Parquet:
    """Row groups of Parquet."""

    def __init__(self, file: IO[bytes], columns: ColumnTypes) -> None:
        import pyarrow.parquet as pq

        self._writer = pq.ParquetWriter(file, _schema(columns), compression="zstd")

    def write(self, piece: RowPiece) -> None:
        """Write a row group."""
        if piece.num_rows:
            self._writer.write_table(piece)

    def close(self) -> None:
        """Write the index at the end."""
        self._writer.close()

    def give_up(self) -> None:
        """Keep the writer from writing the index later."""
        self._writer.is_open = False


RowWriter = _JsonLines | _Parquet
