"""What retrievers return, each in its own form, as pieces of documents; no library is imported.

The forms are told by their attributes: `page_content` of LangChain's documents, `start_char_idx` of
LlamaIndex's nodes, `content` and `meta` of Haystack's documents; dicts, tuples and texts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

from prum.simulator.model import InputError
from prum.simulator.model.chunk_table import TOKENS
from prum.simulator.model.errors import amount
from prum.simulator.tables.layout import id_of
from prum.simulator.tables.names import CHUNK, DOCUMENT, END, PARENT, START, TEXT

_FORMS = (
    "be a document of LangChain or Haystack, a node of LlamaIndex, a dict with document, start "
    "and end, a tuple (document, start, end) or (document, text), or a text"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a document, as somebody says it: where it stands, its text, or both.

    Parameters
    ----------
    thing, place
        What messages call it: "document 3 of question 'q7'", and the system.
    chunk
        Its id, if it has one.
    document, start, end
        Where it stands, as far as that is said; characters `start` to `end - 1`, from 0.
    text
        What it says.
    tokens
        How many there are, if that is said.
    parent
        The id of the chunk that it belongs to.
    names
        What the library calls document, start and end.
    remedy
        What to do where one of these is missing.
    """

    thing: str
    place: str
    chunk: str | None = None
    document: str | None = None
    start: int | None = None
    end: int | None = None
    text: str | None = None
    tokens: float | None = None
    parent: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    remedy: str = "give all three"

    @property
    def is_empty(self) -> bool:
        """Whether it ends where it begins, and so shows nothing."""
        return self.start is not None and self.start == self.end

    def error(self, key: str, value: Any, rule: str, remedy: str) -> InputError:
        """Return what is raised where something of the piece breaks a rule."""
        thing = f"{self.names.get(key, key)} of {self.thing}"
        return InputError(thing, value, rule, remedy=remedy, place=self.place)

    def missing(self) -> InputError:
        """Return what is raised where `document`, `start` or `end` is missing."""
        key = next(key for key in ("document", "start", "end") if getattr(self, key) is None)
        more = ", or pass documents=, in which the text is looked up" if self.text else ""
        return self.error(key, None, "be given", self.remedy + more)


