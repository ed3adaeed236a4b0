"""What is decided about systems: verdicts, intervals, sentences, places, which never disagree."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from prum.experiments.compare import Decision, Question, Scores
from prum.experiments.compare.decision import decide
from prum.experiments.compare.verb import compare
from prum.experiments.frame.numbers import ends, exactly, number, probability
from prum.experiments.statistics.simultaneous import METHODS
from prum.simulator.model import InputError
from tests.unit.experiments.compare.made_scores import scores_of


def decided(values: object, **question: object) -> Decision:
    return decide(scores_of(values), Question(**question))  # type: ignore[arg-type]


def normal(means: object, *, topics: int = 30, spread: float = 0.05, seed: int = 1) -> object:
    rng = np.random.default_rng(seed)
    common = rng.normal(size=topics) * 0.1
    return np.array(means)[:, None] + common + rng.normal(size=(len(means), topics)) * spread  # type: ignore[arg-type]


def test_what_is_too_small_to_tell_apart_is_refused_and_not_called_the_same() -> None:
    values = np.asarray(normal([0.5, 0.4, 0.3], topics=10))
    for method, least in (("Holm", 1e-12), ("bootstrap", 1e-3)):
        for level in (1e-300, 0.99 * least, 0.0, 1.0):
            with pytest.raises(InputError, match=rf"level is .*, must be at least {least:g} with"):
                decided(values, level=level, method=method)
    for scale in (1e-101, 1e-163, 1e-320):
        with pytest.raises(InputError, match=r"score by AP is .*, must be 0 or at least 1e-100"):
            decided(values * scale)
    for method in METHODS:
        assert "same" not in decided(values, level=1e-3, method=method).pairs[0].sentence
        small = decided(values * 1e-90, method=method).pairs[0]
        whole = decided(values, method=method).pairs[0]
        assert small.verdict == whole.verdict
        assert small.adjusted == pytest.approx(whole.adjusted)
    assert "score the same" in decided(values * 0).pairs[0].sentence


# --- what it says -----------------------------------------------------------------------------


def test_without_a_baseline_the_best_is_put_beside_all_others() -> None:
    decision = decided(normal([0.2, 0.5, 0.4, 0.3]))
    assert decision.family == 6
    assert [(pair.system, pair.other) for pair in decision.pairs] == [
        ("b", "c"),
        ("b", "d"),
        ("b", "a"),
    ]
    assert [place.system for place in decision.ranked] == ["b", "c", "d", "a"]
    assert [(place.first, place.last) for place in decision.places] == [
        (4, 4),
        (1, 1),
        (2, 2),
        (3, 3),
    ]


def test_a_baseline_is_compared_with_all_others() -> None:
    decision = decided(normal([0.2, 0.5, 0.4]), baseline="c")
    assert decision.family == 2
    assert [(pair.system, pair.verdict) for pair in decision.pairs] == [
        ("a", "worse"),
        ("b", "better"),
    ]
    # a is worse than c and c than b: so is a than b.
    assert [(place.first, place.last) for place in decision.places] == [(3, 3), (1, 1), (2, 2)]
    with pytest.raises(InputError, match="hold the baseline, 'c'"):
        decision.pair("a", "b")


def test_sentences() -> None:
    values = np.asarray(normal([0.6, 0.5, 0.499]))
    clear = decided(values).pair("a", "c")
    assert re.fullmatch(
        r"a is better than c by \.0\d to \.1\d \(adjusted p < \.001\)", clear.sentence
    )
    (open_pair,) = decided(values[1:]).pairs
    assert re.fullmatch(
        r"[ab] against [ab] is undecided: 30 topics detect differences of \.0\d or more; "
        r"a difference of \.00\d+ needs about [\d,]+",
        open_pair.sentence,
    )
    (alike,) = decided(values[1:], margin=0.03).pairs
    assert re.fullmatch(
        r"[ab] and [ab] show no difference larger than \.02\d? \(equivalent at margin \.03\)",
        alike.sentence,
    )
    both = decided(values[:2], margin=0.3).pairs[0]
    assert ", within the margin of .3 (p < .001)" in both.sentence
    assert both.verdict == "better"
    (small,) = decided(values[1:], margin=0.001).pairs
    assert "; a difference of .001 needs about " in small.sentence


def test_so_few_topics_decide_nothing_and_it_is_said() -> None:
    values = np.asarray(normal([0.9, 0.5, 0.1], topics=5))
    decided_by_five = decided(values)
    assert all(pair.verdict == "undecided" for pair in decided(values[:, :4]).pairs)
    few = decided(values[:, :4])
    assert few.pairs[0].sentence == (
        f"a against {few.pairs[0].other} is undecided: 4 topics are too few to decide anything"
    )
    assert "4 topics are too few to decide anything: take at least 5." in few.notes
    assert not any("too few" in note for note in decided_by_five.notes)
    assert not any("too few" in note for note in decided(values[:, :4], method="Holm").notes)


def test_few_wins_of_binary_topics_have_an_interval_power_and_a_need() -> None:
    """As by Holm's method, which for two systems is Student's t; the sign test decides."""
    values = np.zeros((2, 20))
    values[0, [3, 5, 8]] = 1
    signs, student = decided(values), decided(values, method="Holm")
    assert signs.pairs[0].sentence == student.pairs[0].sentence
    assert "needs about" in signs.pairs[0].sentence
    assert signs.pairs[0].low == pytest.approx(student.pairs[0].low)
    assert signs.pairs[0].high == pytest.approx(student.pairs[0].high)
    assert signs.pairs[0].adjusted == pytest.approx(0.25)
    assert any("the sign test decides" in note for note in signs.notes)
    assert not any("the sign test decides" in note for note in student.notes)
    # Signs show no equivalence, however narrow the interval.
    assert decided(values, margin=0.9).pairs[0].verdict == "undecided"


def test_what_is_between_others_is_not_taken_from_an_interval_that_is_not_resampled() -> None:
    values = np.zeros((3, 20))
    values[0], values[1, :2] = 1, 1
    values[0, 0] = 0
    by_baseline = decided(values, baseline="c")
    a, b, _ = by_baseline.places
    assert by_baseline.compared.compared.is_lost.all()
    assert (a.first, b.first) == (1, 1)


NO_TEST = "no test", np.nan, np.nan
SAME = [0.3, 0.2, 0.4]
ABOVE = [x + 0.1 for x in SAME]
# Scores of two systems -> the sentence, and what their pair is.
DEGENERATE: dict[str, tuple[list[list[float]], str, tuple[str, float, float]]] = {
    "the same": ([SAME, SAME], "a and b score the same on every topic", ("equivalent", 0, 0)),
    "alike on few": (
        [ABOVE, SAME],
        "a against b is undecided: a scores .10 more on each of 3 topics, "
        "too few to decide (p = .250)",
        ("undecided", -np.inf, np.inf),
    ),
    "alike on many": (
        [ABOVE * 2, SAME * 2],
        "a is better than b by .10 on every topic (p = .031)",
        ("better", 0.1, 0.1),
    ),
    "one topic": ([[0.3], [0.2]], "a and b cannot be compared on 1 topic", NO_TEST),
    "no topic": (
        [[np.nan, np.nan], [0.2, np.nan]],
        "a and b cannot be compared on no topic",
        NO_TEST,
    ),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_cases_have_their_own_words(name: str) -> None:
    values, sentence, wanted = DEGENERATE[name]
    decision = decided(values)
    (pair,) = decision.pairs
    assert pair.sentence == sentence
    assert pair.verdict == wanted[0]
    assert (pair.low, pair.high) == pytest.approx(wanted[1:], nan_ok=True)
    if pair.verdict == "equivalent":
        assert pair.adjusted == 1
    if pair.verdict == "no test":
        assert all(place.is_tied_with_best for place in decision.places)
        assert decision.notes == ()


def test_topics_without_a_value_are_left_out_and_other_measures_are_not_tested() -> None:
    rng = np.random.default_rng(2)
    values = rng.random((3, 9, 2))
    values[1, 4, 1] = np.nan
    scores = scores_of(values[:, :, ::-1], "P@5", "AP")
    decision = decide(scores, Question(method="Holm"))
    assert (decision.measure, decision.num_topics, decision.family) == ("P@5", 8, 3)
    wanted = ttest_rel(*np.delete(values[[0, 1], :, 1], 4, axis=1))
    assert decision.pair("a", "b").p == pytest.approx(wanted.pvalue)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("baseline", [None, "c"])
def test_the_order_of_scores_decides_nothing(method: str, baseline: str | None) -> None:
    scores = scores_of([*np.asarray(normal([0.5, 0.48, 0.47])), *np.asarray(normal([0.5, 0.4]))])
    systems, topics = [3, 1, 4, 0, 2], np.random.default_rng(1).permutation(30)
    turned = Scores(
        scores.measures,
        tuple(scores.systems[at] for at in systems),
        tuple(scores.topics[at] for at in topics),
        scores.values[systems][:, topics],
    )
    question = Question(baseline=baseline, method=method)
    first, second = decide(scores, question), decide(turned, question)
    assert first.best == second.best
    assert first.pairs == second.pairs
    assert first.ranked == second.ranked


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"method": "t"}, "method is 't', must be one of bootstrap"),
        ({"level": 0.0}, "level is 0.0, must be at least 0.001"),
        ({"level": float("nan")}, "level is nan"),
        ({"level": "x"}, "level is 'x'"),
        ({"margin": 0.0}, "margin is 0.0, must be positive"),
        ({"margin": "x"}, "margin is 'x'"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"baseline": "z"}, "baseline is 'z', must be one of the systems, like 'a'"),
    ],
)
def test_mistakes(question: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        decided([[1, 2], [2, 1]], **question)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.09, 0.09, "equivalent"), (-0.1, 0.09, "undecided"), (-0.09, 0.1, "undecided")],
)
def test_an_interval_that_touches_the_margin_is_undecided(
    low: float, high: float, verdict: str
) -> None:
    assert decided(normal([0.5, 0.5]), margin=0.1).verdict(low, high) == verdict


# --- nothing ever contradicts ------------------------------------------------------------------

NUMBER = r"(\d[\d,]*\.?\d*|\.\d+)"


def numbers(text: str) -> list[float]:
    return [float(part.replace(",", "")) for part in re.findall(NUMBER, text)]


def check(decision: Decision) -> None:
    """Assert that verdict, interval, adjusted p, sentence, places and ties say the same."""
    places = {place.system: place for place in decision.places}
    level, margin = decision.level, decision.margin
    for place in decision.places:
        assert 1 <= place.first <= place.place <= place.last <= len(places)
        assert place.is_tied_with_best == (place.first == 1)
    if decision.places:
        assert places[decision.best].is_tied_with_best
    for pair in decision.pairs:
        text = pair.sentence
        assert (pair.verdict == "no test") == np.isnan(pair.low) == ("cannot be compared" in text)
        if pair.verdict == "no test":
            continue
        assert pair.low <= pair.difference <= pair.high
        leaves_out = pair.low > 0 or pair.high < 0
        assert leaves_out == (pair.adjusted < level) == (pair.verdict in ("better", "worse"))
        assert (
            (pair.verdict == "better") == (pair.low > 0) == (f" better than {pair.other}" in text)
        )
        assert (pair.verdict == "worse") == (pair.high < 0) == (f" worse than {pair.other}" in text)
        assert (pair.verdict == "undecided") == ("undecided" in text)
        upper, lower = (pair.system, pair.other), (pair.other, pair.system)
        if leaves_out:
            over, under = upper if pair.low > 0 else lower
            assert (
                places[over].first < places[under].first or places[over].last < places[under].last
            )
            assert places[over].place <= places[under].place
            assert not places[under].is_tied_with_best
        if " by " in text and "every topic" not in text and "by signs" not in text:
            by = numbers(text.partition(" by ")[2].partition(" (")[0].partition(", within")[0])
            assert all(x > 0 for x in by), text
            assert by == sorted(by), text
            p = numbers(text.rpartition("(")[2])[0]
            assert (p < level) or ("< " in text and p <= level), text
            within = margin is not None and max(abs(pair.low), abs(pair.high)) < margin
            assert ("within the margin" in text) == within
            if margin is not None:
                assert (by[-1] < margin) == within, text
        if pair.verdict == "equivalent" and "every topic" not in text:
            assert margin is not None
            assert -margin < pair.low <= pair.high < margin
            most = numbers(text.partition("larger than ")[2])[0]
            assert max(abs(pair.low), abs(pair.high)) <= most < margin, text
        if pair.verdict == "undecided" and "needs about" in text:
            shows, wanted, needed = numbers(text.partition("differences of ")[2])
            assert wanted < shows, text
            assert needed > decision.num_topics


LISTS = st.integers(1, 8).flatmap(
    lambda topics: st.lists(
        st.lists(
            st.one_of(
                st.floats(-1, 1).filter(lambda x: x == 0 or abs(x) > 1e-99),
                st.sampled_from([0.0, 0.1, 0.1 + 1e-9, 0.5, 1.0]),
            ),
            min_size=topics,
            max_size=topics,
        ),
        min_size=1,
        max_size=5,
    )
)


@given(
    LISTS,
    st.sampled_from(METHODS),
    st.sampled_from([0.05, 0.3, 0.001]),
    st.one_of(st.none(), st.floats(0.001, 2)),
    st.sampled_from([None, "a"]),
)
def test_nothing_contradicts_on_any_scores(
    values: list[list[float]],
    method: str,
    level: float,
    margin: float | None,
    baseline: str | None,
) -> None:
    check(decided(values, method=method, level=level, margin=margin, baseline=baseline))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("baseline", [None, "c"])
def test_nothing_contradicts_near_the_level(method: str, baseline: str | None) -> None:
    """Differences of about two errors, where verdicts turn."""
    verdicts = set()
    for seed in range(25):
        means = 0.5 + 0.014 * np.random.default_rng(seed).integers(0, 4, 5)
        values = normal(means, topics=12 + seed, spread=0.02, seed=seed)
        decision = decided(values, method=method, baseline=baseline, margin=0.02 + 0.001 * seed)
        check(decision)
        verdicts |= {pair.verdict for pair in decision.pairs}
    assert verdicts >= {"better", "equivalent", "undecided"}


@given(st.floats(1e-12, 1e6), st.floats(1e-12, 1e6), st.floats(1e-6, 10))
def test_rounded_numbers_stay_on_their_side(x: float, width: float, margin: float) -> None:
    text = number(x, margin)
    assert np.sign(float(text) - margin) == np.sign(x - margin)
    low, high = numbers(ends(x, x + width, margin).replace(" to ", " "))
    assert 0 < low < high or width < 1e-9 * x
    assert float(exactly(margin)) == margin
    p = min(x, 1.0)
    printed = probability(p, 0.05)
    assert (numbers(printed)[0] < 0.05) == (p < 0.05) or p >= 0.05


def test_a_measure_of_which_less_is_better_decides_nothing() -> None:
    topics = [f"t{number}" for number in range(8)]
    rows = [
        {"system": system, "topic": topic, "measure": measure, "score": score + number / 100}
        for number, topic in enumerate(topics)
        for system, by in {"good": (0.9, 1.0), "poor": (0.5, 8.0)}.items()
        for measure, score in zip(("AP", "esl@r=1"), by, strict=True)
    ]
    table = pd.DataFrame(rows)
    assert compare(table).decision.ranked[0].system == "good"
    of_it = "must be more for better lists where it decides; of esl@r=1 less is better"
    with pytest.raises(InputError, match=f"{of_it}; name another first, AP, say"):
        compare(table, measures="esl@r=1,AP")
    with pytest.raises(InputError, match=f"{of_it}; name another first"):
        compare(table[table.measure != "AP"])
    for name in ("E", "fallout@10", "ndpm", "C@r=2", "CL"):
        with pytest.raises(InputError, match="is better"):
            compare(table.replace("AP", name), measures=[name, "esl@r=1"])
    assert compare(table.replace("AP", "satisfaction")).decision.ranked[0].system == "good"
