"""Runs of chunks scored by gold spans, with the same comparison as other runs."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from prum.experiments.compare.decision import Question
from prum.experiments.compare.scores import Scores, joined
from prum.experiments.compare.wording import count
from prum.experiments.evaluate.chunk_remarks import ChunksRead, chunk_lines, chunks_read
from prum.experiments.evaluate.defaults import SPAN_MEASURES
from prum.experiments.evaluate.given import is_given, place_of
from prum.experiments.evaluate.given_spans import given_chunks, given_spans, given_texts
from prum.experiments.evaluate.input_warnings import InputWarnings, input_warnings
from prum.experiments.evaluate.reading import RunsGiven, read_lists
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.evaluate.scoring import score_runs
from prum.experiments.evaluate.span_judging import Chunked, chunked, each_with_chunks
from prum.experiments.evaluate.unknown_size import SizeWatch
from prum.experiments.measures.judged import RankingLike
from prum.experiments.measures.measure import Measure, measure_of, measures_of
from prum.simulator.collections.link_use import LinkUse
from prum.simulator.model import InputError


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SpanEvaluationResult(EvaluationResult):
    """Runs of chunks scored by gold spans, compared, and what to know of the chunks.

    Attributes
    ----------
    chunks_read
        The chunks that each run ranks, and how much of what is read is repeated.
    """

    chunks_read: tuple[ChunksRead, ...]
    _size_name: ClassVar[str] = "the number of chunks"

    @property
    def scored(self) -> str:
        """What was scored, in a sentence."""
        scored = super(EvaluationResult, self).scored
        numbers = _range({run.chunks for run in self.chunks_read})
        lengths = _range({round(run.characters) for run in self.chunks_read})
        spans = count(self.chunks_read[0].spans, "gold span")
        more = f"; {count(self.links.num_links, 'opening')}" if self.links.num_links else ""
        retrieved = "" if all(run.has_all for run in self.chunks_read) else " retrieved"
        noun = "chunk" if numbers == "1" else "chunks"
        chunks = f"{numbers} {noun}{retrieved} of {lengths} characters in the mean"
        return f"{scored}, {spans}; {chunks}{more}"

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the input, in a line for each kind."""
        cutoffs = [measure_of(measure).name.cutoff for measure in self.scores.measures]
        has_budget = any(cutoff is not None and cutoff.kind == "budget" for cutoff in cutoffs)
        lines = chunk_lines(self.chunks_read, has_budget=has_budget)
        return (*self.input_remarks, *super().remarks, *lines)

    def values(self) -> dict[str, Any]:
        """Return what every evaluation has, and the chunks that were read."""
        return {**super().values(), "chunks": self.chunks_read}


def _range(numbers: Collection[int]) -> str:
    """Return a number, or the least and the most of several."""
    return " to ".join(f"{number:,}" for number in sorted({min(numbers), max(numbers)}))


