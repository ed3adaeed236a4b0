"""Topics judged by gold spans in the chunks that a run ranks, and runs checked against these."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from prum.experiments.evaluate.given import called
from prum.experiments.measures.judged import BY_SPANS, Collection, Judged, RankingLike
from prum.simulator.model import ChunkTable, Covering, InputError, Links, Navigation, Span
from prum.simulator.model.errors import shown
from prum.simulator.model.way_names import way_of
from prum.simulator.tables.files import STANDARD_INPUT, place, text_lines

# Topic -> ideal -> what is looked for.
Gold = Mapping[str, Mapping[str, Span]]


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

    Parameters
    ----------
    size
        How many chunks there are; or None if that is not known and the table
        holds the retrieved ones. What is behind a list is then out of reach.

    Raises
    ------
    InputError
        for a need that is none, a way that does not lead from chunk to chunk, and as the way; if no
        document with a span has a chunk.
    """
    documents = {span.document for ideals in spans.values() for span in ideals.values()}
    # Of retrieved chunks alone it may be so: a retriever that finds nothing scores 0.
    if size == len(chunks) and documents and documents.isdisjoint(chunks.documents):
        own, other = shown(min(documents)), shown(chunks.documents[0]) if len(chunks) else "none"
        remedy = f"spans name documents like {own}, chunks like {other}: write them alike"
        raise InputError(
            "number of documents with spans that have chunks", 0, "be at least 1", remedy=remedy,
            place=origin,
        )  # fmt: skip
    links = Links({}) if way is None else way_of(way).links(chunks, ())
    browsed: dict[str, Navigation] = {
        topic: Covering(chunks, ideals, links=links).needing(need or "share")
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

    Raises
    ------
    InputError
        for a chunk that is not in the table, with the line of the run.
    """
    for number, (system, lists) in enumerate(runs):
        if 1 < len(tables) <= number:
            rule, remedy = f"be {len(tables)}, as of chunk tables", "give a file for each system"
            raise InputError("number of systems", number + 1, rule, remedy=remedy)
        own = tables[number] if len(tables) > 1 else tables[0]
        known = own.chunks.code
        for topic in own.judged:
            ranking = lists.get(topic.topic, ())
            if not known.keys() >= set(ranking):
                chunk = next(chunk for chunk in ranking if chunk not in known)
                path = paths[number] if number < len(paths) else None
                raise _unknown(chunk, topic.topic, system, path, number, tables)
        yield system, lists, own


def _unknown(
    chunk: object,
    topic: str,
    system: str,
    path: str | Path | None,
    number: int,
    tables: Sequence[Chunked],
) -> InputError:
    """Return the error that a run ranks what is no chunk."""
    own = tables[number] if len(tables) > 1 else tables[0]
    others = [table.origin for table in tables if table is not own and chunk in table.chunks.code]
    remedy = f"write ids like {shown(own.chunks.ids[0])}, or give the chunks that were ranked"
    if others:
        remedy = f"give the files of chunks in the order of the runs: {others[0]} has it"
    where = called(system) if path is None else _line_of(path, topic, chunk)
    return InputError(
        f"chunk ranked for topic {topic}", chunk,
        f"be among the chunks{f' of {own.origin}' if own.origin else ''}",
        remedy=remedy, place=where,
    )  # fmt: skip


def _line_of(path: str | Path, topic: str, chunk: object) -> str:
    """Return the place of a file, and the line if it can be read again."""
    if str(path) != STANDARD_INPUT:
        for number, line in enumerate(text_lines(path), start=1):
            fields = line.split()
            if len(fields) > 2 and fields[0] == topic and fields[2] == chunk:
                return place(path, number)
    return place(path)
