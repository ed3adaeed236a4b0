"""Files that other tools write: their names of columns, JSON's mappings, comments."""

import json
from pathlib import Path

import pandas as pd
import pytest

import prum
from prum.simulator import read_links, read_qrels, read_run
from prum.simulator.model import InputError
from prum.simulator.tables import files
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


MSMARCO = "".join(f"{q[1]}\t{x}{n}\t{n}\n" for q in RUN for n, x in enumerate("abc", start=1))
RAGAS = pd.DataFrame(
    {
        "user_input": ["q1", "q2"],
        "retrieved_context_ids": [["b", "a"], ["c", "a"]],
        "reference_context_ids": [["a"], ["c", "a"]],
    }
)
BINARY = {"q1": {"a": 1}, "q2": {"c": 1, "a": 1}}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("suffix", [".json", "", ".txt"])
def test_json_of_queries(suffix: str, indent: int | None, tmp_path: Path) -> None:
    qrels = written(tmp_path, f"qrels{suffix}", json.dumps(QRELS, indent=indent))
    run = written(tmp_path, f"run{suffix}", json.dumps(RUN, indent=indent))
    assert scores([run], qrels) == scores({"run.json": RUN}, QRELS)


@pytest.mark.parametrize("suffix", [".tsv", "", ".txt"])
@pytest.mark.parametrize("mark", ["\t", " "])
def test_short_lines_of_ms_marco(suffix: str, mark: str, tmp_path: Path) -> None:
    run = written(tmp_path, f"run{suffix}", MSMARCO.replace("\t", mark))
    qrels = written(tmp_path, f"qrels{suffix}", f"1{mark}a1\n2{mark}b2\n")
    by_rank = {q[1]: {f"{x}{n}": -n for n, x in enumerate("abc", start=1)} for q in RUN}
    assert scores(run, qrels) == scores({"run": by_rank}, {"1": {"a1": 1}, "2": {"b2": 1}})


@pytest.mark.parametrize("mark", ["\t", " ", "  \t"])
def test_a_first_line_may_name_the_columns(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_BLOCK_SIZE", 1)
    lines = f"query-id Q0 docno rank score tag\n{trec(RUN)}".replace(" ", mark)
    judged = "".join(f"{q} 0 {x} {grade}\n" for q, x, grade in rows(QRELS))
    qrels = f"query_id 0 corpus-id relevance\n{judged}".replace(" ", mark)
    given = written(tmp_path, "run", lines), written(tmp_path, "qrels.txt", qrels)
    assert scores(*given) == scores({"run": RUN}, QRELS)


@pytest.mark.parametrize("form", ["frame", "csv", "jsonl", "parquet"])
def test_lists_in_cells_of_ragas(form: str, tmp_path: Path) -> None:
    table: object = RAGAS
    if form != "frame":
        table = tmp_path / f"x.{form}"
        text = {"csv": RAGAS.to_csv(index=False)}
        text["jsonl"] = RAGAS.to_json(orient="records", lines=True)
        RAGAS.to_parquet(table) if form == "parquet" else written(tmp_path, table.name, text[form])
    lists = {"q1": ["b", "a"], "q2": ["c", "a"]}
    assert scores(table, table) == scores({"run": lists}, BINARY)
    if form == "frame":
        nameless = RAGAS.drop(columns="user_input")
        assert scores(nameless, nameless) == scores({"run": lists}, BINARY)
        for cell in ("a", 7, {"a": 1}):
            broken = RAGAS.assign(retrieved_context_ids=[["a"], cell])
            with pytest.raises(InputError, match=r"row 2: retrieved_context_ids .* a list of ids"):
                scores(broken, RAGAS)


def test_tags_hold_blanks_but_ids_do_not(tmp_path: Path) -> None:
    run = written(tmp_path, "run", trec(RUN).replace(" s\n", " my 2nd tag # 5\n"))
    assert scores(run, QRELS) == scores({"run": RUN}, QRELS)
    for line in ("q1 Q0 my doc 1 .5 s", "q1 Q0 doc 1 1 .5 s"):
        with pytest.raises(InputError, match=r"line 5: number of columns .* is 7, must be 6"):
            scores(written(tmp_path, "bad", f"{trec(RUN)}{line}\n"), QRELS)


EDGES = [("x", "a"), ("b", "c")]


@pytest.mark.parametrize(
    "edges",
    [
        EDGES,
        {"x": ["a"], "b": ["c"]},
        pd.DataFrame(EDGES, columns=["source", "target"]),
        {"source": ["x", "b"], "target": ["a", "c"]},
        [{"source": x, "target": y} for x, y in EDGES],
    ],
)
def test_a_way_makes_probabilities_of_edges(edges: object) -> None:
    lists = {"run": {"q1": ["x", "b"]}}
    options = {"collection_size": 9, "measures": "PRUM"}
    made = prum.evaluate(lists, QRELS, links=edges, way="web .85", **options)
    given: object = [(*edge, 0.85) for edge in EDGES]
    nested = {x: {y: 0.85} for x, y in EDGES}
    assert made.to_frame().score.tolist() == pytest.approx(
        prum.evaluate(lists, QRELS, links=given, navigation="walk", **options).to_frame().score
    )
    again = prum.evaluate(lists, QRELS, links=nested, navigation="walk", **options)
    assert made.to_frame().score.tolist() == pytest.approx(again.to_frame().score)
    with pytest.raises(InputError, match=r"wrong column names: .*, or give a way that makes it"):
        prum.evaluate(lists, QRELS, links=edges, **options)


def test_the_grades_of_a_judge_alone() -> None:
    judge = {"q1": {"a": 1, "b": 1}, "q2": {"c": 0, "a": 1}}
    for judges in (judge, {"judge": judge}):
        table = prum.judges(judges, QRELS, cases=2, draws=2).to_frame()
        assert list(table["judge"]) == ["judge"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"q1": {"a": 1}}', "lines of JSON"),
        ("[1]", "JSON, a list"),
        ("q1 Q0 a 1 2 s\n", "a run"),
        ("q1 0 a 1\n", "qrels"),
        ("<a/>", "XML"),
        ("PAR1", "Parquet"),
    ],
)
def test_the_format_that_was_seen_is_named(text: str, told: str, tmp_path: Path) -> None:
    """By readers of another one: a table by a name that tells none, lines of runs, of qrels."""
    with pytest.raises(InputError) as caught:
        read_links(written(tmp_path, "x.txt", text))
    assert "wrong column names" in str(caught.value) or text[0] in "{[P"
    if text[0] == "q":
        reader = read_qrels if told == "a run" else read_run
        with pytest.raises(InputError, match=f"this looks like {told}, not "):
            reader(tmp_path / "x.txt")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"q1": {"a": "x"}}', "run.json: score of 'a' is 'x', must be a finite number"),
        ('{"q1": {"a": 1e999}}', "run.json: "),
        ('{"q1": ["a"]}', "content is 'JSON, a mapping of queries to list', must"),
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
