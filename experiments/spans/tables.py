"""From what systems retrieved, looked up in documents, to tables of chunks and lists of ids."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from numbers import Integral
from typing import Any, NamedTuple

from prum.experiments.evaluate.chunks import given_chunks
from prum.experiments.evaluate.given import called
from prum.experiments.spans.carriers import Piece, piece_of
from prum.experiments.spans.shapes import Items, items_of
from prum.simulator.collections.gold_files import GoldSpans
from prum.simulator.collections.placing import Texts, in_characters, placed
from prum.simulator.model import ChunkTable, InputError, Span
from prum.simulator.model.chunk_table import CHARACTERS, TOKENS
from prum.simulator.model.errors import amount, whole_number
from prum.simulator.tables.read import as_frame, is_one_table


class Where(NamedTuple):
    """How places are told: by the documents' texts or None, what offsets count, the `first` place.

    Without texts offsets count characters. `first` says whether the first place is taken of a text
    that stands at several.
    """

    texts: Texts | None = None
    offsets: str = CHARACTERS
    first: bool = False


def located_spans(pieces: Sequence[Piece], where: Where) -> list[Span]:
    """Return where pieces stand: as they say, checked by the texts; else looked up in them.

    >>> report = Piece("document 1", "", "report", 5, 9, None)
    >>> located_spans([report], Where())
    [Span(document='report', start=5, end=9)]
    >>> text = Piece("document 1", "", None, None, None, "or dogs")
    >>> located_spans([text], Where(Texts({"report": "cats or dogs"})))
    [Span(document='report', start=5, end=12)]
    """
    rows = list[Piece]()
    for piece in pieces:
        given = {key: getattr(piece, key) for key in ("document", "start", "end")}
        is_whole = None not in given.values()
        if where.texts is None or not piece.text:
            if not is_whole:
                key = next(key for key, value in given.items() if value is None)
                more = ", or pass documents=, in which the text is looked up" if piece.text else ""
                raise piece.error(key, None, "be given", piece.remedy + more)
        elif not is_whole or not _agrees(piece, where.texts, where.offsets):
            piece = replace(piece, start=None, end=None)
        rows.append(piece)
    places = placed(rows, where.texts, counted=where.offsets, first=where.first)
    return [Span(*spot) for spot in places]


def _agrees(piece: Piece, texts: Texts, offsets: str) -> bool:
    """Return whether a piece's text stands where it says."""
    thing = f"document of {piece.thing}"
    text = texts[texts.canonical(piece.document or "", thing=thing, place=piece.place)]
    ends = [int(piece.start or 0), int(piece.end or 0)]
    if offsets != CHARACTERS and not text.isascii():
        ends = in_characters(text, ends, offsets).tolist()
    return min(ends) < 0 or text[slice(*ends)] == piece.text


def spans_of(
    gold: Any, where: Where, *, document_key: str | None = None, asked: Collection[str] = ()
) -> dict[str, tuple[Span, ...]]:
    """Return question -> spans, each once.

    Gold is what `read_gold` returns of a file, its questions called by their words where
    these are what is `asked`, else by their ids; a data frame or records with a question each; or
    question -> spans, or one span. A span is a `Span`, a tuple (document, start, end), a dict with
    these keys, or a text that is looked up in the documents, or in the one named in a pair
    (document, text).

    >>> spans_of({"q": "or dogs"}, Where(Texts({"report": "cats or dogs"})))
    {'q': (Span(document='report', start=5, end=12),)}
    """
    if isinstance(gold, GoldSpans):
        by_words = any(words in asked for words in gold.questions.values())
        names = gold.questions if by_words else {}
        return {names.get(id, id): tuple(spans.values()) for id, spans in gold.spans.items()}
    if isinstance(gold, Mapping):
        gold = {question: [span] if _is_single(span) else span for question, span in gold.items()}
    spans: dict[str, tuple[Span, ...]] = {}
    for question, items in items_of(gold, "gold").items():
        pieces = [
            piece_of(
                item, f"span {number} of question {question!r}", "gold", document_key=document_key
            )
            for number, item in enumerate(items, 1)
        ]
        spans[question] = tuple(dict.fromkeys(located_spans(pieces, where)))
    if not any(spans.values()):
        rule, remedy = "be at least 1", "give {question: [(document, start, end), ...]}"
        raise InputError("number of questions with a gold span", 0, rule, remedy=remedy)
    return spans


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
    where: Where,
    *,
    chunks: Any = None,
    tokens: Counter | None = None,
    document_key: str | None = None,
) -> RetrievedChunks:
    """Return what a system retrieved, as a table of chunks and lists of their ids.

    Two items are the same chunk if they have the same id; without ids, the same place.

    Parameters
    ----------
    chunks
        All chunks: a `ChunkTable`, id -> (document, start, end), a data frame, or a list of items,
        as a splitter returns it; or how many there are.
    tokens, document_key
        The number of tokens of a text; the key that names documents.

    >>> items = {"q": [("report", 0, 9), ("report", 5, 14), ("report", 0, 9)]}
    >>> made = retrieved_of("run", items, Where())
    >>> made.lists["q"], made.repeated
    (('report:0-9', 'report:5-14'), ('q',))
    """
    place = called(system)
    pieces = {
        question: [
            piece_of(
                item, f"document {rank} of question {question!r}", place, document_key=document_key
            )
            for rank, item in enumerate(listed, 1)
        ]
        for question, listed in items.items()
    }
    table, more, number = _all_chunks(chunks, place, document_key)
    empty = [
        piece.thing for listed in (*pieces.values(), more) for piece in listed if piece.is_empty
    ]
    pieces = {
        question: [piece for piece in listed if not piece.is_empty]
        for question, listed in pieces.items()
    }
    every = [piece for listed in pieces.values() for piece in listed]
    more = [piece for piece in more if not piece.is_empty]
    if table is not None and where.offsets != CHARACTERS:
        ((table, _),) = given_chunks(table, where.texts, num_runs=1, offsets=where.offsets)
    if more:
        table, _ = _with_ids(more, where, tokens)
    if table is not None:
        ids, number = _ids_among(table, every, where), len(table)
    else:
        table, ids = _with_ids(every, where, tokens)
        if number is not None and number < len(table):
            rule = f"be at least {len(table)}, for so many were retrieved"
            remedy = "count all chunks"
            raise InputError("number of chunks", number, rule, remedy=remedy, place=place)
    rest = iter(ids)
    chunk_ids = {question: list(islice(rest, len(listed))) for question, listed in pieces.items()}
    lists = {question: tuple(dict.fromkeys(listed)) for question, listed in chunk_ids.items()}
    said = {id: piece.text for id, piece in zip(ids, every, strict=True) if piece.text}
    repeated = [question for question in lists if len(lists[question]) < len(chunk_ids[question])]
    said = {} if where.texts is not None else said
    return RetrievedChunks(table, lists, number, tuple(repeated), tuple(empty), said)


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
        piece_of(item, f"chunk {number}", f"{place}, chunks", document_key=document_key)
        for number, item in enumerate(items, 1)
    ]
    return None, pieces, None


