"""Questions that chunks answer worst, or differently: scores, gold spans, and what is retrieved."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from prum.experiments.compare.decision import Decision
from prum.experiments.compare.numbers import count
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.chunks import Chunked
from prum.experiments.views.shortening import shortened
from prum.experiments.views.view import Column, Table, shown
from prum.simulator.model import InputError, Span
from prum.simulator.model.arrays import Floats

Which = Literal["worst", "differing"]
# Chunks of a list that are looked at, and those of these that are shown; gold spans that are shown.
LOOKED_AT = 10
_CHUNKS, _SPANS = 3, 4
# Characters of a text that are shown, and those of them before gold; of a question in a sentence.
_LENGTH, _BEFORE, _WORDS = 280, 60, 90
# Systems with a column each, and the characters of their names as headings and in cells.
_SYSTEMS, _HEADING, _NAME = 6, 32, 14
_FORM = ".4f"
# Scores that differ by less come from rounding.
_DECIMALS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Retrievals:
    """What systems retrieved first, and the texts of it as far as they are known.

    Parameters
    ----------
    words
        Topic -> the words of the question, where a topic has another name.
    texts
        Document -> text.
    tables, firsts
        System -> its chunks; system -> topic -> the first `LOOKED_AT` of its list.
    said
        System -> chunk -> text, where the retriever gave it.
    """

    words: Mapping[str, str]
    texts: Mapping[str, str]
    tables: Mapping[str, Chunked]
    firsts: Mapping[str, Mapping[str, tuple[str, ...]]]
    said: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, as document:start-end, and its text, shortened.

    `text` is None where it is not known; `marks` are starts and ends of gold in it; `gold` is the
    number of gold characters in all of the piece.
    """

    place: str
    text: str | None
    marks: tuple[tuple[int, int], ...]
    gold: int

    @property
    def parts(self) -> Iterator[tuple[str, bool]]:
        """The text in parts, each with whether it is gold."""
        text, inner = self.text or "", [end for mark in self.marks for end in mark]
        for at, (start, end) in enumerate(pairwise([0, *inner, len(text)])):
            if start < end:
                yield text[start:end], at % 2 == 1

    def __str__(self) -> str:
        said = "".join(f"«{part}»" if is_gold else part for part, is_gold in self.parts)
        return f"{self.place} {said}".rstrip()


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question, what systems score on it, and what the leader retrieves.

    Parameters
    ----------
    topic, question
        Its id, and its words if they are known, else the id.
    scores
        System -> value of the measure that decides, the best system by its mean first.
    spans
        The gold spans.
    gold
        Number of gold characters, each once.
    chunks
        The leader's first chunks.
    first_gold
        The rank of the leader's first chunk with a gold character, None if there is none among
        the `looked_at` first ones.
    """

    topic: str
    question: str
    scores: Mapping[str, float]
    spans: tuple[Passage, ...]
    gold: int
    chunks: tuple[Passage, ...]
    first_gold: int | None
    looked_at: int


def scored_questions(
    scores: Scores, decision: Decision, retrieved: Retrievals, which: Which, number: int
) -> list[ScoredQuestion]:
    """Return questions by the measure that decides, equal ones in the order of the topics.

    "worst" are those where the system with the highest mean scores least, "differing" those where
    the highest score of a system and the lowest differ most; where all are equal is none of these.

    Raises
    ------
    InputError
        for another kind of questions.
    """
    if which not in get_args(Which):
        rule = f"be one of {', '.join(get_args(Which))}"
        raise InputError("which questions", which, rule, remedy="choose one")
    of = _by_system(scores, decision)
    order, lost = _ordered(of, decision.best, which)
    if which == "differing":
        order = order[: int((lost > 0).sum())]
    return [
        _scored(
            scores.topics[at],
            {system: float(row[at]) for system, row in of.items()},
            retrieved,
            decision.best,
        )
        for at in order[:number]
    ]


def _by_system(scores: Scores, decision: Decision) -> dict[str, Floats]:
    """Return system -> its values of the measure that decides, the best system first."""
    values = scores.values[:, :, scores.measures.index(decision.measure)]
    return {place.system: values[scores.systems.index(place.system)] for place in decision.ranked}


def _ordered(of: Mapping[str, Floats], leader: str, which: Which) -> tuple[list[int], Floats]:
    """Return places of topics that all systems have a value of, and how much is lost on all."""
    every = np.stack(list(of.values()))
    lost = every.max(axis=0) - every.min(axis=0) if which == "differing" else -of[leader]
    lost = np.where(np.isnan(every).any(axis=0), np.nan, np.round(lost, _DECIMALS))
    order = np.argsort(-lost, kind="stable")
    return order[~np.isnan(lost[order])].tolist(), lost


def _scored(
    topic: str, scores: Mapping[str, float], retrieved: Retrievals, leader: str
) -> ScoredQuestion:
    table, texts = retrieved.tables[leader], retrieved.texts
    wanted = list(table.spans[topic].values())
    said = retrieved.said.get(leader, {})
    chunks = []
    for chunk in retrieved.firsts[leader].get(topic, ()):
        span = Span(*_place(table, chunk))
        text = _text(texts, span)
        if text is None and len(said.get(chunk, "")) == span.length:
            text = said[chunk]
        chunks.append(_passage(span, text, wanted))
    ranks = (rank for rank, chunk in enumerate(chunks, 1) if chunk.gold)
    by_document: dict[str, list[tuple[int, int]]] = {}
    for span in wanted:
        by_document.setdefault(span.document, []).append((span.start, span.end))
    return ScoredQuestion(
        topic,
        retrieved.words.get(topic, topic),
        scores,
        tuple(_passage(span, _text(texts, span), ()) for span in wanted),
        sum(end - start for each in by_document.values() for start, end in _merged(each)),
        tuple(chunks[:_CHUNKS]),
        next(ranks, None),
        len(chunks),
    )


def _place(table: Chunked, chunk: str) -> tuple[str, int, int]:
    chunks = table.chunks
    row = chunks.code[chunk]
    document = chunks.documents[int(chunks.document[row])]
    return document, int(chunks.starts[row]), int(chunks.ends[row])


def _text(texts: Mapping[str, str], span: Span) -> str | None:
    text = texts.get(span.document)
    return None if text is None else text[span.start : span.end]


def _passage(span: Span, text: str | None, wanted: Iterable[Span]) -> Passage:
    """Return a piece of a document, its text from shortly before the first gold on."""
    gold = _merged(
        (max(one.start, span.start) - span.start, min(one.end, span.end) - span.start)
        for one in wanted
        if one.document == span.document
    )
    num = sum(end - start for start, end in gold)
    if text is None:
        return Passage(span.place, None, (), num)
    at = max(min(gold[0][0] - _BEFORE if gold else 0, len(text) - _LENGTH), 0)
    last = min(at + _LENGTH, len(text))
    short, marks = "…" if at else "", list[tuple[int, int]]()
    for start, end in gold:
        if start < last:
            short += _one_line(text[at:start])
            at = min(end, last)
            begin, short = len(short), short + _one_line(text[start:at])
            marks.append((begin, len(short)))
    short += _one_line(text[at:last]) + ("…" if last < len(text) else "")
    return Passage(span.place, short, tuple(marks), num)


def _merged(pieces: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return starts and ends of the characters that pieces cover, in order.

    >>> _merged([(4, 9), (0, 5), (12, 12), (9, 10)])
    [(0, 10)]
    """
    merged = list[tuple[int, int]]()
    for start, end in sorted(pieces):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            start, end = merged[-1][0], max(merged.pop()[1], end)
        merged.append((start, end))
    return merged


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


