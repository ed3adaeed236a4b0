"""Questions that chunks answer worst: scores, order, texts with gold, pages."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prum
from prum.experiments.evaluate.by_spans import SpanEvaluationResult

TEXT = "Cats sleep all day.\nDogs eat\tat six. Birds sing before dawn, and fish say nothing."
GOLD = {"cats": [("d", 0, 19)], "dogs": [("d", 20, 37)], "birds": [("d", 38, 61)]}
# Of each question's span good finds all, half or none, poor none, a third or none.
GOOD = {"cats": [("d", 0, 19)], "dogs": [("d", 20, 29)], "birds": [("d", 62, 82)]}
POOR = {"cats": [("d", 62, 82)], "dogs": [("d", 20, 26)], "birds": [("d", 0, 9)]}


def result(
    runs: Any = None, gold: Any = GOLD, measures: str = "Coverage@10", **options: Any
) -> SpanEvaluationResult:
    made = prum.spans.evaluate(
        runs or {"poor": POOR, "good": GOOD}, gold, measures=measures, **options
    )
    assert isinstance(made, SpanEvaluationResult)
    return made


def random_result(topics: int = 25, systems: int = 3) -> SpanEvaluationResult:
    """Return chunks at random places of one text, many with the same score."""
    draw = np.random.default_rng(5)
    runs = {
        f"s{k}": {
            f"q{n}": [("d", at, at + 20) for at in draw.integers(0, 80, 2).tolist()]
            for n in range(topics)
        }
        for k in range(systems)
    }
    gold = {f"q{n}": [("d", 20 * (n % 4), 20 * (n % 4) + 10)] for n in range(topics)}
    return result(runs, gold, documents={"d": TEXT * 2})


def test_values_are_those_of_the_scores_and_equal_ones_stand_in_the_order_of_the_topics() -> None:
    made = random_result()
    values = made.scores.values[:, :, 0].round(12)
    leader = values[made.scores.systems.index(made.decision.best)]
    assert len(set(leader)) < len(leader) - 5
    worst = sorted(range(len(leader)), key=lambda at: (leader[at], at))[:10]
    frame = made.questions()
    assert frame["topic"].tolist() == [made.scores.topics[at] for at in worst]
    for number, system in enumerate(made.scores.systems):
        column = frame[f"Coverage@10: {system}"].tolist()
        assert column == made.scores.values[number, worst, 0].tolist()


def test_texts_have_their_gold_marked() -> None:
    row = result(documents={"d": TEXT}).questions().iloc[1]
    assert row["question"] == "dogs"
    # What is white is a blank.
    assert row["spans"] == ("d:20-37 Dogs eat at six.",)
    assert row["chunks"] == ("d:20-29 «Dogs eat »",)


@pytest.mark.parametrize("seed", range(20))
def test_marked_characters_are_those_of_gold(seed: int) -> None:
    draw = np.random.default_rng(seed)
    text = "".join(draw.choice(list("abcdefgé𝄞"), 900))
    start = int(draw.integers(0, 300))
    gold = [(int(at), int(at + draw.integers(1, 90))) for at in draw.integers(0, 800, 3)]
    made = result(
        {"q": [("d", start, start + 500)]},
        {"q": [("d", *place) for place in gold]},
        documents={"d": text},
    )
    (chunk,) = made.questions()["chunks"][0]
    told = chunk.removeprefix(f"d:{start}-{start + 500} ").strip("…")
    inside = [at for at in range(start, start + 500) if any(x <= at < y for x, y in gold)]
    shown = told.replace("«", "").replace("»", "")
    first = text.index(shown, start)
    marked = "".join(part.split("»")[0] for part in told.split("«")[1:])
    assert marked == "".join(text[at] for at in inside if first <= at < first + len(shown))
    assert len(shown) == 220
    # Where there is gold, some is shown.
    assert bool(marked) == bool(inside)
    assert (made.questions()["first_gold"][0] == 1) == bool(inside)


def test_the_rank_of_the_first_gold_is_said() -> None:
    chunks = [("d", 62, 82), ("d", 0, 9), ("d", 9, 19), ("d", 20, 30), ("d", 60, 70)]
    for listed, rank in ((chunks, "5"), (chunks[:4], "–")):
        table = result({"birds": listed}, {"birds": GOLD["birds"]}).whole().tables[1]
        column = table.columns.index("first gold")
        assert [row[column] for row in table.rows] == [rank]


def test_a_retriever_gives_the_text_of_its_chunks() -> None:
    chunk = {"document": "d", "start": 15, "text": TEXT[15:30]}
    row = result({"dogs": [chunk]}, {"dogs": GOLD["dogs"]}).questions().iloc[0]
    assert (row["spans"], row["chunks"]) == (("d:20-37",), ("d:15-30 day. «Dogs eat a»",))


def test_files_name_questions_by_their_words(tmp_path: Path) -> None:
    gold, texts = tmp_path / "gold.jsonl", {"d": TEXT}
    span = {"query_id": "q1", "question": "When do\ndogs eat?", "doc": "d", "start": 20, "end": 37}
    gold.write_text(json.dumps(span) + "\n")
    asked = {"q1": GOOD["dogs"]}
    chunks = {"c": ("d", 20, 29)}
    evaluated = prum.evaluate({"run": {"q1": ["c"]}}, chunks=chunks, spans=gold, texts=texts)
    assert isinstance(evaluated, SpanEvaluationResult)
    for made in (evaluated, result(asked, str(gold), documents=texts)):
        assert made.questions()["question"].tolist() == ["When do\ndogs eat?"]
        assert made.questions()["topic"].tolist() == ["q1"]


def test_the_worst_question_is_told_where_one_is() -> None:
    (told,) = result().view().sentences
    assert told == "By Coverage@10, the leader's worst question is 'birds' (0.0000)."
    (alone,) = result({"good": GOOD}).view().sentences
    assert alone == "By Coverage@10, the worst question of good is 'birds' (0.0000)."
    (tied,) = result({"poor": POOR}).view().sentences
    assert (
        tied == "By Coverage@10, the worst questions of poor are 'cats' and 1 more (0.0000 each)."
    )
    # Two who are first alike: no "leader".
    (shared,) = result({"a": GOOD, "b": GOOD}).view().sentences
    assert shared == alone.replace("good", "a")
    # Long ones are begun; on the page, too.
    name = "cats\n" * 99
    long = result({**GOOD, name: POOR["cats"]}, {name: GOLD["cats"], **GOLD})
    assert long.view().sentences[0].endswith(f"run are '{'cats ' * 18}…' and 1 more (0.0000 each).")
    assert long.whole().tables[1].rows[0][0] == "cats " * 44 + "…"
    # Nothing is worst of what is all alike.
    assert not result({"cats": GOOD["cats"]}, {"cats": GOLD["cats"]}).view().sentences
    assert not result({"cats": [], "birds": GOOD["birds"]}, GOLD).view().sentences


def test_a_page_begins_with_a_figure_and_has_the_questions_after_the_systems() -> None:
    made = random_result()
    best = made.decision.best
    assert made.whole().tables[1].label == f"Where {best} scores lowest, by Coverage@10"
    page = made.to_html()
    assert page.index("<svg") < page.index("</header>")
    assert len(page) < len(random_result(topics=1).to_html()) + 60_000
    assert made.whole().figures[0].label.startswith(f"{best} {made.decision.ranked[0].mean:.4f}")
