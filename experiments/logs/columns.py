"""Logs of `prum simulate` and `prum generate`: their columns, and how they are read."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from prum.simulator.tables.files import FilePath, no_lines
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.read import read

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
# And of logs in which elements without a name that follow each other are one row: how many elements
# were consulted by this time, the first at this rank; 0 for what is no consultation.
STRETCHES = {"elements": "int64"}
# Whole numbers up to here are floats, too.
_MOST = 2.0**53


def read_log(path: FilePath, names: Iterable[str]) -> dict[str, Any]:
    """Return some columns of a log by name: lists of texts, arrays of whole numbers and of flags.

    The file is JSON lines, Parquet, CSV or TSV, whatever other columns it has; a text that is null
    or empty is None if events may lack it; `elements` are 1 in a log without that column.

    Raises
    ------
    InputError
        as `read`, and for a log without events.
    OSError
        if the file can't be read.
    """
    layout = Layout(
        what="log",
        columns=tuple(map(_column, names)),
        rule=f"be a whole number from 0 to {_MOST:.0f}",
        remedy="give a log of prum simulate or prum generate",
        bounds_in_csv=True,
        others=True,
    )
    columns = read(path, layout).columns
    if not len(columns[0]):
        raise no_lines(path)
    return {
        column.name: values
        if not column.number
        else np.array([1 if value is None else value for value in values], dtype=np.int64)
        if column.nullable
        else np.asarray(values).astype(np.bool_ if column.flag else np.int64)
        for column, values in zip(layout.columns, columns, strict=True)
    }


def _column(name: str) -> FileColumn:
    if name in STRETCHES:
        return FileColumn(
            name=name, number=True, whole=True, nullable=True, optional=True, most=_MOST
        )
    kind = COLUMNS[name]
    if kind == "bool":
        return FileColumn(name=name, number=True, flag=True, most=1.0)
    if kind.startswith("int"):
        return FileColumn(name=name, number=True, whole=True, most=_MOST)
    return FileColumn(name=name, nullable=name == "reason")
