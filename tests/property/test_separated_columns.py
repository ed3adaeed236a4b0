"""Runs and qrels in all the ways that they may be written: what was written is read back."""

import bz2
import gzip
import lzma
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prum.simulator.collections import read_qrels, read_run
from prum.simulator.collections.judgements import judgements_from
from tests.tiers import examples

quick = settings(
    max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

# Neither blanks and tabs, nor what ends lines; no half of a surrogate pair.
ids = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\n\r\0\ufeff#"), min_size=1, max_size=9
)
few_ids = st.one_of(st.sampled_from(["1", "2", "10", "\u00e9", "d1", "d\u2028", "\x0b"]), ids)
# Neighbours in double precision of a few numbers, too, which are one in single.
scores = st.floats(-1e38, 1e38) | st.sampled_from([x + k * 2e-9 for x in (1, 16) for k in range(9)])
PRECISIONS = {"double": float, "single": lambda score: float(np.float32(score))}
precisions = st.sampled_from([*PRECISIONS])
blanks = st.text(" \t", min_size=1, max_size=3)
packers = st.sampled_from([bytes, gzip.compress, lzma.compress, bz2.compress])


@st.composite
def written(draw, rows):
    """Return rows as bytes of a file, in some layout."""
    between = draw(st.lists(blanks, min_size=1, max_size=4))
    edge = draw(st.lists(st.text(" \t", max_size=2), min_size=1, max_size=3))
    end = draw(
        st.lists(st.sampled_from(["\n", "\r\n", "\n\n", "\n \t\r\n"]), min_size=1, max_size=3)
    )
    lines = []
    for number, row in enumerate(rows):
        words = [word + between[(number + place) % len(between)] for place, word in enumerate(row)]
        words[-1] = row[-1]
        lines.append(edge[number % len(edge)] + "".join(words) + edge[-1] + end[number % len(end)])
    text = "".join(lines)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return draw(packers)((draw(st.sampled_from(["", "\ufeff"])) + text).encode())


def read(content, reader, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        return reader(path, **options)


def judged(path, **options):
    found = judgements_from(path, **options)
    return found.grades, found.subtopics


@quick
@given(st.data())
def test_runs(data):
    row = st.tuples(few_ids, few_ids, few_ids, few_ids, scores, few_ids)
    rows = data.draw(st.lists(row, min_size=1, max_size=30))
    texts = [(*line[:4], repr(line[4]), line[5]) for line in rows]
    content, precision = data.draw(written(texts)), data.draw(precisions)
    found = read(content, read_run, precision=precision)
    tied = read(content, read_run, precision=precision, takes="ties")
    topics = list(dict.fromkeys(topic for topic, *_ in rows))
    assert list(found) == topics
    for topic in topics:
        pairs = [
            (PRECISIONS[precision](line[4]), line[2].encode()) for line in rows if line[0] == topic
        ]
        pairs.sort(reverse=True)
        assert found[topic] == tuple(element.decode() for _, element in pairs)
        groups = [item if isinstance(item, tuple) else (item,) for item in tied[topic]]
        assert tuple(x for group in groups for x in group) == found[topic]
        assert len(groups) == len({score + 0 for score, _ in pairs})
    if all(len(set(elements)) == len(elements) for elements in found.values()):
        scored = read(content, read_run, precision=precision, takes="scores")
        assert scored == {
            topic: {x[2]: PRECISIONS[precision](x[4]) for x in rows if x[0] == topic}
            for topic in topics
        }
        assert {topic: tuple(by) for topic, by in scored.items()} == found


@quick
@given(st.data())
def test_qrels(data):
    keys = st.tuples(few_ids, few_ids, few_ids)
    grades = data.draw(st.dictionaries(keys, st.integers(-2, 4), min_size=1, max_size=30))
    texts = [(*key, str(grade)) for key, grade in grades.items()]
    content = data.draw(written(texts))
    highest, (same, subtopics) = read(content, read_qrels), read(content, judged)
    diverse = read(content, judged, by_subtopic=True)[1]
    nested = {}
    for (topic, iteration, element), grade in grades.items():
        nested.setdefault(topic, {}).setdefault(element, {})[iteration] = grade
    several = any(len({x for y in by.values() for x in y}) > 1 for by in nested.values())
    assert same == highest
    assert highest == {
        topic: {x: max(by.values()) for x, by in elements.items()}
        for topic, elements in nested.items()
    }
    repeats = any(len(by) > 1 for elements in nested.values() for by in elements.values())
    assert subtopics == (nested if repeats else None)
    assert diverse == (nested if several else None)
