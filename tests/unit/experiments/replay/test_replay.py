"""Replays: sentences of one session, what its page draws, and the command."""

import json
import re
from dataclasses import replace
from html import unescape
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import prum
from prum.experiments.commands.main import prum as group
from prum.experiments.commands.simulate import simulate
from prum.experiments.sessions.structure import PITCH, cut, graph, label, sentences, steps, tree
from prum.simulator.collections.examples import built_in_campaign, web_example
from prum.simulator.model import Links, Task
from prum.simulator.model.costs import Constant, Costs
from prum.simulator.model.elements import Elements
from prum.simulator.model.stopping import Budget, Found, Stopping
from prum.simulator.sessions.session import play, scripted
from prum.simulator.sessions.trace import Event, Session
from tests.samples import FIRST_FIGURE

# The list and user of Fig. 1 of Piwowarski, Gallinari and Dupret (2007).
TASK = Task(list("abcdelm"), list("bfgh"), 12)
VISITS = {"c": ["f"], "d": ["f", "i"], "e": ["g", "h"]}
MOVES = [("c", "f"), ("d", "f"), ("d", "i"), ("e", "g"), ("e", "h")]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "\"'&<b>",
    "two words",
    "line\nend\r\0",
    "right\u202eto left",
    "half \udc80",
    "x" * 5_000,
    "漢字" * 40,
    "e" + "\u0301" * 300,
    "שלום",
    "--",
]


@pytest.fixture
def session():
    return scripted(TASK, VISITS)


def page(*args, **options):
    pytest.importorskip("jinja2")
    from prum.experiments.sessions.drawing import page

    return page(*args, **options)


def drawn(text):
    """Return the drawing of a page, which is well-formed XML."""
    return ElementTree.fromstring(
        re.search(r'<svg class="drawing".*?</svg>', text, re.DOTALL).group()
    )


def parts(drawing, kind):
    """Return class and step of what is drawn of a kind."""
    found = [(part.get("class", "").split(), part.get("data-step")) for part in drawing.iter()]
    return [(set(names), step and int(step)) for names, step in found if kind in names]


# --- sentences --------------------------------------------------------------------------------


def test_the_user_of_the_papers_figure(session):
    assert session.found == (0, 1, 2, 2, 4)
    assert sentences(TASK, session, 4) == [
        "At 1 s the user consults a (rank 1), which is not ideal.",
        "At 2 s the user consults b (rank 2), an ideal they had not seen: 1 of the 4 they want.",
        "At 3 s the user consults c (rank 3), which is not ideal.",
        "From c they see f, an ideal they had not seen: 2 of the 4 they want.",
        "At 4 s the user consults d (rank 4), which is not ideal.",
        "From d they see f, an ideal they had seen before.",
        "From d they see i, which is not ideal.",
        "At 5 s the user consults e (rank 5), which is not ideal.",
        "From e they see g, an ideal they had not seen: 3 of the 4 they want.",
        "From e they see h, an ideal they had not seen: 4 of the 4 they want.",
        "The user stops: they have found what they wanted, "
        "after 5 elements, 3 of which led to something new.",
    ]


def test_times_are_told_when_they_pass():
    costs = Costs(judge=Constant(4.4), read=Constant(8), move=Constant(1))
    told = sentences(Task(["c"], ["f"], 3), scripted(Task(["c"], ["f"], 3), VISITS, costs=costs), 1)
    assert told == [
        "At 4.4 s the user consults c (rank 1); at 12.4 s they have seen it, which is not ideal.",
        "At 21.4 s, from c, they see f, an ideal they had not seen: the one they want.",
        "The user stops: they have found what they wanted, "
        "after 1 element, which led to something new.",
    ]


def test_a_user_who_is_interrupted():
    told = sentences(
        Task(["c", "d"], ["f"], 4),
        Session(0, 1, (Event(4, "consult", 1, "c"), Event(60.04, "stop", 1, "c")), "budget"),
    )
    assert told == [
        "At 4 s the user consults c (rank 1).",
        "At 60 s the user stops: their time is up, after 1 element, which led to nothing new.",
    ]
    assert sentences(TASK, Session(0, 1, (Event(0, "stop", 0, ""),), "patience")) == [
        "At 0 s the user stops: their patience runs out, before they consult an element."
    ]


