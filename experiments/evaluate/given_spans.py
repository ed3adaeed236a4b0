"""Chunks and gold spans as people hold them: files, tables, mappings and data frames."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prum.experiments.evaluate.given import place_of
from prum.experiments.evaluate.given_ids import id_of, with_ids
from prum.experiments.evaluate.span_judging import Gold
from prum.simulator.model import ChunkTable, InputError, Span
from prum.simulator.model.chunk_columns import CHARACTERS

if TYPE_CHECKING:
    from prum.simulator.collections.texts import Texts


def given_texts(texts: Any, name: str = "texts") -> "Texts | None":
    """Return the texts of documents, of a folder, a file or a mapping; `name` serves messages.

    Raises
    ------
    InputError, OSError
        for what is none of these; as `read_texts` and `Texts`.
    """
    from prum.simulator.collections.texts import Texts, read_texts

    if texts is None or isinstance(texts, Texts):
        return texts
    if isinstance(texts, str | Path):
        return read_texts(texts)
    if not isinstance(texts, Mapping):
        remedy = "give {document: its text}"
        rule = "be that of a mapping, or a folder"
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

    Raises
    ------
    InputError
        for another number of them; as `read_chunks` and `ChunkTable`.
    OSError
        if a file cannot be read.
    """
    several = list(chunks) if isinstance(chunks, list | tuple) else [chunks]
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


def _in_texts(
    rows: Sequence[tuple[str, Span]], texts: "Texts", place: str, offsets: str
) -> list[Span]:
    """Return spans, each with what messages call it, with the names that documents have in texts.

    Raises InputError for a document without text, and offsets beyond it.
    """
    from prum.simulator.collections.placing import WrittenPlace, placed

    written = [
        WrittenPlace(thing, place, span.document, span.start, span.end, None)
        for thing, span in rows
    ]
    return [Span(*spot) for spot in placed(written, texts, counted=offsets)]


def given_spans(spans: Any, texts: "Texts | None", *, offsets: str = "characters") -> Gold:
    """Return topic -> ideal -> span: of a file, a data frame, or topic -> spans.

    With `texts`, offsets are checked against them, and turned into characters.

    Raises
    ------
    InputError
        as `read_gold` and `Span`; for a topic without spans.
    OSError
        if a file cannot be read.

    >>> given_spans({"q": [("report", 3, 9)]}, None)
    {'q': {'1': Span(document='report', start=3, end=9)}}
    """
    if not isinstance(spans, Mapping):
        from prum.simulator.collections.gold_files import read_gold

        return read_gold(spans, texts, offsets=offsets).spans
    by_topic = with_ids(spans, "topic", "spans")
    gold = {topic: _named(topic, each) for topic, each in by_topic.items()}
    if not gold:
        raise InputError("number of topics", 0, "be at least 1", remedy="give spans to look for")
    from prum.simulator.collections.placing import check_counted

    check_counted(offsets, texts)
    if texts is None:
        return gold
    return {
        topic: dict(zip(each, _in_texts(
            [(f"span {name} of topic {topic}", span) for name, span in each.items()], texts,
            "spans", offsets,
        ), strict=True))
        for topic, each in gold.items()
    }  # fmt: skip


def _named(topic: str, spans: Any) -> dict[str, Span]:
    """Return the spans of a topic with names: those without by their number."""
    items = dict(spans) if isinstance(spans, Mapping) else dict(enumerate(spans, start=1))
    if not items:
        remedy = "leave the topic out"
        raise InputError(f"number of spans of topic {topic}", 0, "be at least 1", remedy=remedy)
    named = {}
    for name, span in items.items():
        if not isinstance(span, Span):
            try:
                document, start, end = span
            except (TypeError, ValueError):
                remedy = "give (document, start, end)"
                raise InputError(
                    f"span {name} of topic {topic}", span, "be a Span", remedy=remedy
                ) from None
            try:
                span = Span(id_of(document, "document", "spans"), start, end)
            except InputError as error:
                raise error.at(f"span {name} of topic {topic}") from None
        named[str(name)] = span
    return named
