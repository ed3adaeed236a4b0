"""Readers of INEX runs and assessments, and of assessments in TREC files."""

import gzip

import pytest

from prum.simulator.collections import (
    read_assessments,
    read_inex_assessments,
    read_inex_run,
    read_xml,
)
from prum.simulator.collections.xml import LONGEST_ID
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


def test_wrong_ranks(tmp_path):
    twice = run_file(tmp_path, result(rank=1), result(rank=2), result(rank=1))
    refused(read_inex_run, twice, "line 4", "rank of topic '1' is 1", "line 2")
    some = run_file(tmp_path, result(rank=1), result(), result(rank=1))
    refused(read_inex_run, some, "line 4", "must be given once")
    for rank in ("0", "-1", "1.5", "", "one", "²"):
        path = run_file(tmp_path, result(rank=rank))
        refused(read_inex_run, path, "line 2", "rank is", "at least 1")
    for score in ("nan", "inf", "1e999", "1_0", ""):
        path = run_file(tmp_path, result(rsv=score))
        refused(read_inex_run, path, "line 2", "rsv is", "finite number")


@pytest.mark.parametrize(
    "path",
    [
        "article",
        "/article[2]",
        "/article[1]/p[0]",
        "/article[1]/p[-1]",
        "/article[1]/p[x]",
        "/article[1]//p",
        "/article[1]/",
        "/article/text()",
        "/article/text()[1]",
        "/article/@id",
        "/article/*",
        "/article /p",
        "//p",
        "/",
    ],
)
def test_wrong_paths(tmp_path, path):
    given = run_file(tmp_path, result(), result(path=path))
    refused(read_inex_run, given, "line 3", f"path is {path!r}", "must be steps of names")
    refused(read_inex_assessments, judged_file(tmp_path, f'path="{path}"'), "line 3", "path is")


def test_missing_parts_of_results(tmp_path):
    for part in ("file", "path"):
        for text in (None, " "):
            given = run_file(tmp_path, result(**{part: text}))
            refused(read_inex_run, given, "line 2", f"{part} of a result", "must be given")
    given = run_file(tmp_path, result().replace("<path>", "<file>r2</file><path>"))
    refused(read_inex_run, given, "line 2", "file of a result is 'r2', must be given once")
    for file in ("/", ".xml", ".xml.gz"):
        refused(
            read_inex_run, run_file(tmp_path, result(file=file)), "line 2", "name of a document"
        )
    long = "/article" + "/p" * LONGEST_ID
    refused(read_inex_run, run_file(tmp_path, result(path=long)), "length of the id")


def test_misplaced_parts_of_runs(tmp_path):
    def told(content, *parts):
        refused(read_inex_run, written(tmp_path, "a.xml", content), *parts)

    told("<run/>", "line 1", "root element is 'run', must be inex-submission")
    told(JUDGED, "root element is 'all'")
    told(f"{HEAD}<topic/>{END}", "attribute topic-id of topic must be")
    told(f'{HEAD}<topic topic-id=""/>{END}', "attribute topic-id of topic is ''")
    told(f"{HEAD}\n{result()}{END}", "line 2", "result", "must stand in a topic")
    topic = '<topic topic-id="1"/>'
    told(f"{HEAD}{topic}\n{topic}{END}", "line 2", "topic is '1', must be given once")
    told(f'{HEAD}<topic topic-id="2">{topic}</topic>{END}', "must stand in inex-submission itself")


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
    refused(read_inex_assessments, path, "line 2", "judged again for topic '1' is 'x'", "line 1")


def test_later_names_of_assessments_are_read(tmp_path):
    later = JUDGED.replace("<path ", "<element ").replace("<file file=", "<file name=")
    assert read_inex_assessments(written(tmp_path, "later.xml", later)) == read_inex_assessments(
        written(tmp_path, "a.xml", JUDGED)
    )


