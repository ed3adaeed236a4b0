"""The tables that people give: what the columns of each are called, and what they may hold."""

import math
import sys
from dataclasses import replace
from typing import Any

from prum.simulator.model.assessments import Assessment, assessment_of
from prum.simulator.model.chunk_table import MOST_CHARACTERS
from prum.simulator.model.errors import InputError, real
from prum.simulator.model.json_text import json_value
from prum.simulator.tables import names
from prum.simulator.tables.layout import FileColumn, Layout, number_of

_MOST, LEAST_GRADE = sys.float_info.max, -2
_EMPTY: dict[str, Any] = {"nullable": True, "optional": True}
_OFFSET: dict[str, Any] = {"number": True, "whole": True, "most": MOST_CHARACTERS, **_EMPTY}
_ANY: dict[str, Any] = {"number": True, "least": -_MOST, "most": _MOST}
_PROBABILITY = FileColumn(name="probability", number=True, most=1.0)
_IN_01 = {"rule": "be a number in [0, 1]", "remedy": "write it like 0.25"}
_COUNTED = {
    "rule": f"be a whole number from 0 to {MOST_CHARACTERS}",
    "remedy": "count the characters of the document from 0",
}
_OF_LINK = replace(
    _PROBABILITY,
    aliases=("weight",),
    lacking="add it, or give a way that makes it of edges, as web .85",
)
_ENDS = (FileColumn(name="source"), FileColumn(name="target"))
_LIKE_RUN = "name them as in a run of PyTerrier or ir_measures: qid, docno, score"
_LIKE_QRELS = "name them as in qrels of PyTerrier or ir_measures: qid, docno, label"
_NO_GRADES = (*names.PREFERRED, *names.IDEALS)
# Offsets count in content, an answer's words may be others.
CONTENT = ("content", *(name for name in names.TEXT if name != "content"))


def grade_of(cell: Any) -> float | Assessment | None:
    """Return a grade, whole numbers as an int; None for what is none.

    Those of TREC go down to -2, for elements that were pooled but not judged, and for junk.

    >>> [grade_of(cell) for cell in ("2", 0.8, "E3S2", -3, "x")]
    [2, 0.8, Assessment(exhaustivity=3, specificity=2), None, None]
    """
    if isinstance(cell, str) and cell.startswith("E"):
        try:
            return assessment_of(cell)
        except InputError:
            return None
    number = number_of(cell) if isinstance(cell, str) else real(cell)
    if number.is_integer():
        return int(number) if number >= LEAST_GRADE else None
    return number if 0 < number < math.inf else None


def json_list(cell: Any) -> list[Any] | None:
    """Return a cell that is a list, or the text of one in JSON; None for what is none.

    Python writes texts between single quotes.

    >>> json_list('["a"]'), json_list("['a']"), json_list("a")
    (['a'], ['a'], None)
    """
    if isinstance(cell, str):
        try:
            cell = json_value(cell.replace("'", '"') if cell.startswith("['") else cell)
        except (ValueError, RecursionError):
            return None
    cell = cell.tolist() if hasattr(cell, "tolist") else cell
    return list(cell) if isinstance(cell, list | tuple | set) else None


_IDS: dict[str, Any] = {
    "parse": json_list,
    "rule": "be a list of ids",
    "remedy": "give [id, ...]",
}


def _table(rows: str, *columns: FileColumn, **may: Any) -> Layout:
    return Layout(what=f"file of {rows}", rows=rows, columns=columns, **{"others": True} | may)


