"""Chunks scored by gold spans: values by hand, inputs in every form, mistakes in one line."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import prum
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import ChunkTable, InputError

# d: a 0-100, b 50-150, c 150-250; e: x 0-100.
CHUNKS = {"a": ("d", 0, 100), "b": ("d", 50, 150), "c": ("d", 150, 250), "x": ("e", 0, 100)}
TOKENS = {"tokens": [20, 30, 10, 40]}
GOLD = {"q1": [("d", 40, 160)], "q2": [("e", 10, 20), ("d", 0, 10)]}
GOOD = {"q1": ["a", "b", "c"], "q2": ["x"]}
POOR = {"q1": ["x", "c"], "q2": ["a", "x"]}
RUNS = {"good": GOOD, "poor": POOR}
ALL = "Coverage@10,CharPrecision@10,IoU@10,Efficiency,ExactPRUM,PRUM,RR,Success@10"


def scores(measures: str, runs: Any = None, **options: Any) -> dict[str, list[float]]:
    """Return measure -> scores of a run on the topics, of GOOD by default."""
    given = {"chunks": ChunkTable(CHUNKS, amounts=TOKENS), "spans": GOLD, **options}
    result = prum.evaluate(runs or {"run": GOOD}, measures=measures, **given)
    return {
        measure: result.scores.values[0, :, number].tolist()
        for number, measure in enumerate(result.scores.measures)
    }


# --- values --------------------------------------------------------------------------------------

BY_HAND = {
    # Of q1's span (40-160) a covers 60, a and b 110, all 120 characters; of q2's x one of two.
    "Coverage@1": [0.5, 0.5],
    "Coverage@2": [110 / 120, 0.5],
    "Coverage@3": [1.0, 0.5],
    "Coverage": [1.0, 0.5],
    "Coverage@9": [1.0, 0.5],
    # a costs 20 tokens, b 30, c 10, x 40.
    "Coverage@50 tokens": [110 / 120, 0.5],
    "Coverage@49.5 tokens": [0.5, 0.5],
    "Coverage@10 tokens": [0.0, 0.0],
    "Coverage@200 characters": [110 / 120, 0.5],
    "Success@1": [1.0, 1.0],
    "RR": [1.0, 1.0],
    "CharPrecision@1": [60 / 100, 10 / 100],
    "CharPrecision@2": [110 / 200, 10 / 100],
    "CharPrecision@10 tokens": [0.0, 0.0],
    "IoU@2": [110 / 160, 10 / 110],
    "IoU@1": [60 / 160, 10 / 110],
    "IoU@10 tokens": [0.0, 0.0],
}


def test_values_by_hand() -> None:
    values = scores(", ".join(BY_HAND))
    assert list(values) == [str(measure_of(name)) for name in BY_HAND]
    for name, wanted in BY_HAND.items():
        assert values[str(measure_of(name))] == pytest.approx(wanted), name


def test_ranks_of_what_touches_no_span_do_not_count() -> None:
    values = scores("RR, Success@1, Success@2", {"poor": POOR})
    assert values == {"RR": [0.5, 1.0], "Success@1": [0.0, 1.0], "Success@2": [1.0, 1.0]}


def test_a_topic_that_a_run_lacks_scores_0() -> None:
    values = scores("Coverage@10,CharPrecision@10,IoU@10,RR,Success@10", {"run": {"q2": ["x"]}})
    assert {row[0] for row in values.values()} == {0.0}


def test_spans_that_overlap_count_each_and_their_characters_once() -> None:
    gold = {"q": [("d", 0, 50), ("d", 40, 90)]}
    values = scores("Coverage@1, CharPrecision@1, IoU@1", {"run": {"q": ["b"]}}, spans=gold)
    assert values["Coverage@1"] == [pytest.approx((0 + 40 / 50) / 2)]
    assert values["CharPrecision@1"] == [pytest.approx(40 / 100)]
    assert values["IoU@1"] == [pytest.approx(40 / (100 + 90 - 40))]


def test_need_is_of_all_measures_or_of_one() -> None:
    halves = {"q": ["a", "b", "c"]}
    gold = {"q": [("d", 90, 110)]}
    by_all = scores("ExactPRUM", {"run": halves}, spans=gold, need="whole")
    by_one = scores("ExactPRUM(need=whole), ExactPRUM", {"run": halves}, spans=gold)
    # b alone holds the span.
    assert by_all["ExactPRUM"] == [0.5]
    assert by_one['ExactPRUM(need="whole")'] == [0.5]
    # Half of its points are in a: 1 rank for these, else 2.
    assert by_one["ExactPRUM"] == [pytest.approx(1 / 1.5)]


# --- inputs --------------------------------------------------------------------------------------


def test_each_run_has_its_own_chunks() -> None:
    halves = {"q1": ["h1", "h2"]}
    whole = {"q1": ["w"]}
    tables = [{"h1": ("d", 0, 100), "h2": ("d", 100, 200)}, {"w": ("d", 0, 200)}]
    gold = {"q1": [("d", 90, 110)]}
    result = prum.evaluate(
        {"halves": halves, "whole": whole}, chunks=tables, spans=gold, measures="Coverage@1"
    )
    assert result.scores.values[:, 0, 0].tolist() == [0.5, 1.0]
    assert [run.chunks for run in result.chunks_read] == [2, 1]
    assert [run.spans_cut for run in result.chunks_read] == [1, 0]


def test_the_result_says_what_to_know_of_chunks() -> None:
    gold = {**GOLD, "q3": [("lost", 0, 9)]}
    result = prum.evaluate(RUNS, chunks=CHUNKS, spans=gold)
    told = " ".join(result.remarks)
    assert "text that the first ten chunks repeat: 12 % in good" in told
    assert "gold spans split across chunks: 2 of 4 in all runs" in told
    assert "documents with gold spans but without chunks, where nothing is found: lost" in told
    assert "nobody judged" not in told
    assert "4 gold spans" in result.scored
    assert "nobody browses" not in result.scored
    content = json.loads(result.to_json())
    assert content["chunks"][0]["repeated_in_top"] == 0.125
    assert list(content["scores"]) == [
        "Coverage@10",
        "CharPrecision@10",
        "IoU@10",
        "Efficiency",
        "ExactPRUM",
    ]
    assert list(result.to_frame()) == ["system", "topic", "measure", "score"]
    assert "Coverage@10" in result.to_latex()


def test_a_budget_that_is_just_spent_pays() -> None:
    table = ChunkTable(
        {"one": ("d", 0, 100), "two": ("d", 100, 200)}, amounts={"seconds": [0.1, 0.2]}
    )
    given = {"chunks": table, "spans": {"q": [("d", 0, 200)]}}
    names = ["Coverage@.3 seconds", "CharPrecision@.3 seconds", "IoU@.3 seconds"]
    result = prum.evaluate({"both": {"q": ["one", "two"]}}, measures=names, **given)
    assert result.scores.values.tolist() == [[[1.0, 1.0, 1.0]]]


# --- mistakes ------------------------------------------------------------------------------------

MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"measures": "nDCG@5"}, "measure is 'nDCG@5', must make sense of gold spans; take Coverage"),
    ({"measures": "PRUM(navigation=walk)"}, "navigation of PRUM .* must be left out where spans"),
    ({"measures": "Success(rel=2)@3"}, "rel of Success .* must be left out"),
    (
        {"measures": "Coverage@5 tokens", "chunks": CHUNKS},
        "Coverage@5 tokens, the run, topic q1: unit of cost is 'tokens', .* give chunks "
        "a column tok",
    ),
    ({"qrels": {"q1": {"a": 1}}}, "qrels .* must be left out where chunks are judged by spans"),
    ({"costs": "smucker-clarke"}, "costs is 'smucker-clarke', must be left out"),
    ({"collection_size": 9}, "collection_size is 9, must be left out"),
    ({"spans": None}, "spans must be given with chunks"),
    ({"chunks": None}, "chunks must be given with spans"),
    ({"chunks": [CHUNKS] * 3}, "number of chunk tables of 1 run is 3, must be 1"),
    (
        {"chunks": {"x": ("e", 0, 9)}},
        "the run: chunk ranked for topic q1 is 'a', must be among the chunks; write ids like 'x'",
    ),
    ({"way": "web .5"}, "way is 'web', must be chunks"),
    ({"way": "chunks parent .5"}, "where no chunk has a parent"),
    ({"spans": {"q1": [("d", 9, 9)]}}, "end of span of question 'q1' is 9, must lie after"),
    ({"spans": {"q1": [("d", 9)]}}, "span of topic q1 is .* must be a Span"),
    ({"spans": {"q1": []}}, "spans of topic q1 is .*must be a list of at least 1"),
    (
        {"spans": {"q1": [("D", 0, 9)]}},
        "documents with spans that have chunks is 0, .* like 'D', chunks like 'd': use the "
        "same names",
    ),
    ({"spans": {}}, "number of questions is 0"),
    ({"spans": {"q9": [("d", 0, 9)]}}, "topics of a run"),
    ({"need": "all"}, "need is 'all', must be one of share, whole"),
    ({"texts": 5}, "type of texts is 'int', must be that of a mapping, a table, or a folder"),
    ({"texts": {"d": "." * 160, "e": "." * 100}}, "chunks: end of chunk 'c' is 250, must lie in d"),
    ({"texts": {"d": "." * 250}}, "document of span of question 'q2' is 'e'"),
    (
        {"spans": {"q1": [("d", 0, 251)]}, "texts": {"d": "." * 250, "e": "." * 100}},
        "end of span of question 'q1' is 251",
    ),
    ({"chunks": 5}, "chunks is 'int', must be a file, a table, a mapping or a data frame"),
    ({"chunks": pd.DataFrame({"id": [1]})}, "row 1 of chunks: document of chunk '1' must be given"),
]


@pytest.mark.parametrize(("options", "words"), MISTAKES, ids=str)
def test_a_mistake_is_one_line(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        scores(**{"measures": ALL, **options})
    assert "\n" not in str(caught.value)


def test_measures_of_spans_need_spans() -> None:
    for name, definition in MEASURES.items():
        if definition.of_spans is definition.score:
            with pytest.raises(InputError, match="give --chunks and --spans"):
                prum.evaluate({"q": ["a"]}, {"q": {"a": 1}}, measures=name)
    with pytest.raises(InputError, match=r"need of PRUM .* must be left out where ideals"):
        prum.evaluate({"q": ["a"]}, {"q": {"a": 1}}, measures="PRUM(need=whole)")
    with pytest.raises(InputError, match="judgements must be given; give qrels, or chunk"):
        prum.evaluate({"q": ["a"]})


def test_a_chunk_that_is_none_is_told_with_its_run(tmp_path: Path) -> None:
    runs = [tmp_path / "first.run", tmp_path / "second.run"]
    runs[0].write_text("q1 Q0 a 1 2 s\nq2 Q0 x 1 2 s\n")
    runs[1].write_text("q1 Q0 a 1 2 s\nq2 Q0 y 1 2 s\n")
    with pytest.raises(InputError, match=r"second\.run: chunk ranked for topic q2 is 'y'"):
        prum.evaluate(runs, chunks=CHUNKS, spans=GOLD)
