"""Texts of documents: what is read, where words stand in them, and what offsets count."""

import gzip

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prum.simulator.collections import read_texts
from prum.simulator.collections.placing import Texts, in_characters, located
from prum.simulator.model import InputError, Span
from tests.table_forms import json_lines, refused, written

TEXTS = {"a.md": "Où est-il ? Là.\r\nFin.", "b.md": "Il est là. Oui."}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    for name, text in TEXTS.items():
        written(tmp_path / "texts", name, text)
    return tmp_path


def test_texts_of_a_folder_keep_their_line_ends(folder):
    (folder / "texts" / "deep").mkdir()
    written(folder / "texts" / "deep", "a.txt.gz", gzip.compress(b"\xef\xbb\xbfx\r\n"))
    written(folder / "texts", ".hidden", "no")
    texts = read_texts(folder / "texts")
    assert dict(texts) == {**TEXTS, "deep/a.txt": "x\r\n"}
    assert texts.canonical("deep/a") == texts.canonical("a.txt") == "deep/a.txt"
    assert texts.canonical(str(folder / "texts" / "a.md")) == "a.md"
    with pytest.raises(InputError, match=r"must be a document of .*, and only one; name one of"):
        texts.canonical("a")
    with pytest.raises(InputError, match="must be a document of"):
        texts.canonical("other/b.md")


def test_texts_of_a_corpus(tmp_path):
    rows = [{"_id": "1", "title": "T", "text": "x\ny"}, {"_id": "2", "title": "", "text": None}]
    assert read_texts(written(tmp_path, "corpus.jsonl", json_lines(rows))) == {"1": "x\ny", "2": ""}
    path = written(tmp_path, "x.jsonl", json_lines([rows[0]] * 2))
    refused(read_texts, path, "line 2: _id is '1', must be given once")
    refused(read_texts, written(tmp_path, "y.csv", "_id,title\n1,x\n"), "text or content")


def test_bad_folders(tmp_path):
    refused(read_texts, tmp_path, "number of texts is 0")
    written(tmp_path, "latin.txt", "é".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.txt, line 1: text is .* must be UTF-8"):
        read_texts(tmp_path)


@given(st.text(st.characters(codec="utf-8")))
@example("aé\u0800€\uffff😀")
def test_offsets_are_those_of_the_encoded_text(text):
    places = range(len(text) + 1)
    for counted, encoding, size in (("bytes", "utf-8", 1), ("utf-16", "utf-16-le", 2)):
        offsets = [len(text[:k].encode(encoding)) // size for k in places]
        assert in_characters(text, offsets, counted).tolist() == list(places)
        others = np.setdiff1d(np.arange(offsets[-1] + 5), offsets)
        assert (in_characters(text, others, counted) == -1).all()
    assert in_characters(text, list(places), "characters").tolist() == list(places)


@given(st.text("ab", min_size=1, max_size=4), st.text("ab", max_size=12))
def test_a_text_is_located_where_it_stands_once(words, text):
    places = [k for k in range(len(text)) if text[k:].startswith(words)]
    if len(places) == 1:
        assert located(words, {"d": text}) == Span("d", places[0], places[0] + len(words))
    else:
        with pytest.raises(InputError, match="once" if places else "must stand in"):
            located(words, {"d": text})
        if places:
            assert located(words, {"d": text}, "d", first=True).start == places[0]


def test_bad_arguments():
    for make in (
        lambda: located("", TEXTS),
        lambda: located("x", TEXTS, "z"),
        lambda: in_characters("x", [0], "words"),
        lambda: Texts({"a": 7}),
    ):
        with pytest.raises(InputError):
            make()
