"""Questions that chunks answer worst, or differently: scores, gold spans, and what is retrieved."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from prum.experiments.compare.decision import Decision
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.chunks import Chunked
from prum.experiments.frame.numbers import count, shortened, shown
from prum.experiments.frame.view import Column, Table
from prum.simulator.model import InputError, Span
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import whole_number

Which = Literal["worst", "differing"]
# Chunks of a list that are looked at, and those of these that are shown; gold spans that are shown.
LOOKED_AT = 10
_CHUNKS, _SPANS = 3, 3
# Characters of a text that are shown, and those of them before gold; of a question in a sentence.
_LENGTH, _BEFORE, _WORDS = 220, 60, 90
# Systems with a column each, and the characters of their names.
_SYSTEMS, _NAME = 6, 32
_FORM = ".4f"
# Scores that differ by less come from rounding.
_DECIMALS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Retrievals:
    """What systems retrieved, and the texts of it as far as they are known.

    Topic -> the words of the question; document -> text; system -> its chunks; system -> topic ->
    the first `LOOKED_AT` of its list; system -> chunk -> the text that the retriever gave.
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
    """A question, what systems score on it, its gold, and what the leader retrieves first.

    `question` has its words if they are known, else its id; `scores` are by the measure that
    decides, the best system first; `gold` counts gold characters, each once; `first_gold` is the
    rank of the first chunk with one, None if there is none among the first `looked_at`.
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
    the highest score of a system and the lowest differ most, and differ at all.

    Raise InputError for another kind, or a number below 1.
    """
    whole_number("number of questions", number, least=1, remedy="take 10, say")
    if which not in get_args(Which):
        rule = f"be one of {', '.join(get_args(Which))}"
        raise InputError("which questions", which, rule, remedy="choose one")
    values = _by_system(scores, decision)
    order, lost = _ordered(values, which)
    if which == "differing":
        order = [at for at in order if lost[at] > 0]
    return [
        _scored(
            scores.topics[at],
            {system: float(row[at]) for system, row in values.items()},
            retrieved,
            decision.best,
        )
        for at in order[:number]
    ]


def _by_system(scores: Scores, decision: Decision) -> dict[str, Floats]:
    """Return system -> its values of the measure that decides, the best system first."""
    values = scores.values[:, :, scores.measures.index(decision.measure)]
    return {place.system: values[scores.systems.index(place.system)] for place in decision.ranked}


def _ordered(values: Mapping[str, Floats], which: Which) -> tuple[list[int], Floats]:
    """Return topics where all systems have a value, by what is lost there, and that of each."""
    every = np.stack(list(values.values()))
    spread = np.round(np.ptp(every, axis=0), _DECIMALS)  # NaN where a system has no value
    lost = spread if which == "differing" else -np.round(every[0], _DECIMALS)
    order = np.argsort(-lost, kind="stable").tolist()
    return [at for at in order if not np.isnan(spread[at])], lost


def _scored(
    topic: str, scores: Mapping[str, float], retrieved: Retrievals, leader: str
) -> ScoredQuestion:
    table, texts = retrieved.tables[leader], retrieved.texts
    rows, said = table.chunks, retrieved.said.get(leader, {})
    wanted = list(table.spans[topic].values())
    chunks = []
    for chunk in retrieved.firsts[leader][topic]:
        row = rows.code[chunk]
        document = rows.documents[int(rows.document[row])]
        span = Span(document, int(rows.starts[row]), int(rows.ends[row]))
        text = _text(texts, span)
        if text is None and len(said.get(chunk, "")) == span.length:
            text = said[chunk]
        chunks.append(_passage(span, text, wanted))
    ends = {span.document: max(one.end for one in wanted) for span in wanted}
    whole = (_passage(Span(document, 0, end), None, wanted) for document, end in ends.items())
    return ScoredQuestion(
        topic,
        retrieved.words.get(topic, topic),
        scores,
        tuple(_passage(span, _text(texts, span), ()) for span in wanted),
        sum(document.gold for document in whole),
        tuple(chunks[:_CHUNKS]),
        next((rank for rank, chunk in enumerate(chunks, 1) if chunk.gold), None),
        len(chunks),
    )


def _text(texts: Mapping[str, str], span: Span) -> str | None:
    text = texts.get(span.document)
    return None if text is None else text[span.start : span.end]


def _passage(span: Span, text: str | None, wanted: Iterable[Span]) -> Passage:
    """Return a piece of a document, its text from shortly before the first gold on."""
    gold = list[tuple[int, int]]()
    for one in sorted(wanted):
        start, end = (
            min(max(at, span.start), span.end) - span.start for at in (one.start, one.end)
        )
        if one.document == span.document and start < end:
            if gold and start <= gold[-1][1]:
                start, end = gold[-1][0], max(gold.pop()[1], end)
            gold.append((start, end))
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


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _begun(text: str, length: int) -> str:
    text = _one_line(text).strip()
    return text if len(text) <= length else f"{text[:length]}…"


# --- what people see -----------------------------------------------------------------------------


def worst_sentence(scores: Scores, decision: Decision, words: Mapping[str, str]) -> Iterator[str]:
    """Yield which questions the leader answers worst, unless it scores the same on all."""
    order, lost = _ordered(_by_system(scores, decision), "worst")
    number = sum(lost[at] == lost[order[0]] for at in order)
    if number == len(order):
        return
    first = [place.system for place in decision.ranked if place.place == 1]
    is_sole = len(first) == 1 < len(decision.ranked)
    topic = scores.topics[order[0]]
    name = _begun(words.get(topic, topic), _WORDS)
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
        if asked:
            number = f"{len(asked):,} of {count(decision.num_topics, 'question')}"
            legend = (
                f"{number}, equal ones in the order of the gold; press one to see its gold spans, "
                f"and what {decision.best} retrieves first, with gold marked"
            )
            yield Table.of(label, asked, _columns(decision), legend=[legend])


def _columns(decision: Decision) -> Iterator[Column[ScoredQuestion]]:
    yield Column(
        "question",
        lambda row: _begun(row.question, _LENGTH),
        left=True,
        unfolded=lambda row: list(_lines(row)),
        data={
            "topic": lambda row: row.topic,
            "question": lambda row: _begun(row.question, _LENGTH),
        },
    )
    systems = [place.system for place in decision.ranked]
    few = systems if len(systems) <= _SYSTEMS else systems[:1]
    for system, name in zip(few, shortened(few, _NAME), strict=True):
        yield Column(name, partial(_score, system), _FORM)
    if few != systems:
        yield Column("lowest", lambda row: min(row.scores.values()), _FORM)
        yield Column("highest", lambda row: max(row.scores.values()), _FORM)


def _score(system: str, row: ScoredQuestion) -> float:
    return row.scores[system]


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
