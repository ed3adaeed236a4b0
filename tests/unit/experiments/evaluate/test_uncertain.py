"""Runs scored by judgements that are probabilities: expected scores, and what judges leave open."""

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from prum.experiments.evaluate import evaluate
from prum.experiments.evaluate.result import EvaluationResult
from prum.simulator.model import InputError
from prum.simulator.sampling.measured.judged_sets import every_set

MEASURES = "AP,nDCG@10,P@3,R@5,RR,RBP,DCG,ERR,Rprec,Bpref,Success@2,PRUM,ExactPRUM,xCG@4,F@3"
LINKS = {("e7", "e1"): 0.5, ("e2", "e3"): 0.7, ("e5", "e0"): 0.4, ("e6", "e2"): 0.6}


def lists(num_topics: int = 6, num_elements: int = 9) -> dict[str, dict[str, list[str]]]:
    rng = np.random.default_rng(5)
    return {
        system: {
            f"t{topic}": [f"e{x}" for x in rng.permutation(num_elements)[: num_elements - 1]]
            for topic in range(num_topics)
        }
        for system in "ab"
    }


def given(num_topics: int = 6, num: int = 5, power: float = 1.0) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(6)
    return {
        f"t{topic}": {f"e{x}": float(rng.random() ** power) for x in range(num)}
        for topic in range(num_topics)
    }


def scored(**options: Any) -> EvaluationResult:
    result = evaluate(**{"runs": lists(), "measures": MEASURES, "links": LINKS, **options})
    assert isinstance(result, EvaluationResult)
    return result


def noise(result: EvaluationResult) -> np.ndarray:
    """Return standard errors by simulation of the measures that were simulated, by system."""
    assert result.uncertainty is not None
    facts = result.uncertainty.facts
    by_measure = [[*facts["simulation_errors"][x].values()] for x in facts["simulated"]]
    return np.array(by_measure).T


def test_certain_judgements_give_the_ordinary_numbers_bit_for_bit() -> None:
    grades = {topic: {x: int(p > 0.5) for x, p in by.items()} for topic, by in given().items()}
    grades["t0"] = dict.fromkeys(grades["t0"], 0)
    certain = scored(judgements=grades)
    known = evaluate(lists(), grades, measures=MEASURES, links=LINKS)
    assert certain.scores.values.tobytes() == known.scores.values.tobytes()
    assert certain.without_ideals == known.without_ideals == ("t0",)
    assert certain.scores.means().tobytes() == known.scores.means().tobytes()
    assert certain.decision.pairs == known.decision.pairs


def test_a_topic_that_is_certain_keeps_its_number_among_others() -> None:
    p = given()
    p["t3"] = {"e0": 1, "e1": 0, "e2": 1}
    known = evaluate(lists(), {"t3": p["t3"]}, measures=MEASURES, links=LINKS)
    mixed = scored(judgements=p)
    assert mixed.scores.values[:, 3].tobytes() == known.scores.values[:, 0].tobytes()
    assert (mixed.uncertainty.deviations[:, 3] == 0).all()


def test_expected_scores_and_variances_are_those_of_every_set() -> None:
    p = given(num_topics=2, num=4)
    result = scored(judgements=p)
    assert result.uncertainty.facts["simulated"] == ()
    for place, (topic, by) in enumerate(p.items()):
        sets, shares = every_set(list(by.values()))
        values = np.zeros((len(sets), 2, len(result.scores.measures)))
        for number, is_ideal in enumerate(sets):
            if is_ideal.any():
                grades = dict(zip(by, is_ideal.astype(int).tolist(), strict=True))
                one = evaluate(lists(), {topic: grades}, measures=MEASURES, links=LINKS)
                values[number] = one.scores.values[:, 0]
        mean = np.einsum("d,dim->im", shares, values)
        deviation = np.sqrt(np.einsum("d,dim->im", shares, (values - mean) ** 2))
        np.testing.assert_allclose(result.scores.values[:, place], mean, atol=1e-12)
        np.testing.assert_allclose(result.uncertainty.deviations[:, place], deviation, atol=1e-7)


