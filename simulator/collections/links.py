"""Link and element files: who leads where, and what lies in what, as CSV, TSV, JSONL or Parquet."""

from typing import Any

import numpy as np

from prum.simulator.model.elements import Elements
from prum.simulator.model.tables import Links
from prum.simulator.tables.read import read
from prum.simulator.tables.schemas import SCHEMAS


def read_links(source: Any, *, certain: bool = False) -> Links:
    """Return the links of a table with columns source, target and probability.

    Where none is given links are `certain`, if they may be; else that is an error.

    A table is a data frame, a list of records, or a file. The suffix of its name tells the format
    (`.gz`, `.xz` or `.bz2` after it is ignored), else the content does: CSV or TSV whose first line
    names the columns, in any order, quoted as in Python's csv module; JSON lines, an object with
    these names each; Parquet, which needs pyarrow. Ids are texts or whole numbers. All may be
    compressed as `read_run` says. Blank lines are skipped, other columns not read.

    Raise InputError for wrong column names, a row that breaks the format, an empty id, a
    probability that is not a number in [0, 1], a link given twice, a file that is empty, not UTF-8
    text or damaged. Raise OSError if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "links.csv"
    >>> _ = path.write_text("source,target,probability\\nc,a,.4\\n")
    >>> read_links(path)
    Links({('c', 'a'): 0.4})
    """
    table = read(source, SCHEMAS["edges" if certain else "links"])
    sources, targets, probabilities = table.columns.values()
    if certain and all(p is None for p in probabilities):
        probabilities = np.ones(len(table))
    return Links.from_columns(
        sources, targets, probabilities, origin=table.origin, lines=table.lines
    )


def read_pairs(source: Any) -> Links:
    """Return the links of a table with columns source and target, each with probability 1.

    The formats are those of `read_links`; other columns, as probability, are not read.
    """
    table = read(source, SCHEMAS["pairs"])
    sources, targets = table.columns.values()
    return Links.from_columns(
        sources, targets, np.ones(len(table)), origin=table.origin, lines=table.lines
    )


def read_elements(source: Any) -> Elements:
    """Return the elements of a table with columns element, parent, length and start.

    The formats are those of `read_links`. A document has an empty parent (null in JSONL and
    Parquet). The column start may be missing, or empty in places: `Elements` says where such an
    element begins. Parents may come after their children.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "elements.csv"
    >>> _ = path.write_text("element,parent,length\\npage,,60\\nchunk,page,40\\n")
    >>> read_elements(path)
    Elements({'page': (None, 60.0, 0.0), 'chunk': ('page', 40.0, 0.0)})
    """
    table = read(source, SCHEMAS["elements"])
    return Elements.from_columns(*table.columns.values(), origin=table.origin, lines=table.lines)
