"""Readers of chunks, gold spans and texts: formats, rules, and what a bad file is told."""

import json

import pytest

from prum.simulator.collections import (
    read_chunks,
    read_gold,
    read_span_campaign,
    read_texts,
)
from prum.simulator.model import ChunkTable, InputError, Links, Span, chunks
from tests.table_forms import json_lines, refused, separated, written

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

TEXT = "Où est-il ? Là. \U0001f600 Il est là.\r\nFin."
TEXTS = {"a.md": TEXT, "b.md": "Il est là. Oui."}
CHUNKS = ChunkTable(
    {"page": ("a", 0, 36), "c1": ("a", 0, 15), "c2": ("a", 10, 36), "d1": ("b", 0, 15)},
    parents={"c1": "page", "c2": "page"},
    amounts={"tokens": [9, 4, 6.5, 5]},
)
SPANS = {"q1": {"a:0-11": Span("a", 0, 11)}, "q2": {"b:0-10": Span("b", 0, 10)}}


def chunk_rows(table):
    above = [None if k < 0 else table.ids[k] for k in table.parents.tolist()]
    names = ("id", "doc", "start", "end", "parent", *table.amounts)
    costs = [column.tolist() for column in table.amounts.values()]
    return [
        dict(zip(names, (*row, parent, *amounts), strict=True))
        for row, parent, *amounts in zip(table, above, *costs, strict=True)
    ]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    for name, text in TEXTS.items():
        written(tmp_path / "texts", name, text)
    return tmp_path


# --- chunks -----------------------------------------------------------------------------------


def test_names_may_be_others_and_more_is_ignored(tmp_path):
    row = {
        "chunk": "c",
        "document": "d",
        "start_index": 0,
        "end_index": 5.0,
        "cost": 2,
        "text": "x",
        "metadata": {"a": [1, {}]},
        "embedding": [0.5] * 4,
    }
    path = written(tmp_path, "x.jsonl", json_lines([row, {**row, "chunk": "e"}]))
    table = ChunkTable({"c": ("d", 0, 5), "e": ("d", 0, 5)})
    assert read_chunks(path) == table
    assert read_chunks(path, units=["cost"]).amounts["cost"].tolist() == [2, 2]


def test_chunks_take_the_documents_names_and_places_from_texts(folder):
    rows = [
        {"id": "c1", "doc": "a", "start": 0, "end": 5, "text": "Title: Où es"},
        {"id": "c2", "doc": "texts/b.md", "text": "Oui."},
        {"id": "c3", "text": "Fin."},
    ]
    texts = read_texts(folder / "texts")
    path = written(folder, "x.jsonl", json_lines(rows))
    assert list(read_chunks(path, texts)) == [
        ("c1", "a.md", 0, 5),
        ("c2", "b.md", 11, 15),
        ("c3", "a.md", 30, 34),
    ]


@pytest.mark.parametrize("counted", ["bytes", "utf-16"])
def test_other_units_of_offsets_are_told_and_converted(folder, counted):
    def size(text):
        return len(text.encode()) if counted == "bytes" else len(text.encode("utf-16-le")) // 2

    pieces = [TEXT[0:15], TEXT[15:24], TEXT[24:]]
    ends = [size("".join(pieces[: k + 1])) for k in range(3)]
    rows = [
        {"id": f"c{k}", "doc": "a.md", "start": end - size(piece), "end": end, "text": piece}
        for k, (end, piece) in enumerate(zip(ends, pieces, strict=True))
    ]
    texts = read_texts(folder / "texts")
    path = written(folder, "x.jsonl", json_lines(rows))
    refused(
        lambda path: read_chunks(path, texts), path, "count characters", f"these count {counted}"
    )
    assert read_chunks(path, texts, offsets=counted).ends.tolist() == [15, 24, 34]
    path = written(folder, "y.jsonl", json_lines([rows[0] | {"end": 99}]))
    said = "line 1: end of chunk 'c0' is 99"
    refused(lambda path: read_chunks(path, texts, offsets=counted), path, said)
    with pytest.raises(InputError, match="characters without texts"):
        read_chunks(path, offsets=counted)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"end": 35}, "end of chunk 'c' is 35, must lie in document 'a.md', which ends at 34"),
        ({"start": 9, "end": 5}, "end of chunk 'c' is 5, must lie after the start, 9"),
        ({"start": 5}, "end of chunk 'c' is 5, must lie after the start, 5"),
        ({"doc": "z"}, "document of chunk 'c' is 'z', must be a document of"),
        ({"doc": None}, "document of chunk 'c' must be given"),
        ({"end": None}, "end of chunk 'c' must be given; fill it in"),
        ({"start": None, "end": None}, "start of chunk 'c' must be"),
        ({"start": None, "end": None, "text": "nowhere"}, "must stand in document 'a.md'"),
        ({"start": None, "end": None, "text": "Là."}, "Là."),
        ({"start": 1.5}, "start is 1.5, must be a whole number"),
        ({"start": -1}, "start is -1"),
        ({"parent": "z"}, "parent of chunk 'c' is 'z'"),
        ({"tokens": 0}, "tokens of chunk 'c' is 0.0, must be positive"),
        ({"tokens": None}, "tokens of chunk 'c' is nan, must be"),
        ({"id": 7.5}, "id is 7.5, must be a text"),
    ],
)
def test_bad_chunks(folder, row, said):
    texts = read_texts(folder / "texts")
    rows = [
        {"id": "b", "doc": "a", "start": 0, "end": 5, "tokens": 1},
        {"id": "c", "doc": "a", "start": 0, "end": 5, "tokens": 1} | row,
    ]
    path = written(folder, "x.jsonl", json_lines(rows))
    if row.get("text") != "Là.":
        refused(lambda path: read_chunks(path, texts), path, "line 2", said)
    else:
        assert read_chunks(path, texts).starts.tolist() == [0, 12]


