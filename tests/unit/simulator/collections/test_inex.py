"""Readers of INEX runs and assessments, and of assessments in TREC files."""

import gzip

import pytest

from prum.simulator.collections import (
    read_inex_assessments,
    read_inex_run,
    read_xml,
)
from prum.simulator.model.assessments import Assessment
from tests.table_forms import refused, written
from tests.tiers import slow

pytest.importorskip("lxml.etree")

RUN = """<?xml version="1.0" encoding="UTF-8"?>
<inex-submission participant-id="12" run-id="first" task="CO">
  <description>of &amp; all</description>
  <topic topic-id="01">
    <collections><collection>ieee</collection></collections>
    <result><file>co/2000/r7108</file><path>/article[1]/bdy[1]/sec[2]</path><rank>2</rank>
      <rsv>0.9</rsv></result>
    <result><file>co/2000/r7109.xml</file><path>/article/bdy/p</path><rank>1</rank></result>
  </topic>
  <topic topic-id="02"/>
</inex-submission>
"""
JUDGED = """<all>
<assessments topic="01">
  <file file="co/2000/r7108">
    <path path="/article[1]/bdy[1]" exhaustiveness="3" specificity="2"/>
    <path path="/article[1]" exhaustivity="3" specificity="1"/>
  </file>
  <file file="co/2000/r7109"><path path="/article[1]" exhaustiveness="0" specificity="0"/></file>
</assessments>
<assessments topic-id="02"/>
</all>
"""
HEAD = "<inex-submission>"
END = "</inex-submission>"


def result(*, file="r1", path="/article", rank=None, rsv=None):
    parts = {"file": file, "path": path, "rank": rank, "rsv": rsv}
    inside = "".join(f"<{tag}>{text}</{tag}>" for tag, text in parts.items() if text is not None)
    return f"<result>{inside}</result>\n"


def run_file(folder, *results):
    topic = f'<topic topic-id="1">\n{"".join(results)}</topic>'
    return written(folder, "a.xml", f"{HEAD}{topic}{END}")


def run(folder, *results):
    return read_inex_run(run_file(folder, *results))["1"]


def judged_file(folder, attributes, file='file="r1"', times=1):
    paths = f"<path {attributes}/>\n" * times
    content = f'<assessments topic="1">\n<file {file}>\n{paths}</file></assessments>'
    return written(folder, "a.xml", content)


# --- runs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_run(tmp_path, pack):
    path = written(tmp_path, "run.xml", pack(RUN))
    assert read_inex_run(path) == {"01": ("r7109/bdy[1]/p[1]", "r7108/bdy[1]/sec[2]"), "02": ()}


def test_ids_are_those_of_the_documents(tmp_path):
    text = '<article xmlns:x="urn:x"><bdy><sec/><x:sec><p/></x:sec></bdy></article>'
    (tmp_path / "co").mkdir()
    elements = read_xml(written(tmp_path / "co", "é 1.xml", text))
    paths = [
        "/article",
        "/article[1]/bdy",
        "/article/bdy/sec[1]",
        "/x:article[1]/bdy[1]/x:sec[2]",
        "/article[1]/bdy/sec[2]/p",
    ]
    results = [result(file="co/é 1.XML.gz", path=path) for path in paths]
    assert run(tmp_path, *results) == elements.ids


def test_order_by_rank_score_or_line(tmp_path):
    def files(*rows):
        return run(tmp_path, *(result(file=f, rank=rank, rsv=rsv) for f, rank, rsv in rows))

    assert files(("a", 30, 1), ("b", 2, 2), ("c", 4, 3)) == ("b", "c", "a")
    assert files(("a", None, ".5"), ("b", 1, "-1e3"), ("c", None, 7)) == ("c", "a", "b")
    assert files(("a", None, 1), ("b", None, 2), ("c", None, 1)) == ("b", "a", "c")
    assert files(("a", None, 1), ("b", 1, None), ("c", None, 3)) == ("a", "b", "c")
    assert files(("a", None, 1), ("a", None, 2)) == ("a", "a")


def test_namespaces_are_dropped(tmp_path):
    content = RUN.replace("<inex-submission", '<inex-submission xmlns="urn:inex"')
    assert len(read_inex_run(written(tmp_path, "run.xml", content))["01"]) == 2


# --- assessments ------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_assessments(tmp_path, pack):
    assert read_inex_assessments(written(tmp_path, "a.xml", pack(JUDGED))) == {
        "01": {
            "r7108/bdy[1]": Assessment(3, 2),
            "r7108": Assessment(3, 1),
            "r7109": Assessment(0, 0),
        },
        "02": {},
    }


def test_one_file_may_judge_a_topic_in_parts(tmp_path):
    part = (
        '<assessments topic="1"><file file="{}">'
        '<path path="/p" exhaustivity="1" specificity="1"/></file></assessments>'
    )
    path = written(tmp_path, "a.xml", f"<all>{part.format('x')}\n{part.format('y')}</all>")
    assert read_inex_assessments(path) == {"1": {"x": Assessment(1, 1), "y": Assessment(1, 1)}}
    path = written(tmp_path, "a.xml", f"<all>{part.format('x')}\n{part.format('a/x.xml')}</all>")
    refused(read_inex_assessments, path, "line 2", "judged for topic 1 is 'x'")


def test_later_names_of_assessments_are_read(tmp_path):
    later = JUDGED.replace("<path ", "<element ").replace("<file file=", "<file name=")
    assert read_inex_assessments(written(tmp_path, "later.xml", later)) == read_inex_assessments(
        written(tmp_path, "a.xml", JUDGED)
    )


# --- both -------------------------------------------------------------------------------------


@slow
def test_a_long_run_is_read_in_order(tmp_path):
    results = [result(file=f"d{k}", rank=20_000 - k) for k in range(20_000)]
    ranked = run(tmp_path, *results)
    assert ranked == tuple(f"d{k}" for k in reversed(range(20_000)))


# --- TREC files -------------------------------------------------------------------------------
