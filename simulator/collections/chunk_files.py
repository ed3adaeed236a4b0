"""Chunk files: the document, start and end of each chunk, as CSV, TSV, JSONL or Parquet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from prum.simulator.collections.placing import WrittenPlace, check_counted, placed
from prum.simulator.model import ChunkTable, InputError
from prum.simulator.model.chunk_table import KNOWN_UNITS
from prum.simulator.tables.layout import FileColumn
from prum.simulator.tables.read import read
from prum.simulator.tables.schemas import SCHEMAS


def read_chunks(
    source: Any,
    texts: Mapping[str, str] | None = None,
    *,
    units: Sequence[str] = (),
    offsets: str = "characters",
    first: bool = False,
) -> ChunkTable:
    """Return the chunks of a table with columns id, doc, start and end.

    The formats are those of `read_links`. Each may be called as elsewhere, ``doc`` source, say,
    and ``start`` start_index. At will are ``parent``, the larger chunk that a chunk was cut from,
    and what reading a chunk costs: ``tokens``, ``seconds`` and the columns that `units` names.

    With `texts`, document -> text, offsets are checked against the documents, which take the names
    that `texts` has for them, and a chunk without offsets is looked up by its column ``text``: in
    its document, or in all if it names none; `first` takes the first of several places. Then
    `offsets` may count "bytes" (of UTF-8) or "utf-16" (as in JavaScript), too.

    Raise InputError as `read_links`, with the rules of `ChunkTable` for those of links; for a chunk
    without document, start or end that is not found by its text, offsets beyond the text, offsets
    that count something else by the text beside them. Raise OSError if the file cannot be read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "chunks.csv"
    >>> _ = path.write_text("id,doc,start,end,tokens\\none,report,0,100,25\\n")
    >>> read_chunks(path)
    ChunkTable({'one': ('report', 0, 100)}, amounts={'tokens': [25.0]})
    """
    check_counted(offsets, texts)
    asked = dict.fromkeys((*KNOWN_UNITS, *units))
    columns = [
        # Texts are long: they are read where they are needed.
        *(
            column
            for column in SCHEMAS["chunks"].columns
            if column.name != "text" or texts is not None
        ),
        *(FileColumn((unit,), "number", nullable=True, optional=True) for unit in asked),
    ]
    table = read(source, replace(SCHEMAS["chunks"], columns=tuple(columns)))
    cells, where = table.columns, table.place
    chunks, documents, starts, ends = (cells[name] for name in ("id", "doc", "start", "end"))
    if texts is not None or None in documents or None in starts or None in ends:
        written = cells.get("text", [None] * len(table))
        rows = [
            WrittenPlace(f"chunk {chunk!r}", where(row), document, start, end, text, loose=True)
            for row, (chunk, document, start, end, text) in enumerate(
                zip(chunks, documents, starts, ends, written, strict=True)
            )
        ]
        spots = placed(rows, texts, counted=offsets, first=first)
        documents, starts, ends = ([spot[k] for spot in spots] for k in range(3))
    amounts = {
        unit: np.array(cells[unit], dtype=np.float64)  # NaN for an empty cell
        for unit in asked
        if any(value is not None for value in cells[unit])
    }
    if lacking := [unit for unit in units if unit not in amounts]:
        rule, remedy = "be a column", "give the chunks a column of this name, or take characters"
        raise InputError("unit of cost", lacking[0], rule, remedy=remedy, place=table.origin)
    return ChunkTable.from_columns(
        chunks,
        documents,
        starts,
        ends,
        parents=cells["parent"],
        amounts=amounts,
        origin=table.origin,
        lines=table.lines,
    )