# --- what people see -----------------------------------------------------------------------------


def worst_sentence(scores: Scores, decision: Decision, words: Mapping[str, str]) -> Iterator[str]:
    """Yield which questions the leader answers worst, unless it scores the same on all."""
    order, lost = _ordered(_by_system(scores, decision), decision.best, "worst")
    number = sum(lost[at] == lost[order[0]] for at in order)
    if number == len(order):
        return
    first = [place.system for place in decision.ranked if place.place == 1]
    is_sole = len(first) == 1 < len(decision.ranked)
    topic = scores.topics[order[0]]
    name = _one_line(words.get(topic, topic)).strip()
    name = name if len(name) <= _WORDS else f"{name[:_WORDS]}…"
    value = shown(-float(lost[order[0]]), _FORM)
    whose = "the leader's" if is_sole else "the"
    start = f"By {decision.measure}, {whose} worst question"
    of = "" if is_sole else f" of {decision.best}"
    if number == 1:
        yield f"{start}{of} is '{name}' ({value})."
    else:
        yield f"{start}s{of} are '{name}' and {number - 1:,} more ({value} each)."


def question_tables(
    worst: list[ScoredQuestion], differing: list[ScoredQuestion], decision: Decision
) -> Iterator[Table]:
    """Yield a table of the questions where the leader is worst, and of those that differ most."""
    for label, asked in (
        (f"Where {decision.best} scores lowest, by {decision.measure}", worst),
        (f"Where systems differ most, by {decision.measure}", differing),
    ):
        number = f"{len(asked):,} of {count(decision.num_topics, 'question')}"
        help_line = (
            f"{number}, equal ones in the order of the gold; press one to see its gold spans, and "
            f"what {decision.best} retrieves first, with gold marked"
        )
        if asked:
            yield Table.of(label, asked, _columns(decision), legend=[help_line])


