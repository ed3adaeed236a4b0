"""`prum.spans.evaluate`: what it takes beside lists and spans, what it tells, what it refuses."""

from pathlib import Path
from typing import Any

import pytest

import prum
from prum.experiments.compare.result import ComparisonResult
from prum.simulator.model import ChunkTable, InputError
from prum.spans import evaluate

REPORT = "The cat sat. The dog lay. The cow stood."
SMALL = {"q": [("report", 0, 20), ("report", 10, 30)], "p": [("letter", 0, 20)]}
LARGE = {"q": [("report", 0, 40)], "p": [("letter", 0, 40)]}
GOLD = {"q": [("report", 13, 25)], "p": [("letter", 30, 36)]}


def score(result: Any, system: str, measure: str) -> float:
    frame = result.to_frame()
    chosen = frame[(frame["system"] == system) & (frame["measure"] == measure)]
    return float(chosen["score"].mean())


def test_the_result_is_that_of_evaluate() -> None:
    assert prum.spans.evaluate is evaluate
    result = evaluate({"small": SMALL, "large": LARGE}, GOLD, measures="Coverage, IoU@1", k=3)
    assert isinstance(result, ComparisonResult)
    assert result.scores.measures == ("Coverage@3", "IoU@1")
    assert score(result, "large", "Coverage@3") == 1
    assert score(result, "small", "Coverage@3") == 0.5
    assert "Coverage@3" in str(result)
    assert "Coverage" in result.to_latex()


def test_a_chunk_without_a_character_is_named_and_left_out() -> None:
    plain = evaluate(SMALL, GOLD)
    for nothing in (("report", 7, 7), {"doc": "report", "start": 7, "text": ""}):
        result = evaluate({**SMALL, "q": [nothing, *SMALL["q"], nothing]}, GOLD)
        assert result.to_frame().equals(plain.to_frame())
        told = "left out of the run, without a character: document 1 of question 'q' and 1 more"
        assert told in result.remarks
    whole = [*SMALL["q"], *SMALL["p"]]
    result = evaluate(SMALL, GOLD, chunks=[*whole, ("report", 7, 7)])
    assert result.to_frame().equals(evaluate(SMALL, GOLD, chunks=whole).to_frame())
    assert "left out of the run, without a character: chunk 4" in result.remarks
    with pytest.raises(InputError, match="number of retrieved chunks is 0"):
        evaluate({"q": [("report", 7, 7)]}, GOLD)
    with pytest.raises(
        InputError, match="gold: end of span 1 of question 'q' is 7, must lie after"
    ):
        evaluate(SMALL, {"q": [("report", 7, 7)]})


def test_measures_are_cut_at_k_unless_they_say_where() -> None:
    written = "Coverage, Success, RR@2, Coverage@5 characters, ExactPRUM, coverage@1,4"
    result = evaluate(SMALL, GOLD, measures=written, k=7)
    assert result.scores.measures == (
        "Coverage@7",
        "Success@7",
        "RR@2",
        "Coverage@5 characters",
        "ExactPRUM",
        "Coverage@1",
        "Coverage@4",
    )
    assert evaluate(SMALL, GOLD).scores.measures[0] == "Coverage@10"
    with pytest.raises(InputError, match="k is 0, must be a whole number of at least 1"):
        evaluate(SMALL, GOLD, k=0)


def test_what_stands_behind_the_list() -> None:
    """Out of reach if unknown; the more chunks there are, the longer the way to what is missing."""
    unknown = evaluate(SMALL, GOLD, measures="Efficiency, ExactPRUM")
    assert any("number of chunks is not given" in line for line in unknown.remarks)
    by_size = [
        score(evaluate(SMALL, GOLD, measures="ExactPRUM", chunks=size), "run", "ExactPRUM")
        for size in (5, 50, 5_000)
    ]
    assert by_size == sorted(by_size, reverse=True)
    assert by_size[-1] > score(unknown, "run", "ExactPRUM")
    assert by_size[-1] == pytest.approx(score(unknown, "run", "ExactPRUM"), abs=1e-3)
    every = {
        "a": ("report", 0, 20),
        "b": ("report", 10, 30),
        "c": ("letter", 0, 20),
        "d": ("letter", 20, 40),
    }
    whole = evaluate(SMALL, GOLD, measures="ExactPRUM", chunks=every)
    table = evaluate({"s": SMALL}, GOLD, measures="ExactPRUM", chunks={"s": ChunkTable(every)})
    assert score(whole, "run", "ExactPRUM") == score(table, "s", "ExactPRUM") > by_size[0]
    assert not any("smaller" in line for line in whole.remarks)


def test_readers_may_open_more() -> None:
    every = [("letter", 0, 20), ("letter", 20, 40), ("report", 0, 20), ("report", 10, 30)]
    plain, opening = (
        score(
            evaluate(SMALL, GOLD, measures="ExactPRUM", chunks=every, way=way), "run", "ExactPRUM"
        )
        for way in (None, "chunks next .5")
    )
    assert opening > plain
    with pytest.raises(InputError, match=r"way is 'chunks next .5', must be used with all chunks"):
        evaluate(SMALL, GOLD, way="chunks next .5", chunks=7)