def test_elements_that_nobody_names_are_told_together():
    task = Task(["x"], ["f"], 1_000)
    events = [
        Event(1, "consult", 1, "x"),
        Event(1, "see", 1, "x"),
        *(Event(rank, "consult", rank, "") for rank in range(2, 900)),
        Event(900, "consult", 900, "f"),
        Event(900, "see", 900, "f", ideal=True, new=True),
        Event(901, "consult", 901, ""),
        Event(901, "stop", 901, ""),
    ]
    told = steps(task, Session(0, 1, tuple(events), "end"))
    assert [step.sentence for step in told[1:]] == [
        "At 2 s the user begins to consult 898 other elements (ranks 2 to 899, after the list) "
        "until 899 s: nothing new.",
        "At 900 s the user consults f (rank 900, after the list), an ideal they had not seen: "
        "the only one there is.",
        "At 901 s the user consults another element (rank 901, after the list): nothing new.",
        "The user stops: there is nothing left, "
        "after 901 elements, 1 of which led to something new.",
    ]
    shown = cut(told)
    assert shown.ranks == ((1, 1), (2, 899), (900, 900), (901, 901))
    assert shown.steps == tuple(told)


def test_every_event_is_told_once():
    campaign = web_example()
    task = campaign.task("list", "web")
    for user in range(50):
        session = play(task, campaign.navigation, user=user, seed=3)
        told = steps(task, session, 2)
        assert tuple(event for step in told for event in step.events) == session.events
        assert told[-1].found == session.found[-1]
        assert sum(step.new for step in told) == session.found[-1]


def test_hostile_ids_stay_on_their_line():
    task = Task(HOSTILE, [*HOSTILE[:3], "z"], 40)
    told = sentences(task, scripted(task, dict.fromkeys(HOSTILE, HOSTILE[::-1])))
    for sentence in told:
        assert sentence.isprintable()
        assert len(sentence) < 250
        sentence.encode()
    assert "At 3 s the user consults 'two words' (rank 3), an ideal they had seen before." in told


# --- what is drawn ----------------------------------------------------------------------------


def test_every_line_and_move_of_the_figure_is_drawn(session):
    drawing = drawn(page(TASK, session, structure=FIRST_FIGURE, wanted=4))
    lines = parts(drawing, "line")
    assert [step for names, step in lines if "new" not in names] == [1, 2, 3, 5, 8]
    assert [step for names, step in lines if "new" in names] == [2, 4, 9]
    moves = parts(drawing, "move")
    assert [(step, "new" in names) for names, step in moves] == [
        (4, True),
        (6, False),
        (7, False),
        (9, True),
        (10, True),
    ]
    assert len(parts(drawing, "structure")) == 9
    nodes = {
        part.find("text").text: set(part.get("class").split())
        for part in drawing.iter("g")
        if "node" in part.get("class").split()
    }
    assert {one for one, names in nodes.items() if "ideal" in names} == set("bfgh")
    assert {one for one, names in nodes.items() if "seen" not in names} == {"k"}
    assert set(nodes) == set(FIRST_FIGURE.ids)
    rows = [(names, step) for names, step in parts(drawing, "row")]
    assert [step for names, step in rows if "consulted" in names] == [1, 2, 3, 5, 8]
    assert len(rows) == 7
    found = [part.text for part in drawing.iter("text") if part.get("class") == "found"]
    assert found == ["0", "1", "2", "2", "4"]


def test_without_elements_links_are_drawn():
    campaign = web_example()
    task = campaign.task("list", "web")
    session = scripted(task, {"c": ["a"], "d": ["a"]})
    drawing = drawn(page(task, session, structure=campaign.navigation.links))
    assert len(parts(drawing, "structure")) == 4
    assert len(parts(drawing, "move")) == 2
    assert len(parts(drawing, "node")) == 4
    assert len(parts(drawn(page(task, session)), "structure")) == 0


def test_a_tree_has_a_row_for_each_element():
    shown = tree(FIRST_FIGURE, ["f", "h", "elsewhere", "f"], x=10, y=50)
    assert list(shown.nodes) == ["a", "c", "f", "k", "e", "h", "elsewhere"]
    assert [node.y for node in shown.nodes.values()] == [50 + PITCH * row for row in range(7)]
    assert set(shown.edges) == {("a", "c"), ("c", "f"), ("a", "k"), ("k", "e"), ("e", "h")}
    assert not shown.is_cut


