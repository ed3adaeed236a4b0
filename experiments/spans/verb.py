"""The verb `prum.spans.evaluate`: what retrievers return, scored by the spans that answer."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from prum.experiments.compare.question import Method, Question
from prum.experiments.evaluate.by_spans import evaluate_chunks
from prum.experiments.evaluate.chunks import Chunked, chunked, given_texts
from prum.experiments.evaluate.given import called
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.evaluate.verb import SPAN_MEASURES
from prum.experiments.measures.aliases import CUTOFFS, meant
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.definition import Cutoff, Name, names_of
from prum.experiments.measures.measure import Measure, measures_of
from prum.experiments.spans.shapes import systems_of
from prum.experiments.spans.tables import RetrievedChunks, Where, retrieved_of, spans_of
from prum.simulator.collections.gold_files import GoldSpans, read_gold
from prum.simulator.collections.placing import check_counted
from prum.simulator.model import InputError, Span
from prum.simulator.model.chunk_table import CHARACTERS
from prum.simulator.model.errors import whole_number

# Documents that a message names.
_SHOWN = 3


def evaluate_retrieved(
    retrieved: Any,
    gold: Any,
    *,
    measures: str | Sequence[str | Measure] | None = None,
    k: int = 10,
    documents: Mapping[str, str] | str | Path | None = None,
    chunks: Any = None,
    tokens: Callable[[str], float] | None = None,
    document_key: str | None = None,
    offsets: str = CHARACTERS,
    first: bool = False,
    way: str | None = None,
    need: str | None = None,
    baseline: str | None = None,
    method: Method = "bootstrap",
    level: float = 0.05,
    margin: float | None = None,
    seed: int = 1,
    progress: Callable[[int], object] | None = None,
) -> EvaluationResult:
    """Score what retrievers return by the spans of text that answer the questions.

    Each character of a span counts once, whatever chunks overlap, so all scores lie in [0, 1]
    (docs/howto/chunks.md). A question that a system lacks is an empty list; questions without spans
    are left out; all others count alike in the mean.

    Parameters
    ----------
    retrieved
        Question -> what a retriever returned, best first: documents of LangChain (with `source` and
        `start_index`) or Haystack (`source_id`, `split_idx_start`), nodes of LlamaIndex, with or
        without scores, dicts (document, start, end, and perhaps id, tokens, parent, text), tuples
        (document, start, end), or texts; or a data frame (question, document, start, end, and
        perhaps rank or score, system); or several, system -> any of these. Who returns a chunk
        twice has returned it once. A chunk
        without a character is left out, and the result's remarks name it.
    gold
        Question -> spans: `Span`, tuples, dicts, or texts that are looked up in the documents; a
        data frame (question, document, start, end); or a file of gold spans (`read_gold`).
    measures
        As `prum.evaluate` has them; by default Coverage, CharPrecision and IoU at k, Efficiency and
        ExactPRUM.
    k
        Where measures are cut off that can be and are named without: "Coverage" is "Coverage@10".
    documents
        Id -> text, or a folder of texts: where texts without offsets are looked up, and offsets are
        checked.
    chunks
        All chunks that there are: what a splitter returned, a `ChunkTable`, id -> (document, start,
        end), or their number; or system -> any of these. If it is not given, measures of what
        stands behind a list take it that nothing does, and a reader who has not found a span in the
        list never will. The remarks of the result say what a smaller collection could change.
    tokens
        A function of a chunk's text: how many tokens it has.
    document_key
        The key of the metadata that names a chunk's document, "file_name", say, in place of that
        of the library.
    offsets
        What offsets count: "characters", "bytes" or "utf-16", which `documents` turn into
        characters.
    first
        Whether the first place is taken of a text that stands at several, which else is an error.
    way
        What readers open from a chunk: "chunks next .5 parent .1"; needs all `chunks`.
    need
        "share", any point of a span, or "whole", all of it; by default a share.
    baseline, method, level, margin, seed, progress
        As `prum.evaluate` has them.

    >>> small = {"q": [("report", 0, 50), ("report", 40, 90)]}
    >>> large = {"q": [("report", 0, 100)]}
    >>> result = evaluate_retrieved(
    ...     {"small": small, "large": large}, {"q": [("report", 30, 80)]},
    ...     measures="Coverage, CharPrecision",
    ... )
    >>> result.to_frame()["score"].round(4).tolist()
    [1.0, 0.5, 1.0, 0.5]
    """
    chosen = _measures(measures, k)
    question = Question(baseline=baseline, method=method, level=level, margin=margin, seed=seed)
    texts = given_texts(documents, "documents")
    check_counted(offsets, texts)
    systems = systems_of(retrieved)
    asked = dict.fromkeys(question for items in systems.values() for question in items)
    chunks = _chunks_of(chunks, systems)
    if isinstance(gold, str | Path):
        gold = read_gold(gold, texts, offsets=offsets, first=first)
    where, key = Where(texts, offsets, first), document_key
    spans = spans_of(gold, where, document_key=key, asked=asked)
    read = {
        system: retrieved_of(
            system, items, where, chunks=chunks[system], tokens=tokens, document_key=key
        )
        for system, items in systems.items()
    }
    _check_questions(asked, spans)
    tables = _with_chunks(read)
    _check_documents(tables, spans)
    named = {topic: {span.place: span for span in each} for topic, each in spans.items() if each}

    def runs() -> Iterator[tuple[str, Mapping[str, tuple[str, ...]], Chunked]]:
        for system, made in tables.items():
            if way is not None and made.num_chunks != len(made.chunks):
                rule = "be used with all chunks, from which others are opened"
                remedy = "pass chunks=, what the splitter returned"
                raise InputError("way", way, rule, remedy=remedy, place=called(system))
            yield (
                system,
                made.lists,
                chunked(made.chunks, named, way=way, need=need, size=made.num_chunks),
            )

    arguments = {
        "retrieved": None,
        "gold": None,
        "measures": ",".join(map(str, chosen)),
        "k": k,
        "documents": str(documents) if isinstance(documents, str | Path) else None,
        "document_key": document_key,
        "offsets": offsets,
        "first": first,
        "way": way,
        "need": need,
        **asdict(question),
    }
    return evaluate_chunks(
        runs(),
        chosen,
        question,
        words=gold.questions if isinstance(gold, GoldSpans) else {},
        texts=texts,
        said={system: made.said for system, made in tables.items()},
        arguments=arguments,
        input_remarks=tuple(_remarks(tables, spans)),
        progress=progress,
    )


def _measures(measures: str | Sequence[str | Measure] | None, k: int) -> list[Measure]:
    """Return measures, cut off at k where they can be and are not."""
    k = whole_number("k", k, least=1, remedy="give a number of chunks")
    if not isinstance(measures, Iterable | None):
        raise InputError("measures", measures, "be names", remedy='give "Coverage", say')
    if measures is None:
        measures = SPAN_MEASURES.replace("@10", "")
    names: list[Measure | Name] = []
    for item in [measures] if isinstance(measures, str) else measures:
        if isinstance(item, Measure):
            names.append(item)
        else:
            names += [_cut(name, k) for name in names_of(str(item))]
    if not names:
        raise InputError("measures", (), "be at least one", remedy="name one")
    return measures_of(", ".join(map(str, names)))


def _cut(name: Name, k: int) -> Name:
    meaning = meant(name)
    if meaning is None or name.cutoff is not None or set(dict(name.settings)) & set(CUTOFFS):
        return name
    is_ranked = "rank" in MEASURES[meaning.measure].cutoffs and meaning.cutoff is None
    return replace(name, cutoff=Cutoff("rank", k)) if is_ranked else name


def _chunks_of(chunks: Any, systems: Collection[str]) -> dict[str, Any]:
    """Return system -> all its chunks: its own, or those of all."""
    if isinstance(chunks, Mapping) and any(system in chunks for system in systems):
        for system in systems:
            if system not in chunks:
                rule, remedy = "be given, as those of others are", "give what its splitter returned"
                raise InputError(f"chunks of {called(system)}", None, rule, remedy=remedy)
        return {system: chunks[system] for system in systems}
    # A generator runs once, and each system reads all chunks.
    return dict.fromkeys(systems, list(chunks) if isinstance(chunks, Iterator) else chunks)


def _with_chunks(read: Mapping[str, RetrievedChunks]) -> dict[str, RetrievedChunks]:
    """Return systems with chunks: who retrieved none never sees those of another, listing none."""
    chunks = next((made.chunks for made in read.values() if len(made.chunks)), None)
    if chunks is None:
        rule, remedy = "be at least 1", "give what a retriever returned for each question"
        raise InputError("number of retrieved chunks", 0, rule, remedy=remedy)
    return {
        system: made if len(made.chunks) else replace(made, chunks=chunks)
        for system, made in read.items()
    }


def _check_documents(
    tables: Mapping[str, RetrievedChunks], spans: Mapping[str, tuple[Span, ...]]
) -> None:
    """Raise unless some system has a chunk of some document with a span."""
    needed = sorted({span.document for each in spans.values() for span in each})
    documents = sorted({name for made in tables.values() for name in made.chunks.documents})
    if documents and not set(needed) & set(documents):
        raise InputError(
            "documents of gold",
            ", ".join(needed[:_SHOWN]),
            f"be among those of the chunks, as {', '.join(map(repr, documents[:_SHOWN]))}",
            remedy="name documents alike; pass documents=, their folder, which knows files by "
            "their paths; or say document_key=, the key of metadata that names them",
        )


def _check_questions(asked: Collection[str], spans: Collection[str]) -> None:
    """Raise unless some question that was asked has spans."""
    if not set(asked) & set(spans):
        thing = "questions of retrieved"
        rule = f"be among those of gold, as {next(iter(spans))!r}"
        remedy = "name questions alike, by their words or by ids"
        raise InputError(thing, ", ".join(list(asked)[:_SHOWN]), rule, remedy=remedy)


def _remarks(
    tables: Mapping[str, RetrievedChunks], spans: Mapping[str, tuple[Span, ...]]
) -> Iterator[str]:
    without = [question for question, each in spans.items() if not each]
    if without:
        yield f"left out, no gold span: {', '.join(without)}"
    for system, made in tables.items():
        if made.empty:
            more = f" and {len(made.empty) - 1:,} more" if len(made.empty) > 1 else ""
            yield (f"left out of {called(system)}, without a character: {made.empty[0]}{more}")
        if made.repeated:
            number = len(made.repeated)
            more = f" and {number - 1} more" if number > 1 else ""
            yield (
                f"chunks that {called(system)} returned more than once count once: question "
                f"{made.repeated[0]}{more}"
            )
