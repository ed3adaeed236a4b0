"""Questions that chunks answer worst: scores, gold spans, and what is retrieved."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.compare.decision import Decision
from prum.experiments.compare.scores import Scores
from prum.experiments.compare.view import interval_figure
from prum.experiments.evaluate.chunks import Chunked, ChunksRead
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.frame.frames import frame_table, records
from prum.experiments.frame.numbers import count, shown
from prum.experiments.frame.view import Table, View
from prum.simulator.model import Span
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import whole_number

if TYPE_CHECKING:
    import pandas as pd

# Chunks of a list that are looked at, and those of these that are shown; gold spans that are shown.
LOOKED_AT = 10
_CHUNKS, _SPANS = 3, 3
# Characters of a text that are shown, and those of them before gold; of a question in a sentence.
_LENGTH, _BEFORE, _WORDS = 220, 60, 90
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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SpanEvaluationResult(EvaluationResult):
    """Runs of chunks scored by gold spans, compared, and what to know of the chunks.

    Attributes
    ----------
    chunks_read
        The chunks that each run ranks, and how much of what is read is repeated.
    retrieved
        What each run ranks first, and the texts.
    """

    chunks_read: tuple[ChunksRead, ...]
    retrieved: Retrievals

    def questions(self, number: int = 10) -> "pd.DataFrame":
        """Return where the system with the highest mean scores least, the worst question first.

        Columns: topic; question, its words where they are known; "MEASURE: SYSTEM", the best system
        first; `spans`, the gold; and `chunks`, what the system with the highest mean retrieves
        first: tuples of places with texts, where they are known, shortened, with gold in «»; and
        `first_gold`, the rank of its first chunk with gold, None without any on ten ranks.

        `number`: how many; InputError for less than 1.
        """
        import pandas as pd

        columns = question_columns(self.scores, self.decision, self.retrieved, number)
        return pd.DataFrame(columns)

    def view(self, *, top: int | None = None) -> View:
        """Return what people see, with the worst question."""
        view = super().view(top=top)
        worst = worst_sentence(self.scores, self.decision, self.retrieved.words)
        return replace(view, sentences=(*view.sentences, *worst))

    def whole(self) -> View:
        """Return the view with a figure of the systems, and questions with their texts."""
        view, decision = self.view(), self.decision
        first, *others = view.tables
        worst = question_table(self.scores, decision, self.retrieved)
        figures = (interval_figure(decision),) if decision.num_topics > 1 else ()
        return replace(view, tables=(first, worst, *others), figures=figures)

    def values(self) -> dict[str, Any]:
        """Return what every evaluation has, the chunks that were read, and questions."""
        questions = question_columns(self.scores, self.decision, self.retrieved)
        return {**super().values(), "chunks": self.chunks_read, "questions": records(questions)}


def question_columns(
    scores: Scores, decision: Decision, retrieved: Retrievals, number: int = 10
) -> dict[str, list[Any]]:
    """Return the worst questions of the best system, equal ones in the order of the topics.

    Columns are those of `SpanEvaluationResult.questions`.
    """
    whole_number("number of questions", number, least=1, remedy="take 10, say")
    order, _ = _worst(scores, decision)
    topics = [scores.topics[place] for place in order[:number]]
    answers = [_retrieved(topic, retrieved, decision.best) for topic in topics]
    values = scores.values[:, order[:number], scores.measures.index(decision.measure)]
    return {
        "topic": topics,
        "question": [retrieved.words.get(topic, topic) for topic in topics],
        **{
            f"{decision.measure}: {place.system}": values[
                scores.systems.index(place.system)
            ].tolist()
            for place in decision.ranked
        },
        "spans": [spans for spans, _, _ in answers],
        "chunks": [chunks for _, chunks, _ in answers],
        "first_gold": [rank for _, _, rank in answers],
    }


def _worst(scores: Scores, decision: Decision) -> tuple[list[int], Floats]:
    """Return topics where all systems have a value, the best system's lowest first, and these."""
    values = scores.values[:, :, scores.measures.index(decision.measure)]
    of_best = np.round(values[scores.systems.index(decision.best)], _DECIMALS)
    order = np.argsort(of_best, kind="stable").tolist()
    return [place for place in order if not np.isnan(values[:, place]).any()], of_best


