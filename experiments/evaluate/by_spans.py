"""Runs of chunks scored by gold spans, with the same comparison as other runs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from prum.experiments.compare.question import Question
from prum.experiments.evaluate.chunks import (
    Chunked,
    ChunksRead,
    chunk_lines,
    chunked,
    chunks_read,
    each_with_chunks,
    given_chunks,
    given_spans,
    given_texts,
)
from prum.experiments.evaluate.given import given_runs, is_given, refuse
from prum.experiments.evaluate.inputs import read_lists
from prum.experiments.evaluate.questions import LOOKED_AT, Retrievals, SpanEvaluationResult
from prum.experiments.evaluate.remarks import counting_measures, remarks
from prum.experiments.evaluate.scores import scored_runs
from prum.experiments.evaluate.verb import SPAN_MEASURES, EvaluateDesign
from prum.experiments.frame.numbers import count
from prum.experiments.measures.judged import Judged, RankingLike, taken
from prum.experiments.measures.measure import Measure, measures_of
from prum.simulator.collections.linking import LinkUse
from prum.simulator.model import InputError


def evaluate_chunks(
    runs: Iterable[tuple[str, Mapping[str, RankingLike], Chunked]],
    measures: str | Sequence[str | Measure] | None = None,
    question: Question | None = None,
    *,
    words: Mapping[str, str] | None = None,
    texts: Mapping[str, str] | None = None,
    said: Mapping[str, Mapping[str, str]] | None = None,
    arguments: Mapping[str, Any] | None = None,
    input_remarks: Sequence[str] = (),
    progress: Callable[[int], object] | None = None,
) -> SpanEvaluationResult:
    """Return runs scored, each (system, topic -> ranking, the chunks that it ranks).

    Parameters
    ----------
    measures
        By default Coverage@10, CharPrecision@10, IoU@10, Efficiency and ExactPRUM.
    question
        What is to be decided; by default which system is best by the first measure.
    words, texts, said
        Topic -> words, document -> text, system -> chunk -> text, as far as they are known.
    """
    chosen = measures_of_spans(measures)
    question = question or Question.usual()
    read, tables = list[ChunksRead](), dict[str, Chunked]()
    firsts = dict[str, dict[str, tuple[str, ...]]]()

    def judged_runs() -> Iterator[tuple[str, Mapping[str, RankingLike], Sequence[Judged]]]:
        for system, lists, table in runs:
            yield system, lists, table.judged
            read.append(chunks_read(system, lists, table))
            tables[system] = table
            firsts[system] = {
                topic.topic: taken(lists.get(topic.topic, ()), "ranking")[:LOOKED_AT]
                for topic in table.judged
            }

    made = scored_runs(judged_runs(), chosen, progress=progress)
    scores = made["scores"]
    question.check_systems(scores.systems)
    question.check_measures(scores.measures, len(scores.systems))
    each = {id(table): table for table in tables.values()}
    unsized = next(iter(tables.values())).judged[0].collection.size is None
    lines = remarks(
        made["lists"],
        num_topics=len(scores.topics),
        without_ideals=(),
        unsized=counting_measures(chosen) if unsized else None,
        size_name="the number of chunks",
    )
    links = LinkUse(sum(len(table.links) for table in each.values()), 0, 0)
    return SpanEvaluationResult(
        **made,
        question=question,
        arguments=arguments or {},
        input_remarks=(*input_remarks, *lines, *chunk_lines(read)),
        links=links,
        read=_read(read, links),
        chunks_read=tuple(read),
        retrieved=Retrievals(words or {}, texts or {}, tables, firsts, said or {}),
    )


def _read(runs: Sequence[ChunksRead], links: LinkUse) -> str:
    """Return which spans and chunks were scored, in words."""
    spans = count(runs[0].spans, "gold span")
    numbers, lengths = (
        " to ".join(f"{number:,}" for number in sorted({min(each), max(each)}))
        for each in ([run.chunks for run in runs], [round(run.characters) for run in runs])
    )
    noun = "chunk" if numbers == "1" else "chunks"
    retrieved = "" if all(run.has_all for run in runs) else " retrieved"
    more = f"; {count(links.num_links, 'opening')}" if links.num_links else ""
    return f", {spans}; {numbers} {noun}{retrieved} of {lengths} characters in the mean{more}"


def measures_of_spans(measures: str | Sequence[str | Measure] | None) -> list[Measure]:
    """Return measures of spans, each once; the default ones for None.

    >>> [str(measure) for measure in measures_of_spans("coverage@5,10")]
    ['Coverage@5', 'Coverage@10']
    """
    chosen = list(dict.fromkeys(measures_of(SPAN_MEASURES if measures is None else measures)))
    for measure in chosen:
        measure.check_of("spans")
    return chosen


_FORMS = {
    "chunks": "a table of id, doc, start, end",
    "spans": "a table of topic, doc, start, end",
}
# What goes with these, and what belongs to judgements.
_WITH = ("chunks", "spans", "texts", "offsets", "need")
_OF_QRELS = (
    *("qrels", "judgements", "unjudged", "intents", "links", "elements", "navigation"),
    *("collection_size", "costs", "ideal_grade", "ideals"),
)


def evaluate_spans(design: EvaluateDesign, question: Question) -> SpanEvaluationResult:
    """Return runs scored by gold spans."""
    given = [name for name in _WITH if is_given(getattr(design, name))]
    if not set(given) & set(_FORMS):
        rule = "be given with chunks and spans alone"
        refuse(design, given[:1], rule, "leave it out, or give both of them")
    rule = "be left out where chunks are judged by spans"
    refuse(design, _OF_QRELS, rule, "leave it out, or chunks and spans")
    for name, form in _FORMS.items():
        if name not in given:
            rule = f"be given with {given[0]}"
            raise InputError(name, None, rule, remedy=f"give {name}: {form}")
    runs = given_runs(design.runs)
    chosen = measures_of_spans(design.measures)
    texts = given_texts(design.texts)
    offsets = design.offsets or "characters"
    gold = given_spans(design.spans, texts, offsets=offsets)
    units = sorted({unit for measure in chosen for unit in measure.units})
    read = given_chunks(design.chunks, texts, num_runs=len(runs), units=units, offsets=offsets)
    made = {
        id(table): chunked(
            table, gold.spans, size=len(table), way=design.way, need=design.need, origin=origin
        )
        for table, origin in read
    }
    tables = [made[id(table)] for table, _ in read]
    lists = read_lists(runs, tables[0].judged, takes="ranking")
    return evaluate_chunks(
        each_with_chunks(lists, tables, () if isinstance(runs, Mapping) else runs),
        chosen,
        question,
        words=gold.questions,
        texts=texts,
        progress=design.progress,
    )
