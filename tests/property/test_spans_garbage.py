"""Garbage at the readers of chunks, gold spans and texts: a valid result, or one line."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum.simulator.collections import read_chunks, read_gold, read_texts
from prum.simulator.collections.gold_files import GoldSpans
from prum.simulator.collections.placing import Texts
from prum.simulator.model import ChunkTable, InputError, Span
from tests.property.test_readers_garbage import fewer, mutated
from tests.tiers import examples

TEXTS = Texts({"d": "Où est-il ? Là. \U0001f600 Il est là.", "é": "Oui."})
CHUNK = '{"id": "a", "doc": "d", "start": 0, "end": 4, "tokens": 1.5, "text": "Où e"}\n'
CHUNK += (
    '{"id": "b", "document": "é", "text": "Oui.", "parent": null, "tokens": 2, "more": [1, {}]}\n'
)
REFERENCES = '"[{""content"": ""Là."", ""start_index"": 12, ""end_index"": 15}]"'
SNIPPET = '{"file_path": "d", "span": [12, 15], "answer": "Là."}'
VALID = {
    "chunks": ("a.jsonl", CHUNK),
    "chunks of others": ("a.csv", "chunk,document,start,end,parent\na,d,0,9,\nb,d,4.0,8,a\n"),
    "gold": ("a.csv", "question,doc,start,end,content\nWho?,d,12,15,Là.\nWho?,é,,,Oui.\n"),
    "gold of questions": ("a.csv", f"question,references,corpus_id\nWho?,{REFERENCES},d\n"),
    "gold of tests": ("a.json", '{"tests": [{"query": "q", "snippets": [' + SNIPPET + "]}]}"),
    "texts": ("a.jsonl", '{"_id": "d", "title": "", "text": "x"}\n{"_id": "é", "text": null}\n'),
}


def checked(name, content, texts):
    """Read bytes: return a valid result, or None if they are refused in one line."""
    kind, file = name.split()[0], VALID[name][0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file
        path.write_bytes(content)
        try:
            if kind == "texts":
                result = read_texts(path)
            else:
                result = {"chunks": read_chunks, "gold": read_gold}[kind](path, texts)
        except InputError as error:
            message = str(error)
            assert len(message.splitlines()) == 1
            assert message.startswith(str(path))
            assert len(message) < 1500
            return None
    CHECKS[kind](result, texts)
    return result


def check_chunks(table, texts):
    assert isinstance(table, ChunkTable)
    for chunk, document, start, end in table:
        assert chunk
        assert document
        assert 0 <= start < end
        assert texts is None or end <= len(texts[document])
    assert json.loads(json.dumps(table.ends.tolist())) == [row[3] for row in table]


def check_gold(gold, texts):
    assert isinstance(gold, GoldSpans)
    assert gold.spans
    for spans in gold.spans.values():
        assert spans
        for name, span in spans.items():
            assert name == f"{span.document}:{span.start}-{span.end}"
            assert isinstance(span, Span)
            assert texts is None or span.end <= len(texts[span.document])


def check_texts(texts, _):
    assert all(isinstance(text, str) for text in texts.values())


CHECKS = {"chunks": check_chunks, "gold": check_gold, "texts": check_texts}


@pytest.mark.parametrize("name", VALID)
def test_what_is_valid_is_read(name):
    assert checked(name, VALID[name][1].encode(), TEXTS) is not None


@fewer
@given(name=st.sampled_from(list(VALID)), with_texts=st.booleans(), data=st.data())
def test_mutated_files(name, with_texts, data):
    content = data.draw(mutated(VALID[name][1].encode()))
    checked(name, content, TEXTS if with_texts else None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(["a", "span"]), x),
    max_leaves=4,
)
FIELDS = st.dictionaries(
    st.sampled_from(["query", "id", "snippets", "file_path", "span", "start", "end", "answer"]),
    JSON,
)


@settings(fewer, max_examples=examples(30))
@given(tests=JSON | st.lists(FIELDS), snippets=st.lists(FIELDS, max_size=2))
def test_any_json(tests, snippets):
    for content in (tests, {"tests": tests}, [{"query": "q", "snippets": snippets}]):
        checked("gold of tests", json.dumps(content).encode(), TEXTS)


@pytest.mark.parametrize("start", ["1e999", "1e300", "4.5", "-1"])
def test_offsets_beside_texts_are_whole_numbers(start, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"chunk,document,start,end\nb,d,{start},8\n")
    with pytest.raises(InputError, match=r"line 2: start .*, must be a whole number from 0"):
        read_chunks(path, TEXTS)
