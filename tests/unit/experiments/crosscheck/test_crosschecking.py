"""Cross-checks: what they take, and which combinations of engine, store and workers there are."""

from typing import Any

import pytest

from prum.experiments.commands.crosscheck import crosscheck as command
from prum.experiments.crosscheck.verb import crosscheck, crosscheck_campaigns
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here
from prum.simulator import Independent, InputError, Links, Task, simulate
from prum.simulator.collections.examples import web_example

WEB = web_example()


def test_another_engine_takes_no_store_and_no_workers() -> None:
    options: list[dict[str, Any]] = [{"store": Store()}, {"workers": Here()}]
    for option in options:
        with pytest.raises(InputError, match="left out with a store or workers") as error:
            crosscheck_campaigns([WEB], num_users=100, seed=1, simulate=simulate, **option)
        assert "\n" not in str(error.value)
    checked = crosscheck_campaigns([WEB], num_users=100, seed=1, simulate=simulate)
    assert checked.num_users == 100


TASK = Task(["c", "d", "a", "b"], ["a", "b"], 4)
LINKS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}


def test_links_alone_are_independent_visits() -> None:
    options: dict[str, Any] = {"num_users": 2_000, "seed": 3}
    expected = crosscheck(TASK, Independent(LINKS), **options)
    for links in (LINKS, Links(LINKS)):
        checked = crosscheck(TASK, links, **options)
        assert checked.comparisons.equals(expected.comparisons)
        assert checked.campaigns == expected.campaigns


def test_users_and_seed_are_those_of_the_command() -> None:
    checked = crosscheck(Task(["a"], ["a"], 1), {})
    given = {option.name: option.default for option in command.params}
    assert (checked.num_users, checked.seed) == (given["users"], given["seed"]) == (100_000, 1)


@pytest.mark.parametrize(
    ("task", "navigation", "told"),
    [
        (TASK, {("c", "a"): 1.5}, "1.5, must"),
        (TASK, {"c": 0.5}, "must be"),
        (TASK, "links.csv", "navigation is 'links.csv', must be one of independent, "),
        (TASK, 7, "navigation is 7, must be links, or a navigation; give "),
        (["c", "a"], {}, "is \\['c', 'a'\\], must be a Task, a Campaign, or runs; "),
    ],
)
def test_other_things_are_one_line(task: Any, navigation: Any, told: str) -> None:
    with pytest.raises(InputError, match=told) as error:
        crosscheck(task, navigation, num_users=100, seed=1)
    assert "\n" not in str(error.value)