def test_of_a_deep_tree_branches_are_kept():
    rows = {"0": (None, 1.0)} | {f"{depth}": (f"{depth - 1}", 1.0) for depth in range(1, 50)}
    deep = Elements(rows | {"left": ("49", 0.5), "right": ("49", 0.5)})
    shown = tree(deep, ["left", "right"], x=0, y=0)
    assert shown.is_cut
    assert shown.edges == (("49", "left"), ("49", "right"))


def test_layers_keep_their_distance():
    links = Links({("c", "x"): 0.5, ("x", "y"): 0.5, ("d", "z"): 0.5, ("z", "c"): 0.0})
    moves = [("c", "x"), ("x", "y"), ("d", "z"), ("d", "c")]
    shown = graph(links, {"c": 50.0, "d": 60.0}, moves, x=100, y=50)
    layers = {one: node.layer for one, node in shown.nodes.items()}
    assert layers == {"c": 0, "d": 0, "x": 1, "z": 1, "y": 2}
    assert shown.nodes["z"].y - shown.nodes["x"].y == pytest.approx(PITCH)
    assert shown.nodes["x"].y >= 50
    assert set(shown.edges) == {("c", "x"), ("x", "y"), ("d", "z")}


def test_long_sessions_are_cut_and_say_so():
    ranking = [f"e{rank}" for rank in range(1, 101)]
    task = Task(ranking, ["e50", "e100", "far"], 200)
    visits = {"e3": [*(f"m{number}" for number in range(40)), "far"]}
    session = scripted(task, visits, stopping=Stopping(Found(3)))
    told = steps(task, session)
    shown = cut(told)
    assert shown.gap == (13, 94)
    assert [first for first, _ in shown.ranks] == [*range(1, 13), *range(95, 101)]
    gaps = [step for step in shown.steps if not step.events]
    assert [step.sentence for step in gaps] == [
        "29 more moves from there are left out; they led to 1 new ideal.",
        "Ranks 13 to 94 are left out; they led to 1 new ideal.",
    ]
    text = page(task, session)
    drawing = drawn(text)
    assert "Ranks 13 to 94 are left out" in text
    assert len(parts(drawing, "consulted")) == 18
    assert len(parts(drawing, "move")) == 12
    # Rank 3 leads to something new, though the move is not drawn.
    leading = [step for names, step in parts(drawing, "line") if "new" in names]
    assert leading[0] == shown.steps.index(gaps[0]) + 1
    assert cut(told[:0]).steps == ()


def test_page_holds_hostile_ids_as_text():
    task = Task(HOSTILE, [*HOSTILE[:3], "z"], 40)
    session = scripted(task, dict.fromkeys(HOSTILE, HOSTILE[::-1]))
    for structure in (
        Elements(dict.fromkeys(HOSTILE, (None, 1))),
        Links({(one, HOSTILE[0]): 0.5 for one in HOSTILE[1:]}),
    ):
        text = page(task, session, structure=structure, place=HOSTILE[0], command=HOSTILE[1])
        text.encode()
        assert text.count("<script") == text.count("</script>") == 1
        assert "<b>" not in text
        assert "\0" not in text
        titles = [part.text for part in drawn(text).iter("title")]
        assert "'line\\nend\\r\\x00'" in titles
    told = [unescape(one) for one in re.findall(r'<span class="told">(.*?)</span>', text)]
    assert told == [step.sentence for step in cut(steps(task, session)).steps]


def test_page_is_the_same_each_time_and_needs_nothing_else(session):
    text = page(TASK, session, structure=FIRST_FIGURE)
    assert text == page(TASK, session, structure=FIRST_FIGURE)
    assert not re.search(r"(src|href)=\"(?!#)", text)


def test_labels_fit():
    for one in HOSTILE:
        assert label(one).isprintable()
    assert len(label("x" * 5_000)) <= 18
    assert label("page0017") == "page0017"


# --- the command ------------------------------------------------------------------------------


def run(*words):
    return CliRunner().invoke(group, ("simulate", "--user", "0", *words), catch_exceptions=True)


def test_command_tells_and_writes(tmp_path):
    pytest.importorskip("jinja2")
    html, plain = tmp_path / "one.html", tmp_path / "one.json"
    words = ("--example", "web", "--seed", "7", "--user", "4711", "--want", "1")
    done = run(*words, "--html", str(html), "--json", str(plain))
    assert done.exit_code == 0, done.output
    campaign = web_example()
    task = campaign.task("list", "web")
    session = play(task, campaign.navigation, user=4711, seed=7, stopping=Stopping(Found(1)))
    assert done.stdout.splitlines() == sentences(task, session, 1)
    content = json.loads(plain.read_text())
    assert content["found"] == list(session.found)
    assert [Event(**event) for event in content["events"]] == list(session.events)
    assert content["sentences"] == done.stdout.splitlines()
    assert content["arguments"]["user"] == 4711
    command = content["command"]
    assert command == (
        "prum simulate --ideal-grade 1 --example web --seed 7 --user 4711 --want 1 --costs unit"
    )
    assert command in html.read_text()


