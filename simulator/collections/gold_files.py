"""Gold files: the spans of text that answer each question, in the formats that people have."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prum.simulator.collections.placing import WrittenPlace, placed
from prum.simulator.model import InputError, Span
from prum.simulator.model.chunk_table import MOST_CHARACTERS
from prum.simulator.model.errors import shown
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.files import FilePath, is_json, place
from prum.simulator.tables.json_files import read_json
from prum.simulator.tables.names import DOCUMENT, END, QUESTION, START, WORDS
from prum.simulator.tables.read import origin_of, read
from prum.simulator.tables.schemas import CONTENT, SCHEMAS

_SCHEMA = SCHEMAS["gold spans"]


@dataclass(frozen=True, slots=True)
class GoldSpans:
    """The spans of text that each question is to be answered from.

    Parameters
    ----------
    spans
        Question -> span id -> `Span`. A span's id is its place, ``document:start-end``.
    questions
        Question -> its words, where they are known.
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

    Told apart by what they hold:

    - rows of spans, in the formats of `read_links`, with columns ``question`` (or query), or
      ``query_id`` (or question_id, topic, qid, id), ``doc`` (or document, file_path), ``start`` and
      ``end`` (or start_index, end_index), and optionally ``content`` (or text) or ``answer``, the
      words that stand there;
    - the same with a column ``references`` in place of a span's: JSON, a list of objects with
      content, start_index and end_index, and the document in ``corpus_id``, as questions_df.csv of
      chunking_evaluation;
    - JSON with ``tests``, a list of objects with query and snippets, each with file_path, span
      (start and end) and answer, as LegalBench-RAG.

    A question is called by its id if there is one. Else it is called by its words if no question's
    words hold blanks, as a run could not name it then; and if some do, questions are called q1, q2,
    ... in the order of the file. In rows of spans equal words are one question; else each row, or
    test, is one.

    With `texts`, offsets are checked against the documents, which take the names that `texts` has
    for them, and a span without offsets is looked up by its words: in its document, or in all if it
    names none. Spans may overlap, each counts; a span that a question has twice is one.

    Parameters
    ----------
    texts, offsets, first
        As for `read_chunks`.

    Raises
    ------
    InputError
        for a file that is none of these, a question without a span, a span without a place that is
        not found by its words, or found twice, an end that does not lie after the start, offsets
        beyond the text or that show something else than the words beside them, an unknown document.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "gold.csv"
    >>> _ = path.write_text("question,doc,start,end\\nWho wrote it?,report,90,110\\n")
    >>> gold = read_gold(path)
    >>> gold.spans
    {'q1': {'report:90-110': Span(document='report', start=90, end=110)}}
    >>> gold.questions
    {'q1': 'Who wrote it?'}
    """
    asked = list(_tests(source) if is_json(origin_of(source)) else _rows(source))
    if not asked:
        remedy = "give questions with their spans"
        where = origin_of(source)
        raise InputError("number of questions", 0, "be at least 1", remedy=remedy, place=where)
    names = _names(asked)
    rows = list[WrittenPlace]()
    owners = list[str]()
    for question, name in zip(asked, names, strict=True):
        if not question.snippets:
            raise InputError(
                f"number of spans of question {name!r}",
                0,
                "be at least 1",
                remedy="give the spans that answer it, or leave it out",
                place=question.place,
            )
        for where, snippet in question.snippets:
            rows.append(_written(snippet, f"span of question {name!r}", where))
            owners.append(name)
    spans: dict[str, dict[str, Span]] = {name: {} for name in names}
    for name, spot in zip(owners, placed(rows, texts, counted=offsets, first=first), strict=True):
        span = Span(*spot)
        spans[name][span.place] = span
    words = {
        name: question.words
        for question, name in zip(asked, names, strict=True)
        if question.words is not None
    }
    return GoldSpans(spans, words)


@dataclass(slots=True)
class _Asked:
    """A question as a file has it, and its spans: where each stands in the file, and its values."""

    id: str | None
    words: str | None
    place: str
    snippets: list[tuple[str, dict[str, Any]]]


def _names(asked: Sequence[_Asked]) -> list[str]:
    """Return what each question is called."""
    known = [question.id for question in asked]
    if all(name is None for name in known):
        words = [question.words or "" for question in asked]
        blank = any(text.split() != [text] for text in words)
        known = [f"q{k}" for k in range(1, len(asked) + 1)] if blank else list(words)
    first = dict[str, int]()
    for row, (question, name) in enumerate(zip(asked, known, strict=True)):
        if name is None:
            remedy = "name it, or no question"
            raise InputError(
                "id of a question", None, "be given", remedy=remedy, place=question.place
            )
        if first.setdefault(name, row) != row:
            remedy = f"give it another id than in {asked[first[name]].place}"
            raise InputError("question", name, "be given once", remedy=remedy, place=question.place)
    return [name for name in known if name is not None]


def _rows(source: Any) -> Iterator[_Asked]:
    """Yield the questions of a table."""
    table = read(source, _SCHEMA)
    columns, where = table.columns, table.place
    together = dict[str, _Asked]()
    nested = any(value is not None for value in columns[-1])
    for row, (id, words, doc, start, end, content, answer, references) in enumerate(
        zip(*columns, strict=True)
    ):
        if id is None and words is None:
            remedy = "fill in a column question, query_id or topic"
            raise InputError("question", None, "be given", remedy=remedy, place=where(row))
        if nested:
            yield _Asked(id, words, where(row), list(_referred(references, doc, where(row))))
            continue
        asked = together.setdefault(id or words, _Asked(id, words, where(row), []))
        span = {"doc": doc, "start": start, "end": end, "content": content}
        # The answer of a question may have other words than its document.
        span |= {"answer": answer, "loose": True}
        if any(value is not None for value in (doc, start, end, content, answer)):
            asked.snippets.append((where(row), span))
    yield from together.values()


def _referred(text: str | None, document: str | None, where: str) -> Iterator[tuple[str, Any]]:
    """Yield the spans of a cell of references."""
    try:
        references = json_value(text or "[]")
    except (ValueError, RecursionError) as error:
        rule = f"be a list in JSON ({shown(str(error))})"
        remedy = 'write [{"content": ..., "start_index": ..., "end_index": ...}]'
        raise InputError("references", text, rule, remedy=remedy, place=where) from None
    for number, reference in enumerate(_list(references, "references", where), start=1):
        spot = f"{where}, reference {number}"
        values = _object(reference, "reference", spot)
        yield spot, {"doc": document, **values}


def _tests(path: FilePath) -> Iterator[_Asked]:
    """Yield the questions of a JSON file with tests."""
    content = read_json(path)
    tests = content.get("tests") if isinstance(content, dict) else content
    for number, test in enumerate(_list(tests, "tests", place(path)), start=1):
        where = f"{place(path)}, test {number}"
        values = _object(test, "test", where)
        words, id = (
            _text(values, WORDS, where),
            _text(values, QUESTION, where),
        )
        if words is None and id is None:
            remedy = 'write {"tests": [{"query": ..., "snippets": [...]}]}'
            raise InputError("query", None, "be given", remedy=remedy, place=where)
        snippets = _list(values.get("snippets", []), "snippets", where)
        spots = [f"{where}, snippet {k}" for k in range(1, len(snippets) + 1)]
        objects = [
            _object(each, "snippet", spot) for each, spot in zip(snippets, spots, strict=True)
        ]
        yield _Asked(id, words, where, list(zip(spots, objects, strict=True)))


def _written(values: Mapping[str, Any], thing: str, where: str) -> WrittenPlace:
    """Return the place that an object or a row says."""
    span = values.get("span")
    start = end = None
    if span is not None:
        if not isinstance(span, list) or len(span) != 2:
            remedy = "write [start, end]"
            raise InputError(thing, span, "be a pair of offsets", remedy=remedy, place=where)
        start, end = span
    start = _first(values, START) if start is None else start
    end = _first(values, END) if end is None else end
    for name, value in (("start", start), ("end", end)):
        if value is not None and not (
            type(value) in (int, float) and 0 <= value <= MOST_CHARACTERS and value % 1 == 0
        ):
            raise InputError(
                f"{name} of {thing}", value, _SCHEMA.rule, remedy=_SCHEMA.remedy, place=where
            )
    text = _text(values, CONTENT, where)
    answer = _text(values, ("answer",), where)
    document = _text(values, DOCUMENT, where)
    loose = text is None and "loose" in values
    text = answer if text is None else text
    return WrittenPlace(thing, where, document, start, end, text, loose)


def _first(values: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the first value by one of some names; None for none."""
    return next((values[name] for name in names if values.get(name) is not None), None)


def _text(values: Mapping[str, Any], names: Iterable[str], where: str) -> str | None:
    """Return the text by the first of some names that is there; None for none."""
    for name in names:
        value = values.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            rule, remedy = "be a string", "put it between quotes"
            raise InputError(name, value, rule, remedy=remedy, place=where)
        return value
    return None


def _list(value: object, thing: str, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(thing, value, "be a list", remedy="write [...]", place=where)
    return value


def _object(value: object, thing: str, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(thing, value, "be an object", remedy="write {...}", place=where)
    return value
