"""Reading a campaign of chunks and gold spans: TREC runs of chunks, their offsets, the spans."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.chunk_files import read_chunks
from prum.simulator.collections.gold_files import GoldSpans, read_gold
from prum.simulator.collections.judgements import Lists, lists_of_runs
from prum.simulator.collections.texts import read_texts
from prum.simulator.model import ChunkTable, Covering, InputError, Links, way_of
from prum.simulator.model.errors import shown
from prum.simulator.tables.files import place, readable


def read_span_campaign(
    runs: Sequence[str | Path],
    chunks: str | Path,
    gold: str | Path,
    texts: str | Path | None = None,
    *,
    way: str | None = None,
    whole: bool = False,
    offsets: str = "characters",
) -> Campaign:
    """Return a campaign of systems that rank chunks for questions with gold spans.

    Systems are named, and folders read, as `named_runs` does. Topics of a run that are no questions
    are ignored; a question that a run does not answer has an empty list. The navigation on each
    topic is a `Covering`, the ideals are its spans.

    Parameters
    ----------
    chunks, gold, texts
        As `read_chunks`, `read_gold` and `read_texts` read them.
    way
        What is opened from a chunk, like "chunks next .5 parent .1"; nothing by default.
    whole
        Whether users need all of a span, and not a point of it.
    offsets
        What the offsets of chunks and gold count.

    Raises
    ------
    InputError
        as the readers, `way_of` and `ChunkTable.links`; for a ranked id that is not a chunk, a gold
        span in a document that has neither a chunk nor, where texts are given, a text, and if no
        run answers a question.
    OSError
        if a file cannot be read.
    """
    documents = None if texts is None else read_texts(texts)
    table = read_chunks(chunks, documents, offsets=offsets)
    wanted = read_gold(gold, documents, offsets=offsets)
    check_gold(wanted, table, documents or (), place=place(gold))
    lists = dict[str, Lists]()
    for system, by_question, file in lists_of_runs(runs):
        lists[system] = by_question
        check_lists(by_question, wanted, table, place=place(file))
    check_answered(lists, wanted)
    chosen = None if way is None else way_of(way)
    links = Links({}) if chosen is None else chosen.links(table, ())
    return Campaign(
        name=readable(Path(gold).name),
        ideals={question: tuple(sorted(spans)) for question, spans in wanted.spans.items()},
        runs=lists,
        navigation={
            question: Covering(table, spans, links=links, whole=whole)
            for question, spans in wanted.spans.items()
        },
        collection_size=len(table),
        way=chosen,
    )


def check_gold(
    gold: GoldSpans, chunks: ChunkTable, texts: Iterable[str] = (), *, place: str = ""
) -> None:
    """Raise if a gold span lies in a document of which there is neither a chunk nor a text.

    Raises
    ------
    InputError
        then: perhaps documents are named in two ways. With its text known, a document may well have
        no chunk: nobody sees its spans.
    """
    known = {*chunks.documents, *texts}
    for question, spans in gold.spans.items():
        for span in spans.values():
            if span.document not in known:
                thing = f"document of a span of question {question!r}"
                rule, remedy = "be a document that has chunks", "give all chunks, or the texts"
                if chunks.documents:
                    remedy = f"write names like {shown(chunks.documents[0])}, {remedy}"
                raise InputError(thing, span.document, rule, remedy=remedy, place=place)


def check_lists(
    lists: Mapping[str, Sequence[str]], gold: GoldSpans, chunks: ChunkTable, *, place: str = ""
) -> None:
    """Raise if a list of a question ranks what is not a chunk.

    Raises
    ------
    InputError
        then.
    """
    for question, ranking in lists.items():
        if question in gold.spans:
            try:
                chunks.numbers(ranking)
            except InputError as error:
                raise InputError(
                    f"chunk listed for question {question!r}",
                    error.value,
                    "be a chunk",
                    remedy=error.remedy,
                    place=place,
                ) from None


def check_answered(runs: Mapping[str, Mapping[str, object]], gold: GoldSpans) -> None:
    """Raise if no run answers a question, where runs have topics.

    Raises
    ------
    InputError
        then: perhaps questions are named in two ways.
    """
    topics = [topic for lists in runs.values() for topic in lists]
    if topics and gold.spans.keys().isdisjoint(topics):
        remedy = f"gold has questions like {shown(next(iter(gold.spans)))}, runs topics like "
        remedy += f"{shown(topics[0])}: use the same ids"
        raise InputError("number of questions that runs answer", 0, "be at least 1", remedy=remedy)
