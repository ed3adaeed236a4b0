"""Explorers: what their data says, how large their pages are, names that are hostile, mistakes."""

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import prum
from prum.analytic import closed_form, prum_of, reach_matrix
from prum.experiments.commands.explore import explore as command
from prum.experiments.explore import verb as exploring
from prum.experiments.explore.verb import explore, headline
from prum.experiments.frame.html import script_hash
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.examples import EXAMPLES, example_campaign
from prum.simulator.model import ChunkTable, Covering, Independent, InputError, Span
from tests.tiers import spread

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "\"'&<b>",
    "two words",
    "line\nend\r\0",
    "right\u202eto left",
    "half \udc80",
    "\u2028",
    "x" * 5_000,
    "שלום",
]


def hostile_campaign():
    """Return a campaign in which every name is hostile."""
    system, topic, *elements = HOSTILE
    links = {(elements[0], elements[1]): 0.5, (elements[2], elements[1]): 0.25}
    return Campaign(
        name=topic,
        ideals={topic: (elements[1], elements[3])},
        runs={system: {topic: tuple(elements[:3])}},
        navigation=Independent(links),
        collection_size=20,
    )


def long_campaign(ranks, ideals, systems=1):
    """Return a campaign of long lists, whose ranks lead to a few ideals each."""
    names = [f"element{number:06}" for number in range(ranks)]
    wanted = [f"ideal{number:06}" for number in range(ideals)]
    links = {(name, wanted[rank % ideals]): 0.01 for rank, name in enumerate(names)}
    return Campaign(
        name="long",
        ideals={"topic": wanted},
        runs={f"system{number}": {"topic": names} for number in range(systems)},
        navigation=Independent(links),
        collection_size=100_000,
    )


def data_of(text):
    """Return what a page has in its element of data."""
    element = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL
    )
    return json.loads(element.group(1))


@pytest.mark.parametrize("name", spread(5, EXAMPLES))
def test_pages_of_all_examples_are_small_and_whole(name):
    campaign = example_campaign(name)
    topic = next(iter(campaign.ideals))
    made = explore(campaign, topic=topic)
    text = made.to_html()
    assert len(text.encode()) < 160_000
    assert text == made.to_html()
    data = data_of(text)
    for content in data:
        task = campaign.task(content["name"], topic)
        reach = np.zeros((task.num_ranked, task.num_ideals))
        ranks, ideals, billionths = content["links"]
        reach[ranks, ideals] = billionths
        expected = reach_matrix(task, campaign.navigation_on(topic)).toarray()
        assert np.allclose(reach / 1e9, expected, rtol=0, atol=5e-10)
        assert content["ranking"] == list(task.ranking)
        assert content["ideals"] == list(task.ideals)
        assert content["unranked"] == task.num_unranked
        assert 1 <= content["r"] <= task.num_ideals


def test_without_anything_it_shows_the_web_example_where_prum_is_wrong():
    made = explore()
    assert repr(made) == "Explorer: web, topic web: 1 list, 2 ideals"
    assert made.lists[0].telling == 2
    assert headline(made.lists[0]) == (
        "Of 2 ideals, users who want 2: PRUM says .636, the exact value is .646. "
        "PRUM is .011 too low."
    )
    assert headline(explore(example_campaign("fig4")).lists[0]).endswith("both say .585.")
    assert prum.explore is explore


def test_the_recall_value_shown_first_is_where_prum_is_farthest_from_exact():
    # Without browsing there is no error anywhere, and the last is shown.
    task = prum.Task(["a", "x", "b"], ["a", "b", "c"], 9)
    reach = np.array([[1.0, 0, 0], [0, 0, 0], [0, 1.0, 0]])
    assert exploring.ExploredList("one", task, reach).telling == 3
    # .034 too low at r = 2, .017 at r = 3.
    reach = np.array([[0.7, 0.3, 0.7], [0.9, 0.1, 0.9], [0.1, 0.4, 0.4]])
    two = exploring.ExploredList("two", task, reach)
    assert two.telling == 2
    assert two.data()["r"] == 2


def test_json_has_the_numbers_before_dials_are_turned():
    campaign = example_campaign("fig5")
    content = json.loads(explore(campaign).to_json())
    task, navigation = campaign.task("list", "fig5"), campaign.navigation_on("fig5")
    forms = prum_of(task, navigation), closed_form(task, navigation)
    rows = zip(*(form.precision for form in forms), strict=True)
    assert content["tables"][0]["values"] == [["list", r, *row] for r, row in enumerate(rows, 1)]


def test_only_the_script_of_the_page_is_allowed_and_nothing_is_fetched():
    text = explore().to_html()
    script = re.search(r"<script>(.*)</script>", text, re.DOTALL).group(1)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src '{script_hash(script)}'"
    )
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(", script
    )
    assert not re.search(
        r"https?://(?!www\.w3\.org/2000/svg)|\bfetch\(|XMLHttpRequest|@import|url\(", text
    )


