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

LEAST_GRADE = -2
GRADE_RULE = "be a whole number of at least -2, a decimal like 0.8, or an assessment like E3S2"


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


_EMPTY: dict[str, Any] = {"nullable": True, "optional": True}
_OFFSET: dict[str, Any] = {
    "kind": "whole",
    "most": MOST_CHARACTERS,
    "remedy": "count the characters of the document from 0",
    **_EMPTY,
}
_ANY: dict[str, Any] = {"kind": "number", "least": -sys.float_info.max}
_IDS: dict[str, Any] = {
    "kind": json_list,
    "rule": "be a list of ids",
    "remedy": "give [id, ...]",
    "optional": True,
}
_TOPIC, _ELEMENT = FileColumn(names.TOPIC), FileColumn(names.ELEMENT)
_ENDS = (FileColumn(("source",)), FileColumn(("target",)))
_PROBABILITY = FileColumn(("probability",), "number", most=1.0, remedy="write it like 0.25")
_OF_LINK = replace(
    _PROBABILITY,
    names=("probability", "weight"),
    lacking="add it, or give a way that makes it of edges, as web .85",
)
_COST = FileColumn(
    ("",),
    "number",
    rule="be a positive, finite number",
    remedy="give what it costs, like 12.5",
)
_PLACE = (
    FileColumn(names.DOCUMENT, **_EMPTY),
    FileColumn(names.START, **_OFFSET),
    FileColumn(names.END, **_OFFSET),
)
# Offsets count in content, an answer's words may be others.
_SPAN = (
    *_PLACE,
    FileColumn(("content", *(x for x in names.TEXT if x != "content")), **_EMPTY),
    FileColumn(("answer",), **_EMPTY),
)
_NO_GRADES = (*names.PREFERRED, *names.IDEALS)


def _table(rows: str, *columns: FileColumn, **may: Any) -> Layout:
    return Layout(rows=rows, columns=columns, **may)


# Of each kind of table the columns. Bounds that are open are checked by what is made of them.
SCHEMAS = {
    "links": _table("links", *_ENDS, _OF_LINK),
    "edges": _table("links", *_ENDS, replace(_OF_LINK, optional=True)),
    "pairs": _table("links", *_ENDS),
    "expanded": _table(
        "what was read",
        _TOPIC,
        FileColumn(("seed",)),
        FileColumn(("page", *names.ELEMENT)),
        rest=_COST,
    ),
    "elements": _table(
        "elements",
        _ELEMENT,
        FileColumn(("parent",), nullable=True),
        FileColumn(("length",), "number"),
        FileColumn(("start",), "number", **_EMPTY),
    ),
    "costs": _table("costs", _ELEMENT, rest=_COST),
    "judgements": _table(
        "judgements",
        _TOPIC,
        _ELEMENT,
        _PROBABILITY,
        FileColumn(("case",), **_EMPTY),
        once=("topic", "element", "case"),
    ),
    "runs": _table(
        "runs",
        replace(_TOPIC, unless=names.LISTED),
        replace(_ELEMENT, unless=names.LISTED),
        FileColumn(
            names.SCORE,
            unless=(*names.RANK, *names.LISTED),
            lacking="name them as in a run of PyTerrier or ir_measures: qid, docno, score",
            **_ANY,
        ),
        FileColumn(names.RANK, optional=True, **_ANY),
        FileColumn(names.LISTED, **_IDS),
        rest="kept",
    ),
    "judged": _table(
        "judgements",
        replace(_TOPIC, unless=names.IDEALS),
        replace(_ELEMENT, unless=_NO_GRADES),
        FileColumn(
            names.GRADE,
            grade_of,
            unless=_NO_GRADES,
            lacking="name them as in qrels of PyTerrier or ir_measures: qid, docno, label",
            rule=GRADE_RULE,
        ),
        FileColumn(names.SUBTOPIC, optional=True),
        FileColumn(names.PREFERRED, optional=True),
        FileColumn(names.OTHER, optional=True),
        FileColumn(names.IDEALS, **_IDS),
        rest="kept",
    ),
    "preference lines": _table(
        "preferences",
        *(FileColumn((name,)) for name in ("topic", "judge", "group", "element")),
        FileColumn(("relevance",), **_ANY),
    ),
    # What the columns of these are, their readers say.
    "scores": _table("scores", rest="kept"),
    "intents": _table(
        "intents",
        _TOPIC,
        FileColumn(names.SUBTOPIC),
        _PROBABILITY,
        once=("topic", "subtopic"),
    ),
    "chunks": _table(
        "chunks",
        FileColumn(names.CHUNK),
        *_PLACE,
        FileColumn(names.PARENT, **_EMPTY),
        FileColumn(names.TEXT, **_EMPTY),
    ),
    "gold spans": _table(
        "gold spans",
        FileColumn(names.QUESTION, **_EMPTY),
        FileColumn(names.WORDS, **_EMPTY),
        *_SPAN,
        FileColumn(
            ("references", "snippets"),
            json_list,
            rule="be a list in JSON",
            remedy='write [{"content": ..., "start_index": ..., "end_index": ...}]',
            **_EMPTY,
        ),
    ),
    "snippets": _table("snippets", *_SPAN),
    "texts": _table(
        "texts",
        FileColumn(("_id", "id", "doc", "document")),
        FileColumn(names.TEXT, nullable=True),
        once=("_id",),
    ),
}
