"""The chunks that runs rank, what users of the lists read, and remarks on it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum.experiments.evaluate.chunks import Chunked
from prum.experiments.measures.judged import RankingLike, taken
from prum.experiments.measures.spans import shown_of
from prum.simulator.model import ChunkTable, Span

# Runs that a line names, and the ranks that are the first.
_MOST_RUNS, _TOP = 3, 10
# Lengths of chunks that do not differ by more are alike.
_ALIKE = 1.25


@dataclass(frozen=True, slots=True)
class ChunksRead:
    """The chunks that a run ranks, and what users of its lists read.

    Parameters
    ----------
    system
        The run.
    chunks
        How many chunks are known.
    has_all
        Whether these are all there are, ranked or not.
    characters
        Mean number of characters of these.
    read_in_top
        Characters of the first ten chunks, in the mean over topics that the run has.
    repeated_in_top
        Share of these that stand in a chunk further up too.
    spans
        Number of gold spans of all topics.
    spans_cut
        How many of them no chunk holds whole; none if not all chunks are known.
    documents_without
        Documents that hold a span but have no chunk; none if not all chunks are known.
    """

    system: str
    chunks: int
    has_all: bool
    characters: float
    read_in_top: float
    repeated_in_top: float
    spans: int
    spans_cut: int
    documents_without: tuple[str, ...]


def chunks_read(system: str, lists: Mapping[str, RankingLike], own: Chunked) -> ChunksRead:
    """Return what to know of a run's chunks."""
    spans = [span for ideals in own.spans.values() for span in ideals.values()]
    read = union = 0
    topics = [topic for topic in own.judged if lists.get(topic.topic)]
    for topic in topics:
        shown = shown_of(topic, taken(lists[topic.topic], "ranking"))
        last = min(_TOP, len(shown.read) - 1)
        read, union = read + int(shown.read[last]), union + int(shown.union[last])
    has_all = own.judged[0].collection.size == len(own.chunks)
    without = {span.document for span in spans}.difference(own.chunks.documents)
    return ChunksRead(
        system,
        len(own.chunks),
        has_all,
        float(own.chunks.lengths.mean()),
        read / max(len(topics), 1),
        1 - union / read if read else 0.0,
        len(spans),
        len(spans) - num_held(own.chunks, spans) if has_all else 0,
        tuple(sorted(without)) if has_all else (),
    )


def num_held(chunks: ChunkTable, spans: Sequence[Span]) -> int:
    """Return how many spans some chunk holds whole.

    >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 100, 180)})
    >>> num_held(pieces, [Span("report", 90, 110), Span("report", 120, 130)])
    1
    """
    code = chunks.document_code
    placed = [span for span in spans if span.document in code]
    if not placed:
        return 0
    # Documents one after the other: the farthest end of any chunk that begins so early. Offsets
    # are told by their order, for many documents times the largest offset leave whole numbers.
    places = np.array([(span.start, span.end) for span in placed])
    order = np.lexsort((chunks.starts, chunks.document))
    known, number = np.unique(
        np.concatenate((chunks.starts[order], chunks.ends[order], *places.T)), return_inverse=True
    )
    first, last, starts, ends = np.split(number, np.cumsum([len(chunks), len(chunks), len(placed)]))
    offset, own = (
        np.asarray(documents) * len(known)
        for documents in (chunks.document[order], [code[span.document] for span in placed])
    )
    begins, farthest = first + offset, np.maximum.accumulate(last + offset)
    starts, ends = starts + own, ends + own
    last = np.searchsorted(begins, starts, side="right") - 1
    return int(((last >= 0) & (farthest[last] >= ends)).sum())


def chunk_lines(read: Sequence[ChunksRead], *, has_budget: bool) -> Iterator[str]:
    """Yield a line for each thing to know, with the runs that have most of it.

    `has_budget` says that some measure compares as much text.
    """
    kinds: dict[str, list[tuple[float, str, str]]] = {
        "read again among the first ten chunks, text that overlaps": [
            (run.repeated_in_top, f"{100 * run.repeated_in_top:.0f} %", run.system) for run in read
        ],
        "gold spans that no chunk holds whole": [
            (run.spans_cut, f"{run.spans_cut:,} of {run.spans:,}", run.system) for run in read
        ],
        "documents with gold spans but without chunks, where nothing is found": [
            (len(run.documents_without), _few(run.documents_without), run.system) for run in read
        ],
    }
    if not has_budget:
        yield from _lengths(read)
    for kind, told in kinds.items():
        there = sorted((row for row in told if row[0]), key=lambda row: -row[0])
        if not there:
            continue
        if len(there) > 1 and len({text for _, text, _ in told}) == 1:
            yield f"{kind}: {there[0][1]} in all runs"
        else:
            yield f"{kind}: {_few([f'{text} in {system}' for _, text, system in there])}"


def _lengths(read: Sequence[ChunksRead]) -> Iterator[str]:
    """Yield what ten chunks of each run are to read, where this is not nearly the same."""
    by_length = sorted((run for run in read if run.read_in_top), key=lambda run: run.read_in_top)
    if len(by_length) < 2 or by_length[-1].read_in_top < _ALIKE * by_length[0].read_in_top:
        return
    least, most = by_length[0], by_length[-1]
    budget = round(least.read_in_top, 1 - len(str(int(least.read_in_top))))
    yield (
        f"the first ten chunks have {most.read_in_top:,.0f} characters in {most.system}, "
        f"{least.read_in_top:,.0f} in {least.system}: Coverage@{budget:.0f} characters compares "
        "what is found in as much text"
    )


def _few(texts: Sequence[str]) -> str:
    more = len(texts) - _MOST_RUNS
    return ", ".join([*texts[:_MOST_RUNS], *([f"and {more:,} more"] if more > 0 else [])])
