"""Columns of Parquet files."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import DamageError, FilePath, damaged, opened, place
from prum.simulator.tables.layout import ROWS_AT_ONCE, Choice, RawTable

if TYPE_CHECKING:
    import pandas as pd

# A few bytes may stand for any number of equal rows. So many rows are read from any file, and more
# only if there are few for each byte.
_MOST_ROWS, _MOST_ROWS_OF_A_BYTE = 10_000_000, 10
_MOST_UNPACKED = 1 << 30
_PIECE = 1 << 20
# The same of a table that is held whole, whose cells take 100 bytes and more each.
_MOST_CELLS, _MOST_CELLS_OF_A_BYTE = 5_000_000, 1


@contextmanager
def parquet_file(path: FilePath) -> Iterator[Any]:
    """Yield a Parquet file as pyarrow has it; what goes wrong while it is read is named.

    Raise InputError without pyarrow, for content that is damaged or no Parquet, for far too many
    rows, and OSError if the file cannot be opened or read.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        thing = "pyarrow"
        rule = "be installed to read Parquet"
        remedy = 'pip install "prum[parquet]"'
        raise InputError(thing, None, rule, remedy=remedy, place=place(path)) from None
    try:
        with opened(path) as stream:
            seekable = _seekable(stream, place=place(path))
            file = pq.ParquetFile(seekable)
            _check_size(file.metadata.num_rows, seekable, place=place(path))
            yield file
    except DamageError as error:
        raise damaged(error, place=place(path)) from None
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        # pyarrow also raises OSError for bad content; those of the system carry a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        rule, remedy = "be a readable Parquet file", "write the file again"
        raise InputError("content", str(error), rule, remedy=remedy, place=place(path)) from None


def rows_of_parquet(path: FilePath, choice: Choice) -> Iterator[RawTable]:
    """Yield rows of Parquet."""
    with parquet_file(path) as file:
        chosen = list(choice(file.schema_arrow.names, place(path)))
        number = 1
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=chosen):
            # Without what pandas noted in the file about its own columns.
            columns = {
                name: batch.column(name).to_pandas(integer_object_nulls=True) for name in chosen
            }
            numbers = np.arange(number, number + batch.num_rows)
            yield RawTable(columns, numbers, "row", typed=True)
            number += batch.num_rows


def parquet_frame(path: FilePath) -> "pd.DataFrame":
    """Return a Parquet file as a data frame.

    Raise InputError as `parquet_file`; for more cells than memory has room for. Raise OSError if
    the file cannot be opened or read.
    """
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    most = max(_MOST_CELLS, _MOST_CELLS_OF_A_BYTE * size)
    with parquet_file(path) as file:
        cells = file.metadata.num_rows * file.metadata.num_columns
        if cells > most:
            raise InputError(
                "number of cells of the Parquet file",
                cells,
                f"be at most {most:,}",
                remedy="leave out rows and columns that are not needed",
                place=place(path),
            )
        frame: pd.DataFrame = file.read().to_pandas()
        return frame


def _seekable(stream: io.BufferedIOBase, *, place: str) -> io.BufferedIOBase:
    """Return the stream, or what it holds if it cannot be read from its end."""
    if stream.seekable():
        return stream
    content = io.BytesIO()
    while piece := stream.read(_PIECE):
        content.write(piece)
        if content.tell() > _MOST_UNPACKED:
            thing = "bytes of Parquet that is compressed or comes through a pipe"
            rule = f"be at most {_MOST_UNPACKED}"
            remedy = "give the unpacked file itself"
            raise InputError(thing, content.tell(), rule, remedy=remedy, place=place)
    return content


def _check_size(num_rows: int, file: io.BufferedIOBase, *, place: str) -> None:
    """Raise InputError for so many rows in so small a file that they would only fill memory."""
    num_bytes = file.seek(0, os.SEEK_END)
    most = max(_MOST_ROWS, _MOST_ROWS_OF_A_BYTE * num_bytes)
    if num_rows > most:
        thing = f"number of rows in {num_bytes} bytes"
        rule = f"be at most {most}"
        remedy = "drop rows that are there twice, or give the table as CSV"
        raise InputError(thing, num_rows, rule, remedy=remedy, place=place)
