"""The measures of prum in ir_measures: values, names that read back, and mistakes."""

import math
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

ir_measures = pytest.importorskip("ir_measures")

from prum.experiments.evaluate import ir  # noqa: E402
from prum.experiments.evaluate.inputs import read_judged, read_lists  # noqa: E402
from prum.experiments.evaluate.ir import (  # noqa: E402
    EPRUM,
    GR,
    NAMES,
    PRUM,
    RP,
    T2I,
    ExactPRUM,
    GradedPRUM,
    Overlap,
    nxCG,
    xCG,
)
from prum.experiments.evaluate.scores import score_runs  # noqa: E402
from prum.experiments.measures.catalogue import MEASURES  # noqa: E402
from prum.experiments.measures.measure import measure_of  # noqa: E402
from prum.simulator.model import InputError  # noqa: E402

# ir_measures reads names by parts of ast that Python 3.12 and 3.13 warn of.
pytestmark = pytest.mark.filterwarnings("ignore:.*ast:DeprecationWarning")

QRELS = {
    "q1": {"a": 2, "b": 1, "x": 0},
    "q2": {"d": 1},
    "missing": {"a": 1, "b": 1},
    "none": {"a": 0},
}
RUN = {
    "q1": {"c": 4.0, "d": 3.0, "a": 2.0, "b": 1.0},
    "q2": {"a": 1.0, "d": 1.0, "c": 1.0},
    "other": {"a": 1.0},
}
LINKS = "source,target,probability\nc,a,.4\nc,b,.4\nd,a,.6\nd,b,.4\n"
PAGE = "element,parent,length\np,,100\na,p,30\nb,p,30\nc,p,20\nd,p,10\nx,p,10\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    qrels = (f"{t} 0 {x} {grade}\n" for t, by in QRELS.items() for x, grade in by.items())
    run = (f"{t} Q0 {x} 1 {score} s\n" for t, by in RUN.items() for x, score in by.items())
    (tmp_path / "qrels").write_text("".join(qrels))
    (tmp_path / "run").write_text("".join(run))
    (tmp_path / "links.csv").write_text(LINKS)
    (tmp_path / "page.csv").write_text(PAGE)
    return tmp_path


def of_topics(measure: Any, qrels: Any = QRELS, run: Any = RUN) -> dict[str, float]:
    return {found.query_id: found.value for found in ir_measures.iter_calc([measure], qrels, run)}


# --- values -----------------------------------------------------------------------------------


def test_every_measure_that_needs_only_grades_is_there() -> None:
    assert {"Coverage", "GRPng", "AP"} < MEASURES.keys() - set(NAMES)
    for name in NAMES:
        assert name == getattr(ir, name).NAME
        assert ir_measures.measures.registry[name] is getattr(ir, name)


BROWSED: dict[str, Any] = {"links": "links.csv"}
TREE: dict[str, Any] = {"elements": ["page.csv"]}
CASES = [
    ("RP@0.5", RP(size=9) @ 0.5, {}),
    ("RP(tied=true)", RP(size=9, tied=True), {}),
    ("RP", RP(size=9, rel=2), {"ideal_grade": 2}),
    ("Overlap", Overlap(elements="page.csv"), TREE),
    ("nxCG(alpha=.5)@3", nxCG(alpha=0.5) @ 3, {}),
    ("xCG(alpha=.5)@3", xCG(alpha=0.5, elements="page.csv") @ 3, TREE),
    ("PRUM@0.5", PRUM(size=9, links="links.csv") @ 0.5, BROWSED),
    ("PRUM@r=1", PRUM(size=9, links="links.csv", recall=1), BROWSED),
    (
        "PRUM(navigation=walk,counts=normal)",
        PRUM(size=9, links="links.csv", navigation="walk", counts="normal"),
        BROWSED,
    ),
    ("ExactPRUM", ExactPRUM(size=9, links="links.csv"), BROWSED),
    (
        "GradedPRUM",
        GradedPRUM(size=9, links="links.csv", way="web .8"),
        {**BROWSED, "way": "web .8"},
    ),
    (
        "GR(quantisation=generalised)@2",
        GR(links="links.csv", size=9, quantisation="generalised") @ 2,
        BROWSED,
    ),
    ("EPRUM(users=500)", EPRUM(size=9, links="links.csv", users=500), BROWSED),
    ("GradedPRUM", GradedPRUM(elements="page.csv", rel=2), {**TREE, "ideal_grade": 2}),
    (
        "PRUM@1.0",
        PRUM(elements="page.csv", way="chunks next .5", size=20) @ 1,
        {**TREE, "way": "chunks next .5", "collection_size": 20},
    ),
    ("T2I(words=30)", T2I(elements="page.csv", words=30), TREE),
    ("PRUM", PRUM(elements="page.csv", links="links.csv"), {**TREE, **BROWSED}),
]


