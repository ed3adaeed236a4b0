"""Generated garbage at every reader: a valid result or one line of InputError, nothing else.

And back: what was written is read back equal, for any ids.
"""

import csv
import gzip
import io
import json
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.experiments.measures.judged import Collection, Judged
from prum.simulator.collections import (
    ideals_of,
    read_assessments,
    read_inex_assessments,
    read_inex_run,
    read_links,
    read_qrels,
    read_run,
)
from prum.simulator.collections.judgements import read_preferences
from prum.simulator.collections.qrels import relevance_by_preference
from prum.simulator.model import Assessment, InputError, Links
from tests.tiers import examples
from tests.unit.simulator.collections.test_inex import JUDGED, RUN

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

quick = settings(
    max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
fewer = settings(quick, max_examples=examples(80))

HEADER = "source,target,probability\n"


def parquet_bytes(rows):
    sources, targets, values = ([row[i] for row in rows] for i in range(3))
    stream = io.BytesIO()
    table = pa.table(
        {
            "source": pa.array(sources, pa.string()),
            "target": pa.array(targets, pa.string()),
            "probability": pa.array(values, pa.float64()),
        }
    )
    pq.write_table(table, stream)
    return stream.getvalue()


VALID = {
    "a.run": b"q1 Q0 a 1 3.5 x\nq1 Q0 \xc3\xa9 2 1e-3 x\n"
    b"q2\tQ0\tb\t1\t-1\tx\r\n\nq1 Q0 c 3 3.5 x\n",
    "a.qrels": b"q1 0 a 1\nq1 0 \xc3\xa9 -2\r\n\nq2 0.5 b 12\n",
    "a.assessed": b"q1 0 a E3S2\nq1 0 \xc3\xa9 E0S0\n",
    "a.preferences": b"q1 j 0 a 1\nq1 j 0 \xc3\xa9 0\r\n\nq1 j 1 \xc3\xa9 2\nq1 j 1 b .5\n",
    "a.inex": RUN.encode(),
    "a.judged": JUDGED.encode(),
    "a.judgements": b"\n<q> 0 a E3S3\r\n<q> 0 \xc3\xa9 E0S0\n",
    "a.lists": b"<q> Q0 a 1 3.5 x\n<q>\tQ0\t<b>\t2\t.5\tx\n",
    "a.csv": HEADER.encode() + b'a,b,0.5\n"\xc3\xa9,""\n",c,1\r\n\na,a,.25\n',
    "a.tsv": b"target\tsource\tprobability\na\tb\t0.5\n\xc3\xa9\tc\t1E-3\n",
    "a.jsonl": b'{"source":"a","target":"\\u00e9","probability":0.5}\n\n'
    b'{"probability": 1, "target": "b", "source": "\xc3\xa9"}\n',
    "a.parquet": parquet_bytes([("a", "b", 0.5), ("é", "c", 1.0), ("a", "a", 0.0)]),
}
names = st.sampled_from(sorted(VALID))


def checked(name, content):
    """Read `content` as a file called `name`: return a valid result, or None if it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        kind = name.removesuffix(".gz").rpartition(".")[2]
        reader = READERS.get(kind, read_links)
        try:
            result = reader(path)
        except InputError as error:
            message = str(error)
            assert len(message.splitlines()) == 1
            assert message.startswith(str(path))
            assert len(message) < 1000
            return None
    CHECKS.get(kind, check_links)(result)
    return result


def check_id(text):
    assert isinstance(text, str)
    assert text
    text.encode()  # no half of a surrogate pair


def check_run(runs):
    assert runs
    for topic, elements in runs.items():
        check_id(topic)
        assert isinstance(elements, tuple)
        assert elements
        for element in elements:
            check_id(element)
            assert not set(element) & set(" \t\n\0")


def check_qrels(qrels):
    assert qrels
    for topic, grades in qrels.items():
        check_id(topic)
        assert grades
        for element, grade in grades.items():
            check_id(element)
            assert type(grade) is int
            assert grade >= -2
    for topic, ideals in ideals_of(qrels).items():
        assert list(ideals) == sorted(e for e, grade in qrels[topic].items() if grade >= 1)


def check_inex_run(runs):
    for topic, elements in runs.items():
        check_id(topic)
        for element in elements:
            check_id(element)


def check_assessments(assessed):
    for topic, assessments in assessed.items():
        check_id(topic)
        for element, found in assessments.items():
            check_id(element)
            assert isinstance(found, Assessment)
            assert (found.exhaustivity == 0) == (found.specificity == 0)


def check_judged(judged):
    for topic in judged:
        check_id(topic.topic)
        assert topic.ideals


def check_links(links):
    assert isinstance(links, Links)
    rows = list(links)
    pairs = [(source, target) for source, target, _ in rows]
    assert pairs == sorted(set(pairs))
    for source, target, probability in rows:
        check_id(source)
        check_id(target)
        assert 0 <= probability <= 1
    assert Links({(source, target): value for source, target, value in rows}) == links


TOPIC = Judged("<q>", ("a",), {"a": 1}, None, Collection(size=9))


def check_preferences(preferences):
    for topic, pairs in preferences.items():
        check_id(topic)
        worth = relevance_by_preference(pairs)
        for preferred, other in pairs:
            check_id(preferred)
            check_id(other)
            assert preferred != other
            assert worth[preferred] >= worth[other]


READERS = {
    "preferences": read_preferences,
    "judgements": lambda path: read_judged(path)[0],
    "lists": lambda path: dict(read_lists([path], [TOPIC], takes="ties")),
    "run": read_run,
    "qrels": read_qrels,
    "assessed": read_assessments,
    "inex": read_inex_run,
    "judged": read_inex_assessments,
}
CHECKS = {
    "preferences": check_preferences,
    "judgements": check_judged,
    "lists": lambda lists: check_inex_run(next(iter(lists.values()))),
    "run": check_run,
    "qrels": check_qrels,
    "assessed": check_assessments,
    "inex": check_inex_run,
    "judged": check_assessments,
}

# --- garbage ----------------------------------------------------------------------------------


@quick
@given(name=names, content=st.binary(max_size=200), zipped=st.booleans())
def test_random_bytes(name, content, zipped):
    checked(name, gzip.compress(content) if zipped else content)


@quick
@given(name=names, content=st.text(max_size=200))
def test_random_text(name, content):
    checked(name, content.encode("utf-8", "surrogatepass"))


@st.composite
def mutated(draw, valid):
    """Draw `valid` after a few deletions, insertions and replacements of bytes."""
    content = bytearray(valid)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(start + 8, len(content))))
        kind = draw(st.sampled_from(["delete", "insert", "replace", "repeat"]))
        if kind == "delete":
            del content[start:end]
        elif kind == "repeat":
            content[start:start] = content[start:end]
        else:
            junk = draw(
                st.binary(max_size=6)
                | st.sampled_from([b'"', b",", b"\n", b"\r", b"\t", b" ", b"\0", b"\xff", b"nan"])
                | st.sampled_from([b"\x0b", b"\xc2\xa0", b"\xe2\x80\xa8", b"_", b"-", b"1e999"])
            )
            content[start : start if kind == "insert" else end] = junk
    return bytes(content)


@settings(quick, max_examples=examples(200))
@given(data=st.data(), name=names)
def test_mutated_files(data, name):
    checked(name, data.draw(mutated(VALID[name])))


@quick
@given(data=st.data(), name=names)
def test_mutated_gzip_files(data, name):
    whole = gzip.compress(VALID[name], mtime=0)
    content = data.draw(mutated(whole))
    result = checked(name, content)
    if result is not None and content.startswith(whole[:2]):
        assert result == checked(name, VALID[name])  # the checksum saw to it


@quick
@given(data=st.data(), name=names)
def test_truncated_files(data, name):
    whole = gzip.compress(VALID[name], mtime=0)
    kept = data.draw(st.integers(2, len(whole) - 1))
    assert checked(name, whole[:kept]) is None
    kept = data.draw(st.integers(0, len(VALID[name])))
    result = checked(name, VALID[name][:kept])
    assert result is None if kept == 0 else True


cells = st.sampled_from(
    ["a", "b", "é", "0.5", "1", "0", "-1", "-3", "1.5", "nan", "q1", "Q0", "", '"', "a b", "\u2028"]
)
columns = st.sampled_from(["source", "target", "probability", "weight", "Source", ""])


@quick
@given(rows=st.lists(st.lists(cells, max_size=7), min_size=1, max_size=4))
def test_rows_of_any_cells_in_trec_files(rows):
    content = "\n".join(" ".join(row) for row in rows).encode()
    checked("a.run", content)
    checked("a.qrels", content)


@quick
@given(
    header=st.permutations(["source", "target", "probability"]) | st.lists(columns, max_size=4),
    rows=st.lists(st.lists(cells, min_size=2, max_size=4), max_size=3),
    data=st.data(),
)
def test_rows_of_any_cells_in_link_files(header, rows, data):
    for name, separator in (("a.csv", ","), ("a.tsv", "\t")):
        lines = [separator.join(row) for row in [header, *rows]]
        result = checked(name, "\n".join(lines).encode())
        assert result is None or sorted(header) == ["probability", "source", "target"]
    values = cells | st.none() | st.booleans() | st.integers() | st.floats() | st.lists(cells)
    objects = [dict.fromkeys(header, "a") | {"probability": data.draw(values)} for _ in rows]
    checked("a.jsonl", "\n".join(json.dumps(one) for one in objects).encode())


@quick
@given(order=st.permutations(range(6)))
def test_shuffled_columns_of_a_run(order):
    fields = [f"q Q0 a{i} {i + 1} {10 - i} x".split() for i in range(3)]
    content = "\n".join(" ".join(row[i] for i in order) for row in fields).encode()
    result = checked("a.run", content)
    assert (result is not None) == (order[4] in (3, 4))  # only ranks and scores are numbers


@fewer
@given(
    ids=st.lists(st.sampled_from("ab") | st.none() | st.integers() | st.binary(), max_size=3),
    values=st.lists(st.floats() | st.none(), max_size=3) | st.lists(st.booleans(), max_size=3),
)
def test_parquet_of_any_types(ids, values):
    num_rows = min(len(ids), len(values))
    try:
        source = pa.array(ids[:num_rows])
        table = pa.table({"source": source, "target": source, "probability": values[:num_rows]})
    except (pa.ArrowException, OverflowError):
        assume(False)
    stream = io.BytesIO()
    pq.write_table(table, stream)
    checked("a.parquet", stream.getvalue())


# --- round trips ------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
awkward = st.sampled_from(
    ['"', '""', ",", "\n", "\r\n", "\r", " ", "\t", "a\n\nb", "\u2028", "\x85", "\ufeff", "#", "'"]
)
ids = texts | awkward
probabilities = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 5e-324, 1 - 2**-53])
tables = st.dictionaries(st.tuples(ids, ids), probabilities, min_size=1, max_size=8)


@quick
@given(
    table=tables,
    order=st.permutations(["source", "target", "probability"]),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    extra=st.sampled_from(["plain", "gzip", "mark"]),
)
def test_csv_and_tsv_round_trip(table, order, end, quoting, extra):
    if end == "\n" and any("\r" in text for pair in table for text in pair):
        quoting = csv.QUOTE_ALL  # Python's writer quotes a lone CR only if lines end with CR LF
    for name, separator in (("a.csv", ","), ("a.tsv", "\t")):
        stream = io.StringIO(newline="")
        writer = csv.DictWriter(
            stream, order, delimiter=separator, lineterminator=end, quoting=quoting
        )
        writer.writeheader()
        for (source, target), value in table.items():
            writer.writerow({"source": source, "target": target, "probability": repr(value)})
        content = stream.getvalue().encode("utf-8-sig" if extra == "mark" else "utf-8")
        result = checked(name, gzip.compress(content) if extra == "gzip" else content)
        assert result == Links(table)


@quick
@given(table=tables, escaped=st.booleans(), order=st.permutations([0, 1, 2]))
def test_jsonl_round_trip(table, escaped, order):
    lines = []
    for (source, target), value in table.items():
        pairs = [("source", source), ("target", target), ("probability", value)]
        lines.append(json.dumps(dict(pairs[i] for i in order), ensure_ascii=escaped))
    assert checked("a.jsonl", ("\n".join(lines) + "\n").encode()) == Links(table)


@fewer
@given(table=tables)
def test_parquet_round_trip(table):
    content = parquet_bytes([(*pair, value) for pair, value in table.items()])
    assert checked("a.parquet", content) == Links(table)


words = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0 \t\n\r"), min_size=1
) | st.sampled_from(["a\u00a0b", "\x0b", "\x0c", "\x1c", "\u2028", "a\rb", "\ufeff", "-1"])
scores = st.floats(-1e38, 1e38) | st.sampled_from(["1.00000001", "1.0", "-0.0", "0", "1e-60"])


@quick
@given(
    runs=st.dictionaries(
        words, st.dictionaries(words, scores, min_size=1, max_size=6), min_size=1, max_size=3
    ),
    separator=st.sampled_from([" ", "\t", "  ", " \t "]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_run_round_trip(runs, separator, end):
    lines = [
        separator.join((topic, "Q0", element, "0", str(score), "x"))
        for topic, scored in runs.items()
        for element, score in scored.items()
    ]
    # A byte-order mark in front keeps an id that begins with one from being taken for it.
    result = checked("a.run", ("\ufeff" + end.join(lines)).encode())
    expected = {}
    for topic, scored in runs.items():
        rank = {e: (np.float32(float(score)), e.encode()) for e, score in scored.items()}
        expected[topic] = tuple(sorted(rank, key=rank.__getitem__, reverse=True))
    assert result == expected


@quick
@given(
    qrels=st.dictionaries(
        words,
        st.dictionaries(words, st.integers(-2, 10**15), min_size=1, max_size=6),
        min_size=1,
        max_size=3,
    ),
    ideal_grade=st.integers(1, 4),
)
def test_qrels_round_trip(qrels, ideal_grade):
    lines = [
        f"{topic} 0 {element} {grade}\n"
        for topic, grades in qrels.items()
        for element, grade in grades.items()
    ]
    result = checked("a.qrels", ("\ufeff" + "".join(lines)).encode())
    assert result == qrels
    for topic, ideals in ideals_of(result, ideal_grade=ideal_grade).items():
        assert set(ideals) == {e for e, grade in qrels[topic].items() if grade >= ideal_grade}


def test_the_valid_files_are_valid():
    for name, content in VALID.items():
        result = checked(name, content)
        assert result is not None
        assert checked(name, gzip.compress(content)) == result
    assert not any(math.isnan(value) for _, _, value in checked("a.csv", VALID["a.csv"]))
