"""The story of one user: its sentences, the command, and its log."""

import json

import pytest
from click.testing import CliRunner

from prum.experiments.commands.main import prum as group
from prum.experiments.commands.simulate import simulate
from prum.experiments.sessions import Settings, sentences, story
from prum.simulator.collections.examples import built_in_campaign, example_campaign
from prum.simulator.model import Task
from prum.simulator.model.costs import Constant, Costs
from prum.simulator.model.stopping import Budget, Found, Stopping
from prum.simulator.sessions.session import play
from prum.simulator.sessions.trace import Event, Session
from tests.scripts import scripted

# The list and user of Fig. 1 of Piwowarski, Gallinari and Dupret (2007).
TASK = Task(list("abcdelm"), list("bfgh"), 12)
VISITS = {"c": ["f"], "d": ["f", "i"], "e": ["g", "h"]}


@pytest.fixture
def session():
    return scripted(TASK, VISITS)


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
    told = sentences(task, Session(0, 1, tuple(events), "end"))
    assert told[1:] == [
        "At 2 s the user begins to consult 898 other elements (ranks 2 to 899, after the list) "
        "until 899 s: nothing new.",
        "At 900 s the user consults f (rank 900, after the list), an ideal they had not seen: "
        "the only one there is.",
        "At 901 s the user consults another element (rank 901, after the list): nothing new.",
        "The user stops: there is nothing left, "
        "after 901 elements, 1 of which led to something new.",
    ]


# --- the command ------------------------------------------------------------------------------


def run(*words):
    return CliRunner().invoke(group, ("simulate", "--user", "0", *words), catch_exceptions=True)


TIMED = (
    "--want=2",
    "--stop=budget 90",
    "--stop=fruitless 9",
    "--costs=smucker-clarke,move=1.5",
)


def rows(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("more", [(), ("--arrivals=60",)])
def test_a_logged_session_is_told_with_its_own_times(tmp_path, more):
    """Each of a log, from its own beginning; the second topic has fewer ideals than are wanted."""
    lists = [f"{topic} Q0 {x} {i} {9 - i} s\n" for topic in "12" for i, x in enumerate("abcde")]
    (tmp_path / "run").write_text("".join(lists))
    (tmp_path / "qrels").write_text("1 0 c 1\n1 0 f 1\n1 0 g 1\n2 0 e 1\n")
    (tmp_path / "links.csv").write_text("source,target,probability\na,f,.5\nb,c,.3\nd,g,.4\n")
    files = [f"--{what}={tmp_path / what}" for what in ("run", "qrels")]
    files.append(f"--links={tmp_path / 'links.csv'}")
    words = (*files, "--collection-size=30", "--navigation=walk", "--seed=7")
    log, own = tmp_path / "log.jsonl", tmp_path / "own.jsonl"
    done = CliRunner().invoke(
        simulate, [*words, *TIMED, *more, "--users=4", "--first-user=5", f"--log={log}"]
    )
    assert done.exit_code == 0, done.output
    sessions = {}
    for row in rows(log):
        sessions.setdefault((row["user"], row["query"]), []).append(row)
    assert len(sessions) == 8
    for (user, topic), logged in sessions.items():
        one = (f"--topic={topic}", f"--user={user}", f"--log={own}")
        done = run(*words, *TIMED, *one)
        assert done.exit_code == 0, done.output
        assert done.output.count("consults") > 0
        told = rows(own)
        start = logged[-1]["time"] - told[-1]["time"]
        assert [row["time"] - start for row in logged] == pytest.approx(
            [row["time"] for row in told], abs=1e-6
        )
        # A log that has no other topic counts the user's sessions anew.
        rest = [{**row, "time": 0, "session": 1} for row in logged]
        assert rest == [{**row, "time": 0} for row in told]
    # Negative control: with other costs the last session takes another time.
    assert run(*words, "--want=2", *one).exit_code == 0
    assert rows(own)[-1]["time"] != told[-1]["time"]


def test_python_tells_what_the_command_prints(tmp_path):
    words = ("--example", "campaign", "--topic", "topic01", "--system", "poor", "--user", "3")
    log = tmp_path / "log.jsonl"
    told = run(*words, "--stop", "budget 5", "--log", str(log)).stdout
    settings = Settings(1, seed=1, rules=(Budget(5),), detail="named")
    made = story(built_in_campaign(), settings, 3, topic="topic01", system="poor")
    assert f"{made!r}\n" == told
    assert made.sentences == tuple(told.splitlines())
    assert [entry.event.rank for entry in made.entries] == [row["rank"] for row in rows(log)]


def test_the_story_is_that_of_the_session_that_is_played():
    campaign = example_campaign("web")
    task = campaign.task("list", "web")
    session = play(task, campaign.navigation, user=4711, seed=7, stopping=Stopping(Found(1)))
    told = run("--example=web", "--seed=7", "--user=4711", "--want=1").stdout
    assert told.splitlines() == sentences(task, session, 1)


def test_costs_are_told():
    words = ("--example", "web", "--user", "5", "--want", "1")
    assert run(*words).output.startswith("At 1 s the user consults c (rank 1), which")
    timed = run(*words, "--costs", "smucker-clarke").output
    assert timed.startswith("At 4.4 s the user consults c (rank 1); at 12.2 s they have seen it")
    own = run(*words, "--costs", "judge=2,move=3").output.splitlines()
    assert own[0].startswith("At 2 s the user consults c")
    assert own[1].startswith("At 5 s, from c, they see b")
    costs = Costs(judge=Constant(2), read=Constant(0), move=Constant(3))
    made = story(example_campaign("web"), Settings(1, seed=1, wanted=1, costs=costs), 5)
    assert list(made.sentences) == own


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--example", "campaign"), "topic must be given, one of 'topic01', 'topic02'"),
        (
            ("--example", "campaign", "--topic", "topic01"),
            "system must be given, one of 'pointed'",
        ),
        (("--example", "web", "--topic", "x"), "topic is 'x', must be one of 'web'"),
        (("--example", "web", "--user", "-1"), "user is -1"),
        (("--example", "web", "--log", "log.csv"), "log is 'log.csv', must end with"),
        (("--example", "web", "--users", "9"), "--workers go without --user"),
    ],
)
def test_bad_input(words, said):
    done = run(*words)
    assert done.exit_code != 0
    message = done.output + str(done.exception)
    assert said in message