def test_simulated_judges_are_near_every_set_with_an_honest_error() -> None:
    p = given()
    exact, drawn = (scored(judgements=p, judges=num) for num in (32, 31))
    assert exact.uncertainty.facts["simulated"] == ()
    assert drawn.uncertainty.facts["simulated"] == ("PRUM", "ExactPRUM", "xCG@4", "F@3")
    numbers = [drawn.scores.measures.index(name) for name in drawn.uncertainty.facts["simulated"]]
    difference = (drawn.scores.means() - exact.scores.means())[:, numbers]
    z = difference / noise(drawn)
    assert np.abs(z).max() < 3.5
    assert np.abs(z).max() > 0
    closed = [at for at in range(len(drawn.scores.measures)) if at not in numbers]
    assert (drawn.scores.values == exact.scores.values)[:, :, closed].all()


def of_cases(given_by_case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return rows with a column of cases."""
    return [
        {"topic": topic, "element": x, "probability": value, "case": case}
        for case, by_topic in given_by_case.items()
        for topic, by in by_topic.items()
        for x, value in by.items()
    ]


def test_cases_are_mixed_and_their_spread_is_of_all_topics_at_once() -> None:
    low, high = given(), given(power=0.3)
    rows = of_cases({"low": low, "high": high})
    both, *alone = (scored(judgements=of, measures="AP,P@3") for of in (rows, low, high))
    mean = (alone[0].scores.values + alone[1].scores.values) / 2
    np.testing.assert_allclose(both.scores.values, mean, atol=1e-12)
    means = np.stack([one.scores.means() for one in alone])
    between = means.var(axis=0, ddof=1).T * 1.5
    within = sum(one.uncertainty.covariance for one in alone) / 2  # type: ignore[misc]
    expected = between + np.einsum("mii->mi", within)
    np.testing.assert_allclose(
        np.einsum("mii->mi", both.uncertainty.covariance), expected, rtol=0.3
    )
    assert "given the case, of 2 of all topics at once" in " ".join(both.view().notes)


def test_cases_that_say_all_are_draws_of_what_may_be() -> None:
    """Their variance, and that of their mean; nothing is left open within them."""
    sure = [
        {t: {x: float(x == "e0" or p > level) for x, p in by.items()} for t, by in given().items()}
        for level in (0.3, 0.5, 0.7)
    ]
    both = scored(judgements=of_cases(dict(zip("abc", sure, strict=True))), measures="AP,P@3")
    means = np.stack([scored(judgements=one, measures="AP,P@3").scores.means() for one in sure])
    expected = means.var(axis=0, ddof=1).T * (1 + 1 / 3)
    got = np.einsum("mii->mi", both.uncertainty.covariance)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_intervals_and_decisions_have_judges_beside_topics() -> None:
    p = of_cases({"low": given(), "high": given(power=0.3)})
    result = scored(judgements=p, measures="AP")
    assert result.scores.shared is not None
    ordinary = evaluate(lists(), {t: dict.fromkeys(by, 1) for t, by in given().items()})
    assert ordinary.scores.shared is None
    table = result.view().tables[1]
    assert table.columns[2:] == ("topics ±", "judges ±", "both ±", "these topics ±")
    for _, _, topics, judges, both, these in table.values:
        assert float(both) == pytest.approx(np.hypot(float(topics), float(judges)))  # type: ignore[arg-type]
        assert min(float(judges), float(these)) > 0  # type: ignore[arg-type]
    place = result.decision.ranked[0]
    assert place.high - place.mean == pytest.approx(float(table.values[0][-2]))  # type: ignore[arg-type]
    pair = result.decision.pairs[0]
    assert pair.high - pair.difference == pytest.approx(float(table.values[-1][-2]))  # type: ignore[arg-type]
    content = json.loads(result.to_json())
    assert content["uncertainty"]["closed_forms"] == ["AP"]
    assert "judge_deviation" in result.to_frame()
    # One case leaves nothing open on several topics at once.
    alone = scored(judgements=given(), measures="AP").view().tables[1]
    assert {row[3] for row in alone.values} == {0.0}


@pytest.mark.parametrize("cases", [1, 2])
def test_every_half_interval_is_computed_in_another_way(cases: int) -> None:
    """Means and differences of P@3, by hand from the lists and each case's probabilities."""
    by_case = [given(), given(power=0.3)][:cases]
    rows = of_cases(dict(zip("lh", by_case, strict=False)))
    result = scored(judgements=rows, measures="P@3", links=None)
    p = np.array([[[by[t].get(f"e{x}", 0) for x in range(9)] for t in by] for by in by_case])
    shown = np.array(
        [
            [[f"e{x}" in one[:3] for x in range(9)] for one in run.values()]
            for run in lists().values()
        ]
    )
    num = p.shape[1]
    kept = [shown[0] / 3, shown[1] / 3]
    at = [result.scores.systems.index(place.system) for place in result.decision.ranked]
    first, second = at
    weights = [kept[first], kept[second], kept[first] - kept[second]]
    signs = np.array([[1, 0], [0, 1], [1, -1]])
    pair = result.decision.pairs[0]
    # What cases move on two topics at once: covariances, of what may be the nearest matrix.
    both = np.array([(p * kept[k]).sum(axis=2) for k in at])
    both -= both.mean(axis=1, keepdims=True)
    moved = sum(
        np.einsum("ic,jc->ij", both[:, :, s], both[:, :, t])
        for s in range(num)
        for t in range(num)
        if s != t
    ) / max(cases - 1, 1)
    sizes, axes = np.linalg.eigh((moved + moved.T) / 2)
    moved = (axes * np.maximum(sizes, 0)) @ axes.T * (1 + 1 / cases) / num / (num - 1)
    rows_of = result.view().tables[1].values
    for weight, own, row in zip(weights, signs, rows_of, strict=True):
        means = (p * weight).sum(axis=2)  # of each case and topic
        topics = means.mean(axis=0).std(ddof=1) / num**0.5
        between = 0.0 if cases == 1 else means.mean(axis=1).var(ddof=1) * (1 + 1 / cases)
        within = (p * (1 - p) * weight**2).sum(axis=(1, 2)).mean() / num**2
        shared = 0.0
        if cases > 1:
            shared = float(own @ moved @ own) ** 0.5
        factor = stats.t.isf(0.025, num - 1)
        if "−" in str(row[0]):
            factor = (pair.high - pair.difference) / np.hypot(topics, shared)
        halves = [factor * topics, factor * shared, factor * np.hypot(topics, shared)]
        halves.append(stats.norm.isf(0.025) * (between + within) ** 0.5)
        assert [float(half) for half in row[2:]] == pytest.approx(halves, rel=1e-9, abs=1e-12)  # type: ignore[arg-type]


def test_unjudged_elements_may_be_ideal() -> None:
    p = given()
    without, some = (
        scored(judgements=p, measures="P@8,AP,Bpref", unjudged=level) for level in (None, 0.02)
    )
    # Four elements are not judged, at most four of them stand in a list.
    rise = some.scores.means()[:, 0] - without.scores.means()[:, 0]
    assert (rise > 0).all()
    assert (rise <= 4 * 0.02 / 8 + 1e-12).all()
    # Bpref passes over what nobody judged.
    np.testing.assert_allclose(some.scores.means()[:, 2], without.scores.means()[:, 2])
    assert [warned.unjudged for warned in some.lists] == [0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unjudged": 2}, "unjudged is 2, must lie in"),
        ({"qrels": {"t0": {"e0": 1}}}, "qrels is .*must be left out"),
        ({"ideal_grade": 2}, "ideal_grade is 2, must be left out"),
        ({"measures": "alpha_nDCG@5"}, "must be of ideals, not of subtopics"),
        ({"judgements": {"t0": {"e0": 0.0}}}, "number of topics with an ideal element is 0"),
        ({"judgements": {"other": {"e0": 0.5}}}, "must be among those judged"),
        (
            {"measures": "AP,ESL@r=1", "collection_size": 9},
            "must have a value for every set of ideals",
        ),
        ({"chunks": "c", "spans": "s", "links": None}, "judgements is .*must be left out"),
        ({"judges": 1}, "judges is 1, must be a whole number from 2"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scored(**{"judgements": given(), **options})


def test_unjudged_needs_probabilities() -> None:
    with pytest.raises(InputError, match="must be used with judgements that are probabilities"):
        evaluate(lists(), {"t0": {"e0": 1}}, unjudged=0.1)
