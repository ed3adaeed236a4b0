"""Chunks and gold spans as people hold them, topics judged by these, and what lists show."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.evaluate.given import called, place_of
from prum.experiments.evaluate.remarks import few, most_lines
from prum.experiments.measures.judged import BY_SPANS, Collection, Judged, RankingLike, taken
from prum.experiments.measures.spans import shown_of
from prum.simulator.model import ChunkTable, Covering, InputError, Links, Navigation, Span
from prum.simulator.model.chunk_table import CHARACTERS
from prum.simulator.model.errors import shown
from prum.simulator.model.way_names import way_of
from prum.simulator.tables.files import place
from prum.simulator.tables.layout import with_ids
from prum.simulator.tables.read import is_one_table

if TYPE_CHECKING:
    from prum.simulator.collections.gold_files import GoldSpans
    from prum.simulator.collections.placing import Texts

# Topic -> ideal -> what is looked for.
Gold = Mapping[str, Mapping[str, Span]]


def given_texts(texts: Any, name: str = "texts") -> "Texts | None":
    """Return the texts of documents, of a folder, a table or a mapping; `name` serves messages."""
    from prum.simulator.collections.placing import Texts, read_texts

    if texts is None or isinstance(texts, Texts):
        return texts
    if isinstance(texts, str | Path) or is_one_table(texts):
        return read_texts(texts)
    if not isinstance(texts, Mapping):
        remedy = "give {document: its text}"
        rule = "be that of a mapping, a table, or a folder"
        raise InputError(f"type of {name}", type(texts).__name__, rule, remedy=remedy)
    return Texts(with_ids(texts, "document", name))


def given_chunks(
    chunks: Any,
    texts: "Texts | None",
    *,
    num_runs: int,
    units: Sequence[str] = (),
    offsets: str = "characters",
) -> list[tuple[ChunkTable, str]]:
    """Return tables with the files they come from: one for all runs, or one for each.

    `units` are columns of costs that are read beside tokens and seconds; characters have none.
    With `texts`, offsets are checked against them, and turned into characters if they count
    something else.
    """
    is_one = is_one_table(chunks) or not isinstance(chunks, list | tuple)
    several = [chunks] if is_one else list(chunks)
    if len(several) not in (1, num_runs):
        runs = f"{num_runs} run{'s' * (num_runs > 1)}"
        rule = "be 1" if num_runs == 1 else f"be 1 for all, or {num_runs}, in the order of the runs"
        remedy = "give the chunks that each run ranks"
        raise InputError(f"number of chunk tables of {runs}", len(several), rule, remedy=remedy)
    read = dict[Any, tuple[ChunkTable, str]]()
    tables = []
    for table in several:
        key = table if isinstance(table, str | Path) else id(table)
        if key not in read:
            columns = [unit for unit in units if unit != CHARACTERS]
            read[key] = _chunks(table, texts, columns, offsets), place_of(table) or ""
        tables.append(read[key])
    return tables


def _chunks(table: Any, texts: "Texts | None", units: Sequence[str], offsets: str) -> ChunkTable:
    from prum.simulator.collections.chunk_files import read_chunks
    from prum.simulator.collections.placing import check_counted

    check_counted(offsets, texts)
    if isinstance(table, Mapping):
        table = ChunkTable(with_ids(table, "chunk", "chunks"))
    if isinstance(table, ChunkTable):
        if texts is None or not len(table):
            return table
        units = tuple(table.amounts)
        names = ("id", "doc", "start", "end")
        columns = dict(zip(names, zip(*table, strict=True), strict=True))
        parents = [table.ids[k] if k >= 0 else None for k in table.parents.tolist()]
        table = {**columns, "parent": parents, **table.amounts}
    return read_chunks(table, texts, units=units, offsets=offsets)


def given_spans(spans: Any, texts: "Texts | None", *, offsets: str = "characters") -> "GoldSpans":
    """Return topic -> ideal -> span, and words: of a file, a data frame, or topic -> spans.

    With `texts`, offsets are checked against them, and turned into characters.

    >>> given_spans({"q": [("report", 3, 9)]}, None).spans
    {'q': {'report:3-9': Span(document='report', start=3, end=9)}}
    """
    from prum.simulator.collections.gold_files import read_gold

    if isinstance(spans, Mapping):
        names, rows = ("query_id", "doc", "start", "end"), []
        for topic, each in with_ids(spans, "topic", "spans").items():
            if not isinstance(each, list | tuple | Mapping) or not each:
                rule, remedy = "be a list of at least 1", "give [(document, start, end)]"
                raise InputError(f"spans of topic {topic}", each, rule, remedy=remedy)
            for span in each.values() if isinstance(each, Mapping) else each:
                row = (span.document, span.start, span.end) if isinstance(span, Span) else span
                if not isinstance(row, list | tuple) or len(row) != 3:
                    rule, remedy = "be a Span", "give (document, start, end)"
                    raise InputError(f"span of topic {topic}", span, rule, remedy=remedy)
                rows.append(dict(zip(names, (topic, *row), strict=True)))
        spans = rows
    return read_gold(spans, texts, offsets=offsets)


@dataclass(frozen=True, slots=True, eq=False)
class Chunked:
    """Chunks, gold spans, what readers open from chunks, and all topics judged by what they show.

    `origin` is the file that chunks come from, for messages.
    """

    chunks: ChunkTable
    spans: Gold
    links: Links
    judged: list[Judged]
    origin: str


def chunked(
    chunks: ChunkTable,
    spans: Gold,
    *,
    size: int | None,
    way: str | None = None,
    need: str | None = None,
    origin: str = "",
) -> Chunked:
    """Return topics judged by spans.

    `size`: how many chunks there are; or None if that is not known and the table holds the
    retrieved ones. What is behind a list is then out of reach.
    """
    documents = {span.document for ideals in spans.values() for span in ideals.values()}
    # Of retrieved chunks alone it may be so: a retriever that finds nothing scores 0.
    if size == len(chunks) and documents and documents.isdisjoint(chunks.documents):
        ours, theirs = shown(min(documents)), "none"
        if len(chunks):
            theirs = shown(chunks.documents[0])
        remedy = f"spans name documents like {ours}, chunks like {theirs}: use the same names"
        thing = "number of documents with spans that have chunks"
        rule = "be at least 1"
        raise InputError(thing, 0, rule, remedy=remedy, place=origin)
    links = Links({}) if way is None else way_of(way).links(chunks, ())
    browsed: dict[str, Navigation] = {
        topic: Covering(chunks, ideals, links=links).needing("share" if need is None else need)
        for topic, ideals in spans.items()
    }
    collection = Collection(size=size, kind=BY_SPANS, browsed={BY_SPANS: dict(browsed)})
    judged = [
        Judged(topic, tuple(ideals), None, None, collection) for topic, ideals in spans.items()
    ]
    return Chunked(chunks, spans, links, judged, origin)


def each_with_chunks(
    runs: Iterable[tuple[str, Mapping[str, RankingLike]]],
    tables: Sequence[Chunked],
    paths: Sequence[str | Path],
) -> Iterator[tuple[str, Mapping[str, RankingLike], Chunked]]:
    """Yield runs, each with the chunks it ranks: those of its place, or the only ones.

    `paths` are the files of runs, if they are files.
    """
    for number, (system, lists) in enumerate(runs):
        if 1 < len(tables) <= number:
            rule, remedy = f"be {len(tables)}, as of chunk tables", "give a file for each system"
            raise InputError("number of systems", number + 1, rule, remedy=remedy)
        table = tables[number] if len(tables) > 1 else tables[0]
        for topic in table.judged:
            for chunk in lists.get(topic.topic, ()):
                if chunk in table.chunks.code:
                    continue
                rule = f"be among the chunks{f' of {table.origin}' if table.origin else ''}"
                remedy = f"write ids like {shown(table.chunks.ids[0])}, or give the ranked chunks"
                where = place(paths[number]) if number < len(paths) else called(system)
                thing = f"chunk ranked for topic {topic.topic}"
                raise InputError(thing, chunk, rule, remedy=remedy, place=where)
        yield system, lists, table


# --- what users of the lists read ----------------------------------------------------------------

# Ranks that are the first.
_TOP = 10


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
    repeated_in_top
        Share of the characters of the first ten chunks that stand in a chunk further up too.
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
    repeated_in_top: float
    spans: int
    spans_cut: int
    documents_without: tuple[str, ...]


def chunks_read(system: str, lists: Mapping[str, RankingLike], table: Chunked) -> ChunksRead:
    """Return what to know of a run's chunks."""
    spans = [span for ideals in table.spans.values() for span in ideals.values()]
    read = union = 0
    for topic in table.judged:
        if not lists.get(topic.topic):
            continue
        shown = shown_of(topic, taken(lists[topic.topic], "ranking"))
        last = min(_TOP, len(shown.read) - 1)
        read, union = read + int(shown.read[last]), union + int(shown.union[last])
    has_all = table.judged[0].collection.size == len(table.chunks)
    without = {span.document for span in spans}.difference(table.chunks.documents)
    return ChunksRead(
        system,
        len(table.chunks),
        has_all,
        float(table.chunks.lengths.mean()),
        1 - union / read if read else 0.0,
        len(spans),
        len(spans) - num_held(table.chunks, spans) if has_all else 0,
        tuple(sorted(without)) if has_all else (),
    )


