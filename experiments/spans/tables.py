"""From what systems retrieved to tables of chunks and lists of their ids."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from prum.experiments.evaluate.chunks import given_chunks
from prum.experiments.evaluate.given import called
from prum.experiments.spans.carriers import Piece, piece_of
from prum.experiments.spans.places import PiecePlaces
from prum.experiments.spans.shapes import Items
from prum.simulator.collections.texts import Texts
from prum.simulator.model import ChunkTable, InputError, Span
from prum.simulator.model.chunk_table import CHARACTERS, TOKENS
from prum.simulator.model.errors import amount, whole_number

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

    Raises
    ------
    InputError
        for an item that has no place, an id with two places, tokens that only some have, a chunk
        that is not among all chunks.

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
            raise InputError(
                "number of chunks",
                number,
                f"be at least {len(table)}, for so many were retrieved",
                remedy="count all chunks",
                place=place,
            )
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
            for chunk, row in chunks.items()
        ]
    else:
        items = chunks.to_dict("records") if hasattr(chunks, "itertuples") else chunks
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InputError(
            "type of chunks",
            type(items).__name__,
            "be that of a table, a data frame, a list of chunks, or their number",
            remedy="give what the splitter returned",
            place=place,
        )
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
