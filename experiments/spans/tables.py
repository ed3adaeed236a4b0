"""From what systems retrieved, looked up in documents, to tables of chunks and lists of ids."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

from prum.experiments.evaluate.chunks import given_chunks
from prum.experiments.evaluate.given import called
from prum.experiments.spans.carriers import Piece, piece_of
from prum.experiments.spans.shapes import Items, items_of
from prum.simulator.collections.gold_files import GoldSpans
from prum.simulator.collections.placing import Texts, in_characters, located
from prum.simulator.model import ChunkTable, InputError, Span
from prum.simulator.model.chunk_table import CHARACTERS, TOKENS
from prum.simulator.model.errors import amount, whole_number
from prum.simulator.tables.read import as_frame, is_one_table


class PiecePlaces:
    """Where pieces stand: what they say of it, checked by the documents' texts if there are any.

    Parameters
    ----------
    texts
        The documents' texts, in which a piece without offsets is looked up; or None.
    pieces
        Those that others may count their offsets from.
    offsets
        What offsets count; without texts, characters.
    first
        Whether the first place is taken of a text that stands at several.
    """

    def __init__(
        self,
        texts: Texts | None,
        pieces: Iterable[Piece] = (),
        *,
        offsets: str = CHARACTERS,
        first: bool = False,
    ) -> None:
        self._texts, self._offsets, self._first = texts, offsets, first
        self._by_id = {piece.chunk: piece for piece in pieces if piece.chunk is not None}

    def span(self, piece: Piece) -> Span:
        """Return where a piece stands.

        Raise InputError if it doesn't say, its text contradicts its offsets, its document is
        unknown, or it is looked up and stands nowhere or at several places.

        >>> said = Piece("document 1", "", document="report", start=5, end=9)
        >>> PiecePlaces(None).span(said)
        Span(document='report', start=5, end=9)
        >>> texts = Texts({"report": "cats or dogs"})
        >>> PiecePlaces(texts).span(Piece("document 1", "", text="or dogs"))
        Span(document='report', start=5, end=12)
        """
        if self._texts is not None and piece.document is not None and piece.within is None:
            thing = f"{piece.names.get('document', 'document')} of {piece.thing}"
            name = self._texts.canonical(piece.document, thing=thing, place=piece.place)
            piece = replace(piece, document=name)
        said = self._said(piece)
        if said is not None and self._agrees(said, piece):
            return said
        if self._texts is not None and piece.text:
            document = piece.document if piece.within is None else None
            thing = f"text of {piece.thing}"
            return located(
                piece.text,
                self._texts,
                document,
                first=self._first,
                thing=thing,
                place=piece.place,
            )
        if said is None:
            keys = ("document", "start", "end")
            raise piece.missing(next(key for key in keys if getattr(piece, key) is None))
        raise _contradiction(said, piece)

    def text(self, piece: Piece, span: Span) -> str | None:
        """Return what a piece says, if that is known."""
        if piece.text is None and self._texts is not None:
            return self._texts[span.document][span.start : span.end]
        return piece.text

    def _said(self, piece: Piece) -> Span | None:
        """Return the place that a piece says, if it says all of it."""
        document, start, end, base = piece.document, piece.start, piece.end, 0
        if start is None or end is None:
            return None
        if piece.within is not None:
            above = self._by_id.get(piece.within)
            if above is None:
                if self._texts is not None and piece.text:
                    return None
                remedy = "pass chunks=, all blocks, or documents=, the texts"
                rule = "be known, because it counts from it"
                thing = f"block above {piece.thing}"
                raise InputError(thing, piece.within, rule, remedy=remedy, place=piece.place)
            document, base = (found := self.span(above)).document, found.start
        if document is None:
            return None
        start, end = self._in_characters(piece, document, base, start, end)
        return Span(document, base + start, base + end)

    def _in_characters(
        self, piece: Piece, document: str, base: int, start: int, end: int
    ) -> tuple[int, int]:
        """Return offsets into a text from `base` on in characters, which count something else."""
        if self._texts is None or self._offsets == CHARACTERS:
            return start, end
        text = self._texts[document][base:]
        if text.isascii():
            return start, end
        ends: tuple[int, int] = tuple(in_characters(text, [start, end], self._offsets).tolist())
        for name, offset, inside in zip(("start", "end"), (start, end), ends, strict=True):
            if inside < 0:
                rule = f"be a place between characters of document {document!r}, in {self._offsets}"
                raise piece.error(name, offset, rule, "say what offsets count")
        return ends

    def _agrees(self, said: Span, piece: Piece) -> bool:
        """Return whether nothing that is known contradicts what a piece says."""
        if self._texts is None:
            return piece.text is None or len(piece.text) == said.length
        text = self._texts[said.document]
        if piece.text is None and said.end > len(text):
            rule = f"be at most {len(text)}, the length of {said.document!r}"
            remedy = "count characters, not bytes, of the same text; or say what offsets= count"
            raise piece.error("end", said.end, rule, remedy)
        return piece.text is None or text[said.start : said.end] == piece.text


def _contradiction(said: Span, piece: Piece) -> InputError:
    text = piece.text or ""
    names = [piece.names.get(key, key) for key in ("start", "end")]
    if len(text.encode()) == said.length:
        remedy = 'count characters, not bytes; or pass documents= and offsets="bytes"'
    else:
        remedy = "pass documents=, in which the text is looked up"
    return InputError(
        f"length of the text of {piece.thing}",
        len(text),
        f"be {said.length}, {names[1]} minus {names[0]}",
        remedy=remedy,
        place=piece.place,
    )


def spans_of(
    gold: Any,
    *,
    texts: Texts | None = None,
    document_key: str | None = None,
    offsets: str = CHARACTERS,
    first: bool = False,
    asked: Collection[str] = (),
) -> dict[str, tuple[Span, ...]]:
    """Return question -> spans, each once.

    Gold is what `read_gold` returns of a file, its questions called by their words where
    these are what is `asked`, else by their ids; a data frame or records with a question each; or
    question -> spans, or one span. A span is a `Span`, a tuple (document, start, end), a dict with
    these keys, or a text that is looked up in the documents, or in the one named in a pair
    (document, text).

    Raise InputError for what is no span, a text that stands nowhere or at several places.

    >>> spans_of({"q": "or dogs"}, texts=Texts({"report": "cats or dogs"}))
    {'q': (Span(document='report', start=5, end=12),)}
    """
    if isinstance(gold, GoldSpans):
        return _of_file(gold, asked)
    if isinstance(gold, Mapping):
        gold = {question: [span] if _is_single(span) else span for question, span in gold.items()}
    places = PiecePlaces(texts, offsets=offsets, first=first)
    spans: dict[str, tuple[Span, ...]] = {}
    for question, items in items_of(gold, "gold").items():
        pieces = [
            piece_of(item, f"span {at} of question {question!r}", "gold", document_key=document_key)
            for at, item in enumerate(items, 1)
        ]
        for piece in pieces:
            if piece.is_empty:
                rule = f"lie after the start, {piece.start}"
                raise piece.error("end", piece.end, rule, "leave out what has no character")
        spans[question] = tuple(dict.fromkeys(map(places.span, pieces)))
    if not any(spans.values()):
        rule, remedy = "be at least 1", "give {question: [(document, start, end), ...]}"
        raise InputError("number of questions with a gold span", 0, rule, remedy=remedy)
    return spans


def _of_file(gold: GoldSpans, asked: Collection[str]) -> dict[str, tuple[Span, ...]]:
    by_words = any(words in asked for words in gold.questions.values())
    names = gold.questions if by_words else {}
    return {names.get(id, id): tuple(spans.values()) for id, spans in gold.spans.items()}


def _is_single(given: Any) -> bool:
    """Return whether a question has one span, which stands in no list."""
    if isinstance(given, tuple) and len(given) == 3:
        return isinstance(given[0], str) and not isinstance(given[1], str | tuple | list)
    return isinstance(given, str | Mapping | Span)


Counter = Callable[[str], float]


@dataclass(frozen=True)
class RetrievedChunks:
    """What one system retrieved.

    Parameters
    ----------
    chunks
        All of its chunks, or those that it retrieved for any question.
    lists
        Question -> chunks, best first, each once.
    num_chunks
        How many chunks there are in all, None if nobody says.
    repeated
        Questions whose list had a chunk more than once.
    empty
        What was left out, for it ends where it begins, as messages call it.
    said
        Chunk -> its text, where there are no other texts and the retriever gave it.
    """

    chunks: ChunkTable
    lists: Mapping[str, tuple[str, ...]]
    num_chunks: int | None
    repeated: tuple[str, ...]
    empty: tuple[str, ...] = ()
    said: Mapping[str, str] = field(default_factory=dict)


def retrieved_of(
    system: str,
    items: Items,
    *,
    chunks: Any = None,
    texts: Texts | None = None,
    tokens: Counter | None = None,
    document_key: str | None = None,
    offsets: str = CHARACTERS,
    first: bool = False,
) -> RetrievedChunks:
    """Return what a system retrieved, as a table of chunks and lists of their ids.

    Two items are the same chunk if they have the same id; without ids, the same place.

    Parameters
    ----------
    chunks
        All chunks: a `ChunkTable`, id -> (document, start, end), a data frame, or a list of items,
        as a splitter returns it; or how many there are.
    texts, tokens, document_key, offsets, first
        Document -> text; the number of tokens of a text; the key that names documents; what offsets
        count; whether the first place is taken of a text that stands at several.

    Raise InputError for an item that has no place, an id with two places, tokens that only some
    have, a chunk that is not among all chunks.

    >>> made = retrieved_of("run", {"q": [("report", 0, 9), ("report", 5, 14), ("report", 0, 9)]})
    >>> made.lists["q"], made.repeated
    (('report:0-9', 'report:5-14'), ('q',))
    """
    place = called(system)
    key = document_key
    pieces = {
        question: [
            piece_of(item, f"document {at} of question {question!r}", place, document_key=key)
            for at, item in enumerate(listed, 1)
        ]
        for question, listed in items.items()
    }
    table, more, number = _all_chunks(chunks, place, key)
    empty = [
        piece.thing for listed in (*pieces.values(), more) for piece in listed if piece.is_empty
    ]
    pieces = {question: _shows(listed) for question, listed in pieces.items()}
    every, more = [piece for listed in pieces.values() for piece in listed], _shows(more)
    if table is not None and offsets != CHARACTERS:
        ((table, _),) = given_chunks(table, texts, num_runs=1, offsets=offsets)
    places = PiecePlaces(texts, [*more, *every], offsets=offsets, first=first)
    rows = _Rows(places, tokens)
    if more:
        for piece in more:
            rows.add(piece)
        table = rows.table()
    id_of = rows.add if table is None else _Known(table, places).id_of
    lists: dict[str, tuple[str, ...]] = {}
    repeated: list[str] = []
    said: dict[str, str] = {}
    for question, listed in pieces.items():
        ids = list(map(id_of, listed))
        lists[question] = tuple(dict.fromkeys(ids))
        if texts is None:
            said |= {id: one.text for id, one in zip(ids, listed, strict=True) if one.text}
        if len(lists[question]) < len(ids):
            repeated.append(question)
    if table is None:
        table = rows.table()
        if number is not None and number < len(table):
            rule = f"be at least {len(table)}, for so many were retrieved"
            remedy = "count all chunks"
            raise InputError("number of chunks", number, rule, remedy=remedy, place=place)
    else:
        number = len(table)
    return RetrievedChunks(table, lists, number, tuple(repeated), tuple(empty), said)


def _shows(pieces: Iterable[Piece]) -> list[Piece]:
    return [piece for piece in pieces if not piece.is_empty]


def _all_chunks(
    chunks: Any, place: str, document_key: str | None
) -> tuple[ChunkTable | None, list[Piece], int | None]:
    """Return all chunks: the table, or pieces that make it, or how many there are."""
    if chunks is None or isinstance(chunks, ChunkTable):
        return chunks, [], None
    if isinstance(chunks, Integral) and not isinstance(chunks, bool):
        return None, [], whole_number("number of chunks", chunks, least=1, remedy="count them")
    if isinstance(chunks, Mapping):
        items = [
            {**dict(zip(("document", "start", "end"), row, strict=False)), "id": chunk}
            if isinstance(row, list | tuple)
            else row
            for chunk, row in chunks.items()
        ]
    else:
        is_listed = isinstance(chunks, list | tuple) or not is_one_table(chunks)
        items = chunks if is_listed else as_frame(chunks).to_dict("records")
    if isinstance(items, str) or not isinstance(items, Iterable):
        rule = "be that of a table, a data frame, a list of chunks, or their number"
        remedy = "give what the splitter returned"
        raise InputError("type of chunks", type(items).__name__, rule, remedy=remedy, place=place)
    pieces = [
        piece_of(item, f"chunk {at}", f"{place}, chunks", document_key=document_key)
        for at, item in enumerate(items, 1)
    ]
    return None, pieces, None


class _Rows:
    """Rows of a table of chunks, as pieces come."""

    def __init__(self, places: PiecePlaces, tokens: Counter | None) -> None:
        self._places, self._count = places, tokens
        self._spans: dict[str, Span] = {}
        self._tokens: dict[str, float] = {}
        self._pieces: dict[str, Piece] = {}

    def add(self, piece: Piece) -> str:
        """Return the id of a piece, which has a row from now on."""
        span = self._places.span(piece)
        chunk = piece.chunk or span.place
        if chunk not in self._spans:
            self._spans[chunk], self._pieces[chunk] = span, piece
            number = (
                piece.tokens if self._count is None else self._counted(piece, span, self._count)
            )
            if number is not None:
                self._tokens[chunk] = number
        elif self._spans[chunk] != span:
            first = self._pieces[chunk].thing
            rule = f"be that of {first}, which has the same id, {chunk!r}"
            place = (span.document, span.start, span.end)
            raise piece.error("place", place, rule, "give each chunk an id of its own")
        return chunk

    def table(self) -> ChunkTable:
        """Return the table of the rows so far."""
        spans = self._spans.values()
        amounts: dict[str, list[float]] = {}
        if self._tokens:
            for chunk, piece in self._pieces.items():
                if chunk not in self._tokens:
                    remedy = "give them, or tokens=, a function of a text"
                    raise piece.error(TOKENS, None, "be given, as those of others are", remedy)
            amounts[TOKENS] = [self._tokens[chunk] for chunk in self._spans]
        parents = [piece.parent for piece in self._pieces.values()]
        return ChunkTable.from_columns(
            list(self._spans),
            [span.document for span in spans],
            [span.start for span in spans],
            [span.end for span in spans],
            amounts=amounts,
            parents=[parent if parent in self._spans else None for parent in parents],
        )

    def _counted(self, piece: Piece, span: Span, count: Counter) -> float:
        text = self._places.text(piece, span)
        if text is None:
            rule = "be known, for tokens to be counted"
            raise piece.error("text", None, rule, "pass documents=, the texts")
        remedy = "let tokens= return their number"
        return amount(f"tokens of {piece.thing}", count(text), positive=True, remedy=remedy)


class _Known:
    """The ids of all chunks, by id or by place."""

    def __init__(self, table: ChunkTable, places: PiecePlaces) -> None:
        self._table, self._places = table, places
        self._by_place = {(document, start, end): chunk for chunk, document, start, end in table}

    def id_of(self, piece: Piece) -> str:
        """Return the chunk of the table that a piece is."""
        if piece.chunk is not None and piece.chunk in self._table.code:
            return piece.chunk
        span = self._places.span(piece)
        place = (span.document, span.start, span.end)
        if place not in self._by_place:
            rule = f"be of one of the {len(self._table)} chunks"
            raise piece.error("place", place, rule, "pass all chunks, or how many there are")
        return self._by_place[place]