def test_hostile_names_stay_text():
    text = explore(hostile_campaign()).to_html()
    assert len(re.findall("<script", text)) == 2
    assert "alert(1)</script>" not in text
    data = data_of(text)
    (content,) = data
    assert content["name"] == HOSTILE[0]
    assert content["ranking"] == ["\"'&<b>", "two words", "line\\nend\\r\\x00"]
    assert content["ideals"] == ["right\\u202eto left", "two words"]
    text.encode()


def test_long_names_are_cut():
    task = Campaign(
        name="long",
        ideals={"q": ("y" * 5_000,)},
        runs={"s": {"q": ("x" * 5_000,)}},
        navigation=Independent({}),
        collection_size=5,
    )
    assert data_of(explore(task).to_html())[0]["ideals"] == ["y" * 199 + "…"]


def test_lists_too_long_are_refused():
    with pytest.raises(
        InputError, match=r"system0, topic topic: ranks times ideals is 300000, must"
    ):
        explore(long_campaign(1_000, 300))


def test_too_many_links_are_refused(monkeypatch):
    assert exploring.MOST_LINKS == 50_000
    monkeypatch.setattr(exploring, "MOST_LINKS", 100)
    with pytest.raises(InputError, match=r"number of links is 120, must be at most 100 in an expl"):
        explore(long_campaign(40, 5, systems=3))
    assert len(explore(long_campaign(40, 5, systems=3), systems=["system1"]).lists) == 1


def test_a_walk_is_said_to_be_shown_by_its_probabilities():
    made = explore(example_campaign("fig2"))
    assert made.note.startswith("The campaign is browsed in another way, walk. Here its P(x → y)")
    assert "browsed in another way, walk" in made.to_html()
    assert explore().note == ""


def called(tmp_path, *words):
    return CliRunner().invoke(command, [*map(str, words), "-o", str(tmp_path / "page.html")])


def test_the_command_writes_what_the_verb_gives(tmp_path):
    result = called(tmp_path, "--json", tmp_path / "numbers.json")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Explorer: web, topic web: 1 list, 2 ideals\n")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert data_of(text) == data_of(explore().to_html())
    content = json.loads((tmp_path / "numbers.json").read_text("utf-8"))
    assert content["command"] == "prum explore --ideal-grade 1"
    assert content["tables"] == json.loads(explore().to_json())["tables"]


def test_the_command_reads_files(tmp_path):
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 a 1 1 x\n")
    (tmp_path / "qrels").write_text("q1 0 c 1\nq2 0 b 1\n")
    (tmp_path / "links.csv").write_text("source,target,probability\na,c,0.25\n")
    words = [
        "--run",
        tmp_path / "one.run",
        "--qrels",
        tmp_path / "qrels",
        "--links",
        tmp_path / "links.csv",
        "--collection-size",
        "9",
    ]
    result = called(tmp_path, *words, "--topic", "q1")
    assert result.exit_code == 0, result.output
    (data,) = data_of((tmp_path / "page.html").read_text("utf-8"))
    assert data["ranking"] == ["a", "b"]
    assert data["links"] == [[0], [0], [250_000_000]]
    assert data["unranked"] == 7


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("--example", "campaign"),
            "topic must be given, one of 'topic01', 'topic02', 'topic03', 'topic04', 'topic05' "
            "and 15 more; choose one topic: --topic NAME",
        ),
        (("--topic", "q"), "topic is 'q', must be one of 'web'; choose one topic"),
        (("--system", "bm25"), "system is 'bm25', must be one of 'list'; choose one system"),
        (
            ("--example", "web", "--example", "fig1"),
            "number of campaigns is 2, must be 1; give one campaign: files, or one --example",
        ),
        (("--run", "x"), "qrels must be given; "),
    ],
)
def test_mistakes_are_a_line_and_leave_no_file(tmp_path, words, line):
    result = called(tmp_path, *words)
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith(line)
    assert not (tmp_path / "page.html").exists()


def test_spans_are_refused():
    chunks = ChunkTable({"one": ("report", 0, 100), "two": ("report", 80, 180)})
    reading = Covering(chunks, {"gold": Span("report", 90, 110)})
    campaign = Campaign("spans", {"q": ("gold",)}, {"s": {"q": ("one",)}}, {"q": reading}, 2)
    with pytest.raises(InputError, match="ideals is 'spans', must be elements in an explorer"):
        explore(campaign)


def test_a_command_is_told_only_where_it_repeats_the_page() -> None:
    assert explore().command == "prum explore"
    assert explore(example_campaign("fig6"), systems=["bad"]).command == ""


def test_a_notebook_shows_the_page_itself():
    result = explore()
    shown = result._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert unescape(shown.split('srcdoc="')[1].split('"')[0]) == result.to_html()


def test_it_is_written_and_drawn_as_all_results_are(tmp_path: Path) -> None:
    result = explore()
    result.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == result.to_html()
    result.plot().save(tmp_path / "curves.svg")
    assert "exact" in (tmp_path / "curves.svg").read_text("utf-8")