@pytest.mark.parametrize(("name", "measure", "given"), CASES, ids=[str(case[1]) for case in CASES])
def test_values_are_those_of_prum_evaluate(
    name: str, measure: Any, given: dict[str, Any], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    if "elements" not in given:
        given = {"collection_size": 9} | given
    judged, _ = read_judged("qrels", **given)
    ours = measure_of(name)
    result = score_runs(read_lists(["run"], judged, takes=ours.takes), judged, [ours])
    wanted = dict(zip(result.topics, result.values[0, :, 0].tolist(), strict=True))
    found = of_topics(measure)
    assert set(found) == set(QRELS)
    assert found["q1"] == wanted["q1"]
    assert found["q1"] > 0 or name == "Overlap"
    # With rel=2 a topic has no ideal, and is 0.
    assert found["q2"] == wanted.get("q2", 0)
    assert found["missing"] == 0
    assert found["none"] == 0 or (name, found["none"]) == (
        "PRUM@r=1",
        pytest.approx(math.nan, nan_ok=True),
    )


def test_all_forms_of_input_are_the_same() -> None:
    measures = [PRUM(size=9), ir_measures.nDCG @ 10, RP(size=9, tied=True)]
    qrels = [ir_measures.Qrel(t, x, grade) for t, by in QRELS.items() for x, grade in by.items()]
    run = [ir_measures.ScoredDoc(t, x, s) for t, by in RUN.items() for x, s in by.items()]
    wanted = ir_measures.calc_aggregate(measures, QRELS, RUN)
    assert ir_measures.calc_aggregate(measures, qrels, run) == wanted
    assert ir_measures.calc_aggregate(measures, iter(qrels), iter(run)) == wanted
    frames = pd.DataFrame(qrels), pd.DataFrame(run)
    assert ir_measures.calc_aggregate(measures, *frames) == wanted
    assert ir_measures.evaluator(measures, qrels).calc_aggregate(run) == wanted
    assert PRUM(size=9).calc_aggregate(qrels, run) == wanted[measures[0]]
    assert dict(ir_measures.calc(measures, qrels, run).aggregated) == wanted


def test_lists_are_ordered_as_trec_eval_orders_them() -> None:
    """By score in single precision, then by id, last first: d, c, a of topic q2."""
    assert of_topics(PRUM(size=9))["q2"] == 1
    assert of_topics(RP(size=9, tied=True))["q2"] == pytest.approx(1 / 2)
    near = {"q2": {"z": 1.0, "d": 1.00000001, "y": 0.5}}
    qrels = {"q2": {"d": 1}}
    assert of_topics(PRUM(size=9), qrels, near)["q2"] == pytest.approx(1 / 2)
    assert of_topics(ir_measures.RR, qrels, near)["q2"] == pytest.approx(1 / 2)


def test_means_leave_out_topics_with_fewer_ideals() -> None:
    second = PRUM(size=9, recall=2)
    found = of_topics(second)
    assert found["q1"] == pytest.approx(1 / 2)
    assert math.isnan(found["q2"])
    assert math.isnan(found["none"])
    assert found["missing"] == 0
    assert second.calc_aggregate(QRELS, RUN) == pytest.approx(1 / 4)
    assert math.isnan(PRUM(size=9, recall=3).calc_aggregate(QRELS, RUN))


# --- names ------------------------------------------------------------------------------------


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=8)
WHOLE = st.integers(1, 10**6)


