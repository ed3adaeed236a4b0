"""Measures that come from other programs, by name, beside these programs on random lists."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prum
from prum.experiments.evaluate.inputs import read_judged
from prum.experiments.measures.judged import Collection, Judged, taken
from prum.experiments.measures.measure import measure_of
from prum.simulator.collections.trec import ranked_of
from prum.simulator.model import Elements, InputError
from tests.tiers import examples
from tests.tool_measures import OF_NDEVAL, OF_OTHERS, OF_TREC_EVAL

Grades = Mapping[str, int]
Topic = tuple[dict[str, float], dict[str, int]]

NAMES = [f"e{number:02}" for number in range(14)]


@st.composite
def topics(draw: st.DrawFn) -> Topic:
    """Scores with ties, and grades -1 to 4 of some elements, one at least of them ideal."""
    listed = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    run = {element: float(draw(st.integers(1, 6))) for element in listed}
    judged = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    grades = {element: draw(st.integers(-1, 4)) for element in judged}
    return run, grades | {judged[0]: draw(st.integers(1, 4))}


@st.composite
def diverse_topics(draw: st.DrawFn) -> tuple[dict[str, float], dict[str, dict[str, int]]]:
    """Scores without ties, and grades 0 to 3 of some elements for some of four subtopics."""
    listed = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    judged = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    # As files have them: subtopic after subtopic.
    grades = {
        element: {
            subtopic: draw(st.integers(0, 3))
            for subtopic in draw(st.lists(st.sampled_from("1234"), min_size=1, unique=True))
        }
        for element in judged
    }
    grades[judged[0]]["1"] = draw(st.integers(1, 3))
    return {element: 20.0 - rank for rank, element in enumerate(listed)}, grades


def ours(name: str, run: Mapping[str, float], topic: Judged) -> float:
    measure = measure_of(name)
    scored = {element: run[element] for element in ranked_of(run).elements}
    curve = measure.curve(topic, taken(scored, measure.takes))
    return curve.read(measure.name.cutoff)


def graded(grades: Grades) -> Judged:
    ideals = tuple(element for element, grade in grades.items() if grade > 0)
    return Judged("1", ideals, grades, None, Collection(highest_grade=max(grades.values())))


def by_the_tool(names: Mapping[str, str], run: Mapping[str, float], qrels: Any) -> dict[str, float]:
    """Return what ir_measures says of one topic, by our names."""
    ir_measures = pytest.importorskip("ir_measures")
    measures = {ir_measures.parse_measure(name): ours for ours, name in names.items()}
    metrics = ir_measures.iter_calc(list(measures), qrels, {"1": dict(run)})
    return {measures[metric.measure]: float(metric.value) for metric in metrics}


def check(names: Mapping[str, str], run: Mapping[str, float], topic: Judged, qrels: Any) -> None:
    values = {name: ours(name, run, topic) for name in names}
    assert values == pytest.approx(by_the_tool(names, run, qrels), abs=1e-12)


@settings(max_examples=examples(40))
@given(topic=topics())
def test_measures_of_trec_eval(topic: Topic) -> None:
    run, grades = topic
    check(OF_TREC_EVAL, run, graded(grades), {"1": grades})


@pytest.mark.filterwarnings("ignore")
@given(topic=topics())
def test_measures_of_cwl_eval_and_ir_measures(topic: Topic) -> None:
    run, grades = topic
    run = {element: 20.0 - rank for rank, element in enumerate(ranked_of(run).elements)}
    check(OF_OTHERS, run, graded(grades), {"1": grades})


@given(topic=diverse_topics())
def test_measures_of_ndeval(topic: tuple[dict[str, float], dict[str, dict[str, int]]]) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    run, grades = topic
    qrels = [
        ir_measures.Qrel("1", element, grade, subtopic)
        for element, by in grades.items()
        for subtopic, grade in by.items()
    ]
    (judged,), _ = read_judged({"1": grades})
    # Asked for measures of two settings at once, ir_measures has 0 for the second.
    for name, written in OF_NDEVAL.items():
        check({name: written}, run, judged, qrels)


# --- by hand --------------------------------------------------------------------------------------


def values(run: list[str] | dict[str, float], qrels: Any, *names: str, **given: Any) -> list[float]:
    result = prum.evaluate({"s": {"1": run}}, {"1": qrels}, measures=list(names), **given)
    return [float(value) for value in result.to_frame()["score"]]


def test_time_biased_gain_by_hand() -> None:
    """10 s an element, half of the users gone in 10 s: every relevant one is seen and saved."""
    plain = "half_life=10,judge=0,per_word=0,read=10,click=1,click_relevant=1,save=1,words=0"
    listed, qrels = ["a", "x", "b", "a"], {"a": 1, "b": 1}
    names = f"TBG({plain})", f"TBG({plain})@2", f"TBG({plain},exact=true)"
    assert values(listed, qrels, *names) == pytest.approx([1.25, 1, 1.25])


def test_time_biased_gain_is_cwl_evals_total_at_one_cost() -> None:
    """cwl_eval knows no clicks, and divides by the sum of all weights."""
    ruler = pytest.importorskip("cwl.ruler.cwl_ruler")
    gains = [0, 1, 1, 0, 0, 1, 0]
    listed = [f"e{rank}" for rank in range(7)]
    qrels = dict(zip(listed, gains, strict=True))
    metric = ruler.TBGCWLMetric(halflife=30)
    ranking = ruler.Ranking("1", np.array(gains, dtype=float), np.full(7, 4.0), max_cost=4.0)
    metric.measure(ranking)
    plain = "half_life=30,judge=4,per_word=0,read=0,click=1,click_relevant=1,save=1,words=0"
    (value,) = values(listed, qrels, f"TBG({plain})")
    assert value == pytest.approx(metric.expected_total_utility, abs=1e-12)
    assert value / (1 / (1 - 2 ** (-4 / 30))) == pytest.approx(metric.expected_utility)


def test_time_biased_gain_takes_lengths_from_elements() -> None:
    elements = Elements({"a": (None, 100), "b": (None, 300), "c": (None, 50)})
    by_length, by_number = (
        values(["a", "b", "c"], {"c": 1}, name, elements=elements)
        for name in ("TBG", "TBG(words=200)")
    )
    assert by_length == pytest.approx(by_number)  # 100 + 300 = 2 * 200
    # In the order of the list, and again where an element stands in it again.
    for listed, words in ((["c", "b", "a"], 175), (["c", "b", "c", "b", "a"], 175)):
        (by_length,), (by_number,) = (
            values(listed, {"a": 1}, name, elements=elements)
            for name in ("TBG", f"TBG(words={words})")
        )
        assert by_length == pytest.approx(by_number), listed
    with pytest.raises(InputError, match=r"words of TBG must be given .*; write TBG\(words=500\)"):
        values(["a"], {"a": 1}, "TBG")


def test_interpolated_precision_uncut_is_the_mean_of_eleven_levels() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, qrels = {"a": 3.0, "x": 2.0, "b": 1.0}, {"a": 1, "b": 2, "c": 1}
    evaluator = pytrec_eval.RelevanceEvaluator({"1": qrels}, {"11pt_avg"})
    expected = evaluator.evaluate({"1": run})["1"]["11pt_avg"]
    # That is version 9. In 10, level .4 has the first ideal, of precision 1 for 2/3, .8 the second.
    names = "IPrec(rounding=up)", "IPrec"
    assert values(run, qrels, *names) == pytest.approx([expected, expected + 1 / 11], abs=1e-12)


def test_subtopics_by_hand() -> None:
    """a serves both subtopics, b one again; 2 ranks make 2 (1 + 1/2 / log2 3) possible."""
    qrels = {"a": {"x": 1, "y": 1}, "b": {"x": 2}, "c": {"z": 0}}
    names = "alpha_DCG@2", "StRecall@1", "P_IA@2", "AP_IA", "AP"
    possible = 2 * (1 + 0.5 / np.log2(3))
    dcg = 2 + 0.5 / np.log2(3)
    expected = [dcg / possible, 1, 3 / 4, 1, 1]
    assert values(["a", "b"], qrels, *names) == pytest.approx(expected)


NEW = [*OF_TREC_EVAL, *OF_OTHERS, *OF_NDEVAL, "TBG(words=200)"]


@pytest.mark.parametrize("name", NEW)
def test_an_empty_list_is_worth_nothing(name: str) -> None:
    (topic,), _ = read_judged({"1": {"a": {"x": 1, "y": 2}, "b": {"x": 0}}})
    assert ours(name, {}, topic) == 0


# Of these the copy is judged, or counted in another way.
OTHERWISE = ("Judged", "IPrec", "Bpref", "Set", "infAP")


@pytest.mark.parametrize("name", [name for name in NEW if not name.startswith(OTHERWISE)])
def test_what_stands_in_the_list_again_gains_nothing(name: str) -> None:
    """A copy is worth no more than an element that was judged and is worth nothing."""
    (topic,), _ = read_judged({"1": {"a": {"x": 4, "y": 4}, "b": {"x": 3}, "n": {"x": 0}}})
    measure = measure_of(name)
    twice, nothing = (
        measure.curve(topic, ("a", again, "b")).read(measure.name.cutoff) for again in ("a", "n")
    )
    assert twice == nothing
