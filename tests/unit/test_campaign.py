"""Campaigns: read from files, and the two that are built in."""

import os
from pathlib import Path

import pytest

from prum.simulator import InputError, built_in_campaign, read_campaign, web_example
from prum.simulator.collections.campaign import Campaign


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
    task = web_example().task("list", "web")
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


def test_runs_need_names_of_their_own(files: Path) -> None:
    with pytest.raises(InputError, match="name of its own"):
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
