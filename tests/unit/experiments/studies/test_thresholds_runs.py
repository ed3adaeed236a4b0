"""ADM of one's own runs in the study of thresholds: by loops over documents, mistakes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

from prum.experiments.studies.thresholds import THRESHOLDS
from prum.experiments.studies.thresholds.runs import (
    BEATEN,
    DOCUMENTS,
    OTHERS,
    TAU,
    of_runs,
    planes,
    read_runs,
)
from prum.simulator.model import InputError

SIZE = 30
SMALL: dict[str, Any] = {"queries": 10, "documents": 10, "draws": 2, "error": 0.8, "worse": 1.2}
Made = tuple[list[dict[str, dict[str, float]]], dict[str, dict[str, int]]]


@pytest.fixture(scope="module")
def made() -> Made:
    rng = np.random.default_rng(8)
    topics = [f"t{number}" for number in range(5)]
    judged = {
        topic: {f"d{k}": int(grade) for k, grade in enumerate(rng.choice([-1, 0, 1, 2], 12))}
        for topic in topics
    }
    runs = [
        {
            topic: {
                f"d{k}": -float(rank)
                for rank, k in enumerate(rng.permutation(20)[: rng.integers(1, 9)])
            }
            for topic in topics[: 5 - (system == 0)]
        }
        for system in range(6)
    ]
    return runs, judged


def estimate(rule: str, ranked: dict[str, float], document: str, longest: int) -> float:
    if document not in ranked:
        return 0.0
    if rule == "scores":
        return ranked[document]
    rank = list(ranked).index(document) + 1
    return 1 / rank if rule == "reciprocal" else 1 - (rank - 1) / longest


def by_loop(made: Made, rule: str, of: str) -> list[float]:
    """Return the mean ADM of each system, document by document of the collection."""
    runs, judged = made
    longest = max(len(ranking) for run in runs for ranking in run.values())
    means = []
    for run in runs:
        values = []
        for topic, grades in judged.items():
            documents = list(grades) if of == "judged documents" else [f"d{k}" for k in range(SIZE)]
            distance = 0.0
            for document in documents:
                ure = max(grades.get(document, 0), 0) / 2
                if of == "pooled":
                    each = [estimate(rule, own.get(topic, {}), document, longest) for own in runs]
                    ure = sum(each) / len(each)
                distance += abs(estimate(rule, run.get(topic, {}), document, longest) - ure)
            values.append(1 - distance / len(documents))
        means.append(sum(values) / len(values))
    return means


def test_orders_are_those_of_loops_over_documents(made: Made) -> None:
    rows = list(of_runs(*made, SIZE, np.random.default_rng(1)))
    found = {(row.level, row.measure): row for row in rows if row.quantity == TAU}
    assert len(found) == 2 * (len(DOCUMENTS) * len(OTHERS) - 1)
    for rule in ("linear", "reciprocal"):
        whole = by_loop(made, rule, "whole collection")
        for of in ("judged documents", "pooled"):
            row = found[f"{rule}, {of}", "ADM, whole collection"]
            assert row.value == pytest.approx(kendalltau(by_loop(made, rule, of), whole).statistic)
            assert (row.low or 0) <= (row.value or 0) <= (row.high or 0)
    nothing = np.mean(
        [1 - sum(g for g in of.values() if g > 0) / 2 / SIZE for of in made[1].values()]
    )
    for row in rows:
        if row.quantity == BEATEN:
            whole = by_loop(made, row.level.split(",")[0], "whole collection")
            assert row.value == np.mean(np.array(whole) < nothing)


def test_planes_hold_every_document_by_its_estimates(made: Made) -> None:
    """Scores in [0, 1] are estimates: documents one by one, and ADM by the loop over all."""
    runs, judged = made
    own = [
        {topic: {x: (9 + s) / 10 for x, s in by.items()} for topic, by in run.items()}
        for run in runs
    ]
    names = [f"r{number}" for number in range(len(own))]
    found = list(planes(own, names, judged, SIZE))
    assert [plane.adm for plane in found] == pytest.approx(
        by_loop((own, judged), "scores", "whole collection")
    )
    for plane, run in zip(found, own, strict=True):
        points = [
            (max(grades.get(x, 0), 0) / 2, run.get(topic, {}).get(x, 0.0))
            for topic, grades in judged.items()
            for x in {**run.get(topic, {}), **grades}
        ]
        assert sum(number for *_, number in plane.squares) == len(points)
        for ure, sre, number in plane.squares:
            near = [p for p in points if max(abs(p[0] - ure), abs(p[1] - sre)) < 0.0251]
            assert len(near) >= number > 0
        retrieved, relevant = ([p[at] >= 0.5 for p in points] for at in (1, 0))
        pairs = list(zip(retrieved, relevant, strict=True))
        wanted = tuple(pairs.count(each) for each in ((True, False), (True, True), (False, True)))
        assert plane.sectors == wanted
        assert plane.rule == "scores"
    by_rank = list(planes(runs, names, judged, SIZE))
    assert [plane.rule for plane in by_rank] == ["linear"] * len(runs)
    assert [plane.adm for plane in by_rank] == pytest.approx(
        by_loop(made, "linear", "whole collection")
    )
    assert [plane.adm for plane in by_rank] != pytest.approx([plane.adm for plane in found])
    rows = of_runs(own, judged, SIZE, np.random.default_rng(1))
    assert {row.level.split(",")[0] for row in rows} == {"linear", "reciprocal", "scores"}


@pytest.mark.parametrize(
    ("text", "squares"),
    [
        ("q 0 a .8\nq 0 b .25\n", ((0.25, 0.25, 1), (0.8, 0.8, 1))),
        ("q 0 a 2\nq 0 b 1\n", ((0.5, 0.25, 1), (1.0, 0.8, 1))),
        ("topic,preferred,other\nq,a,b\n", ((0.0, 0.25, 1), (1.0, 0.8, 1))),
    ],
)
def test_judgements_are_grades_relevance_or_preferences(
    text: str, squares: tuple[tuple[float, float, int], ...], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    qrels = tmp_path / ("q.csv" if "," in text else "q")
    run.write_text("q Q0 a 1 .8 r\nq Q0 b 2 .25 r\n")
    qrels.write_text(text)
    runs, names, judged = read_runs([str(run)], str(qrels))
    (plane,) = planes(runs, names, judged, 5)
    assert plane.squares == squares


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q 0 a 1.5\n", "must be at most 1 of decimals"),
        ("q 0 a E3S3\n", "judgements is 'assessments', must be grades"),
        ("q 0 a 0\n", "with a relevant document is 0"),
    ],
)
def test_judgements_that_tell_no_relevance(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(text)
    with pytest.raises(InputError, match=told):
        read_runs([], str(tmp_path / "qrels"))


def test_the_perfect_system_lies_on_the_line() -> None:
    judged = {"t": {"a": 2, "b": 1, "c": 0}}
    (plane,) = planes([{"t": {"a": 1.0, "b": 0.5}}], ["best"], judged, 10)
    assert plane.adm == 1
    assert plane.squares == ((0.0, 0.0, 1), (0.5, 0.5, 1), (1.0, 1.0, 1))
    assert (plane.precision, plane.recall) == (1, 1)
    (silent,) = planes([{"u": {"a": 1.0}}], ["silent"], judged, 10)
    assert (silent.precision, silent.recall) == (None, 0)


def test_a_run_of_all_relevant_documents_alone_is_best_by_all(made: Made) -> None:
    """With grades of 1 alone, longer lists of relevant documents are better by AP and ADM."""
    judged = {topic: {f"d{k}": int(k < 4) for k in range(12)} for topic in made[1]}
    runs = [{topic: {f"d{k}": 9.0 - k for k in range(n)} for topic in judged} for n in (1, 2, 3, 4)]
    rows = list(of_runs(runs, judged, SIZE, np.random.default_rng(1)))
    taus = [row.value for row in rows if row.quantity == TAU and "pooled" not in row.level]
    assert taus == pytest.approx([1.0] * len(taus))
    assert [row.value for row in rows if row.quantity == BEATEN] == [0.0, 0.0]
    wrong = [{topic: {f"d{k}": k for k in (9, 8, 7)[:n]} for topic in judged} for n in (1, 2, 3)]
    rows = list(of_runs(wrong, judged, SIZE, np.random.default_rng(1)))
    assert [row.value for row in rows if row.quantity == BEATEN] == [1.0, 1.0]


def test_the_study_reads_files_and_has_a_table(made: Made, tmp_path: Path) -> None:
    runs, judged = made
    files = []
    for system, run in enumerate(runs):
        files.append(str(tmp_path / f"{system}.run"))
        lines = [
            f"{topic} Q0 {document} {rank} {-rank} r{system}"
            for topic, ranking in run.items()
            for rank, document in enumerate(ranking)
        ]
        Path(files[-1]).write_text("\n".join(lines) + "\n")
    qrels = tmp_path / "qrels"
    lines = [f"{topic} 0 {x} {grade}" for topic, by in judged.items() for x, grade in by.items()]
    qrels.write_text("\n".join(lines) + "\n")
    given = {"runs": tuple(files), "qrels": str(qrels), "collection_size": SIZE}
    study = THRESHOLDS(**SMALL, **given)
    own = [row for row in study.rows if row.part == "runs"]
    expected = {
        (row.level, row.measure, row.value)
        for row in of_runs(*made, SIZE, np.random.default_rng(1))
    }
    assert {(row.level, row.measure, row.value) for row in own} == expected
    view = study.view()
    assert "Your runs" in str([table.label for table in view.tables])
    assert "estimate of relevance" in view.drawn[0].label
    plain = THRESHOLDS(**SMALL)
    assert [row for row in study.rows if row.part != "runs"] == list(plain.rows)
    one = THRESHOLDS(**SMALL, **(given | {"runs": files[:1]}))
    assert [row.quantity for row in one.rows if row.part == "runs"] == [BEATEN] * 2
    assert len(one.found.planes) == 1
    (tmp_path / "none").write_text("t0 0 d1 0\n")
    with pytest.raises(InputError, match="number of topics with a relevant document is 0"):
        THRESHOLDS(**SMALL, **(given | {"qrels": str(tmp_path / "none")}))
    with pytest.raises(InputError, match="be runs and qrels, with a size"):
        THRESHOLDS(**SMALL, **(given | {"qrels": None}))
    with pytest.raises(InputError, match="size"):
        THRESHOLDS(**SMALL, **(given | {"collection_size": 5}))
