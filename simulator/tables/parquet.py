"""Columns of Parquet files."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import DamageError, FilePath, damaged, opened, place
from prum.simulator.tables.layout import ROWS_AT_ONCE, Choice, RawTable

# A few bytes may stand for any number of equal rows, or of bytes.
_MOST_ROWS, _MOST_ROWS_OF_A_BYTE = 10_000_000, 10
_MOST_UNPACKED, _PIECE = 1 << 30, 1 << 20


@contextmanager
def parquet_file(path: FilePath) -> Iterator[Any]:
    """Yield a Parquet file as pyarrow has it, and name what is wrong with it."""
    where = place(path)
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        rule, remedy = "be installed to read Parquet", 'pip install "prum[parquet]"'
        raise InputError("pyarrow", None, rule, remedy=remedy, place=where) from None
    try:
        with opened(path) as stream:
            content = stream if stream.seekable() else _whole(stream, where)
            file = pq.ParquetFile(content)
            size = content.seek(0, io.SEEK_END)
            most = max(_MOST_ROWS, _MOST_ROWS_OF_A_BYTE * size)
            _check(f"number of rows in {size} bytes", file.metadata.num_rows, most, where)
            yield file
    except DamageError as error:
        raise damaged(error, place=where) from None
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if getattr(error, "errno", None) is not None:  # the system's, not pyarrow's
            raise
        rule, remedy = "be a readable Parquet file", "write the file again"
        raise InputError("content", str(error), rule, remedy=remedy, place=where) from None


def rows_of_parquet(path: FilePath, choice: Choice) -> Iterator[RawTable]:
    """Yield rows of Parquet."""
    with parquet_file(path) as file:
        chosen, number = list(choice(file.schema_arrow.names, place(path))), 1
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=chosen):
            columns = {
                name: batch.column(name).to_pandas(integer_object_nulls=True) for name in chosen
            }
            yield RawTable(columns, np.arange(number, number + batch.num_rows), "row", True)
            number += batch.num_rows


def _whole(stream: io.BufferedIOBase, where: str) -> io.BytesIO:
    content = io.BytesIO()
    while piece := stream.read(_PIECE):
        content.write(piece)
        what = "bytes of Parquet that is compressed or comes through a pipe"
        _check(what, content.tell(), _MOST_UNPACKED, where)
    return content


def _check(what: str, number: int, most: int, where: str) -> None:
    if number > most:
        remedy = "leave out rows and columns, or give the unpacked file"
        raise InputError(what, number, f"be at most {most}", remedy=remedy, place=where)