def _retrieved(
    topic: str, retrieved: Retrievals, leader: str
) -> tuple[tuple[str, ...], tuple[str, ...], int | None]:
    """Return gold spans, the first chunks with their texts, and the rank of the first with gold."""
    table, texts = retrieved.tables[leader], retrieved.texts
    rows, said = table.chunks, retrieved.said.get(leader, {})
    gold = sorted(table.spans[topic].values())
    chunks, first_gold = list[str](), None
    for rank, chunk in enumerate(retrieved.firsts[leader][topic], 1):
        row = rows.code[chunk]
        document = rows.documents[int(rows.document[row])]
        span = Span(document, int(rows.starts[row]), int(rows.ends[row]))
        text = _text(texts, span)
        if text is None and len(said.get(chunk, "")) == span.length:
            text = said[chunk]
        marks = _marks(span, gold)
        if marks and first_gold is None:
            first_gold = rank
        chunks.append(_passage(span, text, marks))
    spans = tuple(_passage(span, _text(texts, span), ()) for span in table.spans[topic].values())
    return spans, tuple(chunks[:_CHUNKS]), first_gold


def _text(texts: Mapping[str, str], span: Span) -> str | None:
    text = texts.get(span.document)
    return None if text is None else text[span.start : span.end]


def _marks(span: Span, gold: Sequence[Span]) -> list[tuple[int, int]]:
    """Return where gold, in its order, begins and ends in a piece of a document, joined."""
    marks = list[tuple[int, int]]()
    for needed in gold:
        start, end = (
            min(max(edge, span.start), span.end) - span.start for edge in (needed.start, needed.end)
        )
        if needed.document == span.document and start < end:
            if marks and start <= marks[-1][1]:
                start, end = marks[-1][0], max(marks.pop()[1], end)
            marks.append((start, end))
    return marks


def _passage(span: Span, text: str | None, marks: Sequence[tuple[int, int]]) -> str:
    """Return the place of a piece, and its text from shortly before the first gold on."""
    if text is None:
        return span.place
    first = max(min(marks[0][0] - _BEFORE if marks else 0, len(text) - _LENGTH), 0)
    last = min(first + _LENGTH, len(text))
    passage = "…" if first else ""
    for start, end in marks:
        if start < last:
            passage += f"{text[first:start]}«{text[start : min(end, last)]}»"
            first = min(end, last)
    passage += text[first:last] + ("…" if last < len(text) else "")
    return f"{span.place} {_one_line(passage)}".rstrip()


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _begun(text: str, length: int) -> str:
    text = _one_line(text).strip()
    return text if len(text) <= length else f"{text[:length]}…"


# --- what people see -----------------------------------------------------------------------------


def worst_sentence(scores: Scores, decision: Decision, words: Mapping[str, str]) -> Iterator[str]:
    """Yield which questions the leader answers worst, unless it scores the same on all."""
    order, values = _worst(scores, decision)
    number = sum(values[place] == values[order[0]] for place in order)
    if number == len(order):
        return
    first = [place.system for place in decision.ranked if place.place == 1]
    is_sole = len(first) == 1 < len(decision.ranked)
    topic = scores.topics[order[0]]
    name = _begun(words.get(topic, topic), _WORDS)
    value = shown(float(values[order[0]]), _FORM)
    whose = "the leader's" if is_sole else "the"
    start = f"By {decision.measure}, {whose} worst question"
    of = "" if is_sole else f" of {decision.best}"
    if number == 1:
        yield f"{start}{of} is '{name}' ({value})."
    else:
        yield f"{start}s{of} are '{name}' and {number - 1:,} more ({value} each)."


def question_table(scores: Scores, decision: Decision, retrieved: Retrievals) -> Table:
    """Return a table of the questions where the leader is worst."""
    rows = question_columns(scores, decision, retrieved)
    columns = {
        "question": [_begun(words, _LENGTH) for words in rows["question"]],
        decision.best: rows[f"{decision.measure}: {decision.best}"],
        "first gold": ["–" if rank is None else str(rank) for rank in rows["first_gold"]],
        "gold spans": ["; ".join(spans[:_SPANS]) for spans in rows["spans"]],
        "retrieved first": ["; ".join(chunks) for chunks in rows["chunks"]],
    }
    number = f"{len(rows['topic']):,} of {count(decision.num_topics, 'question')}"
    return frame_table(
        f"Where {decision.best} scores lowest, by {decision.measure}",
        columns,
        {"question": "<", decision.best: _FORM}
        | {"first gold": ">", "gold spans": "<", "retrieved first": "<"},
        legend=[
            f"{number}, equal ones in the order of the gold; first gold: the rank of the first "
            f"chunk of {decision.best} with some, among the first {LOOKED_AT}"
        ],
    )
