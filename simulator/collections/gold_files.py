"""Gold files: the spans of text that answer each question, in the formats that people have."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from prum.simulator.collections.placing import WrittenPlace, placed
from prum.simulator.model import InputError, Span
from prum.simulator.tables.files import is_json, place
from prum.simulator.tables.forms import read_json
from prum.simulator.tables.read import origin_of, read
from prum.simulator.tables.schemas import SCHEMAS


@dataclass(frozen=True, slots=True)
class GoldSpans:
    """The spans of text that each question is to be answered from.

    Question -> span id -> `Span`, whose id is its place, ``document:start-end``; and question ->
    its words, where they are known.
    """

    spans: Mapping[str, Mapping[str, Span]]
    questions: Mapping[str, str] = field(default_factory=dict)


def read_gold(
    source: Any,
    texts: Mapping[str, str] | None = None,
    *,
    offsets: str = "characters",
    first: bool = False,
) -> GoldSpans:
    """Return the gold spans of a file or a frame: rows of spans, or questions with their spans.

    Told apart by what they hold (docs/reference/span-files.md): rows of spans, with columns
    ``question`` or ``query_id``, ``doc``, ``start``, ``end``, and perhaps ``content`` or
    ``answer``, the words that stand there; the same with a column ``references`` in place of a
    span's, as chunking_evaluation; or JSON with ``tests``, as LegalBench-RAG.

    A question is called by its id if there is one. Else it is called by its words if no question's
    words hold blanks, as a run could not name it then; and if some do, questions are called q1, q2,
    ... in the order of the file. In rows of spans equal words are one question; else each row is
    one. Spans may overlap, each counts; a span that a question has twice is one. `texts`,
    `offsets` and `first` are those of `read_chunks`; a span without offsets is looked up by its
    words.

    Raise InputError for a file that is none of these, a question without a span, a span without a
    place that is not found by its words, or found twice, an end that does not lie after the start,
    offsets beyond the text or that show something else than the words beside them, an unknown
    document. Raise OSError if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "gold.csv"
    >>> _ = path.write_text("question,doc,start,end\\nWho wrote it?,report,90,110\\n")
    >>> gold = read_gold(path)
    >>> gold.spans
    {'q1': {'report:90-110': Span(document='report', start=90, end=110)}}
    >>> gold.questions
    {'q1': 'Who wrote it?'}
    """
    asked = _asked(source)
    if not asked:
        remedy, where = "give questions with their spans", origin_of(source)
        raise InputError("number of questions", 0, "be at least 1", remedy=remedy, place=where)
    rows, owners, spans = list[WrittenPlace](), list[str](), dict[str, dict[str, Span]]()
    words = dict[str, str]()
    for question, name in zip(asked, _names(asked), strict=True):
        spans[name] = {}
        if question.words is not None:
            words[name] = question.words
        if not question.spans:
            thing, remedy = f"number of spans of question {name!r}", "give the spans that answer it"
            raise InputError(thing, 0, "be at least 1", remedy=remedy, place=question.place)
        thing = f"span of question {name!r}"
        rows += [replace(written, thing=thing) for written in question.spans]
        owners += [name] * len(question.spans)
    for name, spot in zip(owners, placed(rows, texts, counted=offsets, first=first), strict=True):
        span = Span(*spot)
        spans[name][span.place] = span
    return GoldSpans(spans, words)


class _Asked(NamedTuple):
    """A question as a file has it, where it stands there, and its spans."""

    id: str | None
    words: str | None
    place: str
    spans: list[WrittenPlace]


def _names(asked: Sequence[_Asked]) -> list[str]:
    """Return what each question is called."""
    names = [question.id for question in asked]
    if all(name is None for name in names):
        words = [question.words or "" for question in asked]
        blank = any(text.split() != [text] for text in words)
        names = [f"q{k}" for k in range(1, len(asked) + 1)] if blank else list(words)
    first = dict[str, str]()
    for question, name in zip(asked, names, strict=True):
        if name is None:
            thing, remedy = "id of a question", "name it, or no question"
            raise InputError(thing, None, "be given", remedy=remedy, place=question.place)
        if name in first:
            remedy = f"give it another id than in {first[name]}"
            raise InputError("question", name, "be given once", remedy=remedy, place=question.place)
        first[name] = question.place
    return list(first)


def _asked(source: Any) -> list[_Asked]:
    """Return the questions of a table, or of JSON with tests."""
    name = ""
    if is_json(origin_of(source)):
        content, name = read_json(source), place(source)
        source = content.get("tests") if isinstance(content, dict) else content
        if not isinstance(source, list):
            remedy = 'write {"tests": [{"query": ..., "snippets": [...]}]}'
            raise InputError("tests", source, "be a list", remedy=remedy, place=name)
    table = read(source, SCHEMAS["gold spans"], name=name)
    *columns, nested = table.columns.values()
    is_nested = any(value is not None for value in nested)
    together = dict[Any, _Asked]()
    for row, (id, words, *cells) in enumerate(zip(*columns, strict=True)):
        where = table.place(row)
        if id is None and words is None:
            remedy = "fill in a column question, query_id or topic"
            raise InputError("question", None, "be given", remedy=remedy, place=where)
        # Equal words are one question, but where each row has all its spans.
        key = row if is_nested else id or words
        asked = together.setdefault(key, _Asked(id, words, where, []))
        if is_nested:
            asked.spans.extend(_nested(nested[row] or [], cells[0], f"{where}, snippets"))
        elif any(value is not None for value in cells):
            asked.spans.append(_written(where, *cells))
    return list(together.values())


def _nested(snippets: list[Any], document: str | None, where: str) -> Iterator[WrittenPlace]:
    """Yield the places that the objects in a cell say, of a document, or of their own."""
    rows = list[Any]()
    for snippet in snippets:
        span = snippet.get("span") if isinstance(snippet, dict) else None
        if span is not None:
            if not (isinstance(span, list) and len(span) == 2):
                rule, remedy = "be a pair of offsets", "write [start, end]"
                raise InputError("span", span, rule, remedy=remedy, place=where)
            snippet = {**snippet, "start": span[0], "end": span[1]}
        rows.append(snippet)
    table = read(rows, SCHEMAS["snippets"], name=where)
    for row, (own, *cells) in enumerate(zip(*table.columns.values(), strict=True)):
        written = _written(table.place(row), document or own, *cells)
        yield replace(written, loose=False)


def _written(
    where: str,
    document: str | None,
    start: float | None,
    end: float | None,
    content: str | None,
    answer: str | None,
) -> WrittenPlace:
    # The answer of a question may have other words than its document.
    text = answer if content is None else content
    return WrittenPlace("", where, document, start, end, text, loose=content is None)
