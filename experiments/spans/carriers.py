"""What retrievers return, each in its own form, as pieces of documents; no library is imported.

The forms are told by their attributes: `page_content` of LangChain's documents, `start_char_idx` of
LlamaIndex's nodes, `content` and `meta` of Haystack's documents; dicts, tuples and texts.
"""

from collections.abc import Callable, Mapping
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
# What has no text, such as the node of an image, has an empty one.
_EMPTY = "text", ""


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
    within
        The id of a chunk from which `start` and `end` count, and not from the document's start.
    names
        What the library calls document, start and end.
    remedies
        The same keys -> what to do where one is missing, in the words of the library.
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
    within: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    remedies: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether it ends where it begins, and so shows nothing."""
        return self.start is not None and self.start == self.end

    def error(self, key: str, value: Any, rule: str, remedy: str) -> InputError:
        """Return what is raised where something of the piece breaks a rule."""
        thing = f"{self.names.get(key, key)} of {self.thing}"
        return InputError(thing, value, rule, remedy=remedy, place=self.place)

    def missing(self, key: str, more: str = "") -> InputError:
        """Return what is raised where `document`, `start` or `end` is missing."""
        remedy = self.remedies.get(key, f"give its {self.names.get(key, key)}")
        return self.error(key, getattr(self, key), "be given", remedy + more)


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
    item = _without_score(item)
    reader = _reader_of(item)
    if reader is None:
        remedy = "give a list of such things for each question, best first"
        raise InputError(
            f"type of {thing}", type(item).__name__, _FORMS, remedy=remedy, place=place
        )
    values, names, remedies = reader(item, document_key)
    piece = _checked(values, Piece(thing, place, names=names, remedies=remedies))
    # A key that is named is meant: no text is looked up in all documents for want of it.
    if document_key and piece.document is None and not isinstance(item, str | tuple | list):
        raise piece.missing("document")
    return piece


_Fields = tuple[dict[str, Any], Mapping[str, str], Mapping[str, str]]


def _reader_of(item: Any) -> "Callable[[Any, str | None], _Fields] | None":
    if isinstance(item, str):
        return lambda text, _: ({"text": text}, {}, _OF_TEXTS)
    if isinstance(item, Mapping):
        return _of_dict
    if isinstance(item, tuple | list):
        if len(item) == 2 and all(isinstance(part, str) for part in item):
            return lambda pair, _: ({"document": pair[0], "text": pair[1]}, {}, _OF_TEXTS)
        return _of_tuple if len(item) == 3 else None
    for attributes, reader in _READERS:
        if all(hasattr(item, name) for name in attributes):
            return reader
    return None


def _without_score(item: Any) -> Any:
    """Return the item of a pair (item, score), or of a node with a score."""
    if isinstance(item, tuple | list) and len(item) == 2:
        first, score = item
        # A document beside no text would pass for a text beside no score.
        if isinstance(score, Real) or (score is None and not isinstance(first, str)):
            return first
    return item.node if hasattr(item, "node") and hasattr(item, "score") else item


_LOOK_UP = "pass documents=, in which the text is looked up"
_OF_TEXTS = dict.fromkeys(("document", "start"), _LOOK_UP)


def _of_tuple(item: Any, _: str | None) -> _Fields:
    return dict(zip(("document", "start", "end"), item, strict=True)), {}, {}


def _of_span(item: Any, _: str | None) -> _Fields:
    return {"document": item.document, "start": item.start, "end": item.end}, {}, {}


def _of_dict(item: Mapping[str, Any], document_key: str | None) -> _Fields:
    inner = item.get("metadata", item.get("meta"))
    fields = {**inner, **item} if isinstance(inner, Mapping) else item
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    # Gold and chunks may be rows of different makers: the key is the first that is looked for.
    documents = (document_key, *DOCUMENT) if document_key else DOCUMENT
    for key, others in (
        ("chunk", CHUNK),
        ("document", documents),
        ("start", START),
        ("end", END),
        ("text", TEXT),
        ("tokens", (TOKENS,)),
        ("parent", PARENT),
    ):
        for name in others:
            if fields.get(name) is not None:
                values[key], names[key] = fields[name], name
                break
    if "start" not in values and "end" not in values and _is_pair(fields.get("span")):
        values["start"], values["end"] = fields["span"]
    if document_key:
        names.setdefault("document", document_key)
    remedies = {
        "document": f"give the dict a key {document_key or 'document'}, the id of its document",
        "start": "give the dict the keys start and end, in characters",
        "end": "give the dict a key end, or its text",
    }
    return values, names, remedies


def _of_langchain(item: Any, document_key: str | None) -> _Fields:
    metadata = item.metadata if isinstance(item.metadata, Mapping) else {}
    name = document_key or "source"
    values = {
        "chunk": getattr(item, "id", None),
        "document": metadata.get(name),
        "start": metadata.get("start_index"),
        "text": item.page_content,
        "tokens": metadata.get(TOKENS),
        "parent": metadata.get("parent"),
    }
    if values["start"] == -1:
        values["start"] = None  # the splitter did not find its own chunk in the document
        start = "the splitter did not find the chunk; pass documents=, in which it is looked up"
    else:
        start = "split with add_start_index=True"
    remedies = {
        "document": f'give each document metadata {{"{name}": ...}} before it is split'
        + ", or say document_key=, another key of it" * (not document_key),
        "start": start,
    }
    return values, {"document": name, "start": "start_index"}, remedies


def _of_llamaindex(item: Any, document_key: str | None) -> _Fields:
    metadata = item.metadata if isinstance(getattr(item, "metadata", None), Mapping) else {}
    name = document_key or "ref_doc_id"
    document = metadata.get(document_key) if document_key else getattr(item, "ref_doc_id", None)
    above = getattr(item, "parent_node", None)
    values = {
        "chunk": getattr(item, "node_id", None),
        "document": document,
        "start": item.start_char_idx,
        "end": getattr(item, "end_char_idx", None),
        "text": getattr(item, "text", None),
        "tokens": metadata.get(TOKENS),
        "parent": getattr(above, "node_id", None),
    }
    parser = "make nodes by get_nodes_from_documents of a node parser"
    remedies = {
        "document": f'give each document metadata {{"{name}": ...}}' if document_key else parser,
        "start": f"{parser}, or pass documents=, in which the text is looked up",
        "end": parser,
    }
    names = {"document": name, "start": "start_char_idx", "end": "end_char_idx"}
    return values, names, remedies


def _of_haystack(item: Any, document_key: str | None) -> _Fields:
    meta = item.meta if isinstance(item.meta, Mapping) else {}
    chunk, source = getattr(item, "id", None), meta.get("source_id", meta.get("parent_id"))
    name = f"meta[{document_key or 'source_id'!r}]"
    start, document = meta.get("split_idx_start"), source
    if source is None and start is None and "split_id" not in meta:
        start, document = 0, chunk  # never split: the document itself
    parent = meta.get("__parent_id", meta.get("parent_id"))
    values = {
        "chunk": chunk,
        "document": meta.get(document_key) if document_key else document,
        "start": start,
        "text": item.content,
        "tokens": meta.get(TOKENS),
        "parent": parent,
        # Blocks of a hierarchy count from the block above, whose id is their source.
        "within": source if source == parent and meta.get("__level", 0) > 1 else None,
    }
    remedies = {
        "document": f"give each document meta[{document_key!r}] before it is split"
        if document_key
        else "split with DocumentSplitter, which names it",
        "start": "split with DocumentSplitter, which gives it, or pass documents=, in which the "
        "text is looked up",
    }
    return values, {"document": name, "start": "meta['split_idx_start']"}, remedies


_READERS: tuple[tuple[tuple[str, ...], Callable[[Any, str | None], _Fields]], ...] = (
    (("page_content", "metadata"), _of_langchain),
    (("start_char_idx",), _of_llamaindex),
    (("content", "meta"), _of_haystack),
    (("document", "start", "end"), _of_span),
)


def _checked(values: dict[str, Any], piece: Piece) -> Piece:
    """Return a piece with values, each of which is what it must be."""
    known = {
        key: value for key, value in values.items() if value is not None and (key, value) != _EMPTY
    }
    for key in ("chunk", "document", "parent", "within"):
        if key in known:
            # A path is its text.
            value = known[key].__fspath__() if hasattr(known[key], "__fspath__") else known[key]
            known[key] = id_of(value, f"{piece.names.get(key, key)} of {piece.thing}", piece.place)
    for key in ("start", "end"):
        if key in known:
            known[key] = _offset(known[key], key, piece)
    text = known.get("text")
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
    start, end = known.get("start"), known.get("end")
    if start is not None and end is None and text:
        known["end"] = start + len(text)
    elif start is not None and end is None and values.get("text") == "":
        known["end"] = start
    elif start is not None and end is not None and end < start:
        remedy = "give start and end in characters, from 0"
        raise piece.error("end", end, f"not lie before the start, {start}", remedy)
    return replace(piece, **known)


def _offset(value: Any, key: str, piece: Piece) -> int:
    if type(value) is int and value >= 0:
        return value
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and float(value) >= 0 and float(value).is_integer():
        return int(value) if isinstance(value, Integral) else int(float(value))
    remedy = "count the characters of the document from 0"
    raise piece.error(key, value, "be a whole number of at least 0", remedy)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2
