"""Remarks on an evaluation, a line each: what is odd of lists and chunks, and what was assumed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum.experiments.evaluate.chunks import Chunked
from prum.experiments.frame.numbers import number
from prum.experiments.measures.judged import Judged, RankingLike, taken
from prum.experiments.measures.spans import shown_of
from prum.simulator.collections.linking import LinkUse
from prum.simulator.model import ChunkTable, Span
from prum.simulator.model.errors import shown

# Runs that a line names, and the ranks that are the first.
_MOST_RUNS, _TOP = 3, 10
# Less comes of what is computed in the place of an endless collection.
_LEAST_RISE = 1e-6
# Lengths of chunks that do not differ by more are alike.
_ALIKE = 1.25


@dataclass(frozen=True, slots=True)
class InputWarnings:
    """What a run's lists warn of for the judged topics.

    Parameters
    ----------
    system
        The run.
    places
        Ranks of all these lists.
    repeated
        Places whose element stands further up too: it is worth nothing again.
    unjudged
        Elements, counted once a topic, that nobody judged: they count as not relevant.
    top_places, unjudged_in_top
        Of the first ten ranks of these lists: how many there are, and how many hold an element that
        nobody judged.
    missing_topics
        Topics that the run lacks: they count as empty lists.
    alike
        If nothing that the run lists is judged: an element of it and a judged one that are the same
        but for case, blanks or a decimal point (7.0 for 7), empty if there is none such.
    """

    system: str
    places: int
    repeated: int
    unjudged: int
    top_places: int
    unjudged_in_top: int
    missing_topics: tuple[str, ...]
    alike: tuple[str, ...] | None = None


def input_warnings(
    system: str, lists: Mapping[str, RankingLike], judged: Sequence[Judged]
) -> InputWarnings:
    """Return what a run's lists warn of.

    >>> from prum.experiments.measures.judged import Collection
    >>> topics = [Judged(name, ("a",), {"a": 1}, None, Collection()) for name in ("q1", "q2")]
    >>> input_warnings("bm25", {"q1": ("a", "x", "a")}, topics).unjudged_in_top
    1
    """
    places = repeated = unjudged = different = top_places = unjudged_in_top = 0
    for topic in judged:
        ranking = taken(lists.get(topic.topic, ()), "ranking")
        distinct = set(ranking)
        places += len(ranking)
        repeated += len(ranking) - len(distinct)
        top = ranking[:_TOP]
        top_places += len(top)
        if topic.covering is None:  # what a chunk shows is known of every chunk
            unjudged += len(distinct - topic.known)
            different += len(distinct)
            unjudged_in_top += sum(element not in topic.known for element in top)
    missing = tuple(topic.topic for topic in judged if topic.topic not in lists)
    alike = _alike(lists, judged) if 0 < different == unjudged else None
    return InputWarnings(
        system, places, repeated, unjudged, top_places, unjudged_in_top, missing, alike
    )


def _alike(lists: Mapping[str, RankingLike], judged: Sequence[Judged]) -> tuple[str, ...]:
    """Return a listed element and a judged one of its topic that look alike, if any do."""
    for topic in judged:
        known = {_plain(element): element for element in topic.known}
        for element in taken(lists.get(topic.topic, ()), "ranking"):
            if _plain(element) in known:
                return element, known[_plain(element)]
    return ()


def _plain(element: str) -> str:
    """Return an id without what programs change on the way: case, blanks, the .0 of pandas."""
    return "".join(element.split()).casefold().removesuffix(".0")


def nothing_judged(lists: Sequence[InputWarnings]) -> Iterator[str]:
    """Yield a sentence for each run of which nothing is judged."""
    for run in lists:
        if run.alike is not None:
            why = ""
            if run.alike:
                listed, known = map(shown, run.alike)
                why = f": it has {listed} where judgements have {known}; write ids alike"
            yield f"Nothing that {run.system} lists is judged{why}"


def warning_lines(counted: Sequence[InputWarnings], num_topics: int) -> Iterator[str]:
    """Yield a line for each kind of warning that there is, with the runs that have most of it."""
    for kind, counts in {
        "elements listed again for a topic, of no worth then": [
            (run.repeated, run.places, run.system) for run in counted
        ],
        "judged topics that a run lacks, scored as empty lists": [
            (len(run.missing_topics), num_topics, run.system) for run in counted
        ],
        "places among the first ten whose element nobody judged, scored as not relevant": [
            (run.unjudged_in_top, run.top_places, run.system) for run in counted
        ],
    }.items():
        there = sorted((row for row in counts if row[0]), key=lambda row: -row[0])
        if there:
            most = [f"{number:,} of {of:,} in {name}" for number, of, name in there[:_MOST_RUNS]]
            if len(there) > _MOST_RUNS:
                others = there[_MOST_RUNS:]
                most.append(f"at most {others[0][0]:,} in each of {len(others)} others")
            yield f"{kind}: {', '.join(most)}"


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


def remarks(
    *,
    num_topics: int,
    without_ideals: Sequence[str],
    lists: Sequence[InputWarnings],
    size_rises: Mapping[str, float],
    takes_highest: bool,
    subtopics_by_column: Sequence[str] = (),
    size_name: str = "the collection's size",
    scale: float | None = None,
) -> Iterator[str]:
    """Yield the lines."""
    if without_ideals:
        yield f"left out, no ideal: {', '.join(without_ideals)}"
    yield from warning_lines(lists, num_topics)
    if takes_highest:
        yield "qrels judge subtopics: other measures take an element's highest grade of them"
    if subtopics_by_column:
        first = ", ".join(map(shown, subtopics_by_column[:3]))
        more = ", ..." if len(subtopics_by_column) > 3 else ""
        yield (
            "no element is judged for two subtopics: the second column of the qrels "
            f"({first}{more}) is taken for subtopics, though it may hold rounds of judging"
        )
    if scale is not None:
        yield (
            f"relevance 1 is grade {scale:g}, the highest judged: where the scale goes on, "
            "write ADM(highest=10), say"
        )
    most = {measure: rise for measure, rise in size_rises.items() if rise > _LEAST_RISE}
    if most:
        rises = ", ".join(f"{name} by up to {number(rise, up=True)}" for name, rise in most.items())
        yield (
            f"{size_name} is not given, and taken as infinite, where nobody finds an ideal "
            f"behind the list; a smaller one could raise the mean of {rises}"
        )


def browsing(links: LinkUse) -> str:
    """Return whether people browse, and what PRUM needs if they do not."""
    if links.num_links:
        return str(links)
    return f"{links}; for PRUM give links or elements, and the collection's size"
