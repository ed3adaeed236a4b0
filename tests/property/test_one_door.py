"""Whatever frame is taken, its CSV, JSON lines and Parquet are taken with the same scores.

One table of the words that people use for columns, against all doors.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import prum
from prum.experiments.evaluate.given import given_qrels
from prum.experiments.logs import read_sessions
from prum.simulator.collections import read_chunks, read_costs, read_elements, read_gold, read_links
from prum.simulator.collections.campaign import read_campaign
from prum.simulator.model import InputError
from tests.tiers import DRAWS_ALL, drawn, examples, slow

pa = pytest.importorskip("pyarrow")

TOPICS = ("topic", "qid", "query_id", "query", "question", "topic_id", "Query ID")
SYSTEMS = ("system", "model", "retriever", "run", "method", "runid", "Run-Name")
ELEMENTS = (
    "element",
    "docno",
    "doc_id",
    "docid",
    "doc",
    "document",
    "document_id",
    "Document ID",
)
SCORES = ("score", "similarity", "Similarity", "rank")

QRELS = {"7": {"a": 1, "12": 1}, "q2": {"a": 1}}


def some_forms(frame: pd.DataFrame, folder: Path, number: int) -> dict[str, Any]:
    """Return a frame, and one of its other forms; in the slow tier all."""
    every = forms(frame, folder)
    return every if DRAWS_ALL else {x: every[x] for x in ("frame", [*every][1:][number % 7])}


def forms(frame: pd.DataFrame, folder: Path) -> dict[str, Any]:
    """Return a table in every form that people have it."""
    folder.mkdir(parents=True, exist_ok=True)
    frame.to_csv(folder / "table.csv", index=False)
    frame.to_csv(folder / "table.tsv", index=False, sep="\t")
    frame.to_json(folder / "table.jsonl", orient="records", lines=True)
    frame.to_parquet(folder / "table.parquet")
    frame.to_csv(folder / "table.csv.gz", index=False)
    files = {path.name: path for path in sorted(folder.iterdir())}
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    return {"frame": frame, "arrow": arrow, "records": frame.to_dict("records"), **files}


def outcome(door: Callable[[Any], Any], table: Any) -> Any:
    """Return what a door makes of a table, or that it refuses it."""
    try:
        return door(table)
    except InputError:
        return "refused"


def said(result: Any) -> Any:
    return json.loads(result.to_json())


def scores_of(runs: Any) -> Any:
    result = prum.evaluate(runs, QRELS, measures="AP,nDCG@3,Success@1")
    return {
        measure: {system: list(by) for system, by in systems.items()}
        for measure, systems in said(result)["scores"].items()
    }


# --- words ---------------------------------------------------------------------------------------


def renamed(frame: pd.DataFrame, **names: str) -> pd.DataFrame:
    return frame.rename(columns=names)


RUNS = pd.DataFrame(
    [
        (system, topic, element, float(score))
        for system, lists in (("one", "ab"), ("two", "ba"))
        for topic in ("7", "q2")
        for score, element in enumerate((*lists, "12"))
    ],
    columns=["system", "topic", "element", "score"],
)


@pytest.mark.parametrize(("topic", "system"), [*zip(TOPICS, SYSTEMS, strict=True)])
def test_words_for_topics_and_systems(topic: str, system: str, tmp_path: Path) -> None:
    runs = renamed(RUNS, topic=topic, system=system)
    wanted = scores_of(RUNS)
    for form, table in forms(runs, tmp_path).items():
        assert scores_of(table) == wanted, form
    scored = RUNS.groupby(["system", "topic"], as_index=False)["score"].sum()
    compared = [
        [(mean["system"], mean["mean"]) for mean in said(prum.compare(table))["means"]]
        for table in forms(renamed(scored, topic=topic, system=system), tmp_path / "s").values()
    ]
    assert all(means == compared[0] for means in compared)


@pytest.mark.parametrize(("element", "score"), [*zip(ELEMENTS, 2 * SCORES, strict=True)])
def test_words_for_elements_and_scores(element: str, score: str) -> None:
    runs = RUNS.assign(score=-RUNS.score) if score == "rank" else RUNS
    assert scores_of(renamed(runs, element=element, score=score)) == scores_of(RUNS)
    lengths = TREE[["element", "length"]]
    doors = (given_qrels, JUDGED), (read_elements, TREE), (costs_of, lengths), (logged, VISITS)
    for door, frame in doors:
        assert door(renamed(frame, element=element)) == door(frame)


def test_campaigns_take_the_runs_and_judgements_that_evaluate_takes(tmp_path: Path) -> None:
    qrels = pd.DataFrame(
        [(topic, x, grade) for topic, by in QRELS.items() for x, grade in by.items()],
        columns=["Query ID", "docno", "label"],
    )
    lists = {"one": ("12", "b", "a"), "two": ("12", "a", "b")}
    judged = forms(qrels, tmp_path / "qrels")
    for form, runs in forms(renamed(RUNS, system="model"), tmp_path / "runs").items():
        if isinstance(runs, Path):
            campaign = read_campaign([runs], judged[form], collection_size=9)
            assert campaign.runs == {s: dict.fromkeys(QRELS, x) for s, x in lists.items()}, form
            assert campaign.ideals == {"7": ("12", "a"), "q2": ("a",)}, form
            with pytest.raises(InputError, match="system is 'one', must be given once"):
                read_campaign([runs, shutil.copy(runs, tmp_path)], judged[form], collection_size=9)


def costs_of(table: Any) -> Any:
    return {unit: dict(costs.lengths) for unit, costs in read_costs(table).items()}


def logged(table: Any) -> Any:
    return list(read_sessions(table))


# --- all verbs -----------------------------------------------------------------------------------

WALKS = [["p", "a"], ["p", "b"], ["p", "a"]]
PAIRS = [("p", "a"), ("p", "b")]
TREE = pd.DataFrame(
    [("p", None, 10), ("a", "p", 4), ("b", "p", 3), ("12", "p", 3)],
    columns=["element", "parent", "length"],
)
JUDGED = pd.DataFrame(
    [(topic, x, int(x in "ac")) for topic in "12" for x in "abcd"],
    columns=["topic", "element", "grade"],
)
GOLD = pd.DataFrame([("7", "d", 5, 15)], columns=["question", "doc", "start", "end"])
PIECES = pd.DataFrame(
    [(x, "d", 10 * at, 10 * at + 10) for at, x in enumerate(("a", "b", "12"))],
    columns=["chunk", "doc", "start", "end"],
)
ONE = RUNS[(RUNS.system == "one") & (RUNS.topic == "7")]
OTHER_JUDGE = JUDGED.assign(grade=JUDGED.element.isin(["a", "b"]).astype(int))
VISITS = pd.DataFrame([(n // 2, ("p", "ab"[n > 30])[n % 2]) for n in range(60)])
VISITS.columns = ["session", "element"]
CORPUS = pd.DataFrame([("d", "In all it has thirty letters.!")], columns=["doc", "text"])

DOORS: dict[str, tuple[pd.DataFrame, Callable[[Any], Any]]] = {
    "links of evaluate": (
        pd.DataFrame([("b", "a", 0.5)], columns=["source", "target", "probability"]),
        lambda x: prum.evaluate(RUNS, QRELS, links=x, measures="PRUM"),
    ),
    "elements of evaluate": (
        TREE,
        lambda x: prum.evaluate(RUNS, QRELS, elements=x, measures="PRUM"),
    ),
    "costs of evaluate": (
        TREE[["element", "length"]],
        lambda x: prum.evaluate(RUNS, QRELS, costs=x, measures="PRUM(cost=length)"),
    ),
    "judgements of evaluate": (
        JUDGED.assign(topic="7", probability=0.5)[["topic", "element", "probability"]].head(4),
        lambda x: prum.evaluate(RUNS, judgements=x, measures="AP"),
    ),
    "chunks of evaluate": (PIECES, lambda x: prum.evaluate(ONE, chunks=x, spans=GOLD)),
    "spans of evaluate": (GOLD, lambda x: prum.evaluate(ONE, chunks=PIECES, spans=x)),
    "texts of evaluate": (
        CORPUS,
        lambda x: prum.evaluate(ONE, chunks=PIECES, spans=GOLD, texts=x),
    ),
    "log of fit": (VISITS, lambda x: prum.fit(x, PAIRS)),
    "links of fit": (
        pd.DataFrame(PAIRS, columns=["source", "target"]),
        lambda x: prum.fit(WALKS, x),
    ),
    "elements of fit": (TREE, lambda x: prum.fit(WALKS, PAIRS, elements=x)),
    "a judge": (OTHER_JUDGE, lambda x: prum.judges({"judge": x}, JUDGED, cases=2, draws=2)),
    "human judgements": (
        JUDGED,
        lambda x: prum.judges({"judge": OTHER_JUDGE}, x, cases=2, draws=2),
    ),
}


@drawn
@pytest.mark.parametrize(
    "door", [pytest.param(x, marks=slow) if x == "elements of fit" else x for x in DOORS]
)
def test_every_verb_takes_a_table_in_every_form(door: str, tmp_path: Path) -> None:
    frame, call = DOORS[door]
    some = some_forms(frame, tmp_path, [*DOORS].index(door))
    made = {form: call(x).to_frame() for form, x in some.items()}
    for form, one in made.items():
        pd.testing.assert_frame_equal(one, made["frame"], obj=form)


def test_the_table_of_a_judge_is_one_judge() -> None:
    assert list(prum.judges(OTHER_JUDGE, JUDGED, cases=2, draws=2).to_frame()["judge"]) == ["judge"]


@pytest.mark.parametrize("document", ["document", "source", "doc_id", "file_path", "docno"])
@pytest.mark.parametrize(
    ("start", "end"), [("start_index", "end_index"), ("start_char_idx", "end_char_idx")]
)
def test_words_for_places(start: str, end: str, document: str) -> None:
    names = {"doc": document, "start": start, "end": end}
    for door, frame in ((read_chunks, PIECES), (read_gold, GOLD)):
        assert door(renamed(frame, **names)) == door(frame)


# --- frames --------------------------------------------------------------------------------------

IDS = st.sampled_from(["a", "b", "c 1", "ü", "007", "x,y", 'say "x"', "12"])
NUMBERS = st.sampled_from([0, 1, 12, 300])


@st.composite
def run_frames(draw: st.DrawFn) -> pd.DataFrame:
    """Return a table of lists with ids of either kind, and columns that nobody needs."""
    ids = draw(st.sampled_from([IDS, NUMBERS]))
    rows = draw(st.lists(st.tuples(st.sampled_from([7, 8]), ids, NUMBERS), min_size=1, max_size=8))
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    for name, values in (
        ("note", ["web", "news"]),
        ("model", ["x", "y"]),
        ("fold", [1, 2]),
        ("time", [0.5, 1.5]),
    ):
        if draw(st.booleans()):
            frame[name] = [draw(st.sampled_from(values)) for _ in rows]
    return frame


@given(run_frames())
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_frame_of_runs_and_its_files_are_the_same(tmp_path: Path, frame: pd.DataFrame) -> None:
    def door(table: Any) -> Any:
        return said(prum.evaluate(table, {"7": {"a": 1, "12": 1}, "8": {"b": 1}}))["scores"]

    wanted = outcome(door, frame)
    for form, table in forms(frame, tmp_path).items():
        made = outcome(door, table)
        if made != wanted and "run" in str(wanted):  # a file names its run
            made = {m: {"run": next(iter(by.values()))} for m, by in made.items()}
        assert made == wanted, form


def test_frames_of_other_libraries() -> None:
    frame = pd.DataFrame({"source": [1, 2], "target": ["a", "b"], "probability": [0.5, 1]})
    table = pa.Table.from_pandas(frame)
    assert read_links(table) == read_links(frame)
    runs = RUNS.assign(topic=np.where(RUNS.topic == "q2", "8", "7"))
    assert scores_of(pa.Table.from_pandas(runs.head(3))) == scores_of(runs.head(3))


@pytest.mark.parametrize("names", [("one", "two"), (1, 2)])
def test_a_column_that_nobody_knows_is_named(names: tuple[Any, Any], tmp_path: Path) -> None:
    engine = RUNS.system.map(dict(zip(("one", "two"), names, strict=True)))
    frame = RUNS.drop(columns="system").assign(engine=engine)
    for form, table in forms(frame, tmp_path).items():
        with pytest.raises(InputError, match="'engine', which tells rows"):
            scores_of(table)
        assert form
