"""The view of a cross-check and its page: what it says, that it is whole and always the same."""

import json
import sys
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

from prum.experiments.crosscheck import crosscheck, crosscheck_campaigns
from prum.experiments.crosscheck.curves import curves_of
from prum.experiments.frame.html import check_installed
from prum.simulator import Independent, Task, Walk, simulate
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.examples import example_campaign
from prum.simulator.model import InputError

pytest.importorskip("jinja2")
mpl = pytest.importorskip("matplotlib")

LINKS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
TASK = Task(["c", "d", "a", "b"], ["a", "b"], 4)
RARE = Task(["c"], ["a"], 3_001), Independent({("c", "a"): 1 - 1e-4})
NASTY = "<b>&\"é'</td>$\\frac$\u202e http://x"
VOID = {"meta", "path", "circle", "use", "rect", "br", "link"}


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


class Reader(HTMLParser):
    """What a page holds: its ids, links, texts, labels and table cells; tags must balance."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.references, self.tags, self.labels = [], [], [], []
        self.text, self.cells, self.open = "", [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        self.labels += [found["aria-label"]] if "aria-label" in found else []
        self.references += [found[name] for name in ("href", "src", "data") if name in found]
        if "clip-path" in found:
            self.references.append(found["clip-path"].removeprefix("url(").removesuffix(")"))
        self.text += " " if tag in ("dd", "td") else ""
        if tag == "td":
            self.cells.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data
        if "td" in self.open:
            self.cells[-1] += data


@cache
def text_of(make):
    return make().to_html()


@cache
def read(make):
    return Reader(text_of(make))


def words(make):
    return " ".join(read(make).text.split())


@pytest.mark.parametrize("make", ALL)
def test_page_is_whole_and_self_contained(make):
    text, found = text_of(make), read(make)
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "default-src 'none'; style-src 'unsafe-inline'" in text
    assert "nan" not in words(make).split()
    assert "None" not in words(make).replace("None:", "")
    assert len(found.ids) == len(set(found.ids))
    assert {reference[0] for reference in found.references} == {"#"}
    assert {reference[1:] for reference in found.references} <= set(found.ids)
    assert not {"img", "link", "iframe", "object"} & set(found.tags)
    assert "<script" not in text
    shown = text.replace("http://x", "")  # a name
    assert "http://" not in shown
    assert "https://" not in shown
    assert "@import" not in text
    assert shown.count("url(") == shown.count("url(#")
    assert found.tags.count("h1") == 1


@pytest.mark.slow
@pytest.mark.parametrize("make", ALL)
def test_page_is_the_same_each_time_whatever_matplotlib_is_set_to(make):
    first = text_of(make).encode()
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "path"}):
        assert make().to_html().encode() == first
        assert mpl.rcParams["font.size"] == 30


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


def test_page_says_how_to_get_it_again():
    command = "prum crosscheck --run 'b m' --seed 1"
    told = replace(agreeing(), command=command)
    assert command in Reader(told.to_html()).text
    assert "num_users 10,000 most_users 16,777,216 seed 1 level 0.01 detect 0.1" in words(agreeing)
    assert agreeing().campaigns[0]["navigation_key"] in words(agreeing)


def test_disagreements_are_listed_only_if_there_are_some():
    first = disagreeing().view().tables[0]
    assert first.label == "task: where simulation and exact values disagree"
    assert 'class="bad"' in disagreeing().to_html()
    p = disagreeing().comparisons["p_consulted"].min()
    assert f"{p:.2g}".replace("-", "−") in read(disagreeing).cells
    assert "where simulation" not in words(agreeing)
    assert 'class="bad"' not in agreeing().to_html()


def test_names_are_escaped_everywhere():
    found = read(several)
    assert found.cells.count(NASTY) == 10
    assert f"{NASTY}: every comparison, and the means E[CL] and E[C]" in found.labels
    assert any(f"Precision of {NASTY}, recall level" in label for label in found.labels)
    assert f"Left out, no ideal element: {NASTY}." in words(several)
    assert "<b>&" not in several().to_html()
    assert found.tags.count("figure") == 2  # a card each


def test_long_tables_are_cut_and_say_so(monkeypatch):
    monkeypatch.setattr("prum.experiments.crosscheck.view._MOST_ROWS", 3)
    monkeypatch.setattr("prum.experiments.crosscheck.view._MOST_DISAGREEING", 1)
    text = " ".join(Reader(replace(several()).to_html()).text.split())
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
        np.mean([case.exact.eleven_points() for case in cases], axis=0)
    )


def test_one_topic_without_exact_value_leaves_the_mean_without():
    one, *others = [case for case in several().cases if case.system == NASTY]
    curves = curves_of([replace(one, exact=None), *others])
    assert curves.exact is None
    assert curves.base is curves.simulated


def test_a_single_user_has_no_band():
    result = crosscheck(TASK, Independent(LINKS), num_users=1, most_users=1, seed=1)
    found = Reader(result.to_html())
    assert result.verdict == "unresolved"
    assert "1 user a list or more" in " ".join(found.text.split())


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_missing_package_names_the_extra(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    for call in (check_installed, agreeing().to_html):
        with pytest.raises(InputError, match=package) as caught:
            call()
        assert 'pip install "prum[report]"' in str(caught.value)


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
        "PRUM, largest error: −.011 (list, topic web, r = 2)."
    )
    assert "disagree with the exact values (1 of 2 comparisons)." in other.answer
    assert [table.bad for table in other.tables] == [{0}, {0}]
    assert [table.bad for table in web.tables] == [set()]
    assert any(sentence.startswith("Power: ") for sentence in web.sentences)


def test_many_systems_are_drawn_by_their_scores():
    pytest.importorskip("scipy")
    systems = {f"s{number}": {"web": ("c", "d", "a")[number % 3 :]} for number in range(30)}
    result = crosscheck_campaigns(
        [replace(example_campaign("web"), runs=systems)], num_users=500, seed=1
    )
    (figure,) = result.view().drawn
    assert figure.label.startswith("web: 30 systems by precision; errors of PRUM from −0.01")
    assert "comparisons by PRUM" in figure.draw().body
    assert "s29" not in figure.draw().body  # without room for names