def test_shares_of_highlighted_text_are_refused(tmp_path):
    judged = '<element path="/p" exhaustivity="2" size="50" rsize="20"/>'
    content = f'<assessments topic="1">\n<file name="x">\n{judged}</file></assessments>'
    path = written(tmp_path, "a.xml", content)
    words = ("line 3", "specificity of element is '20 of 50 characters'", "0 to 3", "decimals")
    refused(read_inex_assessments, path, *words)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('path="/p" exhaustiveness="4" specificity="1"', "assessment is 'E4S1', must be written"),
        ('path="/p" exhaustiveness="U" specificity="1"', "assessment is 'EUS1'"),
        ('path="/p" exhaustiveness="1" specificity="-1"', "assessment is 'E1S-1'"),
        ('path="/p" exhaustiveness="0" specificity="2"', "assessment is 'E0S2', must be E0S0"),
        ('path="/p" specificity="2"', "attribute exhaustiveness or exhaustivity of path must be"),
        ('path="/p" exhaustiveness="2" exhaustivity="2" specificity="2"', "must be given once"),
        ('path="/p" exhaustiveness="2"', "attribute specificity of path must be"),
        ('path="/p" exhaustiveness="2" specificity=""', "attribute specificity of path is ''"),
        ('exhaustiveness="2" specificity="2"', "attribute path of path must be"),
    ],
)
def test_wrong_assessments(tmp_path, attributes, message):
    refused(read_inex_assessments, judged_file(tmp_path, attributes), "line 3", message)


def test_misplaced_parts_of_assessments(tmp_path):
    whole = 'path="/p" exhaustiveness="2" specificity="2"'
    twice = judged_file(tmp_path, whole, times=2)
    refused(read_inex_assessments, twice, "line 4", "judged again", "line 3")
    refused(
        read_inex_assessments, judged_file(tmp_path, whole, 'id="x"'), "file or name of file must"
    )

    def told(content, *parts):
        refused(read_inex_assessments, written(tmp_path, "a.xml", content), *parts)

    told("<run/>", "root element is 'run', must be or hold assessments")
    told(RUN, "root element is 'inex-submission'")
    told('<assessments><file file="x"/></assessments>', "attribute topic or topic-id")
    told('<assessments topic="1" topic-id="1"/>', "must be given once")
    told(f'<assessments topic="1"><path {whole}/></assessments>', "must stand in a file")
    told(f'<all><file file="x"><path {whole}/></file></all>', "must be or hold assessments")


# --- both -------------------------------------------------------------------------------------

READERS = [(read_inex_run, RUN), (read_inex_assessments, JUDGED)]
both = pytest.mark.parametrize(("reader", "content"), READERS, ids=["run", "assessments"])


@both
def test_files_that_are_cut_short(tmp_path, reader, content):
    refused(reader, written(tmp_path, "a.xml", ""), "number of lines")
    for kept in (1, 50, len(content) // 2, len(content) - 4):
        refused(reader, written(tmp_path, "a.xml", content[:kept]), "must be well-formed XML")
    packed = gzip.compress(content.encode())
    refused(reader, written(tmp_path, "a.xml", packed[:-9]), "must be a complete gzip file")


@slow
def test_a_long_run_is_read_in_order(tmp_path):
    results = [result(file=f"d{k}", rank=20_000 - k) for k in range(20_000)]
    ranked = run(tmp_path, *results)
    assert ranked == tuple(f"d{k}" for k in reversed(range(20_000)))


# --- TREC files -------------------------------------------------------------------------------


def test_assessments_of_trec(tmp_path):
    path = written(tmp_path, "qrels", "1 0 r1/é[2] E3S2\n\n2 Q0 b E0S0\r\n1 0 b E1S3\n")
    assert read_assessments(path) == {
        "1": {"r1/é[2]": Assessment(3, 2), "b": Assessment(1, 3)},
        "2": {"b": Assessment(0, 0)},
    }


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("1 0 a E4S1\n", ("line 1", "assessment is 'E4S1'")),
        ("1 0 a E1S1\n1 0 b E0S2\n", ("line 2", "must be E0S0")),
        ("1 0 a 2\n", ("assessment is '2'",)),
        ("1 0 a e3s2\n", ("assessment is 'e3s2'",)),
        ("1 0 a\n", ("number of columns", "must be 4")),
        ("1 0 a E1S1\n2 0 a E1S1\n1 0 a E2S2\n", ("line 3", "topic '1' is 'a'", "line 1")),
        ("\n", ("number of lines",)),
    ],
)
def test_wrong_assessments_of_trec(tmp_path, content, parts):
    refused(read_assessments, written(tmp_path, "qrels", content), *parts)
