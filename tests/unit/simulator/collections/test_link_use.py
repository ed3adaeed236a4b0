"""Links that touch nothing are refused, others counted, wherever files of links are read."""

from pathlib import Path

import pytest

from prum.simulator import InputError, Links
from prum.simulator.collections.campaign import Campaign, read_campaign
from prum.simulator.collections.examples import built_in_campaign, example_campaign
from prum.simulator.collections.linking import LinkUse, LinkWatch

RUNS = {
    "one": "q1 Q0 hub 1 9 s\nq1 Q0 a 2 8 s\nq2 Q0 z 1 1 s\n",
    "two": "q2 Q0 far 1 9 s\nq9 Q0 nobody 1 9 s\n",
}
QRELS = "q1 0 a 1\nq1 0 b 1\nq2 0 c 1\n"
HEAD = "source,target,probability\n"


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that reads a campaign with these links."""
    monkeypatch.chdir(tmp_path)
    for name, text in RUNS.items():
        Path(name).write_text(text)
    Path("qrels").write_text(QRELS)

    def campaign(links: str | None, **options: object) -> Campaign:
        if links is not None:
            Path("links.csv").write_text(HEAD + links)
        given = None if links is None else "links.csv"
        return read_campaign([*RUNS], "qrels", given, collection_size=99, **options)

    return campaign


@pytest.mark.parametrize(
    ("links", "use"),
    [
        ("hub,a,.5\nhub,x,.4\nx,b,.1\nfar,c,.1\n", (4, 3, 3)),
        # One topic's elements and another's ideals suffice: whose they are is not told by a table.
        ("far,a,.5\n", (1, 1, 1)),
        ("nobody,a,.5\nhub,x,.5\n", (2, 1, 1)),
        # What shows nothing does not count.
        ("hub,a,.5\nhub,hub,.5\na,a,1\nhub,b,0\n", (1, 1, 1)),
    ],
)
def test_links_are_counted(read, links: str, use: tuple[int, int, int]) -> None:
    assert read(links).link_use == LinkUse(*use)


@pytest.mark.parametrize(
    ("links", "told"),
    [
        ("", "links.csv: number of links of a probability above 0 is 0, must be at least 1; leave"),
        ("hub,a,0\nb,b,.5\n", "number of links of a probability above 0 is 0"),
        (
            " hub,a,.5\n",
            "links lead from ids like ' hub' to ids like 'a', runs list ids like 'hub', ideals",
        ),
        ("nobody,a,.5\n", "number of links from a listed element is 0"),
        (
            "hub,A,.5\nhub,B,.5\n",
            "'A', runs list ids like 'hub', ideals have ids like 'a': use",
        ),
    ],
)
def test_links_that_touch_nothing_are_refused(read, links: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        read(links)
    assert told in str(error.value)
    assert str(error.value).startswith("links.csv: ")
    assert "\n" not in str(error.value)


def test_links_made_of_others_are_refused_too(read) -> None:
    with pytest.raises(InputError, match=r"links\.csv: number of links from a listed element"):
        read("nobody,a,.5\n", way="web 0.5")


def test_a_run_of_other_topics_is_refused(read) -> None:
    Path(next(iter(RUNS))).write_text("q9 Q0 nobody 1 9 s\n")
    with pytest.raises(
        InputError, match=r"topics of a run is \['q9'\], must be among those judged"
    ):
        read("hub,a,.5\n")


def test_a_navigation_wants_links(read) -> None:
    assert read(None).link_use == LinkUse(0, 0, 0)
    assert str(read(None).link_use) == "no links: nobody browses"
    with pytest.raises(InputError, match="navigation is 'walk', must have links; give links"):
        read(None, kind="walk")


def test_elements_and_lists_name_the_same_things(read) -> None:
    head = "element,parent,length,start\n"
    Path("tree.csv").write_text(f"{head}hub,,9,\n" + "".join(f"{x},hub,2,\n" for x in "abc"))
    made = read(None, elements=["tree.csv"])
    assert made.link_use.from_listed > 0
    assert made.link_use.to_ideals == made.link_use.num_links
    Path("tree.csv").write_text(f"{head}top,,9,\n" + "".join(f"{x},top,2,\n" for x in "abc"))
    Path("one").write_text("q1 Q0 HUB 1 9 s\n")
    with pytest.raises(InputError, match=r"tree\.csv: number of listed elements.*list ids like"):
        read(None, elements=["tree.csv"])


def test_links_of_each_topic_and_lists_with_ties() -> None:
    tables = {"q1": Links({("x", "a"): 0.5}), "q2": Links({("x", "b"): 0.5, ("z", "b"): 0.5})}
    watch = LinkWatch(tables, {"q1": ["a"], "q2": ["b"]})
    lists = [("one", {"q1": [("y", "x"), "a"], "q2": {"z": 0.5}})]
    assert list(watch.through(lists)) == lists
    assert watch.use == LinkUse(3, 2, 3)


def test_examples() -> None:
    assert example_campaign("web").link_use == LinkUse(4, 4, 4)
    use = built_in_campaign().link_use
    assert use.num_links > use.from_listed > use.to_ideals > 0
