"""Files of rows, Parquet or JSON lines: written piece by piece, equal rows in equal bytes.

A piece is made by `encoded`, anywhere, and written in turn.
"""

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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


@contextmanager
def row_writer(
    file: IO[bytes], columns: ColumnTypes, ending: Format
) -> Iterator[Callable[[RowPiece], object]]:
    """Give a function that writes pieces to an open file, a row group of Parquet each, or lines.

    What ends the file is written when all went well.
    """
    if ending == ".parquet":
        import pyarrow.parquet as pq

        writer = pq.ParquetWriter(file, _schema(columns), compression="zstd")
        try:
            yield lambda piece: piece.num_rows and writer.write_table(piece)
        except BaseException:
            # Else it would write the index later.
            writer.is_open = False
            raise
        writer.close()
    elif ending == ".jsonl.gz":
        # Without file name and time, so that equal rows make equal files.
        packer = zlib.compressobj(wbits=31)
        yield lambda piece: file.write(packer.compress(piece))
        file.write(packer.flush())
    else:
        yield file.write


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def _schema(columns: ColumnTypes) -> Any:
    import pyarrow as pa

    return pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])
