"""What retrievers return, each in its own form, as pieces of documents; no library is imported.

The forms are told by their attributes: `page_content` of LangChain's documents, `start_char_idx` of
LlamaIndex's nodes, `content` and `meta` of Haystack's documents; dicts, tuples and texts.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from prum.simulator.collections.placing import WrittenPlace
from prum.simulator.model import InputError
from prum.simulator.model.chunk_table import TOKENS
from prum.simulator.model.errors import amount
from prum.simulator.tables.layout import id_of
from prum.simulator.tables.names import CHUNK, DOCUMENT, END, PARENT, START, TEXT

_FORMS = (
    "be a document of LangChain or Haystack, a node of LlamaIndex, a dict with document, start "
    "and end, a tuple (document, start, end) or (document, text), or a text"
)
# Keys of dicts.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "chunk": CHUNK,
    "document": DOCUMENT,
    "start": START,
    "end": END,
    "text": TEXT,
    "tokens": (TOKENS,),
    "parent": PARENT,
}


@dataclass(frozen=True, slots=True)
class Piece(WrittenPlace):
    """A piece of a document, as somebody says it: where it stands, its text, or both.

    Parameters
    ----------
    chunk
        Its id, if it has one.
    tokens
        How many there are, if that is said.
    parent
        The id of the chunk that it belongs to.
    remedy
        What to do where document, start or end is missing.
    """

    chunk: str | None = None
    tokens: float | None = None
    parent: str | None = None
    remedy: str = "give all three"

    @property
    def is_empty(self) -> bool:
        """Whether it ends where it begins, and so shows nothing."""
        return self.start is not None and self.start == self.end

    def error(self, key: str, value: Any, rule: str, remedy: str) -> InputError:
        """Return what is raised where something of the piece breaks a rule."""
        return InputError(f"{key} of {self.thing}", value, rule, remedy=remedy, place=self.place)


def piece_of(item: Any, thing: str, place: str, *, document_key: str | None = None) -> Piece:
    """Return the piece that an item of a retriever's list stands for, in whatever form.

    `document_key`: the key of the metadata that names the document, in place of the library's own.

    >>> piece_of({"doc": "report", "start": 5, "text": "four"}, "document 1", "").end
    9
    >>> piece_of((("report", 5, 9), 0.7), "document 1", "").start
    5
    """
    if isinstance(item, tuple | list) and len(item) == 2:
        first, score = item
        # A document beside no text would pass for a text beside no score.
        if isinstance(score, Real) or (score is None and not isinstance(first, str)):
            item = first
    elif hasattr(item, "node") and hasattr(item, "score"):
        item = item.node
    if not isinstance(document_key, str | None):
        rule, remedy = "be a text", "name the key of the metadata, or leave it out"
        raise InputError("document_key", document_key, rule, remedy=remedy)
    values, remedy = _fields(item, document_key)
    if not values:
        remedy = "give a list of such things for each question, best first"
        raise InputError(
            f"type of {thing}", type(item).__name__, _FORMS, remedy=remedy, place=place
        )
    piece = Piece(thing, place, **_checked(values, thing, place), remedy=remedy)
    # A key that is named is meant: no text is looked up in all documents for want of it.
    if document_key and piece.document is None and not isinstance(item, str | tuple | list):
        raise piece.error(document_key, None, "be given", remedy)
    return piece


def _fields(item: Any, key: str | None) -> tuple[dict[str, Any], str]:
    """Return what an item says, and what to do where it says too little."""
    if isinstance(item, str):
        return {"text": item}, "give start and end"
    if isinstance(item, Mapping):
        return _of_dict(item, key), f"give the dict the keys {key or 'document'}, start and end"
    if isinstance(item, tuple | list):
        is_text = len(item) == 2 and all(isinstance(part, str) for part in item)
        keys = ("document", "text") if is_text else ("document", "start", "end")
        return dict(zip(keys, item, strict=True)) if len(item) == len(keys) else {}, "give both"
    if hasattr(item, "page_content") and isinstance(item.metadata, Mapping):
        meta, start = item.metadata, item.metadata.get("start_index")
        remedy = (
            f'give each document metadata {{"{key or "source"}": ...}}, '
            "split with add_start_index=True"
        )
        values = {
            "chunk": getattr(item, "id", None),
            "document": meta.get("source"),
            # The splitter did not find its own chunk in the document.
            "start": None if start == -1 else start,
            "text": item.page_content,
            "parent": meta.get("parent"),
        }
    elif hasattr(item, "start_char_idx"):
        meta = item.metadata if isinstance(getattr(item, "metadata", None), Mapping) else {}
        remedy = "make nodes by get_nodes_from_documents of a node parser"
        values = {
            "chunk": getattr(item, "node_id", None),
            "document": getattr(item, "ref_doc_id", None),
            "start": item.start_char_idx,
            "end": getattr(item, "end_char_idx", None),
            "text": getattr(item, "text", None),
            "parent": getattr(getattr(item, "parent_node", None), "node_id", None),
        }
    elif hasattr(item, "content") and isinstance(getattr(item, "meta", None), Mapping):
        meta, chunk = item.meta, getattr(item, "id", None)
        document = meta.get("source_id", meta.get("parent_id"))
        start = meta.get("split_idx_start")
        if document is None and start is None and "split_id" not in meta:
            start, document = 0, chunk  # never split: the document itself
        if meta.get("__level", 0) > 1:
            start = document = None  # blocks of a hierarchy count from the block above: looked up
        remedy = "split with DocumentSplitter"
        values = {"chunk": chunk, "document": document, "start": start, "text": item.content}
        values["parent"] = meta.get("__parent_id", meta.get("parent_id"))
    else:
        values = {name: getattr(item, name, None) for name in ("document", "start", "end")}
        return {} if None in values.values() else values, ""
    if key:
        values["document"] = meta.get(key)
    return {**values, "tokens": meta.get(TOKENS)}, remedy


def _of_dict(item: Mapping[str, Any], document_key: str | None) -> dict[str, Any]:
    inner = item.get("metadata", item.get("meta"))
    fields = {**inner, **item} if isinstance(inner, Mapping) else item
    # Gold and chunks may be rows of different makers: the key is the first that is looked for.
    names_by_key = {**_KEYS, "document": (*([document_key] if document_key else []), *DOCUMENT)}
    values = {
        key: next((fields[name] for name in names if fields.get(name) is not None), None)
        for key, names in names_by_key.items()
    }
    span = fields.get("span")
    if values["start"] is values["end"] is None and isinstance(span, list | tuple):
        values["start"], values["end"] = span if len(span) == 2 else (None, None)
    return values


def _checked(values: Mapping[str, Any], thing: str, place: str) -> dict[str, Any]:
    """Return values, each of which is what it must be."""
    given = {key: value for key, value in values.items() if value is not None}
    for key in {"chunk", "document", "parent"} & given.keys():
        value = given[key]
        value = os.fspath(value) if isinstance(value, os.PathLike) else value
        given[key] = id_of(value, f"{key} of {thing}", place)
    for key in ("start", "end"):
        offset = given.get(key, 0)
        is_number = isinstance(offset, Real) and not isinstance(offset, bool)
        if not (is_number and float(offset) >= 0 and float(offset).is_integer()):
            rule, remedy = "be a whole number of at least 0", "count characters from 0"
            raise InputError(f"{key} of {thing}", offset, rule, remedy=remedy, place=place)
        if key in given:
            given[key] = int(offset)
    text, start, end = given.get("text"), given.get("start"), given.get("end")
    if text is not None and not isinstance(text, str):
        thing, remedy = f"type of the text of {thing}", "give what the chunk says"
        raise InputError(thing, type(text).__name__, "be str", remedy=remedy, place=place)
    if TOKENS in given:
        try:
            remedy = "count the chunk's tokens"
            given[TOKENS] = amount(
                f"tokens of {thing}", given[TOKENS], positive=True, remedy=remedy
            )
        except InputError as error:
            raise error.at(place) from None
    if start is not None and end is None and text is not None:
        given["end"] = start + len(text)
    elif start is not None and end is not None and end < start:
        rule, remedy = f"not lie before the start, {start}", "give start and end from 0"
        raise InputError(f"end of {thing}", end, rule, remedy=remedy, place=place)
    # What has no text, such as the node of an image, has an empty one.
    return dict.fromkeys(("document", "start", "end")) | given | {"text": text or None}
