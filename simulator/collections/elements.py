"""Element files: parent, length and start of each element, as CSV, TSV, JSONL or Parquet."""

import sys
from typing import Any

from prum.simulator.model.elements import Elements
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.names import ELEMENT
from prum.simulator.tables.read import read

_MOST = sys.float_info.max
LAYOUT = Layout(
    what="file of elements",
    columns=(
        FileColumn.of(ELEMENT),
        FileColumn(name="parent", nullable=True),
        FileColumn(name="length", number=True, most=_MOST),
        FileColumn(name="start", number=True, most=_MOST, nullable=True, optional=True),
    ),
    rule="be a finite number of at least 0",
    remedy="write it like 12.5",
    bounds_in_csv=False,  # `Elements` names the element
    others=True,
    rows="elements",
)


def read_elements(source: Any) -> Elements:
    """Return the elements of a table with columns element, parent, length and start.

    The formats are those of `read_links`. A document has an empty parent (null in JSONL and
    Parquet). The column start may be missing, or empty in places: `Elements` says where such an
    element begins. Parents may come after their children.

    Raises
    ------
    InputError
        as `read_links`, with the rules of `Elements` for those of links.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "elements.csv"
    >>> _ = path.write_text("element,parent,length\\npage,,60\\nchunk,page,40\\n")
    >>> read_elements(path)
    Elements({'page': (None, 60.0, 0.0), 'chunk': ('page', 40.0, 0.0)})
    """
    table = read(source, LAYOUT)
    return Elements.from_columns(*table.columns, origin=table.origin, lines=table.lines)
