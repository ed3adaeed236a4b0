"""Qrels of subtopics: how they are told from others, and what is read of them."""

import pytest

from prum.simulator.collections import read_qrels
from prum.simulator.collections.judgements import judgements_from
from prum.simulator.model import InputError

DIVERSE = "51 1 a 2\n51\t2\ta 0\n\n52 0 c 1\n51 2 b 1\n51 3 a -2\n"


def read(path, **options):
    found = judgements_from(path, **options)
    return found.grades, found.subtopics


def written(folder, text):
    path = folder / "qrels"
    path.write_text(text)
    return path


def test_an_element_that_is_judged_for_several_subtopics(tmp_path):
    path = written(tmp_path, DIVERSE)
    subtopics = {"51": {"a": {"1": 2, "2": 0, "3": -2}, "b": {"2": 1}}, "52": {"c": {"0": 1}}}
    highest = {"51": {"a": 2, "b": 1}, "52": {"c": 1}}
    assert read(path) == read(path, by_subtopic=True) == (highest, subtopics)
    assert read_qrels(path) == highest


@pytest.mark.parametrize("second", ["0", "Q0", "0.5", "1"])
def test_other_second_columns_say_nothing(tmp_path, second):
    path = written(tmp_path, f"1 0 a 1\n1 {second} b 2\n2 {second} a 0\n")
    grades = {"1": {"a": 1, "b": 2}, "2": {"a": 0}}
    assert read(path) == (grades, None)
    assert (read(path, by_subtopic=True)[1] is None) == (second == "0")


def test_an_element_of_one_subtopic_may_not_be_judged_twice(tmp_path):
    path = written(tmp_path, DIVERSE + "51 2 a 1\n")
    for door in (read, read_qrels):
        with pytest.raises(
            InputError, match=r"line 7: .* \('51', 'a', '2'\), must be given once; .*, line 2"
        ):
            door(path)


def test_grades_are_those_of_ir_measures(tmp_path):
    ir_measures = pytest.importorskip("ir_measures")
    path = written(tmp_path, DIVERSE)
    theirs = {}
    for row in ir_measures.read_trec_qrels(str(path)):
        elements = theirs.setdefault(row.query_id, {})
        elements.setdefault(row.doc_id, {})[row.iteration] = row.relevance
    assert read(path)[1] == theirs
