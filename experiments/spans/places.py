"""PiecePlaces of pieces in documents, by their offsets or by their texts, and of the gold spans."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from prum.experiments.spans.carriers import Piece, piece_of
from prum.experiments.spans.shapes import items_of
from prum.simulator.collections.gold_files import GoldSpans
from prum.simulator.collections.placing import located
from prum.simulator.collections.texts import Texts, in_characters
from prum.simulator.model import InputError, Span
from prum.simulator.model.chunk_table import CHARACTERS


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

        Raises
        ------
        InputError
            if it doesn't say, its text contradicts its offsets, its document is unknown, or it is
            looked up and stands nowhere or at several places.

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
                raise InputError(
                    f"block above {piece.thing}",
                    piece.within,
                    rule,
                    remedy=remedy,
                    place=piece.place,
                )
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

    Raises
    ------
    InputError
        for what is no span, a text that stands nowhere or at several places.

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
        raise InputError(
            "number of questions with a gold span",
            0,
            "be at least 1",
            remedy="give {question: [(document, start, end), ...]}",
        )
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
