"""Measures on Mizzaro's path from binary to continuous relevance, by name: his figures and more."""

from itertools import permutations

import numpy as np
import pytest

from prum.analytic.adm.measures import adm_categories, categorised
from prum.experiments.evaluate.scored import evaluate
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.judged import Collection, Judged
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import Elements, InputError

ELEMENTS = tuple("abcdef")
_FIRST = (0.8, 0.6, 0.4, 0.2, 0.1)
# Figure 5 of Mizzaro (2001) has no coordinates: of its table 2 these are points that give the
# figures.
_SMALL, _BIG = (0.68, 0.67, 0.33), (1.0, 0.5)
# Its tables 1 and 2: table, system, URE, SRE, and P, R, E and ADM as printed.
PRINTED = (
    ("1", "IRS1", _FIRST, (0.9, 0.5, 0.5, 0.1, 0.2), (0.67, 1, 0.84, 0.9)),
    ("1", "IRS2", _FIRST, (1.0, 0.4, 0.6, 0.0, 0.3), (0.5, 0.5, 0.5, 0.8)),
    ("1", "IRS3", _FIRST, (0.8, 0.6, 0.4, 0.2, 1.0), (0.67, 1, 0.84, 0.8)),
    ("2 (a)", "IRS1", _SMALL, (0.51, 0.51, 0.51), (0.67, 1, 0.84, 0.83)),
    ("2 (a)", "IRS2", _SMALL, (0.51, 0.49, 0.49), (1, 0.5, 0.75, 0.83)),
    ("2 (a)", "IRS3", _SMALL, (0.51, 0.49, 0.502), (0.5, 0.5, 0.5, 0.826)),
    ("2 (b)", "IRS1", _BIG, _BIG, (1, 1, 1, 1)),
    ("2 (b)", "IRS2", _BIG, (0.5, 1.0), (1, 1, 1, 0.5)),
)


def value(name: str, scores: object, qrels: object, size: int, ideals: tuple[str, ...]) -> float:
    topic = Judged("q", ideals, qrels, None, Collection(size=size))  # type: ignore[arg-type]
    result = score_runs([("run", {"q": scores})], [topic], [measure_of(name)])  # type: ignore[dict-item]
    return float(result.values[0, 0, 0])


def of_row(name: str, row: tuple[object, ...]) -> float:
    """Return a measure of a row of the paper's tables."""
    _, _, ure, sre, _ = row
    scores, relevance = (
        {f"d{number}": x for number, x in enumerate(values)}  # type: ignore[arg-type,var-annotated]
        for values in (sre, ure)
    )
    return value(name, scores, relevance, len(relevance), ("d0",))


@pytest.mark.parametrize("row", PRINTED, ids=str)
def test_tables_1_and_2_come_out_of_measures(row: tuple[object, ...]) -> None:
    """.84 is printed where it is .8333, and .8 where it is .82."""
    names = ("Threshold", "Threshold(of=recall)", "Threshold(of=e)", "ADM")
    for name, printed in zip(names, row[4], strict=True):  # type: ignore[call-overload]
        slip = {0.84: 2.5 / 3}.get(printed, printed)
        if (row[0], row[1], name) == ("1", "IRS3", "ADM"):
            slip = 0.82
        assert of_row(name, row) == pytest.approx(slip, abs=0.0051)


def test_adm_of_categories_is_the_share_of_right_decisions() -> None:
    for row in PRINTED:
        binary = of_row("ADM(relevance=2,retrieval=2)", row)
        assert binary == pytest.approx(adm_categories(row[3], row[2], 2, 2))
        fallout = of_row("Threshold(of=generality)", row)
        assert 0 <= fallout <= 1
    rows = [row for row in PRINTED if row[1] == "IRS1" and row[0] == "1"]
    assert of_row("ADM(relevance=2,retrieval=2)", rows[0]) == pytest.approx(0.8)
    mixed = of_row("ADM(relevance=3)", rows[0])
    apart = np.abs(np.array(rows[0][3]) - categorised(rows[0][2], 3))
    assert mixed == pytest.approx(1 - apart.mean())


def test_the_band_of_figure_6() -> None:
    """By hand: of what is retrieved d0 and d2 lie within .293 of relevance; so does d3."""
    sre = {"d0": 0.9, "d1": 0.6, "d2": 0.5, "d3": 0.4}
    ure = {"d0": 0.8, "d1": 0.1, "d2": 0.4, "d3": 0.6, "d4": 0.9}
    assert value("Band", sre, ure, 9, ("d0",)) == pytest.approx(2 / 3)
    assert value("Band(of=recall)", sre, ure, 9, ("d0",)) == pytest.approx(2 / 3)
    assert value("Band(width=0.6)", sre, ure, 9, ("d0",)) == 1
    assert np.isnan(value("Band", {"d3": 0.4}, ure, 9, ("d0",)))


def test_baselines_know_relevance_alone() -> None:
    ure = {"d0": 1.0, "d1": 0.5}
    rng = np.random.default_rng(5)
    drawn = rng.random((200_000, 4))
    simulated = 1 - np.abs(drawn - [1, 0.5, 0, 0]).mean(axis=1)
    error = simulated.std() / len(simulated) ** 0.5
    for scores in ({}, {"d0": 0.2}, {"x": 1.0}):
        random = value("ADM(baseline=random)", scores, ure, 4, ("d0",))
        assert abs(random - simulated.mean()) < 4 * error
        assert abs(random - 0.01 - simulated.mean()) > 4 * error  # what would be seen
        assert value("ADM(baseline=0)", scores, ure, 4, ("d0",)) == pytest.approx(1 - 1.5 / 4)
    grid = max(value(f"ADM(baseline={c / 10})", {}, ure, 4, ("d0",)) for c in range(11))
    assert value("ADM(baseline=best)", {}, ure, 4, ("d0",)) >= grid - 1e-12


