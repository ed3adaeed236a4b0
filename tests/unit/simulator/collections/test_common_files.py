"""Files that other tools write: their names of columns, JSON's mappings, comments."""

import json
from pathlib import Path

import pandas as pd
import pytest

import prum
from prum.simulator import Links, read_links
from prum.simulator.model import InputError
from tests.table_forms import written

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2, "a": 1}}
RUN = {"q1": {"a": 0.5, "b": 0.75}, "q2": {"c": 3.0, "a": 0.25}}
TABLES = {
    "BEIR": (["query-id", "corpus-id", "score"], ["query-id", "corpus-id", "score"]),
    "MTEB": (["query_id", "corpus_id", "score"], ["query_id", "corpus_id", "score"]),
    "recommenders": (["user_id", "item_id", "rating"], ["user_id", "item_id", "prediction"]),
}


def scores(runs: object, qrels: object) -> list[float]:
    result = prum.evaluate(runs, qrels, measures="AP, nDCG@2")
    return [round(x, 9) for x in result.to_frame()["score"].tolist()]


def rows(by_topic: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(topic, x, value) for topic, by in by_topic.items() for x, value in by.items()]


def trec(by_topic: dict[str, dict[str, float]]) -> str:
    return "".join(f"{q} Q0 {x} 1 {score} s\n" for q, x, score in rows(by_topic))


@pytest.mark.parametrize("form", ["tsv", "jsonl", "frame"])
@pytest.mark.parametrize("tool", TABLES)
def test_columns_of_other_tools(tool: str, form: str, tmp_path: Path) -> None:
    given: list[object] = []
    for number, (names, data) in enumerate(zip(TABLES[tool], (QRELS, RUN), strict=True)):
        frame = pd.DataFrame(rows(data), columns=names)
        path = tmp_path / f"{number}.{form}"
        if form == "tsv":
            frame.to_csv(path, sep="\t", index=False)
        elif form == "jsonl":
            frame.to_json(path, orient="records", lines=True)
        given.append(frame if form == "frame" else path)
    assert scores(given[1], given[0]) == scores({"run": RUN}, QRELS)


def test_json_of_queries(tmp_path: Path) -> None:
    qrels = written(tmp_path, "qrels.json", json.dumps(QRELS))
    run = written(tmp_path, "run.json", json.dumps(RUN))
    assert scores([run], qrels) == scores({"run.json": RUN}, QRELS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"q1": {"a": "x"}}', "run.json: score of element 'a', topic q1 is 'x', must be a finite"),
        ('{"q1": {"a": 1e999}}', "run.json: "),
        ('{"q1": ["a"]}', "content is 'other JSON', must be {topic: {element: number}}"),
        ('{"q1": {"a": 1, "a": 2}}', "the key 'a' stands twice"),
    ],
)
def test_json_that_is_no_run(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        prum.evaluate([written(tmp_path, "run.json", text)], QRELS, measures="AP")
    assert told in str(caught.value)


def test_comments_are_passed_over(tmp_path: Path) -> None:
    run = written(tmp_path, "run", f"# made by hand\n\n{trec(RUN)}# the end")
    lines = "".join(f"{q} 0 {x} {grade}\n# {x}\r\n" for q, x, grade in rows(QRELS))
    qrels = written(tmp_path, "qrels", f"# q 0 x 1\n{lines}")
    assert scores([run], qrels) == scores({"run": RUN}, QRELS)
    bad = written(tmp_path, "bad", f"# one\n{trec(RUN)}# two\nq1 Q0 a 1 x s\n")
    with pytest.raises(InputError, match=r"bad, line 7: score is 'x'"):
        prum.evaluate([bad], QRELS, measures="AP")


def test_weights_of_links(tmp_path: Path) -> None:
    path = written(tmp_path, "edges.tsv", "source\ttarget\tweight\na\tb\t.5\n")
    assert read_links(path) == Links({("a", "b"): 0.5})
