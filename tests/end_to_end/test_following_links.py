"""Links that are followed level by level on every road, what a pipeline read, and graphs."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import prum
from prum import InputError
from prum.experiments.commands.main import prum as command

EXPANSION = "expansion hops=2 fan_out=8 decay=.6"
RUNS = {
    "hubs": {"q1": ["hub", "note"], "q2": ["hub", "note"]},
    "notes": {"q1": ["note", "hub"], "q2": ["note", "hub"]},
}
GOLD = {"q1": {"n0": 1, "n1": 0}, "q2": {"n3": 1}}
TOKENS = {"tokens": {**dict.fromkeys(["hub", "note", "n0", "n1", "n3"], 100), "n2": 300}}
EDGES = [("hub", "n0"), ("hub", "n1"), ("hub", "n2"), ("n1", "n3"), ("note", "n0")]
READ = """topic,seed,page,tokens
q1,hub,hub,100
q1,hub,n0,100
q1,hub,n1,100
q1,hub,n2,300
q1,note,note,100
q1,note,n0,100
q2,hub,hub,100
q2,hub,n1,100
q2,hub,n3,100
q2,note,note,100
q2,note,n1,100
"""
MEASURES = "IdealsPerCost(cost=tokens)@r=1, R@350 tokens, IdealsPerCost(cost=tokens,paid=once)@2"


def values(**how: Any) -> dict[tuple[str, str], list[float]]:
    """Return (system, topic) -> the scores by `MEASURES`."""
    frame = prum.evaluate(RUNS, GOLD, measures=MEASURES, **how).to_frame()
    kept = frame[frame.topic.isin(GOLD)]
    return {key: rows.score.tolist() for key, rows in kept.groupby(["system", "topic"], sort=False)}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with edges without probabilities, runs, gold and what a pipeline read."""
    monkeypatch.chdir(tmp_path)
    lists = [(s, q, ids) for s, by in RUNS.items() for q, ids in by.items()]
    for system in RUNS:
        lines = [
            f"{q} Q0 {x} {rank} {-rank} {s}\n"
            for s, q, ids in lists
            if s == system
            for rank, x in enumerate(ids, start=1)
        ]
        Path(f"{system}.run").write_text("".join(lines))
    gold = [f"{q} 0 {x} {g}\n" for q, by in GOLD.items() for x, g in by.items()]
    Path("gold.qrels").write_text("".join(gold))
    Path("edges.csv").write_text("source,target\n" + "".join(f"{x},{y}\n" for x, y in EDGES))
    Path("read.csv").write_text(READ)


def run(*words: str) -> str:
    result = CliRunner().invoke(command, [*words])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.usefixtures("files")
def test_every_road_takes_an_expansion() -> None:
    given = ["--qrels", "gold.qrels", "--links", "edges.csv", "--navigation", EXPANSION]
    given += ["--collection-size", "6"]
    lists = ["--run", "hubs.run", "--run", "notes.run"]
    assert "agree with the exact values" in run("crosscheck", *lists, *given, "--users", "5000")
    assert EXPANSION not in run("evaluate", "hubs.run", "notes.run", *given)
    assert "as given      users browse as was given: expansion 2" in run("trust", *lists, *given)
    story = run("simulate", *lists, *given, "--user", "2", "--system", "hubs.run", "--topic", "q1")
    assert "From hub they see n0, an ideal they had not seen" in story
    assert "2 lists" in run("explore", *lists, *given, "--topic", "q1", "-o", "page.html")


@pytest.mark.usefixtures("files")
def test_what_a_pipeline_read_is_exact() -> None:
    rows = [row.split(",") for row in READ.split()[1:]]
    names = ("topic", "seed", "page")
    records = [{**dict(zip(names, row, strict=False)), "tokens": int(row[3])} for row in rows]
    for source in ("read.csv", records):
        read = values(expanded=source)
        # q1: the hub reads 600 tokens for one ideal, the note 200; q2: 300, or 400 note first.
        assert read["hubs", "q1"] == pytest.approx([1 / 600, 1, 1 / 700])
        assert read["notes", "q1"] == pytest.approx([1 / 200, 1, 1 / 700])
        assert read["hubs", "q2"] == pytest.approx([1 / 300, 1, 1 / 400])
        # A page that the note and the hub lead to is paid twice, or once.
        assert read["notes", "q2"] == pytest.approx([1 / 500, 0, 1 / 400])
        once = "IdealsPerCost(cost=tokens,paid=once)@r=1"
        frame = prum.evaluate(RUNS, GOLD, measures=once, expanded=source).to_frame()
        kept = frame[(frame.system == "notes") & (frame.topic == "q2")]
        assert kept.score.tolist() == pytest.approx([1 / 400])
    with pytest.raises(InputError, match="go without expanded"):
        values(expanded="read.csv", navigation="walk")
    Path("read.csv").write_text(READ + "q2,note,n2,200\n")
    with pytest.raises(InputError, match=r"tokens of 'n2' is 200.*must be 300, as above"):
        values(expanded="read.csv")


class Graph:
    """What is asked of a graph of networkx."""

    def __init__(self, pairs: list[tuple[str, str]], *, is_directed: bool) -> None:
        self.pairs, self.directed = pairs, is_directed

    def is_directed(self) -> bool:
        return self.directed

    def edges(self, *, data: bool) -> list[tuple[str, str, dict[str, float]]]:
        return [(x, y, {"weight": 1.0} if data else {}) for x, y in self.pairs]


def test_graphs_and_certain_links_are_a_pipeline() -> None:
    links = dict.fromkeys(EDGES, 1.0)
    told = values(links=links, navigation="expansion 2", costs=TOKENS)
    assert told["hubs", "q2"] == pytest.approx([1 / 700, 0, 1 / 800])
    assert told["notes", "q1"][1] == 1
    assert (
        values(links=Graph(EDGES, is_directed=True), navigation="expansion 2", costs=TOKENS) == told
    )
    both = values(links=links, navigation="expansion 2 both", costs=TOKENS)
    assert (
        values(links=Graph(EDGES, is_directed=False), navigation="expansion 2", costs=TOKENS)
        == both
    )
    assert both != told
    with pytest.raises(InputError, match=r"links .* must be certain within a budget"):
        values(links=links, navigation="expansion 2 decay .5", costs=TOKENS)