def test_tokens_and_texts(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text(REPORT)
    (tmp_path / "letter.txt").write_text("Dear Sir, the dog has been lying about.")
    gold = {"q": "The dog lay.", "p": [("letter", "lying")]}
    result = evaluate(
        SMALL,
        gold,
        documents=tmp_path,
        measures="Coverage@6 tokens, ExactPRUM(cost=tokens)",
        tokens=lambda text: len(text.split()),
    )
    assert score(result, "run", "Coverage@6 tokens") == pytest.approx(7 / 12 / 2)
    path = tmp_path / "gold.csv"
    path.write_text("question,doc,start,end\nWho lay?,report,13,25\nWho lies?,letter,28,33\n")
    by_words = {"Who lay?": SMALL["q"], "Who lies?": SMALL["p"]}
    for named in (by_words, {"q1": SMALL["q"], "q2": SMALL["p"]}):
        assert score(evaluate(named, path, measures="Coverage"), "run", "Coverage@10") == 0.5


def test_remarks_tell_what_was_assumed() -> None:
    retrieved = {"q": [("report", 0, 20), ("report", 0, 20)], "z": [("report", 0, 9)]}
    result = evaluate(retrieved, {**GOLD, "n": []}, measures="Coverage")
    told = "\n".join(result.remarks)
    assert "left out, no gold span: n" in told
    assert "chunks that the run returned more than once count once: question q" in told
    assert len(result.scores.topics) == 2


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(InputError, match=r"documents of gold is 'story', .* as 'letter', 'report'"):
        evaluate(SMALL, {"q": [("story", 0, 9)]})
    with pytest.raises(InputError, match="type of documents is 'int'"):
        evaluate(SMALL, GOLD, documents=7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="baseline"):
        evaluate(SMALL, GOLD, baseline="other")
    with pytest.raises(InputError, match="make sense of gold spans"):
        evaluate(SMALL, GOLD, measures="nDCG@10")


def test_a_retriever_that_finds_nothing_scores_0() -> None:
    poor = {"nothing": {"q": []}, "elsewhere": {"q": [("story", 0, 9)]}, "small": SMALL}
    result = evaluate(poor, GOLD)
    for measure in result.scores.measures:
        # Efficiency is not 0 but what an endless collection makes of it.
        for poor_system in ("nothing", "elsewhere"):
            assert score(result, poor_system, measure) < 1e-8
        assert score(result, "small", measure) > 1e-3
    with pytest.raises(InputError, match="questions of retrieved is 'z', must be among those of"):
        evaluate({"z": SMALL["q"]}, GOLD)
    with pytest.raises(InputError, match="number of retrieved chunks is 0, must be at least 1"):
        evaluate({"q": []}, GOLD)
    with pytest.raises(InputError, match="measures is"):
        evaluate(SMALL, GOLD, measures=[])


EVERY = [
    ("letter", 0, 20),
    ("letter", 0, 40),
    ("report", 0, 20),
    ("report", 0, 40),
    ("report", 10, 30),
]


def test_all_chunks_may_come_from_a_generator_or_of_more_systems_than_are_compared() -> None:
    both = {"small": SMALL, "large": LARGE}
    listed = evaluate(both, GOLD, chunks=EVERY)
    for chunks in (iter(EVERY), {"small": EVERY, "large": iter(EVERY), "other": []}):
        made = evaluate(both, GOLD, chunks=chunks)
        assert made.scored == listed.scored
        assert made.to_frame().equals(listed.to_frame())
    with pytest.raises(InputError, match="chunks of run large must be given, as those"):
        evaluate(both, GOLD, chunks={"small": EVERY})


SWISS = "né à 𝛼-ville, où l'été dure"
# The word été: in characters, bytes of UTF-8 and units of UTF-16.
SUMMER = {"characters": (19, 22), "bytes": (25, 30), "utf-16": (20, 23)}


@pytest.mark.parametrize("offsets", SUMMER)
def test_offsets_may_count_what_other_programs_count(offsets: str, tmp_path: Path) -> None:
    start, end = SUMMER[offsets]
    assert SWISS[slice(*SUMMER["characters"])] == "été"
    (tmp_path / "gold.csv").write_text(f"query_id,doc,start,end\nq,a,{start},{end}\n")
    table = ChunkTable({"one": ("a", start, end), "two": ("a", 0, start)})
    options: dict[str, Any] = {"documents": {"a": SWISS}, "offsets": offsets}
    for retrieved, gold, chunks in (
        ([("a", start, end), ("a", 0, start)], [("a", start, end)], None),
        ([{"document": "a", "start": start, "end": end, "text": "été"}], "été", None),
        ([{"id": "one", "document": "a", "start": start, "end": end}], "été", table),
        ([("a", start, end)], tmp_path / "gold.csv", {"one": ("a", start, end)}),
    ):
        result = prum.spans.evaluate(
            {"q": retrieved},
            gold if isinstance(gold, Path) else {"q": gold},
            chunks=chunks,
            measures="Coverage@1, CharPrecision@1",
            **options,
        )
        assert result.to_frame()["score"].tolist() == [1, 1]
        assert result.arguments["offsets"] == offsets
