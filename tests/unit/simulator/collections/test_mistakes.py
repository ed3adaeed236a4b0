"""What readers say of mistakes that a kind of file may have; `test_doors` has those of all."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import prum
from prum.experiments.generate.files import Outline
from prum.simulator.collections import (
    ideals_of,
    read_chunks,
    read_costs,
    read_elements,
    read_gold,
    read_inex_assessments,
    read_inex_run,
    read_links,
    read_qrels,
    read_run,
    read_xml,
)
from prum.simulator.collections.fitted_files import read_navigation
from prum.simulator.collections.judgements import judgements_from
from prum.simulator.collections.preferences import read_trec_preferences
from prum.simulator.model import InputError
from prum.simulator.tables import files
from prum.simulator.tables.files import looked_at
from prum.simulator.tables.forms import read_json
from tests.table_forms import refused, written


def read_preferences(path: Path) -> object:
    with looked_at(path) as file:
        return read_trec_preferences(file)


def topic(*results: str) -> str:
    inside = "\n".join(results)
    return f'<inex-submission><topic topic-id="1">\n{inside}</topic></inex-submission>'


def result(parts: str = "", file: str = "r", path: str = "/article") -> str:
    return f"<result><file>{file}</file><path>{path}</path>{parts}</result>"


def judged(attributes: str, file: str = 'file="r"') -> str:
    return f'<assessments topic="1">\n<file {file}>\n<path {attributes}/></file></assessments>'


GOOD, MARKS = 'path="/p" exhaustiveness="2" specificity="2"', 'exhaustiveness="2" specificity="2"'
LINE, TREE = "q1 Q0 a 1 3.5 x\n", "element,parent,length,start\n"
FAR = "".join(f"q{n // 1000} Q0 document-{n} 1 {-n} x\n" for n in range(60_000))
BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
BOMB = f'<!DOCTYPE a [<!ENTITY e0 "lol">{BOMB}]>'
TESTS = '[{"query": "q", "snippets": [%s]}]'
CELL = 'question,references,corpus_id\np,"[{""start_index"": 0, ""end_index"": 9}]",a\nq,"%s",a\n'
_NO_GRADES = re.split(" ", "-3 -0.5 x --1 1e999 . e5 nan inf 0x1")
_NO_PATHS = re.split(
    " ",
    "article /article[2] /article/p[0] /article/p[x] /article//p / //p /article/ "
    "/article/text() /article/@id /article/*",
)
# Reader -> suffix, and mistakes with what is said of each.
MISTAKES: dict[Callable[[Any], Any], tuple[str, dict[str | bytes, tuple[str, ...]]]] = {
    read_run: (
        "run",
        {
            "": ("number of lines", "is 0, must be at least 1"),
            "q Q0 a 1 x\n": ("line 1", "is 5, must be 6"),
            "q 0 a 1\n": ("this looks like qrels, not a run",),
            LINE + "q1 Q0 b 2 3.": ("line 2", "is 5, must be 6"),
            (LINE + "é").encode()[:-1]: ("line 2", "UTF-8"),
            "q1 Q0  e 1 1.5\n" * 6: ("line 1: number of columns of ", "is 5, must be 6"),
            FAR + "q Q0 x\n": ("line 60001", "is 3, must be 6"),
            FAR.encode() + b"q Q0 \xff 1 1 x\n": ("line 60001", "UTF-8"),
            gzip.compress(FAR.encode(), mtime=0)[:-1000]: ("must be a complete gzip file",),
            **{
                f"{LINE}\nq1 Q0 b 1 {score} x\n": ("line 3", repr(score), "correct the score")
                for score in ("nan", "inf", "-Infinity", "0,5", "x", "1e309", "0x1p3")
            },
        },
    ),
    read_qrels: (
        "qrels",
        {
            "\n \n": ("number of lines",),
            LINE: ("this looks like a run",),
            "q1 0 a 2\nq2 0 b 1\n\nq1 0 a 2\n": ("line 4", "'a'", "given once", "line 1"),
            "q1 0 a 2\nq1 0 b E3S2\n": ("all be numbers",),
            "q1 0 a E3S2\n": ("grades is 'assessments', must be a number",),
            **{
                f"q1 0 b 2\n{line}\n": ("line 2", line, "must be 4", "separate")
                for line in ("q1 0 a", "q1 0 a 1 more", "q1")
            },
            **{
                f"q1 0 a 2\nq1 0 b {grade}\n": ("line 2", repr(grade), "whole number of at least")
                for grade in _NO_GRADES
            },
        },
    ),
    judgements_from: (
        "qrels",
        {
            "1 0 a E4S1\n": ("line 1", "'E4S1'"),
            "1 0 a E1S1\n1 0 b E0S2\n": ("line 2", "'E0S2'", "like E3S2"),
            "1 0 a e3s2\n": ("'e3s2'",),
            "1 0 a E1S1\n2 0 a E1S1\n1 1 a E2S2\n": ("line 3", "('1', 'a', '')", "line 1"),
        },
    ),
    read_preferences: (
        "prefs",
        {
            "q j 0 a 1\nq j 0 b x\n": ("line 2: relevance is 'x', must be a finite number",),
            "q j 0 a\n": ("number of columns", "is 4, must be 5"),
            "q j 0 a 1\nq j 0 b 1\n": ("number of preferences is 0",),
        },
    ),
    read_links: (
        "csv",
        {
            'source,target,probability\n\n"a\nb",c,1\n \nx,y,z\n': ("line 6", "'z'"),
            "source,target,probability\na,b,1\n,b,1\n": ("line 3", "source is ''", "not empty"),
            "source;target;probability\n": ("separate columns by commas",),
            LINE: ("this looks like a run",),
            "<a/>\n": ("this looks like XML",),
        },
    ),
    read_elements: (
        "csv",
        {
            TREE + "a,,-1,0\n": ("line 2: length is '-1'", "finite number of at least 0"),
            TREE + ",,1,0\n": ("line 2", "not empty"),
            TREE + "a,b,1,0\n": ("line 2", "parent of 'a'", "element of the table"),
            TREE + "r,,9,0\n\na,b,1,0\nb,a,1,0\n": ("line 4", "parent of 'a'"),
            TREE + "b,a,2,9\na,,10,0\n": ("line 2", "end of 'b' is 11.0", "its parent 'a'"),
            TREE + "b,a,2,0\na,,10,1\n": ("line 2", "start of 'b' is 0.0"),
        },
    ),
    read_costs: (
        "csv",
        {
            "element,tokens\na,0\n": ("line 2: tokens of element 'a' is 0.0, must be a positive",),
            "element,tokens\na,1\nb,-2\n": ("line 3: tokens is '-2', must be a positive",),
            "element,tokens\n,1\n": ("line 2: element is '', must",),
            "element\na\n": ("columns of costs is 'element', must hold a unit",),
            "tokens\n1\n": ("the row of names is 'tokens', must be element or docno or",),
            "element,\na,1\n": ("unit of cost is '', must",),
        },
    ),
    read_chunks: (
        "csv",
        {
            "id,doc,start,end\na,d,0,5\na,d,1,5\n": ("line 3: chunk is 'a', must be given once",),
            "chunk,doc,start\na,d,0\n": ("end of chunk 'a'",),
            "doc,start,end\nd,0,1\n": ("id or chunk",),
        },
    ),
    read_gold: (
        "json",
        {
            '{"tests": [': ("line 1: content is 'Expecting value",),
            '{"tests": 7}': ("tests is 7, must be a list",),
            '{"x": []}': ("tests is None",),
            "[]": ("number of questions is 0",),
            '[{"snippets": []}]': ("row 1", "question must be given"),
            '[{"query": 7.5}]': ("row 1", "query is 7.5, must be a text"),
            '[{"query": "\\ud800"}]': ("it holds half of a surrogate pair",),
            '[{"query": "q"}]': ("row 1", "number of spans of question 'q' is 0"),
            TESTS % "3": ("row 1", "snippets: record is 3, must be an object"),
            TESTS % '{"span": [1]}': ("row 1", "snippets: span is [1], must be a pair"),
            TESTS % '{"file_path": "a", "span": [1, true]}': ("is True",),
            TESTS % '{"file_path": "a", "span": [1, 1e999]}': ("is inf",),
            TESTS % '{"file_path": 7.5, "span": [1, 2]}': (
                "row 1, snippets, row 1",
                "file_path is 7.5",
            ),
            TESTS % '{"span": [1, 2]}': ("document of span",),
            TESTS % '{"file_path": "a", "span": [2, 1]}': ("is 1, must lie",),
            '[{"query": "q", "id": "x"}, {"query": "r"}]': ("row 2", "id of a question must be"),
            "[" * 100_000: ("json",),
        },
    ),
    lambda path: read_gold(path): (
        "csv",
        {
            CELL % "{": ("line 3: references is '{', must be a list in JSON",),
            CELL % "{}": ("line 3", "must be a list"),
            CELL % "[3]": ("line 3, snippets: record is 3",),
            CELL % "": ("line 3", "number of spans"),
            CELL % "[]": ("line 3", "number of spans"),
            CELL % '[{""content"": 1}]': ("line 3, snippets, row 1", "start of span"),
            'id,references\np,"[{""corpus_id"": ""a"", ""span"": [0, 9]}]"\np,[]\n': (
                "line 3: question is 'p'",
                "line 2",
            ),
        },
    ),
    read_xml: (
        "xml",
        {
            "": ("must be well-formed XML",),
            gzip.compress(b"", mtime=0): ("must be well-formed XML",),
            gzip.compress(b"<a>" + b"<b/>" * 9_000, mtime=0)[:-9]: ("complete gzip file",),
            "<a>\n<b></a>": ("line 2", "tag mismatch"),
            "<a>\n\n<b>": ("line 3", "Premature end"),
            "<a/>\n<b/>": ("line 2", "Extra content"),
            "hello": ("line 1", "Start tag expected"),
            "<a>\n&nobody;</a>": ("nobody",),
            "<a>\n<b c='1' c='2'/></a>": ("line 2", "redefined"),
            b"<a>\n\xe9</a>": ("line 2", "well-formed"),
            "<?xml version='1.0' encoding='nope'?><a/>": ("line 1", "nope"),
            "<" + "a" * 40_000 + "></" + "b" * 40_000 + ">": ("line 1",),
            "<!-- only -->": ("well-formed",),
            f"{BOMB}<a b='&e11;'/>": ("entity",),
            '<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a>&x;</a>': ("line 1",),
        },
    ),
    read_inex_run: (
        "xml",
        {
            "<run/>": ("number of topic is 0, must be at least 1",),
            "<inex-submission><topic/></inex-submission>": ("attribute topic-id of topic must be",),
            f"<inex-submission>\n{result()}</inex-submission>": ("line 2", "must stand in topic"),
            topic('<topic topic-id="2"/>'): ("must stand in inex-submission",),
            topic('</topic><topic topic-id="1">'): ("topic is '1', must be given once",),
            topic()[:-4]: ("must be well-formed XML",),
            topic(*[result("<rank>1</rank>")] * 2): ("topic 1", "rank is 1, must be given once"),
            topic(result("<file>x</file>")): ("line 2", "part of a result is 'file'", "once"),
            topic(result(file=" ")): ("line 2", "file of a result", "must be given"),
            topic(result(path="")): ("line 2", "path of a result", "must be given"),
            topic(result(file=".xml.gz")): ("line 2", "name of a document"),
            **{
                topic(result(f"<rank>{rank}</rank>")): ("line 2", "rank is", "at least 1")
                for rank in ("0", "-1", "1.5", "", "one", "²")
            },
            **{
                topic(result(f"<rsv>{score}</rsv>")): ("line 2", "rsv is", "finite number")
                for score in ("nan", "inf", "1e999", "")
            },
            **{
                topic(result(path=path)): ("line 2", f"path is {path!r}", "must be steps of names")
                for path in _NO_PATHS
            },
        },
    ),
    read_inex_assessments: (
        "xml",
        {
            "<run/>": ("number of assessments is 0, must be at least 1",),
            judged(GOOD)[:-4]: ("must be well-formed XML",),
            judged(GOOD, 'id="x"'): ("file or name of file must",),
            '<assessments><file file="x"/></assessments>': ("attribute topic or topic-id",),
            '<assessments topic="1" topic-id="1"/>': ("must be given once",),
            f'<assessments topic="1"><path {GOOD}/></assessments>': ("must stand in file",),
            f'<all><file file="x"><path {GOOD}/></file></all>': ("must stand in assessments",),
            judged(f"{GOOD}/>\n<path {GOOD}"): ("line 4", "judged for topic 1 is 'r'", "once"),
            judged('path="/p" exhaustivity="2" size="50" rsize="20"'): (
                "line 3",
                "specificity of path is '20 of 50 characters'",
            ),
            judged(f'path="/p[0]" {MARKS}'): ("line 3", "path is '/p[0]'"),
            judged('path="/p" exhaustiveness="4" specificity="1"'): ("line 3", "is 'E4S1'"),
            judged('path="/p" exhaustiveness="0" specificity="2"'): ("'E0S2', must be E0S0",),
            judged('path="/p" specificity="2"'): ("exhaustiveness or exhaustivity of path must",),
            judged(f'path="/p" exhaustivity="2" {MARKS}'): ("must be given once",),
            judged('path="/p" exhaustiveness="2" specificity=""'): ("specificity of path is ''",),
            judged(MARKS): ("attribute path of path must be",),
        },
    ),
    read_json: (
        "json",
        {
            "{": ("Expecting property name enclosed in double quotes",),
            "[" * 100_000: ("nested too deep",),
            b"\xff": ("in another encoding",),
            r'{"\udc00x": 1}': ("it holds half of a surrogate pair",),
            "1" * 5_000: ("Exceeds the limit",),
        },
    ),
    read_navigation: ("json", {'{"fitted": "walk", "fitted": "walk"}': ("stands twice",)}),
    prum.compare: (
        "jsonl",
        {'{"topic": "q", "score": 1}\n{"topic": "q", "topic": "r"}\n': ("stands twice",)},
    ),
    lambda path: Outline.read(path.rename(path.with_name("dataset.json")).parent): (
        "json",
        {'{"files": {}, "files": {}}': ("stands twice",)},
    ),
}


@pytest.mark.parametrize(
    ("read", "suffix", "content", "parts"),
    [
        (read, suffix, content, parts)
        for read, (suffix, mistakes) in MISTAKES.items()
        for content, parts in mistakes.items()
    ],
)
def test_mistakes_are_named(
    read: Any, suffix: str, content: str | bytes, parts: tuple[str, ...], tmp_path: Path
) -> None:
    path = written(tmp_path, f"file.{suffix}", content)
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert len(message) < 1500
    assert all(part in message for part in parts), message


@pytest.mark.parametrize("grade", [0, -1, 1.5, True, "1", None, float("nan")])
def test_ideal_grade_is_a_positive_whole_number(grade: Any) -> None:
    with pytest.raises(InputError, match=r"ideal_grade is .*must be a whole number of at least 1"):
        ideals_of({"q": {"a": 1}}, ideal_grade=grade)


def test_an_endless_line_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_LONGEST_LINE", 1 << 18)
    path = written(tmp_path, "a.csv", gzip.compress(b"\n" + b" " * (1 << 22), 1, mtime=0))
    for read in (read_links, read_run):
        refused(read, path, "line 2: number of bytes of a line", "at most 262144")