def _columns(decision: Decision) -> Iterator[Column[ScoredQuestion]]:
    yield Column(
        "question",
        lambda row: _one_line(row.question),
        left=True,
        unfolded=lambda row: list(_lines(row)),
        data={"topic": lambda row: row.topic, "question": lambda row: row.question},
    )
    systems = [place.system for place in decision.ranked]
    few = systems if len(systems) <= _SYSTEMS else systems[:1]
    for system, name in zip(few, shortened(few, _HEADING), strict=True):
        yield Column(name, _score_of(system), _FORM)
    if len(systems) > _SYSTEMS:
        for name, end in (("lowest", min), ("highest", max)):
            yield Column(name, _score_at(end), _FORM)
            yield Column(f"{name} of", _system_at(end), left=True)


def _score_of(system: str) -> Callable[[ScoredQuestion], float]:
    return lambda row: row.scores[system]


def _score_at(end: Callable[..., Any]) -> Callable[[ScoredQuestion], float]:
    return lambda row: float(end(row.scores.values()))


def _system_at(end: Callable[..., Any]) -> Callable[[ScoredQuestion], str]:
    return lambda row: shortened([end(row.scores, key=row.scores.__getitem__)], _NAME)[0]


def _lines(row: ScoredQuestion) -> Iterator[tuple[str, tuple[tuple[str, bool], ...]]]:
    """Yield what a page unfolds of a question: headings, with parts of text, gold or not."""
    for at, span in enumerate(row.spans[:_SPANS], 1):
        yield f"Gold span {at} of {len(row.spans)}, {span.place}", tuple(span.parts)
    if len(row.spans) > _SPANS:
        yield f"and {count(len(row.spans) - _SPANS, 'more gold span')}", ()
    for rank, chunk in enumerate(row.chunks, 1):
        gold = f"{chunk.gold:,} of {row.gold:,} gold characters"
        yield f"Rank {rank}, {chunk.place}: {gold}", tuple(chunk.parts)
    if not row.looked_at:
        yield "no chunk retrieved", ()
    elif row.first_gold is None:
        first = "the first " if row.looked_at == LOOKED_AT else ""
        yield f"no gold in {first}{count(row.looked_at, 'chunk')}", ()
    elif row.first_gold > _CHUNKS:
        yield f"the first chunk with gold is at rank {row.first_gold}", ()