# --- gold -------------------------------------------------------------------------------------


GOLD_ROWS = [
    {"query_id": "q1", "doc": "a", "start": 0, "end": 11},
    {"query_id": "q2", "doc": "b", "start": 0, "end": 10},
    {"query_id": "q1", "doc": "a", "start": 0, "end": 11},
]
QUESTIONS = ("Where?", "Who is it?")
REFERENCES = [
    [{"content": TEXT[0:11], "start_index": 0, "end_index": 11}],
    [{"content": "Il est là.", "start_index": 0, "end_index": 10}],
]
SNIPPETS = [
    [{"file_path": "a", "span": [0, 11], "answer": TEXT[0:11]}],
    [{"file_path": "b", "span": [0, 10], "answer": "Il est là."}],
]


def nested_csv():
    rows = zip(QUESTIONS, REFERENCES, ("a", "b"), strict=True)
    return separated(
        [{"question": q, "references": json.dumps(r), "corpus_id": c} for q, r, c in rows]
    )


def legal_json(snippets=SNIPPETS):
    tests = [{"query": q, "snippets": s} for q, s in zip(QUESTIONS, snippets, strict=True)]
    return json.dumps({"tests": tests}, indent=1).encode()


@pytest.mark.parametrize(("name", "content"), [("x.csv", nested_csv()), ("x.json", legal_json())])
@pytest.mark.parametrize("with_texts", [False, True])
def test_gold_as_others_have_it(folder, name, content, with_texts):
    path = written(folder, name, content)
    texts = read_texts(folder / "texts") if with_texts else None
    gold = read_gold(path, texts)
    places = [(x.document, x.start, x.end) for spans in gold.spans.values() for x in spans.values()]
    suffix = ".md" * with_texts
    assert places == [(f"a{suffix}", 0, 11), (f"b{suffix}", 0, 10)]
    assert gold.questions == dict(zip(("q1", "q2"), QUESTIONS, strict=True))


def test_what_questions_are_called(tmp_path):
    rows = [{"question": q, "doc": "d", "start": k, "end": 9} for k, q in enumerate("aba")]
    gold = read_gold(written(tmp_path, "x.jsonl", json_lines(rows)))
    assert list(gold.spans) == ["a", "b"]
    assert list(gold.spans["a"]) == ["d:0-9", "d:2-9"]
    rows[1]["question"] = "b c"
    gold = read_gold(written(tmp_path, "x.jsonl", json_lines(rows)))
    assert gold.questions == {"q1": "a", "q2": "b c"}
    rows = [{**row, "id": f"n{k}"} for k, row in enumerate(rows)]
    gold = read_gold(written(tmp_path, "x.jsonl", json_lines(rows)))
    assert gold.questions == {"n0": "a", "n1": "b c", "n2": "a"}


def test_the_same_words_in_two_rows_of_questions_are_two(tmp_path):
    content = legal_json().replace(QUESTIONS[1].encode(), b"Where ?").replace(b"Where?", b"Where ?")
    gold = read_gold(written(tmp_path, "x.json", content))
    assert gold.questions == {"q1": "Where ?", "q2": "Where ?"}


def test_gold_is_found_by_its_words(folder):
    rows = [
        {"question": "q", "doc": "a", "answer": "Il est là."},
        {"question": "q", "content": "Oui."},
        {"question": "r", "doc": "a", "start": 0, "end": 4, "answer": "Nowhere at all"},
    ]
    gold = read_gold(written(folder, "x.jsonl", json_lines(rows)), read_texts(folder / "texts"))
    assert list(gold.spans["q"]) == ["a.md:18-28", "b.md:11-15"]
    assert list(gold.spans["r"]) == ["a.md:0-4"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"content": "Il est là."}, "once; give start and end (a.md:18-28 or b.md:0-10)"),
        ({"content": "Fin.\nOui."}, "must stand in a document; copy it"),
        (
            {"doc": "a", "start": 0, "end": 4, "content": "Fin."},
            "the characters 0 to 4 of document 'a.md'; there stands 'Où e', and this from 30 to 34",
        ),
        ({"doc": "a", "start": 0, "end": 3, "content": "Où"}, "these count bytes"),
        ({"doc": "a", "start": 3, "end": 3}, "end of span of question 'q' is 3"),
        ({"doc": "a", "start": 30, "end": 39}, "which ends at 34"),
        ({"doc": "z", "start": 3, "end": 4}, "must be a document of"),
        ({}, "number of spans of question 'q' is 0"),
        ({"doc": "a"}, "start of span of question 'q' must be given"),
        ({"start": 1, "end": 2}, "document of span of question 'q' must be"),
        ({"question": None}, "question must be given"),
    ],
)
def test_bad_gold(folder, row, said):
    texts = read_texts(folder / "texts")
    path = written(folder, "x.jsonl", json_lines([{"question": "q"} | row]))
    refused(lambda path: read_gold(path, texts), path, "line 1", said)