def test_preferences_are_even_between_best_and_worst() -> None:
    grades = {"a": 9, "b": 4, "c": 2, "d": 4, "e": -1}
    topic = Judged("q", ("a",), grades, None, Collection(size=9, unsure="of grades"))
    even = {"a": 1.0, "b": 2 / 3, "d": 2 / 3, "c": 1 / 3, "e": 0.0}
    assert topic.relevance("even") == pytest.approx(even)
    scores = {"a": 1.0, "b": 0.5}
    expected = 1 - (1 / 6 + 2 / 3 + 1 / 3) / 9
    result = score_runs([("run", {"q": scores})], [topic], [measure_of("ADM(quantisation=even)")])
    assert result.values[0, 0, 0] == pytest.approx(expected)
    with pytest.raises(InputError, match="made of two grades or more"):
        value("ADM(quantisation=even)", scores, {"a": 1}, 9, ("a",))


# --- search length --------------------------------------------------------------------------------


def test_search_length_over_all_orders() -> None:
    """Ideals b and d; a is alone, (b, c) are tied, d, e and f behind the list."""
    qrels, tied = {"b": 1, "d": 1}, {"a": 3.0, "b": 2.0, "c": 2.0}
    lengths = {1: list[int](), 2: list[int]()}
    for middle in permutations("bc"):
        for behind in permutations("def"):
            order = ("a", *middle, *behind)
            for r in lengths:
                places = [rank for rank, x in enumerate(order, start=1) if x in qrels]
                lengths[r].append(places[r - 1] - r)
    for r, each in lengths.items():
        found = value(f"ESL@r={r}", tied, qrels, 6, ("b", "d"))
        assert found == pytest.approx(np.mean(each))
    whole = value("ESL", tied, qrels, 6, ("b", "d"))
    assert whole == pytest.approx(np.mean([np.mean(each) for each in lengths.values()]))
    assert value("ESL@0.5", tied, qrels, 6, ("b", "d")) == pytest.approx(np.mean(lengths[1]))
    assert value("ESL@0.51", tied, qrels, 6, ("b", "d")) == pytest.approx(np.mean(lengths[2]))
    assert value("ESL@r=1", list("abc"), qrels, 6, ("b", "d")) == 1


def test_search_length_of_readers() -> None:
    """From x a reader sees a; from y nothing; b is not listed, one of the two elements behind."""
    page = Elements(
        {"p": (None, 60), "x": ("p", 10, 0), "a": ("p", 10, 10), "y": ("p", 10, 40), "b": ("p", 10)}
        | {"b": ("p", 10, 50)}
    )
    runs = {"run": {"q": ["y", "x"]}}

    def length(name: str) -> float:
        result = evaluate(runs, {"q": {"a": 1, "b": 1}}, measures=f"AP,{name}", elements=page)
        return float(result.scores.values[0, 0, 1])

    # x shows a, and y shows b, to those who bear 10 words.
    assert length("ESL(words=5)@r=1") == pytest.approx(2 + 1 / 3)  # then p, a, b
    assert length("ESL(words=20)@r=1") == 0
    assert length("ESL(words=20)@r=2") == 0
    assert length("ESL@r=1") == pytest.approx(2 + 1 / 3)


# --- binary measures ------------------------------------------------------------------------


def test_fallout_e_and_sliding_ratio_by_hand() -> None:
    qrels = {"a": 2, "b": 1, "c": 0}
    listed = {"x": 4.0, "a": 3.0, "c": 2.0, "b": 1.0}
    ideals = ("a", "b")
    assert value("Fallout@3", listed, qrels, 10, ideals) == pytest.approx(2 / 8)
    assert value("Fallout", listed, qrels, 10, ideals) == pytest.approx(2 / 8)
    p, r = 1 / 3, 1 / 2
    assert value("E@3", listed, qrels, 10, ideals) == pytest.approx(1 - 2 * p * r / (p + r))
    assert value("SlidingRatio@2", listed, qrels, 10, ideals) == pytest.approx(2 / 3)
    assert value("nCG@2", listed, qrels, 10, ideals) == pytest.approx(2 / 3)
    assert value("ndpm", listed, qrels, 10, ideals) == pytest.approx(1 / 3)
    assert value("NormR", listed, qrels, 10, ideals) == pytest.approx(1 - (6 - 3) / 16)


def test_no_value_where_less_would_be_best() -> None:
    topic = Judged("q", ("a",), {"a": 1}, None, Collection(size=9))
    for name in ("ESL(rel=2)", "Fallout(rel=2)", "E(rel=2)"):
        result = score_runs([("run", {"q": {"a": 1.0}})], [topic], [measure_of(name)])
        assert np.isnan(result.values).all(), name


def test_what_is_less_for_better_lists_decides_nothing() -> None:
    runs = {"x": {"q": ["a", "b"]}, "y": {"q": ["b", "a"]}}
    less = [name for name, definition in MEASURES.items() if definition.better == "less"]
    assert less == ["C", "NumNonRelRet", "ESL", "ndpm", "Fallout", "E"]
    for name in less:
        with pytest.raises(InputError, match="must be more for better lists where it decides"):
            evaluate(runs, {"q": {"a": 1, "b": 0}}, collection_size=9, measures=f"{name},AP")
        apart = {"x": {"q": ["a"]}, "y": {"q": ["b"]}}
        result = evaluate(apart, {"q": {"a": 1, "b": 0}}, measures=f"AP,{name}", collection_size=9)
        better, worse = result.scores.values[:, 0, 1]
        assert better < worse
