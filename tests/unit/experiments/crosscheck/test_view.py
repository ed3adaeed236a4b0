"""The view of a cross-check and its page: what it says, that it is whole and always the same."""

import html
import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from prum.experiments.crosscheck import crosscheck, crosscheck_campaigns
from prum.experiments.crosscheck.curves import curves_of, draw_curves
from prum.simulator import Independent, Task, Walk, simulate
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.examples import example_campaign

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

LINKS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
TASK = Task(["c", "d", "a", "b"], ["a", "b"], 4)
RARE = Task(["c"], ["a"], 3_001), Independent({("c", "a"): 1 - 1e-4})
NASTY = "<b>&\"é'</td>$\\frac$\u202e http://x"


def other_links(task, navigation, *, num_users, seed):
    """Simulate users who follow each link half as often as the navigation says."""
    links = {pair: probability / 2 for pair, probability in LINKS.items()}
    assert isinstance(navigation, Independent)
    return simulate(task, Independent(links), num_users=num_users, seed=seed)


@cache
def agreeing():
    return crosscheck(TASK, Independent(LINKS), num_users=10_000, seed=1)


@cache
def disagreeing():
    return crosscheck(TASK, Independent(LINKS), num_users=10_000, seed=1, simulate=other_links)


@cache
def without_closed_form():
    ideals = [f"ideal{number}" for number in range(17)]
    links = {("c", ideal): 0.05 for ideal in ideals}
    return crosscheck(Task(["c", *ideals[:3]], ideals, 40), Walk(links), num_users=2_000, seed=1)


@cache
def unresolved():
    # Nobody of a thousand users is expected to do what one in ten thousand does.
    return crosscheck(*RARE, num_users=1_000, most_users=1_000, seed=1)


@cache
def several():
    """Two campaigns, one with two systems, three topics and nasty names everywhere."""
    topics = {NASTY: ("a", "b"), "é": ("a",), "3": ("b", "d")}
    runs = {
        NASTY: dict.fromkeys(topics, ("c", "d", "a")),
        "plain": {NASTY: ("b", "c"), "é": ("a", "c")},
    }
    campaign = Campaign(NASTY, topics, runs, Walk(LINKS), 9, without_ideals=(NASTY,))
    return crosscheck_campaigns([example_campaign("web"), campaign], num_users=2_000, seed=1)


ALL = [agreeing, disagreeing, without_closed_form, unresolved, several]


@cache
def text_of(make):
    return make().to_html()


