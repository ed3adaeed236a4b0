"""Link files: source, target and probability of each link, as CSV, TSV, JSONL or Parquet."""

import numpy as np

from prum.simulator.model.navigation import Links
from prum.simulator.tables.columns import read_columns
from prum.simulator.tables.files import FilePath, place
from prum.simulator.tables.layout import FileColumn, Layout

_LAYOUT = Layout(
    what="file of links",
    columns=(
        FileColumn(name="source"),
        FileColumn(name="target"),
        FileColumn(name="probability", number=True, most=1.0),
    ),
    rule="be a number in [0, 1]",
    remedy="write it like 0.25",
    bounds_in_csv=True,
)
_PAIRS = Layout(
    what="file of links",
    columns=(FileColumn(name="source"), FileColumn(name="target")),
    rule="",
    remedy="",
    bounds_in_csv=False,
    others=True,
)


def read_links(path: FilePath) -> Links:
    """Return the links of a file with columns source, target and probability.

    The suffix of the name tells the format (`.gz`, `.xz` or `.bz2` after it is ignored);
    for standard input, and for a pipe without a suffix, the content does:

    `.csv`, `.tsv`
        The first line names the columns, in any order. Quoting as in Python's csv module: ids may
        hold blanks, commas, quotes and line ends. `.tsv` has tabs for commas.
    `.jsonl`, `.ndjson`
        One object with exactly these names per line; ids are strings, other columns numbers.
    `.parquet`
        Exactly these columns, ids as text, others as numbers, without nulls; needs pyarrow. At most
        10 million rows, or 10 for each byte of the file.

    All may be compressed as `read_run` says. Blank lines are skipped.

    Raises
    ------
    InputError
        for another suffix, wrong column names, a row that breaks the format, an empty id, a
        probability that is not a number in [0, 1], a link given twice, a file that is empty, not
        UTF-8 text or damaged; for Parquet without pyarrow.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "links.csv"
    >>> _ = path.write_text("source,target,probability\\nc,a,.4\\n")
    >>> read_links(path)
    Links({('c', 'a'): 0.4})
    """
    (sources, targets, probabilities), lines = read_columns(path, _LAYOUT)
    return Links.from_columns(
        sources, targets, np.asarray(probabilities), origin=place(path), lines=lines
    )


def read_pairs(path: FilePath) -> Links:
    """Return the links of a file with columns source and target, each with probability 1.

    The formats are those of `read_links`; other columns, as probability, are not read.

    Raises
    ------
    InputError, OSError
        as `read_links`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "links.csv"
    >>> _ = path.write_text("source,target\\nc,a\\n")
    >>> read_pairs(path)
    Links({('c', 'a'): 1.0})
    """
    (sources, targets), lines = read_columns(path, _PAIRS)
    return Links.from_columns(
        sources, targets, np.ones(len(sources)), origin=place(path), lines=lines
    )