def test_python_gives_what_the_command_writes(tmp_path):
    pytest.importorskip("jinja2")
    words = ("--example", "campaign", "--topic", "topic01", "--system", "poor", "--user", "3")
    stop = "budget 5"
    html, plain = tmp_path / "one.html", tmp_path / "one.json"
    files = ("--html", str(html), "--json", str(plain))
    told = run(*words, "--stop", stop, *files).stdout
    result = prum.replay(
        built_in_campaign(), topic="topic01", system="poor", user=3, stop=[Budget(5)]
    )
    assert repr(result) == told.rstrip("\n")
    content, written = json.loads(result.to_json()), json.loads(plain.read_text())
    assert content.keys() == written.keys()
    for key in content.keys() - {"command", "arguments"}:
        assert content[key] == written[key], key
    assert replace(result, command=written["command"]).to_html() == html.read_text()
    assert result.to_html() != html.read_text()


TIMED = (
    "--want=2",
    "--stop=budget 90",
    "--stop=fruitless 9",
    "--costs=smucker-clarke",
    "--move=1.5",
)


@pytest.mark.parametrize("more", [(), ("--arrivals=60", "--queries=1.5", "--pause=30")])
def test_a_logged_session_is_told_with_its_own_times(tmp_path, more):
    """Each of a log, from its own beginning; the second topic has fewer ideals than are wanted."""
    lists = [f"{topic} Q0 {x} {i} {9 - i} s\n" for topic in "12" for i, x in enumerate("abcde")]
    (tmp_path / "run").write_text("".join(lists))
    (tmp_path / "qrels").write_text("1 0 c 1\n1 0 f 1\n1 0 g 1\n2 0 e 1\n")
    (tmp_path / "links.csv").write_text("source,target,probability\na,f,.5\nb,c,.3\nd,g,.4\n")
    files = [f"--{what}={tmp_path / what}" for what in ("run", "qrels")]
    files.append(f"--links={tmp_path / 'links.csv'}")
    words = (*files, "--collection-size=30", "--navigation=walk", "--seed=7")
    log, plain = tmp_path / "log.jsonl", tmp_path / "one.json"
    done = CliRunner().invoke(
        simulate,
        [*words, *TIMED, *more, "--users=4", "--first-user=5", f"--log={log}", "--every-event"],
    )
    assert done.exit_code == 0, done.output
    sessions = {}
    for row in map(json.loads, log.read_text().splitlines()):
        sessions.setdefault((row["user"], row["query"]), []).append(row)
    assert len(sessions) == (5 if more else 8)
    for (user, topic), logged in sessions.items():
        done = run(*words, *TIMED, f"--topic={topic}", f"--user={user}", f"--json={plain}")
        assert done.exit_code == 0, done.output
        told = json.loads(plain.read_text())
        start = logged[-1]["time"] - told["events"][-1]["time"]
        assert [row["time"] - start for row in logged] == pytest.approx(
            [event["time"] for event in told["events"]], abs=1e-6
        )
        for name in ("action", "rank", "element", "origin", "ideal", "new"):
            kept = [row[name] or None for row in logged]
            assert kept == [event[name] or None for event in told["events"]]
        assert told["reason"] == logged[-1]["reason"]
        assert told["arguments"]["costs"] == "smucker-clarke"
        assert "--costs smucker-clarke --move 1.5" in told["command"]
    # Negative control: with other costs the last session takes another time.
    assert run(*words, "--want=2", f"--topic={topic}", f"--user={user}", f"--json={plain}")
    assert json.loads(plain.read_text())["seconds"] != told["seconds"]


def test_who_wants_more_than_there_is_stops_at_all():
    """As in `prum simulate`: the user of a log does not go on to the end."""
    words = ("--example", "web", "--user", "5")
    assert run(*words, "--want", "9").output == run(*words, "--want", "2").output