def _with_ids(
    pieces: Sequence[Piece], where: Where, tokens: Counter | None
) -> tuple[ChunkTable, list[str]]:
    """Return the table of all pieces, and their ids, by their places where they have none."""
    ids, rows = list[str](), dict[str, tuple[Piece, Span, float | None]]()
    for piece, span in zip(pieces, located_spans(pieces, where), strict=True):
        chunk = piece.chunk or span.place
        ids.append(chunk)
        if chunk not in rows:
            rows[chunk] = piece, span, _tokens(piece, span, where, tokens)
        elif rows[chunk][1] != span:
            rule = f"be that of {rows[chunk][0].thing}, which has the same id, {chunk!r}"
            place = (span.document, span.start, span.end)
            raise piece.error("place", place, rule, "give each chunk an id of its own")
    numbers = [number for _, _, number in rows.values() if number is not None]
    if 0 < len(numbers) < len(rows):
        lacking = next(piece for piece, _, number in rows.values() if number is None)
        remedy = "give them, or tokens=, a function of a text"
        raise lacking.error(TOKENS, None, "be given, as those of others are", remedy)
    spans = [span for _, span, _ in rows.values()]
    parents = [piece.parent for piece, _, _ in rows.values()]
    table = ChunkTable.from_columns(
        list(rows),
        [span.document for span in spans],
        [span.start for span in spans],
        [span.end for span in spans],
        amounts={TOKENS: numbers} if numbers else {},
        parents=[parent if parent in rows else None for parent in parents],
    )
    return table, ids


def _tokens(piece: Piece, span: Span, where: Where, count: Counter | None) -> float | None:
    """Return how many tokens a piece has, if that is said, or counted in its text."""
    if count is None:
        return piece.tokens
    text = piece.text
    if text is None and where.texts is not None:
        text = where.texts[span.document][span.start : span.end]
    if text is None:
        rule = "be known, for tokens to be counted"
        raise piece.error("text", None, rule, "pass documents=, the texts")
    remedy = "let tokens= return their number"
    return amount(f"tokens of {piece.thing}", count(text), positive=True, remedy=remedy)


def _ids_among(table: ChunkTable, pieces: Sequence[Piece], where: Where) -> list[str]:
    """Return the chunk of all chunks that each piece is, by id or by place."""
    others = [piece for piece in pieces if piece.chunk not in table.code]
    spans = dict(zip(map(id, others), located_spans(others, where), strict=True))
    by_place = {(document, start, end): chunk for chunk, document, start, end in table}
    ids = list[str]()
    for piece in pieces:
        chunk = piece.chunk
        if (span := spans.get(id(piece))) is not None:
            place = (span.document, span.start, span.end)
            if (chunk := by_place.get(place)) is None:
                rule = f"be of one of the {len(table)} chunks"
                remedy = "pass all chunks, or how many there are"
                raise piece.error("place", place, rule, remedy)
        ids.append(str(chunk))
    return ids
