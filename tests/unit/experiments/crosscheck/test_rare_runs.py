"""The second run of a cross-check, on rare users: what it judges, stores, and says."""

from pathlib import Path

from prum.analytic import closed_form
from prum.experiments.crosscheck import crosscheck, crosscheck_campaigns
from prum.experiments.crosscheck.verdicts import judge, quantities
from prum.experiments.sweeps.store import Store
from prum.simulator import Independent, Task, Walk, simulate
from prum.simulator.collections.campaign import Campaign
from prum.simulator.sampling.weighted import WeightedTally
from tests.engines import plain_engine

TASK = Task(["a", "x", "b"], ["a", "b"], 30)
LINKS = {("x", "b"): 0.5, ("a", "b"): 1e-4}
CERTAIN = {("x", "b"): 0.5}


def _campaign(links: dict[tuple[str, str], float], name: str = "task") -> Campaign:
    return Campaign(
        name=name,
        ideals={"topic": TASK.ideals},
        runs={"list": {"topic": TASK.ranking}},
        navigation=Independent(links),
        collection_size=30,
    )


def test_only_what_plain_users_cannot_carry_is_judged_again() -> None:
    check = crosscheck(TASK, Independent(LINKS), num_users=20_000, seed=1)
    plain = crosscheck(TASK, Independent(LINKS), num_users=20_000, seed=1, simulate=plain_engine)
    assert plain.comparisons["verdict"].tolist() == ["agrees", "unresolved"]
    assert not plain.comparisons["rare"].any()
    assert check.comparisons["verdict"].tolist() == ["agrees", "agrees"]
    assert check.comparisons["rare"].tolist() == [False, True]
    # E[CL(1)], E[C(1)] and E[C(2)] on plain users, E[CL(2)] and the mean weight on rare ones: known
    # before any are drawn.
    assert (plain.num_tested, check.num_tested) == (5, 5)
    columns = ["simulated", "error", "z_leading", "z_consulted"]
    assert check.comparisons.loc[0, columns].equals(plain.comparisons.loc[0, columns])
    assert check.comparisons["z_consulted"][1] == plain.comparisons["z_consulted"][1]
    rare = check.cases[0].rare
    assert rare is not None
    assert isinstance(rare.tally, WeightedTally)
    assert check.comparisons["simulated"][1] == rare.precision[1]
    assert check.values()["comparisons"][1]["rare"] is True


def test_a_list_that_plain_users_carry_has_no_second_run() -> None:
    campaigns = [_campaign(LINKS), _campaign(CERTAIN, "other")]
    check = crosscheck_campaigns(campaigns, num_users=20_000, seed=1)
    assert [case.rare is not None for case in check.cases] == [True, False]
    alone = crosscheck_campaigns([_campaign(CERTAIN, "other")], num_users=20_000, seed=1)
    assert alone.num_tested == 4
    assert not alone.comparisons["rare"].any()


def test_the_second_run_is_stored_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    campaign = _campaign(LINKS)
    with Store(path) as store:
        crosscheck_campaigns([campaign], num_users=10_000, seed=1, store=store)
        first = sum(store.seconds()[key][1] for key in store.seconds())
    with Store(path) as store:
        more = crosscheck_campaigns([campaign], num_users=20_000, seed=1, store=store)
        second = sum(store.seconds()[key][1] for key in store.seconds())
    # Rare users come in whole units of 32.
    assert first == 10_000 + 10_016
    assert second == 40_000
    at_once = crosscheck_campaigns([campaign], num_users=20_000, seed=1)
    assert more.cases[0].rare == at_once.cases[0].rare
    assert more.comparisons.equals(at_once.comparisons)


def test_a_fault_in_the_rare_is_found() -> None:
    """Users who see two ideals at once twice as often as the law says, one in 5,000 of them."""
    exact = closed_form(TASK, Independent(LINKS))
    faulty = Independent({**LINKS, ("a", "b"): 2e-4})
    for navigation, verdict in ((Independent(LINKS), "agrees"), (faulty, "disagrees")):
        plain = simulate(TASK, navigation, num_users=20_000, seed=1)
        rare = simulate(TASK, navigation, num_users=20_000, seed=1, rare=True)
        judged, _ = judge([quantities(exact, plain, rare)], 0.01)
        assert judged[0].verdicts == ["agrees", verdict]


def test_rare_users_of_fewer_than_three_units_agree_with_nothing() -> None:
    """They have no errors: another simulator's users agreed with them, whatever these did."""
    task = Task(["x", "y"], ["a", "b", "c"], 9)
    law = Walk({("x", "m"): 1, ("m", "a"): 0.5, ("m", "b"): 0.5, ("y", "m"): 1})
    few = crosscheck(task, law, num_users=10, most_users=10, seed=1)
    assert few.comparisons["verdict"].tolist() == ["agrees", "unresolved", "unresolved"]
    assert not few.comparisons["rare"].any()
    more = crosscheck(task, law, num_users=10, most_users=5_000, seed=1)
    assert more.verdict == "agrees"
    assert more.comparisons["users"].tolist() == [10, 160, 160]