def test_costs_are_told():
    words = ("--example", "web", "--user", "5", "--want", "1")
    assert run(*words).output.startswith("At 1 s the user consults c (rank 1), which")
    timed = run(*words, "--costs", "smucker-clarke").output
    assert timed.startswith("At 4.4 s the user consults c (rank 1); at 12.2 s they have seen it")
    own = run(*words, "--judge", "2", "--move", "3").output.splitlines()
    assert own[0].startswith("At 2 s the user consults c")
    assert own[1].startswith("At 5 s, from c, they see b")
    campaign = web_example()
    costs = Costs(judge=Constant(2), read=Constant(0), move=Constant(3))
    assert repr(prum.replay(campaign, user=5, want=1, costs=costs)).splitlines() == own
    assert "time is -1" in str(run(*words, "--read", "-1").exception)


def test_a_long_session_is_folded_on_a_terminal_and_whole_in_a_pipe(monkeypatch):
    words = ("--example=campaign", "--topic=topic01", "--system=poor", "--stop=fruitless 60")
    whole = run(*words).output.splitlines()
    result = prum.replay(built_in_campaign(), topic="topic01", system="poor", stop=["fruitless 60"])
    assert whole == result.sentences
    folded = repr(result).splitlines()
    assert len(folded) < len(whole) / 2
    (gap,) = (line for line in folded if line not in whole)
    assert gap.startswith("Ranks 13 to 64 are left out; they led to ")
    terminal = SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("prum.experiments.sessions.replay_design.sys", terminal)
    assert run(*words).output.splitlines() == folded
    assert run("--example=web").output.splitlines() == prum.replay(web_example()).sentences


def test_command_reads_elements_and_draws_them(tmp_path):
    pytest.importorskip("jinja2")
    (tmp_path / "run").write_text(
        "".join(f"1 Q0 {x} {i} {9 - i} s\n" for i, x in enumerate("abcde"))
    )
    (tmp_path / "qrels").write_text("".join(f"1 0 {x} 1\n" for x in "bfgh"))
    table = [f"{x},{parent or ''},{length}\n" for x, parent, length, _ in FIRST_FIGURE]
    (tmp_path / "tree.csv").write_text("element,parent,length\n" + "".join(table))
    files = [f"--{what}={tmp_path / what}" for what in ("run", "qrels")]
    done = run(
        *files,
        f"--elements={tmp_path / 'tree.csv'}",
        "--collection-size=10",
        "--want=2",
        f"--html={tmp_path / 'page.html'}",
    )
    assert done.exit_code == 0, done.output
    text = (tmp_path / "page.html").read_text()
    assert "the structure of the documents" in text
    assert parts(drawn(text), "structure")


@pytest.mark.parametrize(
    "kind",
    ["walk", "exclusive", "copula .3", "beta 2 2", "types .5:.5 .5:1", "fading .9", "unranked"],
)
def test_every_way_of_browsing(kind, tmp_path):
    pytest.importorskip("jinja2")
    words = ("--example", "web", "--navigation", kind, "--html", str(tmp_path / "page.html"))
    done = run(*words)
    assert done.exit_code == 0, done.output + str(done.exception)
    assert drawn((tmp_path / "page.html").read_text()) is not None


def test_rules_of_stopping():
    words = ("--example", "web", "--user", "1")
    assert run(*words, "--stop", "ranks 1").output.count("consults") == 1
    assert "their time is up" in run(*words, "--stop", "budget 1.5").output
    assert "there are" in run(*words, "--stop", "budget 9").output
    both = run(*words, "--want", "2", "--stop", "fruitless 1").output
    assert re.search("nothing new, after|they wanted, after", both)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--example", "campaign"), "topic must be given, one of 'topic01', 'topic02'"),
        (
            ("--example", "campaign", "--topic", "topic01"),
            "system must be given, one of 'pointed'",
        ),
        (("--example", "web", "--topic", "x"), "topic is 'x', must be one of 'web'"),
        (("--example", "web", "--example", "walks"), "give one campaign"),
        (("--example", "web", "--user", "x"), "no whole number"),
        (("--example", "web", "--user", "-1"), "user is -1"),
        (("--example", "web", "--want", "0"), "want is 0"),
        (("--example", "web", "--stop", "never"), "rule of stopping is 'never'"),
        (("--example", "web", "--html", "/nowhere/page.html"), "output file"),
    ],
)
def test_bad_input(words, said):
    done = run(*words)
    assert done.exit_code != 0
    message = done.output + str(done.exception)
    assert said in message
