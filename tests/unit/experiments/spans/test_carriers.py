"""Objects of retrieval libraries as pieces of documents: look-alikes of each, and what is wrong."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from prum.experiments.spans.carriers import piece_of
from prum.experiments.spans.shapes import systems_of
from prum.experiments.spans.tables import retrieved_of, spans_of
from prum.simulator.collections.placing import Texts
from prum.simulator.model import ChunkTable, InputError, Span

REPORT = "The cat sat. The dog lay. The cow stood."
TEXTS = Texts({"report": REPORT, "letter": "Dear Sir, the dog lay down."})


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict[str, Any]
    id: str | None = None


@dataclass
class TextNode:
    text: str
    start_char_idx: int | None
    end_char_idx: int | None
    ref_doc_id: str | None
    node_id: str = "n1"
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class NodeWithScore:
    node: TextNode
    score: float | None = None


@dataclass
class HaystackDocument:
    id: str
    content: str
    meta: dict[str, Any]
    score: float | None = None


DOG = REPORT[13:25]
FORMS = {
    "langchain": LangChainDocument(DOG, {"source": "report", "start_index": 13}),
    "langchain with a score": (
        LangChainDocument(DOG, {"source": Path("report"), "start_index": 13}, "7"),
        0.5,
    ),
    "llamaindex": TextNode(DOG, 13, 25, "report"),
    "llamaindex with a score": NodeWithScore(TextNode(DOG, 13, 25, "report")),
    "haystack": HaystackDocument("h", DOG, {"source_id": "report", "split_idx_start": 13}, 0.3),
    "haystack, parent": HaystackDocument("h", DOG, {"parent_id": "report", "split_idx_start": 13}),
    "tuple": ("report", 13, 25),
    "tuple with a score": (("report", 13, 25), 0.5),
    "dict": {"doc": "report", "start": 13, "end": 25, "text": DOG},
    "dict without an end": {"source": "report", "start": 13, "text": DOG},
    "dict with a span": {"file_path": "report", "span": [13, 25]},
    "dict with metadata": {
        "page_content": DOG,
        "metadata": {"source": "report", "start_index": 13},
    },
    "span": Span("report", 13, 25),
    "text": DOG,
    "text with a score": (DOG, 0.5),
    "document and text": ("report", "The dog lay."),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_piece(form: str) -> None:
    for texts in (TEXTS, None):
        if texts is None and "text" in form.split():
            continue
        listed = retrieved_of("run", {"q": [FORMS[form]]}, texts=texts)
        assert [row[1:] for row in listed.chunks] == [("report", 13, 25)]


def test_a_key_of_the_metadata_names_documents() -> None:
    node = TextNode(DOG, 13, 25, "3f-uuid", metadata={"file_name": "report"})
    piece = piece_of(node, "document 1", "run", document_key="file_name")
    assert piece.document == "report"


@pytest.mark.parametrize("form", ["langchain", "llamaindex", "haystack"])
def test_a_key_that_is_missing_is_not_replaced_by_looking_the_text_up(form: str) -> None:
    for texts in (TEXTS, None):
        with pytest.raises(InputError, match=r"file_name.* of document 1 .*must be given"):
            retrieved_of("run", {"q": [FORMS[form]]}, texts=texts, document_key="file_name")


def test_blocks_of_a_hierarchy_are_looked_up() -> None:
    """They count from the block above."""
    meta = {"source_id": "b1", "split_idx_start": 13, "__level": 2, "__parent_id": "b1"}
    block = HaystackDocument("b2", "The cow stood.", meta)
    looked_up = retrieved_of("run", {"q": [block]}, texts=TEXTS)
    assert list(looked_up.chunks) == [("b2", "report", 26, 40)]
    with pytest.raises(InputError, match="or pass documents=, in which the text is looked up"):
        retrieved_of("run", {"q": [block]})
    whole = HaystackDocument("report", REPORT, {"name": "report.txt"})
    assert list(retrieved_of("run", {"q": [whole]}).chunks) == [("report", "report", 0, 40)]


WRONG = {
    "langchain without offsets": (
        LangChainDocument(DOG, {"source": "report"}),
        "run bm25: start_index of document 1 of question 'q' must be given; "
        'give each document metadata {"source": ...}, split with add_start_index=True, or pass '
        "documents=, in which the text is looked up",
    ),
    "langchain whose splitter lost its chunk": (
        LangChainDocument(DOG, {"source": "report", "start_index": -1}),
        "run bm25: start_index of document 1 of question 'q' must be given; "
        'give each document metadata {"source": ...}, split with add_start_index=True, or pass '
        "documents=, in which the text is looked up",
    ),
    "langchain without a source": (
        LangChainDocument(DOG, {"start_index": 13}),
        "run bm25: source of document 1 of question 'q' must be given; "
        'give each document metadata {"source": ...}, split with add_start_index=True, or pass '
        "documents=, in which the text is looked up",
    ),
    "llamaindex without offsets": (
        TextNode(DOG, None, None, "report"),
        "run bm25: start_char_idx of document 1 of question 'q' must be given; make nodes "
        "by get_nodes_from_documents of a node parser, or pass documents=, in which the text is "
        "looked up",
    ),
    "llamaindex without a document": (
        TextNode(DOG, 13, 25, None),
        "run bm25: ref_doc_id of document 1 of question 'q' must be given; make nodes by "
        "get_nodes_from_documents of a node parser, or pass documents=, in which the text is "
        "looked up",
    ),
    "llamaindex with a replaced text": (
        TextNode("The cat sat. " + DOG, 13, 25, "report"),
        "run bm25: length of the text of document 1 of question 'q' is 25, must be 12, "
        "end_char_idx minus start_char_idx; pass documents=, in which the text is looked up",
    ),
    "haystack without offsets": (
        HaystackDocument("h", DOG, {"source_id": "report"}),
        "run bm25: meta['split_idx_start'] of document 1 of question 'q' must be given; "
        "split with DocumentSplitter, or pass documents=, in which the text is "
        "looked up",
    ),
    "dict without an end": (
        {"doc": "report", "start": 3},
        "run bm25: end of document 1 of question 'q' must be given; give the dict the keys "
        "document, start and end",
    ),
    "bytes": (
        {"doc": "report", "start": 3, "end": 7, "text": "née"},
        "run bm25: length of the text of document 1 of question 'q' is 3, must be 4, end minus "
        'start; count characters, not bytes; or pass documents= and offsets="bytes"',
    ),
    "text alone": (
        "The dog",
        "run bm25: document of document 1 of question 'q' must be given; give start and end, or "
        "pass documents=, in which the text is looked up",
    ),
    "end before start": (
        ("report", 9, 8),
        "run bm25: end of document 1 of question 'q' is 8, must not lie before the start, 9; give "
        "start and end in characters, from 0",
    ),
    "start below 0": (
        ("report", -4, 9),
        "run bm25: start of document 1 of question 'q' is -4, must be a whole number of at least "
        "0; count the characters of the document from 0",
    ),
    "another thing": (
        SimpleNamespace(score=3),
        "run bm25: type of document 1 of question 'q' is 'SimpleNamespace', must be a document of "
        "LangChain or Haystack, a node of LlamaIndex, a dict with document, start and end, a tuple "
        "(document, start, end) or (document, text), or a text; give a list of such things for "
        "each question, best first",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_in_a_line(case: str) -> None:
    item, message = WRONG[case]
    with pytest.raises(InputError) as raised:
        retrieved_of("bm25", {"q": [item]})
    assert str(raised.value) == message


LOST = {
    "nowhere": (
        "The pig ran.",
        "'The pig ran.', must stand in a document; copy it from the "
        "document, or give start and end",
    ),
    "twice": (
        "og lay",
        "'og lay', must stand in a document once; give start and end (report:18-24 "
        "or letter:15-21), or take the first of them",
    ),
    "twice in one": (
        ("report", "The "),
        "'The ', must stand in document 'report' once; give start "
        "and end (report:0-4 or report:13-17), or take the first of them",
    ),
}


@pytest.mark.parametrize("case", LOST)
def test_a_text_that_stands_nowhere_or_twice_is_named(case: str) -> None:
    item, message = LOST[case]
    for where, call in (
        (
            "run bm25: text of document 2",
            lambda: retrieved_of("bm25", {"q": [DOG, item]}, texts=TEXTS),
        ),
        ("gold: text of span 2", lambda: spans_of({"q": [DOG, item]}, texts=TEXTS)),
    ):
        with pytest.raises(InputError) as raised:
            call()
        assert str(raised.value) == f"{where} of question 'q' is {message}"
    if case.startswith("twice"):
        assert spans_of({"q": [item]}, texts=TEXTS, first=True)["q"][0].document == "report"


def test_documents_correct_what_is_said() -> None:
    """A text that its offsets contradict is looked up; unknown documents and ends are refused."""
    node = TextNode("The cat sat. " + DOG, 13, 25, "report")
    assert [row[2:] for row in retrieved_of("run", {"q": [node]}, texts=TEXTS).chunks] == [(0, 25)]
    moved = LangChainDocument(DOG, {"source": "report", "start_index": 14})
    assert [row[2:] for row in retrieved_of("run", {"q": [moved]}, texts=TEXTS).chunks] == [
        (13, 25)
    ]
    with pytest.raises(InputError, match=r"end of document 1 .* is 41, must be at most 40"):
        retrieved_of("run", {"q": [("report", 0, 41)]}, texts=TEXTS)
    with pytest.raises(InputError, match=r"is 'story', must be a document of the texts"):
        retrieved_of("run", {"q": [("story", 0, 4)]}, texts=TEXTS)


def test_a_chunk_that_comes_twice_counts_once() -> None:
    first, again = (("report", 0, 12), 0.9), (("report", 0, 12), 0.8)
    listed = retrieved_of("run", {"q": [first, ("report", 9, 20), again], "p": [first]})
    assert listed.lists == {"q": ("report:0-12", "report:9-20"), "p": ("report:0-12",)}
    assert listed.repeated == ("q",)
    assert len(listed.chunks) == 2
    copy = {"id": "copy", "doc": "report", "start": 0, "end": 12}
    assert len(retrieved_of("run", {"q": [first, copy]}).lists["q"]) == 2
    with pytest.raises(
        InputError, match=r"document 2 .* that of document 1 .*, which has the same"
    ):
        retrieved_of("run", {"q": [copy, {**copy, "end": 13}]})


def test_tokens_are_given_or_counted() -> None:
    given = [{"doc": "report", "start": 0, "end": 12, "tokens": 4}]
    assert retrieved_of("run", {"q": given}).chunks.amounts["tokens"].tolist() == [4]
    counted = retrieved_of(
        "run", {"q": [("report", 0, 12)]}, texts=TEXTS, tokens=lambda text: len(text.split())
    )
    assert counted.chunks.amounts["tokens"].tolist() == [3]
    with pytest.raises(InputError, match="tokens of document 2 of question 'q' must be given"):
        retrieved_of("run", {"q": [*given, ("report", 3, 9)]})
    with pytest.raises(InputError, match="pass documents="):
        retrieved_of("run", {"q": [("report", 3, 9)]}, tokens=len)


def test_all_chunks_may_be_said() -> None:
    every = [
        LangChainDocument(REPORT[k : k + 10], {"source": "report", "start_index": k})
        for k in (0, 10, 20, 30)
    ]
    table = ChunkTable({"a": ("report", 0, 10), "b": ("report", 10, 20)})
    for chunks, number in (
        (every, 4),
        (7, 7),
        (table, 2),
        (None, None),
        ({"a": ("report", 0, 10), "b": ("report", 10, 20), "c": ("letter", 0, 9)}, 3),
        (pd.DataFrame({"doc": ["report"] * 2, "start": [0, 10], "end": [10, 20]}), 2),
    ):
        listed = retrieved_of("run", {"q": [every[1]]}, chunks=chunks)
        assert listed.num_chunks == number
        (chunk,) = listed.lists["q"]
        row = next(row for row in listed.chunks if row[0] == chunk)
        assert row[1:] == ("report", 10, 20)
    with pytest.raises(InputError, match="must be of one of the 2 chunks"):
        retrieved_of("run", {"q": [every[2]]}, chunks=table)
    with pytest.raises(InputError, match="number of chunks is 1, must be at least 2"):
        retrieved_of("run", {"q": every[:2]}, chunks=1)


def frame(*spans: tuple[int, int], **more: Any) -> pd.DataFrame:
    start, end = zip(*spans, strict=True)
    return pd.DataFrame({"document": "report", "start": start, "end": end, **more})


TWO = [("report", 0, 9), ("report", 9, 20)]
ORDERED = (0, 9), (9, 20)
SHAPES = {
    "questions": {"q": TWO},
    "pipeline": {"q": {"documents": TWO}},
    "response": {"q": SimpleNamespace(source_nodes=TWO)},
    "systems": {"run": {"q": TWO}},
    "frame": frame(*ORDERED[::-1], question="q", rank=[2, 1]),
    "scored frame": frame(*ORDERED[::-1], question="q", score=[0.2, 0.5]),
    "frame of systems": frame(*ORDERED, question="q", system="run"),
    "frame of a question": {"q": frame(*ORDERED)},
    "records": frame(*ORDERED, question="q").to_dict("records"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_the_same_lists(shape: str) -> None:
    ((system, items),) = systems_of(SHAPES[shape]).items()
    assert system == "run"
    assert retrieved_of(system, items).lists == {"q": ("report:0-9", "report:9-20")}


def row(**more: Any) -> dict[str, Any]:
    return {"question": "q", "document": "report", "start": 0, "end": 9, **more}


MISUSED = {
    "a score for some": (
        pd.DataFrame([row(score=0.5), row()]),
        "retrieved: score of a chunk of question 'q' is None, must be a number; give each row its "
        "score, or drop the column where rows stand best first",
    ),
    "ranks as texts": (
        [row(rank="2"), row(rank="10")],
        "retrieved: rank of a chunk of question 'q' is '2', must be a number; give each row its "
        "rank, or drop the column where rows stand best first",
    ),
    "another name of questions": (
        pd.DataFrame([row()]).rename(columns={"question": "asked"}),
        "columns of retrieved is 'asked, document, start, end', must include question; name the "
        "column of questions so",
    ),
    "no order": (
        {"q": {("report", 0, 9), ("report", 9, 20)}},
        "retrieved: type of what question 'q' has is 'set', must be that of a list, best first; "
        "put it into a list",
    ),
    "one system is no mapping": (
        {"small": {"q": []}, "large": []},
        "retrieved: type of what question 'small' has is 'dict', must be that of a list, best "
        "first; give a list, or, of several systems, {question: [chunk, ...]} for each",
    ),
}


@pytest.mark.parametrize("case", MISUSED)
def test_what_has_no_order_or_no_questions_is_named_in_a_line(case: str) -> None:
    given, message = MISUSED[case]
    with pytest.raises(InputError) as raised:
        systems_of(given)
    assert str(raised.value) == message


def test_a_score_may_be_missing() -> None:
    listed = retrieved_of("run", {"q": [(FORMS["langchain"], None), (("report", 0, 9), None)]})
    assert [row[2:] for row in listed.chunks] == [(13, 25), (0, 9)]
    empty = pd.DataFrame([row(score=None), row(start=3, score=None)])
    ((_, items),) = systems_of(empty).items()
    assert [item["start"] for item in items["q"]] == [0, 3]


@pytest.mark.parametrize("wrong", [3, "text", [3], {"q": 3}, {"q": "text"}, None])
def test_other_shapes_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="type of"):
        systems_of(wrong)


def test_gold_has_the_same_forms() -> None:
    span = Span("report", 13, 25)
    for form in (*FORMS.values(), [FORMS["dict"], DOG]):
        if not hasattr(form, "page_content"):
            given = form if isinstance(form, list) else [form]
            assert spans_of({7: given}, texts=TEXTS) == {"7": (span,)}
    for single in (DOG, ("report", 13, 25), span, {"doc": "report", "start": 13, "end": 25}):
        assert spans_of({"q": single}, texts=TEXTS) == {"q": (span,)}
    assert spans_of(frame((13, 25), question="q")) == {"q": (span,)}
    with pytest.raises(InputError, match="number of questions with a gold span is 0"):
        spans_of({"q": []})
