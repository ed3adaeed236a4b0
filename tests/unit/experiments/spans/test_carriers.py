"""Objects of retrieval libraries as pieces of documents: look-alikes of each, and what is wrong."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from prum.experiments.spans.carriers import piece_of
from prum.experiments.spans.shapes import systems_of
from prum.experiments.spans.tables import RetrievedChunks, Where, retrieved_of, spans_of
from prum.simulator.collections.placing import Texts
from prum.simulator.model import ChunkTable, InputError, Span

REPORT = "The cat sat. The dog lay. The cow stood."
TEXTS = Texts({"report": REPORT, "letter": "Dear Sir, the dog lay down."})


def retrieved(items: Any, texts: Texts | None = None, **more: Any) -> RetrievedChunks:
    return retrieved_of("run", {"q": items}, Where(texts), **more)


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
        listed = retrieved([FORMS[form]], texts)
        assert [row[1:] for row in listed.chunks] == [("report", 13, 25)]


def test_a_key_of_the_metadata_names_documents() -> None:
    node = TextNode(DOG, 13, 25, "3f-uuid", metadata={"file_name": "report"})
    piece = piece_of(node, "document 1", "run", document_key="file_name")
    assert piece.document == "report"


@pytest.mark.parametrize("form", ["langchain", "llamaindex", "haystack"])
def test_a_key_that_is_missing_is_not_replaced_by_looking_the_text_up(form: str) -> None:
    for texts in (TEXTS, None):
        with pytest.raises(InputError, match=r"file_name.* of document 1 .*must be given"):
            retrieved([FORMS[form]], texts, document_key="file_name")


def test_blocks_of_a_hierarchy_are_looked_up() -> None:
    """They count from the block above."""
    meta = {"source_id": "b1", "split_idx_start": 13, "__level": 2, "__parent_id": "b1"}
    block = HaystackDocument("b2", "The cow stood.", meta)
    looked_up = retrieved([block], TEXTS)
    assert list(looked_up.chunks) == [("b2", "report", 26, 40)]
    with pytest.raises(InputError, match="or pass documents=, in which the text is looked up"):
        retrieved([block])
    whole = HaystackDocument("report", REPORT, {"name": "report.txt"})
    assert list(retrieved([whole]).chunks) == [("report", "report", 0, 40)]


LOOKED_UP = "or pass documents=, in which the text is looked up"
WRONG = {
    "langchain without offsets": (
        LangChainDocument(DOG, {"source": "report"}),
        "start of document 1 of question 'q' must be given; give each document metadata "
        f'{{"source": ...}}, split with add_start_index=True, {LOOKED_UP}',
    ),
    "langchain whose splitter lost its chunk": (
        LangChainDocument(DOG, {"source": "report", "start_index": -1}),
        "start of document 1 of question 'q' must be given; give each document metadata",
    ),
    "llamaindex without a document": (
        TextNode(DOG, 13, 25, None),
        "document of document 1 of question 'q' must be given; make nodes by "
        f"get_nodes_from_documents of a node parser, {LOOKED_UP}",
    ),
    "llamaindex with a replaced text": (
        TextNode("The cat sat. " + DOG, 13, 25, "report"),
        "length of the text of document 1 of question 'q' is 25, must be 12, from start to end; "
        "correct the offsets, or give the texts and say by offsets what they count",
    ),
    "dict without an end": (
        {"doc": "report", "start": 3},
        "end of document 1 of question 'q' must be given; give the dict the keys document, start "
        "and end",
    ),
    "start below 0": (
        ("report", -4, 9),
        "start of document 1 of question 'q' is -4, must be a whole number of at least 0",
    ),
    "another thing": (
        SimpleNamespace(score=3),
        "type of document 1 of question 'q' is 'SimpleNamespace', must be a document of "
        "LangChain or Haystack, a node of LlamaIndex, a dict with document, start and end, a tuple "
        "(document, start, end) or (document, text), or a text; give a list of such things for "
        "each question, best first",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_in_a_line(case: str) -> None:
    item, message = WRONG[case]
    with pytest.raises(InputError) as raised:
        retrieved([item])
    assert str(raised.value).startswith(f"the run: {message}")


LOST = {
    "nowhere": (
        "The pig ran.",
        "'The pig ran.', must stand in a document; copy it from the "
        "document, or give start and end",
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
            "the run: text of document 2",
            lambda: retrieved([DOG, item], TEXTS),
        ),
        ("gold: text of span 2", lambda: spans_of({"q": [DOG, item]}, Where(TEXTS))),
    ):
        with pytest.raises(InputError) as raised:
            call()
        assert str(raised.value) == f"{where} of question 'q' is {message}"
    if case == "twice in one":
        assert spans_of({"q": [item]}, Where(TEXTS, first=True))["q"][0].document == "report"


def test_documents_correct_what_is_said() -> None:
    """A text that its offsets contradict is looked up; unknown documents and ends are refused."""
    node = TextNode("The cat sat. " + DOG, 13, 25, "report")
    assert [row[2:] for row in retrieved([node], TEXTS).chunks] == [(0, 25)]
    moved = LangChainDocument(DOG, {"source": "report", "start_index": 14})
    assert [row[2:] for row in retrieved([moved], TEXTS).chunks] == [(13, 25)]
    with pytest.raises(InputError, match=r"end of document 1 .* is 41, must lie in document"):
        retrieved([("report", 0, 41)], TEXTS)
    with pytest.raises(InputError, match=r"is 'story', must be a document of the texts"):
        retrieved([("story", 0, 4)], TEXTS)


def test_a_chunk_that_comes_twice_counts_once() -> None:
    first, again = (("report", 0, 12), 0.9), (("report", 0, 12), 0.8)
    items = {"q": [first, ("report", 9, 20), again], "p": [first]}
    listed = retrieved_of("run", items, Where())
    assert listed.lists == {"q": ("report:0-12", "report:9-20"), "p": ("report:0-12",)}
    assert listed.repeated == ("q",)
    assert len(listed.chunks) == 2
    copy = {"id": "copy", "doc": "report", "start": 0, "end": 12}
    assert len(retrieved([first, copy]).lists["q"]) == 2
    with pytest.raises(
        InputError, match=r"document 2 .* that of document 1 .*, which has the same"
    ):
        retrieved([copy, {**copy, "end": 13}])


def test_tokens_are_given_or_counted() -> None:
    given = [{"doc": "report", "start": 0, "end": 12, "tokens": 4}]
    assert retrieved(given).chunks.amounts["tokens"].tolist() == [4]
    words = lambda text: len(text.split())  # noqa: E731
    counted = retrieved([("report", 0, 12)], TEXTS, tokens=words)
    assert counted.chunks.amounts["tokens"].tolist() == [3]
    with pytest.raises(InputError, match="tokens of document 2 of question 'q' must be given"):
        retrieved([*given, ("report", 3, 9)])
    with pytest.raises(InputError, match="pass documents="):
        retrieved([("report", 3, 9)], tokens=len)


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
        listed = retrieved([every[1]], chunks=chunks)
        assert listed.num_chunks == number
        (chunk,) = listed.lists["q"]
        row = next(row for row in listed.chunks if row[0] == chunk)
        assert row[1:] == ("report", 10, 20)
    with pytest.raises(InputError, match="must be of one of the 2 chunks"):
        retrieved([every[2]], chunks=table)
    with pytest.raises(InputError, match="number of chunks is 1, must be at least 2"):
        retrieved(every[:2], chunks=1)


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
    assert retrieved_of(system, items, Where()).lists == {"q": ("report:0-9", "report:9-20")}


def row(**more: Any) -> dict[str, Any]:
    return {"question": "q", "document": "report", "start": 0, "end": 9, **more}


MISUSED = {
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
}


@pytest.mark.parametrize("case", MISUSED)
def test_what_has_no_order_or_no_questions_is_named_in_a_line(case: str) -> None:
    given, message = MISUSED[case]
    with pytest.raises(InputError) as raised:
        systems_of(given)
    assert str(raised.value) == message


@pytest.mark.parametrize("wrong", [3, "text", [3], {"q": 3}, {"q": "text"}, None])
def test_other_shapes_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="type of"):
        systems_of(wrong)


def test_gold_has_the_same_forms() -> None:
    span = Span("report", 13, 25)
    for form in (*FORMS.values(), [FORMS["dict"], DOG]):
        if not hasattr(form, "page_content"):
            given = form if isinstance(form, list) else [form]
            assert spans_of({7: given}, Where(TEXTS)) == {"7": (span,)}
    for single in (DOG, ("report", 13, 25), span, {"doc": "report", "start": 13, "end": 25}):
        assert spans_of({"q": single}, Where(TEXTS)) == {"q": (span,)}
    assert spans_of(frame((13, 25), question="q"), Where()) == {"q": (span,)}
    with pytest.raises(InputError, match="number of questions with a gold span is 0"):
        spans_of({"q": []}, Where())
