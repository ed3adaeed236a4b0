"""What `crosscheck` takes: a task, campaigns, or runs as `evaluate` takes them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prum import (
    Coupled,
    Independent,
    InputError,
    Task,
    Walk,
    crosscheck,
    evaluate,
    explore,
    precision,
    read_campaign,
    trust,
)
from prum.experiments.commands.crosscheck import crosscheck as command
from prum.experiments.crosscheck import crosscheck_campaigns
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here
from prum.simulator import example_campaign, simulate
from prum.simulator.collections.campaign import Campaign

RUNS = {"gateway": {"q1": ["x", "a"]}, "direct": {"q1": ["a", "x"]}}
QRELS = {"q1": {"a": 1, "b": 1}}
LINKS = {("x", "a"): 0.5, ("x", "b"): 0.5}
TASK = Task(RUNS["gateway"]["q1"], ["a", "b"], 4)


def values(given: Any, navigation: Any = None, system: str = "list", **options: Any) -> Any:
    """Return what users found, and the two closed forms, of one system."""
    table = crosscheck(given, navigation=navigation, num_users=2_000, **options).comparisons
    columns = ["r", "prum", "exact", "simulated", "verdict"]
    return table.loc[table["system"] == system, columns].reset_index(drop=True)


def test_runs_are_checked_as_their_tasks() -> None:
    """A list has the same values as a task, in a run of data with judgements and links."""
    of_runs = values(RUNS, qrels=QRELS, links=LINKS, collection_size=4, system="gateway")
    assert of_runs.equals(values(TASK, LINKS))
    assert not of_runs.equals(
        values(RUNS, qrels=QRELS, links=LINKS, collection_size=4, system="direct")
    )


def test_links_of_a_task_are_browsed_as_named() -> None:
    assert values(TASK, links=LINKS).equals(values(TASK, LINKS))
    exclusive = Coupled(Independent(LINKS), "exclusive")
    assert values(TASK, "exclusive", links=LINKS).equals(values(TASK, exclusive))
    assert not values(TASK, exclusive).equals(values(TASK, LINKS))


def test_without_links_nobody_browses() -> None:
    assert values(TASK)["exact"].tolist() == values(TASK, {})["exact"].tolist()
    assert values(TASK)["exact"].tolist() != values(TASK, LINKS)["exact"].tolist()


def test_campaigns_are_checked_and_browsed_otherwise() -> None:
    """One or several; by a name or by a navigation, which have the same values."""
    web = example_campaign("web")
    system = next(iter(web.runs))
    alone, listed = values(web, system=system), values([web], system=system)
    assert alone.equals(listed)
    walked = values(web, "walk", system=system)
    links: Any = web.links
    assert walked.equals(values(web, Walk(links), system=system))
    assert not walked.equals(alone)


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (RUNS, {}, "must be a Task, a Campaign, or runs; give qrels=... beside runs"),
        ("web", {}, "campaign is 'web', must be a Task, a Campaign, or runs"),
        (example_campaign("web"), {"navigation": 7}, "navigation is 7, must be links, or a nav"),
        (TASK, {"collection_size": 9}, "collection_size is 9, must be left out without qrels"),
        (RUNS, {"qrels": QRELS, "links": LINKS}, "collection_size must be given"),
        (RUNS, {"qrels": QRELS, "colection_size": 4}, "did you mean 'collection_size'"),
        (RUNS, {"qrels": QRELS, "costs": 3}, "costs is 3, must be those of a Task"),
        (TASK, {"links": LINKS, "seeds": 3}, "seeds is 3, must be left out without qrels"),
        (TASK, {"navigation": {("c", "a"): 1.5}}, "1.5, must"),
        (TASK, {"navigation": {"c": 0.5}}, "must be"),
        (TASK, {"navigation": "links.csv"}, "navigation is 'links.csv', must be one of indep"),
        (TASK, {"num_user": 3}, "left out without qrels; did you mean 'num_users'?"),
        (RUNS, {"qrels": QRELS, "num_user": 3}, "must be an option; did you mean 'num_users'?"),
        ({"a": {}}, {"qrels": {"q": {}}, "collection_size": 4}, "with an ideal element"),
    ],
)
def test_what_cannot_be_checked_is_told(given: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        crosscheck(given, **options)


@pytest.mark.parametrize(
    ("links", "told"),
    [
        ({("Hub", "guide"): 0.5}, "number of links from a listed element is 0"),
        ({("hub", "Guide"): 0.5}, "number of links to an ideal is 0"),
    ],
)
def test_links_that_touch_nothing_are_refused_of_tasks_as_of_runs(links: Any, told: str) -> None:
    task = Task(["hub", "news", "guide"], ["guide", "faq"], 4)
    campaign = Campaign(
        "by hand", {"q": task.ideals}, {"s": {"q": task.ranking}}, Walk(links), task.collection_size
    )
    runs, qrels = {"q": list(task.ranking)}, {"q": {"guide": 1, "faq": 1}}
    doors: list[Callable[[], object]] = [
        lambda: crosscheck(task, links),
        lambda: crosscheck(task, Walk(links)),
        lambda: crosscheck(task, "walk", links=links),
        lambda: crosscheck(campaign),
        lambda: crosscheck(runs, qrels=qrels, links=links, collection_size=4),
        lambda: precision(task, links),
        lambda: precision(task, Walk(links), "simulated"),
        lambda: explore(campaign),
        lambda: evaluate(runs, qrels, links=links, collection_size=4),
        lambda: trust(runs, qrels, links=links, collection_size=4),
    ]
    for door in doors:
        with pytest.raises(InputError, match=told):
            door()


def test_a_navigation_without_links_is_one_of_nobody() -> None:
    assert precision(TASK, {}).precision.tolist() == precision(TASK, Walk({})).precision.tolist()


def test_another_engine_takes_no_store_and_no_workers() -> None:
    web, options = example_campaign("web"), {"num_users": 100, "seed": 1, "simulate": simulate}
    for option in ({"store": Store()}, {"workers": Here()}):
        with pytest.raises(InputError, match="left out with by_rank, a store or workers"):
            crosscheck_campaigns([web], **options, **option)  # type: ignore[arg-type]
    assert crosscheck_campaigns([web], **options).num_users == 100


def test_users_and_seed_are_those_of_the_command() -> None:
    checked = crosscheck(Task(["a"], ["a"], 1), {})
    given = {option.name: option.default for option in command.params}
    assert (checked.num_users, checked.seed) == (given["users"], given["seed"]) == (100_000, 1)


FILES = {
    "gateway.run": "q1 Q0 x 1 2 gateway\nq1 Q0 a 2 1 gateway\n",
    "direct.run": "q1 Q0 a 1 2 direct\nq1 Q0 x 2 1 direct\n",
    "qrels.txt": "q1 0 a 1\nq1 0 b 1\n",
    "links.csv": "source,target,probability\nx,a,.5\nx,b,.5\n",
}
# What each verb says of precision of the list x, a.
VERBS: dict[str, Callable[..., float]] = {
    "crosscheck": lambda *given, **options: (
        crosscheck(*given, num_users=500, **options).systems["prum"].iloc[0]
    ),
    "explore": lambda *given, **options: explore(*given, **options).lists[0].prum.average,
    "trust": lambda *given, **options: (
        trust(*given, **options).to_frame().query("dependence == 'PRUM'")["precision"][:2].mean()
    ),
    "evaluate": lambda *given, **options: (
        evaluate(*given, measures="PRUM", **options).to_frame()["score"].iloc[0]
    ),
    "read_campaign": lambda *given, **options: (
        crosscheck(read_campaign(*given, **options), num_users=500).systems["prum"].iloc[0]
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_task_data_and_files_are_taken_alike(verb: str, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    call = VERBS[verb]
    runs, qrels, links = (
        [tmp_path / "gateway.run", tmp_path / "direct.run"],
        tmp_path / "qrels.txt",
        tmp_path / "links.csv",
    )
    expected = precision(TASK, LINKS).average
    assert call(RUNS, QRELS, links=LINKS, collection_size=4) == pytest.approx(expected)
    assert call(runs, qrels, links=links, collection_size=4) == pytest.approx(expected)
    if verb != "read_campaign":
        for navigation in (LINKS, Independent(LINKS)):
            assert call(TASK, navigation) == pytest.approx(expected)