def evaluate_chunks(
    runs: Iterable[tuple[str, Mapping[str, RankingLike], Chunked]],
    measures: str | Sequence[str | Measure] | None = None,
    question: Question | None = None,
    *,
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

    Raises
    ------
    InputError
        for a measure that makes no sense of spans; as `score_runs` and `Question`.
    """
    chosen = measures_of_spans(measures)
    question = question or Question()
    question.check_measures(tuple(map(str, chosen)))
    scored, counted, read = list[Scores](), list[InputWarnings](), list[ChunksRead]()
    num_links, rises = dict[int, int](), dict[str, float]()
    for system, lists, own in runs:
        sizes = SizeWatch(own.judged, chosen)
        scored.append(score_runs(sizes.through([(system, lists)]), own.judged, chosen))
        for name, rise in sizes.rises(scored[-1]).items():
            rises[name] = max(rise, rises.get(name, 0.0))
        counted.append(input_warnings(system, lists, own.judged))
        read.append(chunks_read(system, lists, own))
        num_links[id(own)] = len(own.links)
        if progress is not None:
            progress(len(scored))
    scores = joined(scored)
    question.check_systems(scores.systems)
    return SpanEvaluationResult(
        scores=scores, question=question, arguments=arguments or {},
        input_remarks=tuple(input_remarks), without_ideals=(), lists=tuple(counted),
        links=LinkUse(sum(num_links.values()), 0, 0), size_rises=rises, takes_highest=False,
        chunks_read=tuple(read),
    )  # fmt: skip


def measures_of_spans(measures: str | Sequence[str | Measure] | None) -> list[Measure]:
    """Return measures of spans, each once; the default ones for None.

    Raises
    ------
    InputError
        for one that makes no sense of spans, naming what to take instead.

    >>> [str(measure) for measure in measures_of_spans("coverage@5,10")]
    ['Coverage@5', 'Coverage@10']
    """
    chosen = list(dict.fromkeys(measures_of(SPAN_MEASURES if measures is None else measures)))
    for measure in chosen:
        measure.check_of("spans")
    return chosen


def evaluate_spans(
    runs: RunsGiven,
    *,
    chunks: Any,
    spans: Any,
    texts: Any,
    offsets: str | None,
    need: str | None,
    way: str | None,
    measures: str | Sequence[str | Measure] | None,
    question: Question,
    names: str,
    progress: Callable[[int], object] | None,
) -> SpanEvaluationResult:
    """Return runs scored by gold spans; parameters are as `evaluate` has them.

    Raises
    ------
    InputError, OSError
        as `evaluate`.
    """
    chosen = measures_of_spans(measures)
    known = given_texts(texts)
    counted = offsets or "characters"
    gold = given_spans(spans, known, offsets=counted)
    units = sorted({unit for measure in chosen for unit in measure.units})
    read = given_chunks(chunks, known, num_runs=len(runs), units=units, offsets=counted)
    made = {
        id(table): chunked(table, gold, size=len(table), way=way, need=need, origin=origin)
        for table, origin in read
    }
    tables = [made[id(table)] for table, _ in read]
    lists = read_lists(runs, tables[0].judged, takes="ranking", names=names)
    paths = () if isinstance(runs, Mapping) else runs
    arguments = {
        "runs": place_of(runs), "measures": ",".join(map(str, chosen)), **asdict(question),
        "chunks": place_of(chunks), "spans": place_of(spans), "texts": place_of(texts),
        "offsets": offsets, "way": way, "need": need, "names": names,
    }  # fmt: skip
    return evaluate_chunks(
        each_with_chunks(lists, tables, paths), chosen, question, arguments=arguments,
        progress=progress,
    )  # fmt: skip


def check_alone(by_qrels: Mapping[str, Any], by_spans: Mapping[str, Any]) -> None:
    """Raise unless chunks and spans are both given, and nothing that belongs to judgements.

    Raises
    ------
    InputError
        naming what is missing or too much.
    """
    if not (is_given(by_spans["chunks"]) or is_given(by_spans["spans"])):
        name = next(name for name in by_spans if is_given(by_spans[name]))
        rule = "be given with chunks and spans alone"
        remedy = "leave it out, or give both of them"
        raise InputError(name, _shown(by_spans[name]), rule, remedy=remedy)
    for name, value in by_qrels.items():
        if is_given(value):
            rule = "be left out where chunks are judged by spans"
            raise InputError(name, _shown(value), rule, remedy="leave it out, or chunks and spans")
    for name in ("chunks", "spans"):
        if not is_given(by_spans[name]):
            given = [x for x in by_spans if is_given(by_spans[x])]
            rule = f"be given with {given[0]}"
            remedy = f"give {name}: {_FORMS[name]}"
            raise InputError(name, None, rule, remedy=remedy)


def _shown(value: Any) -> Any:
    """Return what a message shows of what was given: a file or a word, or the kind of data."""
    return value if isinstance(value, str | int) else place_of(value) or type(value).__name__


_FORMS = {
    "chunks": "a table of id, doc, start, end",
    "spans": "a table of topic, doc, start, end",
}
