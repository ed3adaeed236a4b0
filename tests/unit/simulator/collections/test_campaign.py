"""Campaigns: read from files, and the two that are built in."""

import gzip
import os
import pickle
from pathlib import Path

import pytest

from prum.simulator import (
    Independent,
    InputError,
    Walk,
    chunks,
    read_campaign,
    read_elements,
    structural,
    tolerance,
)
from prum.simulator.collections import built_in_campaign
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.examples import example_campaign
from prum.simulator.model.ways import timeline_steps
from tests.tiers import slow


@slow
def test_built_in_campaign_has_the_promised_size_and_is_the_same_each_time() -> None:
    one, two = built_in_campaign(), built_in_campaign()
    assert (len(one.ideals), len(one.runs), one.collection_size) == (20, 8, 3_000)
    assert one.navigation == two.navigation
    assert one.ideals == two.ideals
    assert one.runs == two.runs
    assert built_in_campaign(seed=1).runs != one.runs
    tasks = list(one.tasks())
    assert len(tasks) == 160
    assert all(task.num_ranked == 100 for _, _, task in tasks)


@slow
def test_built_in_links_can_be_walked_and_tossed() -> None:
    walks = built_in_campaign("walk")
    assert walks.navigation.links == built_in_campaign().navigation.links
    assert walks.navigation.key != built_in_campaign().navigation.key


def test_systems_differ_in_quality() -> None:
    campaign = built_in_campaign()
    found = {
        system: sum(
            len(set(ranking[:10]) & set(campaign.ideals[topic])) for topic, ranking in lists.items()
        )
        for system, lists in campaign.runs.items()
    }
    assert found["pointed"] > found["poor"] > found["random"]
    assert len(set(found.values())) >= 6


def test_web_example_is_table_iii() -> None:
    task = example_campaign("web").task("list", "web")
    assert (task.ranking, task.ideals, task.num_unranked) == (("c", "d", "a", "b"), ("a", "b"), 0)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "one").write_text("q1 Q0 a 1 2 s\nq1 Q0 b 2 1 s\nunjudged Q0 z 1 1 s\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 c 2\nq2 0 a 1\nq3 0 b 0\n")
    (tmp_path / "links.csv").write_text("source,target,probability\nb,c,.5\n")
    return tmp_path


def read(files: Path, **changes: object) -> Campaign:
    options: dict[str, object] = {"collection_size": 10, **changes}
    return read_campaign([files / "one"], files / "qrels", files / "links.csv", **options)  # type: ignore[arg-type]


def test_topics_are_those_judged_with_an_ideal(files: Path) -> None:
    campaign = read(files)
    assert list(campaign.ideals) == ["q1", "q2"]
    assert campaign.without_ideals == ("q3",)
    assert campaign.task("one", "q1").ranking == ("a", "b")
    assert campaign.task("one", "q2").ranking == ()


def test_ideal_grade_raises_the_bar(files: Path) -> None:
    assert dict(read(files, ideal_grade=2).ideals) == {"q1": ("c",)}
    with pytest.raises(InputError, match="number of topics with an ideal"):
        read(files, ideal_grade=3)


def test_collection_must_hold_all_that_is_named(files: Path) -> None:
    assert read(files, collection_size=3).collection_size == 3
    with pytest.raises(InputError, match="collection size is 2, must be at least 3"):
        read(files, collection_size=2)
    with pytest.raises(InputError, match="collection size is 2, must be at least 3"):
        read_campaign([files / "one"], files / "qrels", collection_size=2)


def test_runs_need_names_of_their_own(files: Path) -> None:
    with pytest.raises(InputError, match="must be given once"):
        read_campaign([files / "one", files / "one"], files / "qrels", None, collection_size=10)


def test_errors_of_a_task_name_system_and_topic(files: Path) -> None:
    campaign = read(files)
    small = Campaign("x", campaign.ideals, campaign.runs, campaign.navigation, 2)
    with pytest.raises(InputError, match="system one, topic q1: collection_size is 2"):
        small.task("one", "q1")


def test_a_file_name_that_is_no_utf8_still_names_a_system(files: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(files) + b"/run\xff"))
    odd.write_bytes((files / "one").read_bytes())
    campaign = read_campaign([odd], files / "qrels", None, collection_size=10)
    (name,) = campaign.runs
    assert name.encode("utf-8").decode() == name


# --- elements that make links -----------------------------------------------------------------

TREE = "element,parent,length,start\npage,,90,0\na,page,30,0\nb,page,30,30\nc,page,30,60\nz,,5,0\n"
STEPS = "chunks next .5 parent .1"


@pytest.fixture
def trees(files: Path) -> Path:
    (files / "tree.csv").write_text(TREE)
    return files


