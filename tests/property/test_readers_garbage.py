"""Generated garbage at every reader: a valid result or one line of InputError, nothing else."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.spoiled import (
    KINDS,
    VALID,
    result_of,
    spoiled,
)
from tests.tiers import drawn, examples

quick = settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
fewer = settings(quick, max_examples=examples(80))
names, lists = st.sampled_from(sorted(KINDS)), st.sampled_from(sorted(VALID))
SEEDS = st.integers(0, 2**32 - 1)


def checked(name, content):
    """Read `content` as a file called `name`: return a valid result, or None if it is refused."""
    return result_of(KINDS[name.removeprefix("a.")], content)


# --- garbage ----------------------------------------------------------------------------------


@quick
@given(name=lists, content=st.binary(max_size=200), zipped=st.booleans())
def test_random_bytes(name, content, zipped):
    checked(name, gzip.compress(content) if zipped else content)


@drawn
@pytest.mark.parametrize("name", KINDS)
def test_spoiled_files(name):
    """Some are read, and most are refused."""
    rng, num = np.random.default_rng(5), examples(150)
    results = [checked(name, spoiled(KINDS[name].valid, rng)) for _ in range(num)]
    assert checked(name, KINDS[name].valid) is not None
    assert any(result is None for result in results)


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
def test_any_json_of_gold_spans(tests, snippets):
    for content in (tests, {"tests": tests}, [{"query": "q", "snippets": snippets}]):
        checked("gold of tests", json.dumps(content).encode())


@quick
@given(data=st.data(), name=lists)
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
@given(
    header=st.permutations(["source", "target", "probability"]) | st.lists(columns, max_size=4),
    rows=st.lists(st.lists(cells, min_size=2, max_size=4), max_size=3),
    data=st.data(),
)
def test_rows_of_any_cells_in_link_files(header, rows, data):
    for name, separator in (("a.csv", ","), ("a.tsv", "\t")):
        lines = [separator.join(row) for row in [header, *rows]]
        result = checked(name, "\n".join(lines).encode())
        words = sorted(word.lower().replace("weight", "probability") for word in header)
        assert result is None or words == ["probability", "source", "target"]
    values = cells | st.none() | st.booleans() | st.integers() | st.floats() | st.lists(cells)
    objects = [dict.fromkeys(header, "a") | {"probability": data.draw(values)} for _ in rows]
    checked("a.jsonl", "\n".join(json.dumps(one) for one in objects).encode())