def num_held(chunks: ChunkTable, spans: Sequence[Span]) -> int:
    """Return how many spans some chunk holds whole.

    >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 100, 180)})
    >>> num_held(pieces, [Span("report", 90, 110), Span("report", 120, 130)])
    1
    """
    order = np.argsort(chunks.document, kind="stable")
    bounds = np.searchsorted(chunks.document[order], np.arange(len(chunks.documents) + 1))
    held = 0
    for span in spans:
        if (code := chunks.document_code.get(span.document)) is not None:
            rows = order[bounds[code] : bounds[code + 1]]
            around = (chunks.starts[rows] <= span.start) & (chunks.ends[rows] >= span.end)
            held += bool(around.any())
    return held


def chunk_lines(read: Sequence[ChunksRead]) -> Iterator[str]:
    """Yield a line for each thing to know, with the runs that have most of it."""
    return most_lines(
        {
            "text that the first ten chunks repeat": [
                (run.repeated_in_top, f"{100 * run.repeated_in_top:.0f} %", run.system)
                for run in read
            ],
            "gold spans split across chunks": [
                (run.spans_cut, f"{run.spans_cut:,} of {run.spans:,}", run.system) for run in read
            ],
            "documents with gold spans but without chunks, where nothing is found": [
                (len(run.documents_without), few(run.documents_without), run.system) for run in read
            ],
        }
    )