def made(trees: Path, way: str | None = None, **changes: object) -> Campaign:
    options: dict[str, object] = {
        "elements": [trees / "tree.csv"],
        "way": way,
        "collection_size": 10,
        **changes,
    }
    links = options.pop("links", None)
    return read_campaign([trees / "one"], trees / "qrels", links, **options)  # type: ignore[arg-type]


def refused(trees: Path, way: str | None = None, **changes: object) -> str:
    with pytest.raises(InputError) as caught:
        made(trees, way, **changes)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message


def test_elements_make_links_of_their_structure_to_ideals(trees: Path) -> None:
    campaign = made(trees)
    table = read_elements(trees / "tree.csv")
    # The ideals of all topics, and no others: a is one of q1 and q2, c of q1.
    assert campaign.navigation == Independent(structural(table, targets=["a", "c"]))
    assert made(trees, "structural").navigation == campaign.navigation
    assert campaign.kind == "independent"
    assert campaign.documents == {"page": "page", "a": "page", "b": "page", "c": "page", "z": "z"}
    assert campaign.way is not None
    assert campaign.way.name == "structural"


def test_steps_lead_to_all_elements(trees: Path) -> None:
    table = read_elements(trees / "tree.csv")
    walked = made(trees, "timeline-steps .1")
    assert walked.navigation == Walk(timeline_steps(table, 0.1))
    assert walked.kind == "walk"
    chunked = made(trees, STEPS)
    assert chunked.navigation == Independent(chunks(table, next=0.5, parent=0.1))
    assert chunked.browsed("walk").navigation == Walk(chunks(table, next=0.5, parent=0.1))
    assert made(trees, STEPS, kind="walk").navigation == chunked.browsed("walk").navigation
    assert made(trees, "timeline-steps .1", kind="independent").kind == "independent"


def test_each_topic_has_links_of_its_own_if_reading_ends_at_its_ideals(trees: Path) -> None:
    campaign = made(trees, "tolerance 60")
    table = read_elements(trees / "tree.csv")
    for topic, ideals in (("q1", ["a", "c"]), ("q2", ["a"])):
        wanted = Independent(tolerance(table, ideals, words=60))
        assert campaign.navigation_on(topic) == wanted
        assert campaign.navigation_keys[topic] == wanted.key
    assert campaign.navigation_on("q1") != campaign.navigation_on("q2")
    assert campaign.navigation_key not in campaign.navigation_keys.values()
    assert campaign.kind == "independent"
    assert campaign.browsed("independent") is campaign
    coupled = campaign.browsed("exclusive")
    assert coupled.kind == "exclusive"
    assert coupled.navigation_on("q2").links == campaign.navigation_on("q2").links
    assert coupled.browsed("independent").navigation == campaign.navigation


def test_one_navigation_has_one_key(trees: Path) -> None:
    campaign = made(trees)
    assert campaign.navigation_key == campaign.navigation_on("q1").key
    assert campaign.navigation_keys == dict.fromkeys(("q1", "q2"), campaign.navigation_key)


def test_documents_are_known_to_who_does_not_revisit(trees: Path) -> None:
    once = made(trees, kind="no-revisit")
    assert once.kind == "no-revisit"
    assert once.navigation_on("q1").rank_factors(once.task("one", "q1")).tolist() == [1, 0]
    assert made(trees).browsed("no-revisit").navigation == once.navigation
    walked = made(trees, STEPS).browsed("walk + no-revisit + fading 0.5")
    assert walked.kind == "walk + fading 0.5 + no-revisit"
    with pytest.raises(InputError, match="documents of no-revisit must be known; give"):
        read(trees).browsed("no-revisit")


def test_links_are_made_of_others(files: Path) -> None:
    (files / "links.csv").write_text("source,target,probability\nb,a,1\nb,c,0\nc,c,1\n")
    campaign = read(files, way="web .8")
    assert campaign.navigation == Walk({("b", "a"): 0.4, ("b", "c"): 0.4})
    assert campaign.documents is None
    assert read(files, way="web .8", kind="independent").kind == "independent"


def test_xml_files_are_documents(trees: Path) -> None:
    pytest.importorskip("lxml")
    (trees / "p.xml").write_text("<p><q>one</q><q>two</q></p>")
    (trees / "r.XML.gz").write_bytes(gzip.compress(b"<r><q>three</q></r>"))
    (trees / "qrels").write_text("q1 0 p/q[2] 1\nq2 0 r/q[1] 1\n")
    (trees / "one").write_text("q1 Q0 p 1 1 s\n")
    campaign = made(trees, elements=[trees / "p.xml", trees / "r.XML.gz"])
    assert campaign.documents == {
        "p": "p",
        "p/q[1]": "p",
        "p/q[2]": "p",
        "r": "r",
        "r/q[1]": "r",
    }
    assert campaign.navigation == Independent({("p", "p/q[2]"): 0.5, ("r", "r/q[1]"): 1.0})