def test_lengths_tell_other_units_without_texts(tmp_path):
    row = {"question": "q", "doc": "a", "start": 0, "end": 6, "content": "éé x"}
    said = "is 4, must be 6, from start to end; correct the offsets, or give the texts and say"
    path = written(tmp_path, "x.jsonl", json_lines([row]))
    refused(read_gold, path, "line 1: length of the text of span of question 'q'", said)


def test_the_first_of_several_places_can_be_taken(folder):
    texts = read_texts(folder / "texts")
    path = written(folder, "x.jsonl", json_lines([{"question": "q", "content": "Il est là."}]))
    assert list(read_gold(path, texts, first=True).spans["q"]) == ["a.md:18-28"]


# --- campaigns --------------------------------------------------------------------------------


RUN = "q1 Q0 c1 1 2 x\nq1 Q0 c2 2 1 x\nnone Q0 z 1 1 x\n"


@pytest.fixture
def files(folder):
    return {
        "runs": [written(folder, "bm25", RUN)],
        "chunks": written(folder, "chunks.jsonl", json_lines(chunk_rows(CHUNKS))),
        "gold": written(folder, "gold.csv", separated(GOLD_ROWS)),
    }


def test_a_campaign_of_spans(files):
    campaign = read_span_campaign(**files, way="chunks next .5 parent .1")
    assert campaign.ideals == {"q1": ("a:0-11",), "q2": ("b:0-10",)}
    assert campaign.kind == "share"
    assert campaign.task("bm25", "q2").ranking == ()
    assert campaign.task("bm25", "q1").num_unranked == 2
    links = chunks(CHUNKS, next=0.5, parent=0.1)
    assert campaign.links == links == campaign.navigation_on("q1").links
    use = campaign.link_use
    assert (use.num_links, use.from_listed, use.to_ideals) == (3, 3, 3)
    whole = campaign.browsed("whole")
    assert whole == read_span_campaign(**files, way="chunks next .5 parent .1", whole=True)
    assert whole.kind == "whole"
    assert whole.browsed("share").links == links
    with pytest.raises(InputError, match="share or whole"):
        campaign.browsed("walk")
    assert read_span_campaign(**files).links == Links({})


def test_spans_without_a_chunk_make_the_collection_larger(files, folder):
    rows = [{"query_id": "q1", "doc": "d", "start": k, "end": 9} for k in range(3)]
    files["gold"] = written(folder, "gold.jsonl", json_lines(rows))
    files["chunks"] = written(folder, "c.csv", "id,doc,start,end\nc1,d,0,1\nc2,d,0,1\n")
    campaign = read_span_campaign(**files)
    assert campaign.task("bm25", "q1").collection_size == 5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"runs": "q1 Q0 z 1 1 x\n"}, "question q1: chunk is 'z', must be in the table"),
        ({"runs": "7 Q0 z 1 1 x\n"}, "number of questions that runs answer is 0"),
        ({"gold": b"query_id,doc,start,end\nq1,z,0,1\n"}, "a span of question 'q1' is 'z'"),
    ],
)
def test_bad_campaigns(files, folder, change, said):
    for name, content in change.items():
        path = written(folder, "gold.csv" if name == "gold" else name, content)
        files[name] = path if name == "gold" else [path]
    with pytest.raises(InputError) as error:
        read_span_campaign(**files)
    assert said in str(error.value)


def test_documents_with_texts_may_have_no_chunk(files, folder):
    files["chunks"] = written(folder, "c.csv", "id,doc,start,end\nc1,a,0,9\nc2,a.md,0,1\n")
    assert read_span_campaign(**files, texts=folder / "texts").navigation["q2"].touching() == ()


# --- real data --------------------------------------------------------------------------------


def test_real_questions_show_what_stands_there(shared_data):
    folder = shared_data / "rag_spans"
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is missing")
    texts = read_texts(folder / "corpora")
    gold = read_gold(folder / "questions_df.csv", texts)
    assert len(gold.spans) == 276
    assert sum(map(len, gold.spans.values())) == 452
    assert list(gold.questions)[:2] == ["q1", "q2"]
    with pytest.raises(InputError, match="these count characters"):
        read_gold(folder / "questions_df.csv", texts, offsets="bytes")