# Of each kind of table the columns, the rule of its numbers, and what to do if one breaks it.
# Without `bounds_in_csv` what is made of the columns checks bounds, and names the thing.
SCHEMAS = {
    "links": _table("links", *_ENDS, _OF_LINK, **_IN_01),
    "edges": _table("links", *_ENDS, replace(_OF_LINK, optional=True), **_IN_01),
    "pairs": _table("links", *_ENDS),
    "expanded": _table(
        "what was read",
        FileColumn.of(names.TOPIC),
        FileColumn(name="seed"),
        FileColumn(name="page", aliases=names.ELEMENT),
        rest=FileColumn(name="", number=True, most=_MOST),
        rule="be a positive, finite number",
        remedy="give what the page costs, like 12.5",
        others=False,
    ),
    "elements": _table(
        "elements",
        FileColumn.of(names.ELEMENT),
        FileColumn(name="parent", nullable=True),
        FileColumn(name="length", number=True, most=_MOST),
        FileColumn(name="start", number=True, most=_MOST, **_EMPTY),
        rule="be a finite number of at least 0",
        remedy="write it like 12.5",
    ),
    "costs": _table(
        "costs",
        FileColumn.of(names.ELEMENT),
        rest=FileColumn(name="", number=True, most=_MOST),
        rule="be a positive, finite number",
        remedy="give what it costs, like 12.5",
        others=False,
    ),
    "judgements": _table(
        "judgements",
        FileColumn.of(names.TOPIC),
        FileColumn.of(names.ELEMENT),
        _PROBABILITY,
        FileColumn(name="case", **_EMPTY),
        once=("topic", "element", "case"),
        **_IN_01,
    ),
    "runs": _table(
        "runs",
        FileColumn.of(names.TOPIC, unless=names.LISTED),
        FileColumn.of(names.ELEMENT, unless=names.LISTED),
        FileColumn.of(names.SCORE, unless=(*names.RANK, *names.LISTED), lacking=_LIKE_RUN, **_ANY),
        FileColumn.of(names.RANK, optional=True, **_ANY),
        FileColumn.of(names.LISTED, optional=True, **_IDS),
        rule="be a finite number",
        remedy="correct it",
        kept=True,
    ),
    "judged": _table(
        "judgements",
        FileColumn.of(names.TOPIC, unless=names.IDEALS),
        FileColumn.of(names.ELEMENT, unless=_NO_GRADES),
        FileColumn.of(names.GRADE, unless=_NO_GRADES, lacking=_LIKE_QRELS, parse=grade_of),
        FileColumn.of(names.SUBTOPIC, optional=True),
        FileColumn.of(names.PREFERRED, optional=True),
        FileColumn.of(names.OTHER, optional=True),
        FileColumn.of(names.IDEALS, optional=True, **_IDS),
        rule="be a whole number of at least -2, a decimal like 0.8, or an assessment like E3S2",
        remedy="correct it",
        kept=True,
    ),
    "preference lines": _table(
        "preferences",
        *(FileColumn(name=name) for name in ("topic", "judge", "group", "element")),
        FileColumn(name="relevance", **_ANY),
        rule="be a number",
        remedy="correct column 5",
    ),
    # What the columns of these are, their readers say.
    "scores": _table("scores", kept=True),
    "rows of a log": replace(_table("rows", kept=True), what="log"),
    "intents": _table(
        "intents",
        FileColumn.of(names.TOPIC),
        FileColumn.of(names.SUBTOPIC),
        _PROBABILITY,
        once=("topic", "subtopic"),
        **_IN_01,
    ),
    "chunks": _table(
        "chunks",
        FileColumn.of(names.CHUNK),
        FileColumn.of(names.DOCUMENT, **_EMPTY),
        FileColumn.of(names.START, **_OFFSET),
        FileColumn.of(names.END, **_OFFSET),
        FileColumn.of(names.PARENT, **_EMPTY),
        FileColumn.of(names.TEXT, **_EMPTY),
        **_COUNTED,
    ),
    "gold spans": _table(
        "gold spans",
        FileColumn.of(names.QUESTION, **_EMPTY),
        FileColumn.of(names.WORDS, **_EMPTY),
        FileColumn.of(names.DOCUMENT, **_EMPTY),
        FileColumn.of(names.START, **_OFFSET),
        FileColumn.of(names.END, **_OFFSET),
        FileColumn.of(CONTENT, **_EMPTY),
        FileColumn(name="answer", **_EMPTY),
        FileColumn(
            name="references",
            aliases=("snippets",),
            parse=json_list,
            rule="be a list in JSON",
            remedy='write [{"content": ..., "start_index": ..., "end_index": ...}]',
            **_EMPTY,
        ),
        **_COUNTED,
    ),
    "texts": _table(
        "texts",
        FileColumn(name="_id", aliases=("id", "doc", "document")),
        FileColumn.of(names.TEXT, nullable=True),
        once=("_id",),
    ),
}


def amount(name: str) -> FileColumn:
    """Return the column of what chunks cost in a unit.

    >>> amount("tokens").rule
    'be positive'
    """
    return FileColumn(
        name=name, number=True, rule="be positive", remedy="correct the row", **_EMPTY
    )