def test_the_collection_holds_all_elements(trees: Path) -> None:
    assert made(trees, collection_size=5).collection_size == 5
    told = refused(trees, collection_size=4)
    assert "must be at least 5, the elements that runs, qrels and elements name" in told


def test_ideals_must_be_elements(trees: Path) -> None:
    (trees / "qrels").write_text("q1 0 a 1\nq1 0 x/y[1] 1\n")
    told = refused(trees)
    assert told.startswith(f"{trees / 'qrels'}: ideal of topic q1 is 'x/y[1]', must be an element")
    assert told.endswith(f"of {trees / 'tree.csv'}; write ids like 'z', or give all elements")


def test_what_cannot_be_walked_is_told_with_the_way(trees: Path) -> None:
    assert "must not walk along what way structural gives" in refused(trees, kind="walk")
    with pytest.raises(InputError, match="must not walk along what way tolerance gives"):
        made(trees, "tolerance 5").browsed("walk")
    told = refused(trees, "chunks next .9 parent .5", kind="walk")
    assert told.startswith("way chunks next 0.9 parent 0.5: sum of the probabilities of moving ")
    # Nobody stops, but all are caught.
    assert made(trees, "chunks parent 1 child .3333333333333333", kind="walk").kind == "walk"
    assert made(trees, "chunks next .9 parent .5").kind == "independent"


def test_links_tell_how_users_browse_and_elements_the_documents(trees: Path) -> None:
    (trees / "links.csv").write_text("source,target,probability\nb,a,.5\npage,c,.25\n")
    links = {("b", "a"): 0.5, ("page", "c"): 0.25}
    campaign = made(trees, links=trees / "links.csv")
    assert campaign.navigation == Independent(links)
    assert (campaign.way, campaign.elements) == (None, None)
    assert campaign.documents == made(trees).documents
    once = made(trees, kind="no-revisit", links=trees / "links.csv")
    assert once.navigation_on("q1").rank_factors(once.task("one", "q1")).tolist() == [1, 0]
    walked = made(trees, "web .8", links=trees / "links.csv")
    assert walked.navigation == Walk({("b", "a"): 0.8, ("page", "c"): 0.8})
    assert made(trees, kind="walk", links=trees / "links.csv").navigation == Walk(links)
    assert made(trees, links=trees / "links.csv", collection_size=5).collection_size == 5
    assert "must be at least 5" in refused(trees, links=trees / "links.csv", collection_size=4)


def test_links_end_at_elements(trees: Path) -> None:
    (trees / "links.csv").write_text("source,target,probability\nb,a,.5\nb,x,0\n")
    told = refused(trees, links=trees / "links.csv")
    assert told.startswith(f"{trees / 'links.csv'}: end of a link is 'x', must be among the elem")
    assert told.endswith("ents; write ids like 'z', or give all elements")


def test_a_way_needs_what_it_is_of(trees: Path) -> None:
    told = refused(trees, "structural", links=trees / "links.csv")
    assert "must be a way of links where links are given beside elements; leave out" in told
    assert "must have links to make links of" in refused(trees, "web .5")
    with pytest.raises(InputError, match="must have elements to make links of"):
        read(trees, way="structural")
    with pytest.raises(InputError, match="must have elements to make links of"):
        read_campaign([trees / "one"], trees / "qrels", way="tolerance 5", collection_size=9)


def test_elements_are_one_table_or_xml(trees: Path) -> None:
    (trees / "p.xml").write_text("<p/>")
    for others in (["tree.csv"], ["p.xml"]):
        told = refused(trees, elements=[trees / name for name in ("tree.csv", *others)])
        assert "must be one table, or XML files (.xml, .xml.gz) only" in told
    with pytest.raises(FileNotFoundError):
        made(trees, elements=[trees / "nothing.csv"])


def test_campaigns_travel(trees: Path) -> None:
    for way in ("structural", "tolerance 60", STEPS):
        campaign = made(trees, way)
        assert pickle.loads(pickle.dumps(campaign)) == campaign


def test_the_elements_say_how_large_the_collection_is(trees: Path) -> None:
    assert made(trees, collection_size=None).collection_size == 5
    links = trees / "links.csv"
    assert made(trees, links=links, collection_size=None).collection_size == 5
    message = refused(trees, links=links, elements=(), collection_size=None)
    assert message.startswith("collection_size must be given where no elements are;")
