"""The spans of text that answer questions, as people hold them in Python."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from prum.experiments.spans.carriers import piece_of
from prum.experiments.spans.placing import Placing
from prum.experiments.spans.shapes import items_of
from prum.simulator.collections.gold_files import GoldSpans, read_gold
from prum.simulator.collections.texts import Texts
from prum.simulator.model import InputError, Span
from prum.simulator.model.chunk_columns import CHARACTERS


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

    Gold is a file of gold spans as `read_gold` takes it, its questions called by their words where
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
    if isinstance(gold, str | Path):
        return _of_file(read_gold(gold, texts, offsets=offsets, first=first), asked)
    if isinstance(gold, Mapping):
        gold = {question: [span] if _is_single(span) else span for question, span in gold.items()}
    placing = Placing(texts, offsets=offsets, first=first)
    spans: dict[str, tuple[Span, ...]] = {}
    for question, items in items_of(gold, "gold").items():
        pieces = [
            piece_of(item, f"span {at} of question {question!r}", "gold", document_key=document_key)
            for at, item in enumerate(items, 1)
        ]
        for piece in pieces:
            if piece.is_empty:
                raise InputError(
                    f"end of {piece.thing}", piece.end, f"lie after the start, {piece.start}",
                    remedy="leave out what has no character", place=piece.place,
                )  # fmt: skip
        spans[question] = tuple(dict.fromkeys(map(placing.span, pieces)))
    if not any(spans.values()):
        raise InputError(
            "number of questions with a gold span", 0, "be at least 1",
            remedy="give {question: [(document, start, end), ...]}",
        )  # fmt: skip
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
