"""Columns of Parquet files."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import FilePath, opened, place
from prum.simulator.tables.layout import Choice, RawTable

ROWS_AT_ONCE = 200_000


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
            yield pq.ParquetFile(stream if stream.seekable() else io.BytesIO(stream.read()))
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