@given(
    name=st.sampled_from(NAMES),
    size=WHOLE,
    rel=st.integers(1, 5),
    elements=TEXTS,
    rank=WHOLE,
    level=st.floats(0, 1),
    alpha=st.floats(0, 1),
    tied=st.booleans(),
)
def test_names_read_back(
    name: str, size: int, rel: int, elements: str, rank: int, level: float, alpha: float, tied: bool
) -> None:
    measure = ir_measures.parse_measure(name)(size=size, rel=rel, elements=elements)
    settings = {"alpha": alpha, "tied": tied, "words": 30, "users": rank, "navigation": "walk"}
    settings |= {"leave": alpha, "leave_relevant": level}
    measure = measure(
        **{key: value for key, value in settings.items() if key in MEASURES[name].options}
    )
    cut = measure
    if MEASURES[name].cutoffs:
        cut = measure @ (rank if "rank" in MEASURES[name].cutoffs else abs(level))
    for one in (cut,) if MEASURES[name].needs_cutoff else (measure, cut):
        one.validate_params()
        again = ir_measures.parse_measure(str(one))
        assert again == one
        assert (str(again), again.measure()) == (str(one), one.measure())


def test_measures_are_copied_and_given_more() -> None:
    assert str(PRUM(size=9, links="l") @ 1) == "PRUM(size=9,links='l')@1"
    assert PRUM(size=9)(links="l") @ 1 == PRUM(size=9, links="l") @ 1
    copy = pickle.loads(pickle.dumps(PRUM(size=9) @ 0.5))
    assert copy == PRUM(size=9) @ 0.5
    assert copy.calc_aggregate(QRELS, RUN) > 0


MISTAKES = {
    "PRUM(foo=1)": "parameter of PRUM is 'foo'",
    "PRUM(size=9)@2": "cut-off of PRUM is '?@2",
    "PRUM(size=9,recall=1)@0.5": "recall",
    "xCG(alpha=2)@5": "alpha of xCG.*at most 1",
    "PRUM(size='9')": "size of PRUM is '9', must be a number",
    "PRUM(links=1,size=9)": "links of PRUM is 1, must be a name of a file",
    "PRUM(size=9,rel=0)": "rel of PRUM is 0, must be a lowest grade of an ideal, at least 1",
    "EPRUM": "collection size must be",
    "PRUM(size=9,way='structural')": "structural.*elements",
    "PRUM(elements='page.csv',size=3)": "size is 3.*at least 6",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_say_what_is_wrong(
    mistake: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    with pytest.raises(InputError, match=MISTAKES[mistake]):
        ir_measures.calc_aggregate([ir_measures.parse_measure(mistake)], QRELS, RUN)


def test_mistakes_of_lists(files: Path) -> None:
    page = PRUM(elements=str(files / "page.csv"))
    with pytest.raises(InputError, match="element retrieved for topic q1 is 'nowhere'"):
        page.calc_aggregate(QRELS, {"q1": {"nowhere": 1.0}})
    with pytest.raises(InputError, match="ideal of topic q1 is 'nowhere'"):
        page.calc_aggregate({"q1": {"nowhere": 1}}, RUN)
    for score in (math.nan, math.inf, 1e300):
        with pytest.raises(InputError, match="score of 'a'"):
            RP(size=9).calc_aggregate(QRELS, {"q1": {"a": score}})
    provider = ir_measures.providers.registry["prum"]
    with pytest.raises(InputError, match="'AP', must be one of F, RP, "):
        provider.calc_aggregate([ir_measures.AP], QRELS, RUN)
    assert provider.calc_aggregate([RP(size=5)], QRELS, RUN)[RP(size=5)] > 0
