"""Columns of Parquet files."""

import io
import os
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import FilePath, damaged, opened, place
from prum.simulator.tables.layout import FileColumn, Layout, check_names, no_number
from prum.simulator.tables.rows import Batch
from prum.simulator.tables.unpacked import DamageError

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

    Raises
    ------
    InputError
        without pyarrow, for content that is damaged or no Parquet, for far too many rows.
    OSError
        if the file cannot be opened or read.
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


def parquet_frame(path: FilePath) -> "pd.DataFrame":
    """Return a Parquet file as a data frame.

    Raises
    ------
    InputError
        as `parquet_file`; for more cells than memory has room for.
    OSError
        if the file cannot be opened or read.
    """
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    most = max(_MOST_CELLS, _MOST_CELLS_OF_A_BYTE * size)
    with parquet_file(path) as file:
        cells = file.metadata.num_rows * file.metadata.num_columns
        if cells > most:
            raise InputError(
                "number of cells of the Parquet file", cells, f"be at most {most:,}",
                remedy="leave out rows and columns that are not needed", place=place(path),
            )  # fmt: skip
        frame: pd.DataFrame = file.read().to_pandas()
        return frame


def parquet_batches(path: FilePath, layout: Layout) -> Iterator[Batch]:
    """Yield the columns of a Parquet file, some rows at a time, without lines."""
    with parquet_file(path) as file:
        import pyarrow as pa

        check_names(file.schema_arrow.names, layout, place=place(path))
        layout = layout.as_written(file.schema_arrow.names)
        _check_parquet_types(file.schema_arrow, pa.types, layout, place=place(path))
        num_rows = 0
        names = [name for name in layout.names if name in file.schema_arrow.names]
        for table in file.iter_batches(columns=names):
            _check_nulls(table, layout, num_rows, place=place(path))
            batch = list[Any]()
            for column in layout.columns:
                if column.name not in table.schema.names:
                    batch.append([None] * table.num_rows)
                    continue
                values = table.column(column.name)
                if column.number and not pa.types.is_null(values.type):
                    values = values.cast(pa.float64(), safe=False)
                if column.number and not column.nullable:
                    numbers = values.to_numpy()
                    _check_whole(numbers, column, layout, num_rows, place=place(path))
                    batch.append(array("d", numbers.tobytes()))
                elif column.either and not _is_text(values.type, pa.types):
                    batch.append(values.cast(pa.float64(), safe=False).to_pylist())
                elif column.nullable and not column.number:
                    batch.append([value or None for value in values.to_pylist()])
                else:
                    batch.append(values.to_pylist())
            num_rows += table.num_rows
            yield layout, (), batch


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


def _check_parquet_types(schema: Any, types: Any, layout: Layout, *, place: str) -> None:
    """Raise InputError unless `schema` holds the columns, texts as text and numbers as numbers."""
    for column in layout.columns:
        if column.name not in schema.names:
            continue
        kind = schema.field(column.name).type
        if types.is_null(kind) and column.nullable:  # nothing but nulls
            continue
        numeric = types.is_integer(kind)
        if column.flag:
            numeric = types.is_boolean(kind)
        elif not column.whole:
            numeric = numeric or types.is_floating(kind) or types.is_decimal(kind)
        text = _is_text(kind, types)
        if column.either and (numeric or types.is_boolean(kind)):
            continue
        if not (numeric if column.number else text):
            thing, rule = f"type of column {column.name}", _rule(column)
            raise InputError(thing, str(kind), rule, remedy="convert the column", place=place)


def _is_text(kind: Any, types: Any) -> bool:
    values = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(values) or types.is_large_string(values))


def _rule(column: FileColumn) -> str:
    if column.flag:
        return "be true or false"
    if column.whole:
        return "be whole numbers"
    return "be numbers" if column.number else "be text"


def _check_whole(
    numbers: Floats, column: FileColumn, layout: Layout, num_rows: int, *, place: str
) -> None:
    """Raise InputError for the first whole number out of bounds, which comes after `num_rows`."""
    wrong = np.flatnonzero((numbers < 0) | (numbers > column.most))
    if column.whole and len(wrong):
        row = int(wrong[0])
        where = f"{place}, row {num_rows + row + 1}"
        raise no_number(column, int(numbers[row]), layout, place=where)


def _check_nulls(table: Any, layout: Layout, num_rows: int, *, place: str) -> None:
    """Raise InputError for the first null of `table`, which comes after `num_rows` rows."""
    for column in layout.columns:
        if not column.nullable and table.column(column.name).null_count:
            empty = table.column(column.name).is_null().to_numpy(zero_copy_only=False)
            raise InputError(
                column.name,
                None,
                "not be null",
                remedy="fill it in or leave the row out",
                place=f"{place}, row {num_rows + int(np.flatnonzero(empty)[0]) + 1}",
            )