def piece_of(item: Any, thing: str, place: str, *, document_key: str | None = None) -> Piece:
    """Return the piece that an item of a retriever's list stands for, in whatever form.

    `document_key`: the key of the metadata that names the document, in place of the library's own.

    Raise InputError for an item of another form, or a field that is not what it must be; naming
    thing and place.

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
    values, names, remedy = _fields(item, document_key)
    if not values:
        remedy = "give a list of such things for each question, best first"
        raise InputError(
            f"type of {thing}", type(item).__name__, _FORMS, remedy=remedy, place=place
        )
    piece = _checked(values, Piece(thing, place, names=names, remedy=remedy))
    # A key that is named is meant: no text is looked up in all documents for want of it.
    if document_key and piece.document is None and not isinstance(item, str | tuple | list):
        raise piece.error("document", None, "be given", piece.remedy)
    return piece


_Fields = tuple[dict[str, Any], Mapping[str, str], str]


def _fields(item: Any, document_key: str | None) -> _Fields:
    """Return what an item says, what it calls that, and what to do where it says too little."""
    if isinstance(item, str):
        return {"text": item}, {}, "give start and end"
    if isinstance(item, Mapping):
        return _of_dict(item, document_key)
    if isinstance(item, tuple | list):
        keys: tuple[str, ...] = ("document", "start", "end")
        if len(item) == 2 and all(isinstance(part, str) for part in item):
            keys = ("document", "text")
        return dict(zip(keys, item, strict=True)) if len(item) == len(keys) else {}, {}, "give both"
    if hasattr(item, "page_content") and isinstance(item.metadata, Mapping):
        return _of_langchain(item, document_key)
    if hasattr(item, "start_char_idx"):
        return _of_llamaindex(item, document_key)
    if hasattr(item, "content") and isinstance(getattr(item, "meta", None), Mapping):
        return _of_haystack(item, document_key)
    places = {key: getattr(item, key, None) for key in ("document", "start", "end")}
    return ({} if None in places.values() else places), {}, ""


def _of_dict(item: Mapping[str, Any], document_key: str | None) -> _Fields:
    inner = item.get("metadata", item.get("meta"))
    fields = {**inner, **item} if isinstance(inner, Mapping) else item
    # Gold and chunks may be rows of different makers: the key is the first that is looked for.
    known = {
        "chunk": CHUNK,
        "document": (document_key, *DOCUMENT) if document_key else DOCUMENT,
        "start": START,
        "end": END,
        "text": TEXT,
        "tokens": (TOKENS,),
        "parent": PARENT,
    }
    names = {
        key: next((name for name in others if fields.get(name) is not None), "")
        for key, others in known.items()
    }
    values: dict[str, Any] = {key: fields[name] for key, name in names.items() if name}
    span = fields.get("span")
    if not {"start", "end"} & values.keys() and isinstance(span, list | tuple) and len(span) == 2:
        values["start"], values["end"] = span
    remedy = f"give the dict the keys {document_key or 'document'}, start and end"
    # A dict is one, whatever it says.
    return {"text": None, **values}, {key: name or key for key, name in names.items()}, remedy


def _of_langchain(item: Any, document_key: str | None) -> _Fields:
    metadata, name = item.metadata, document_key or "source"
    start = metadata.get("start_index")
    values = {
        "chunk": getattr(item, "id", None),
        "document": metadata.get(name),
        # The splitter did not find its own chunk in the document.
        "start": None if start == -1 else start,
        "text": item.page_content,
        "tokens": metadata.get(TOKENS),
        "parent": metadata.get("parent"),
    }
    remedy = f'give each document metadata {{"{name}": ...}}, split with add_start_index=True'
    return values, {"document": name, "start": "start_index"}, remedy


def _of_llamaindex(item: Any, document_key: str | None) -> _Fields:
    metadata = item.metadata if isinstance(getattr(item, "metadata", None), Mapping) else {}
    document = metadata.get(document_key) if document_key else getattr(item, "ref_doc_id", None)
    values = {
        "chunk": getattr(item, "node_id", None),
        "document": document,
        "start": item.start_char_idx,
        "end": getattr(item, "end_char_idx", None),
        "text": getattr(item, "text", None),
        "tokens": metadata.get(TOKENS),
        "parent": getattr(getattr(item, "parent_node", None), "node_id", None),
    }
    names = {"start": "start_char_idx", "end": "end_char_idx"}
    names["document"] = document_key or "ref_doc_id"
    return values, names, "make nodes by get_nodes_from_documents of a node parser"


def _of_haystack(item: Any, document_key: str | None) -> _Fields:
    meta, chunk = item.meta, getattr(item, "id", None)
    source = meta.get("source_id", meta.get("parent_id"))
    start, document = meta.get("split_idx_start"), source
    if source is None and start is None and "split_id" not in meta:
        start, document = 0, chunk  # never split: the document itself
    if meta.get("__level", 0) > 1:
        start = document = None  # blocks of a hierarchy count from the block above: looked up
    values = {
        "chunk": chunk,
        "document": meta.get(document_key) if document_key else document,
        "start": start,
        "text": item.content,
        "tokens": meta.get(TOKENS),
        "parent": meta.get("__parent_id", meta.get("parent_id")),
    }
    names = {"document": f"meta[{document_key or 'source_id'!r}]"}
    names["start"] = "meta['split_idx_start']"
    return values, names, "split with DocumentSplitter"


def _checked(values: dict[str, Any], piece: Piece) -> Piece:
    """Return a piece with values, each of which is what it must be."""
    known = {key: value for key, value in values.items() if value is not None}
    for key in ("chunk", "document", "parent"):
        if key in known:
            # A path is its text.
            value = known[key].__fspath__() if hasattr(known[key], "__fspath__") else known[key]
            known[key] = id_of(value, f"{piece.names.get(key, key)} of {piece.thing}", piece.place)
    for key in ("start", "end"):
        if key in known:
            known[key] = _offset(known[key], key, piece)
    text, start, end = known.get("text"), known.get("start"), known.get("end")
    if text is not None and not isinstance(text, str):
        thing = f"type of the text of {piece.thing}"
        remedy = "give what the chunk says"
        raise InputError(thing, type(text).__name__, "be str", remedy=remedy, place=piece.place)
    if TOKENS in known:
        thing, remedy = f"tokens of {piece.thing}", "count the chunk's tokens"
        try:
            known[TOKENS] = amount(thing, known[TOKENS], positive=True, remedy=remedy)
        except InputError as error:
            raise error.at(piece.place) from None
    if start is not None and end is None and text is not None:
        known["end"] = start + len(text)
    elif start is not None and end is not None and end < start:
        remedy = "give start and end in characters, from 0"
        raise piece.error("end", end, f"not lie before the start, {start}", remedy)
    # What has no text, such as the node of an image, has an empty one.
    return replace(piece, **{**known, "text": text or None})


def _offset(value: Any, key: str, piece: Piece) -> int:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and float(value) >= 0 and float(value).is_integer():
        return int(value) if isinstance(value, Integral) else int(float(value))
    remedy = "count the characters of the document from 0"
    raise piece.error(key, value, "be a whole number of at least 0", remedy)