def words(make):
    """Return the words of a page."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", text_of(make))).split())


@pytest.mark.parametrize(
    ("make", "holds", "answer", "parts"),
    [
        (agreeing, True, "agree with the exact values (2 agree; 6 tests, false alarm rate", []),
        (disagreeing, False, "disagree with the exact values (2 disagree; 6 tests", []),
        (without_closed_form, None, "No exact value could be tested (17 no closed form; no", []),
        (
            unresolved,
            False,
            "too few to settle every comparison with exact values (1 unresolved; ",
            ["users a list would do.", "Unresolved: nothing disagrees"],
        ),
        (
            several,
            True,
            "; 2,000 users a list or more, seed 1).",
            ["Kendall's tau-b with the ranking by exact, "],
        ),
    ],
)
def test_verdict(make, holds, answer, parts):
    view = make().view()
    assert answer in view.headline
    assert view.holds is holds
    tone = {True: "verdict agrees", False: "verdict disagrees"}.get(holds, "verdict")
    assert f'class="{tone}"' in text_of(make)
    for part in (view.headline, *parts):
        assert part in words(make)
    counts = make().comparisons["verdict"].value_counts()
    assert ("users a list would do" in words(make)) == ("unresolved" in counts)
    assert ("Unresolved: " in words(make)) == ("unresolved" in counts)
    assert ("No closed form: " in words(make)) == ("no closed form" in counts)


def test_disagreements_are_listed_only_if_there_are_some():
    first = disagreeing().view().tables[0]
    assert first.label == "task: where simulation and exact values disagree"
    assert 'class="bad"' in disagreeing().to_html()
    p = disagreeing().comparisons["p_consulted"].min()
    assert f"{p:.2g}".replace("-", "−") in words(disagreeing)
    assert "where simulation" not in words(agreeing)
    assert 'class="bad"' not in agreeing().to_html()


def test_names_are_escaped_everywhere():
    assert words(several).count(" ".join(NASTY.split())) > 10
    assert "<b>&" not in text_of(several)
    assert text_of(several).count("<figure") == 2  # a card each


def test_long_tables_are_cut_and_say_so(monkeypatch):
    monkeypatch.setattr("prum.experiments.crosscheck.view._MOST_ROWS", 3)
    monkeypatch.setattr("prum.experiments.crosscheck.view._MOST_DISAGREEING", 1)
    text = replace(several()).to_html()
    num_rows = int((several().comparisons["campaign"] == NASTY).sum())
    assert f"{num_rows - 3} more rows are in the CSV" in text
    (_, cut) = replace(disagreeing()).view().tables[0].legend
    assert cut == "the first 1 of 2"


def test_curves_of_one_list_are_its_own():
    (case,) = agreeing().cases
    curves = curves_of([case])
    assert curves.x.tolist() == [1, 2]
    assert curves.low.tolist() == agreeing().comparisons["low"].tolist()
    assert curves.high.tolist() == agreeing().comparisons["high"].tolist()
    assert curves.base is case.exact.precision or np.array_equal(curves.base, case.exact.precision)
    assert curves.limit >= abs(case.prum.precision - case.exact.precision).max()
    assert "one: precision" not in draw_curves({"one": curves}, "a").body
    assert "one: precision" in draw_curves({"one": curves, "two": curves}, "a").body


def test_curves_of_several_topics_are_means_of_interpolated_precision():
    cases = [case for case in several().cases if case.system == NASTY]
    curves = curves_of(cases)
    for line in ("simulated", "low", "high"):
        by_hand = np.zeros(11)
        for case in cases:
            of = case.simulated.precision if line == "simulated" else getattr(case.judged, line)
            t = len(of)
            for k in range(11):
                by_hand[k] += of[max(-(-k * t // 10), 1) - 1 :].max() / len(cases)
        assert getattr(curves, line) == pytest.approx(by_hand, abs=1e-12)
    assert curves.exact == pytest.approx(
        np.mean([case.exact.interpolated(np.arange(11) / 10) for case in cases], axis=0)
    )


def test_json_and_notebooks_have_what_the_terminal_has():
    result = several()
    shown = result.view()
    content = json.loads(result.to_json())
    assert content["headline"] == shown.headline
    assert [table["label"] for table in content["tables"]] == [one.label for one in shown.tables]
    notebook = result._repr_html_()
    assert shown.tables[0].label in notebook
    assert notebook.count('src="data:image/svg+xml;base64,') == 1
    assert repr(result).startswith(shown.headline)
    assert shown.tables[0].label.startswith("web: precision")


def test_cards_answer_for_their_campaigns():
    result = crosscheck_campaigns(
        [example_campaign("web"), replace(example_campaign("web"), name="other")],
        num_users=10_000,
        seed=1,
        simulate=lambda task, navigation, *, num_users, seed: simulate(
            task, navigation, num_users=num_users, seed=seed
        ),
    )
    rows = result.comparisons.copy()
    rows.loc[rows["campaign"] == "other", "verdict"] = ["disagrees", "agrees"]
    web, other = replace(result, comparisons=rows).view().cards
    assert (web.holds, other.holds) == (True, False)
    assert web.answer == (
        "Simulated users agree with the exact values (2 comparisons). "
        "PRUM, largest error: −.011 (r = 2)."
    )
    assert "disagree with the exact values (1 of 2 comparisons)." in other.answer
    assert [table.bad for table in other.tables] == [{0}, {0}]
    assert [table.bad for table in web.tables] == [set()]
    assert any(sentence.startswith("Power: ") for sentence in web.sentences)


def test_of_many_systems_the_first_are_drawn():
    systems = {f"s{number}": {"web": ("c", "d", "a")[number % 3 :]} for number in range(6)}
    campaign = replace(example_campaign("web"), runs=systems)
    (figure,) = crosscheck_campaigns([campaign], num_users=500, seed=1).view().drawn
    assert figure.caption.endswith("the first 3 of 6 systems")
    assert figure.label.count("Precision of ") == 3
