"""Tied elements in random order: every order tried, Raghavan's formula, users, files, commands."""

from itertools import permutations, product

import numpy as np
import pytest

from prum.analytic import by_rank, closed_form, consulted_pmf, exact, prum_by_rank, prum_of
from prum.analytic.precision.of_task import independent_of, reach_matrix
from prum.analytic.ranked import raghavan
from prum.experiments.crosscheck import crosscheck
from prum.experiments.evaluate import evaluate
from prum.simulator import Browsing, Copula, Coupled, Independent, InputError, Task, Walk, simulate
from prum.simulator.model import ListCosts, Navigation, Tied
from prum.simulator.model.kinds import kind_of
from prum.simulator.sampling.measured.effort import simulate_ranks
from prum.simulator.sampling.steps import stories
from prum.simulator.sampling.ways.samplers import compiled
from tests.tiers import spread

PAIRS = {
    ("c", "a"): 0.4,
    ("c", "b"): 0.3,
    ("d", "a"): 0.6,
    ("d", "b"): 0.35,
    ("e", "b"): 0.9,
    ("a", "b"): 0.2,
}
IDEALS = ["a", "b", "q"]
# Groups of four and two; "n" and "m" show nothing.
TIES = [("c", "n", "a", "d"), "x", ("m", "e")]
NAVIGATIONS: dict[str, Navigation] = {
    "independent": Independent(PAIRS),
    "nothing": Independent({}),
    "walk": Walk({**PAIRS, ("c", "d"): 0.3, ("d", "b"): 0.3}),
    "exclusive": Coupled(Independent(PAIRS), "exclusive"),
    "copula": Coupled(Independent(PAIRS), Copula(0.5)),
}
NUM_USERS = 100_000


def flat(ties: list[str | tuple[str, ...]]) -> list[str]:
    return [x for item in ties for x in ((item,) if isinstance(item, str) else item)]


TASK = Task(flat(TIES), IDEALS, 12)


def orders(ties: list[str | tuple[str, ...]], ideals: list[str], size: int) -> list[Task]:
    """Return the task in every order of the groups."""
    groups = [[(item,)] if isinstance(item, str) else [*permutations(item)] for item in ties]
    return [Task([x for part in order for x in part], ideals, size) for order in product(*groups)]


@pytest.mark.parametrize("name", spread(2, NAVIGATIONS))
def test_the_mean_over_every_order_is_the_closed_form(name: str) -> None:
    """Second road: 4! 2! lists without ties, each by itself."""
    navigation = NAVIGATIONS[name]
    tied, lists = Tied(navigation, [TIES]), orders(TIES, IDEALS, 12)
    assert len(lists) == 48
    for value in (closed_form, prum_of, independent_of):
        found, each = value(TASK, tied), [value(one, navigation) for one in lists]
        assert found is not None
        for part in ("leading", "consulted", "parts"):
            mean = np.mean([getattr(one, part) for one in each], axis=0)
            assert getattr(found, part) == pytest.approx(mean, rel=1e-12, abs=1e-12)
    pmf = consulted_pmf(TASK, tied)
    assert pmf == pytest.approx(np.mean([consulted_pmf(one, navigation) for one in lists], axis=0))
    for law in (by_rank, prum_by_rank):
        ranks, each_rank = law(TASK, tied), [law(one, navigation) for one in lists]
        assert ranks is not None
        for part in ("leading", "consulted"):
            mean = np.mean([getattr(one, part) for one in each_rank], axis=0)
            assert getattr(ranks, part) == pytest.approx(mean, abs=1e-12)
    mean = np.mean([reach_matrix(one, navigation).toarray() for one in lists], axis=0)
    assert reach_matrix(TASK, tied).toarray() == pytest.approx(mean)


@pytest.mark.parametrize("seed", range(6))
def test_without_browsing_it_is_raghavan_with_ties(seed: int) -> None:
    """Appendix B for weak orders, as RP(tied=true); groups of any size, ideals not listed."""
    rng = np.random.default_rng(seed)
    names = [f"e{k}" for k in range(40)]
    edges = np.sort(rng.choice(np.arange(1, 40), 5, replace=False))
    ties = [tuple(part) for part in np.split(np.array(names), edges)]
    items = [tuple(map(str, part)) for part in ties]
    ideals = [str(x) for x in rng.choice(names, 7, replace=False)] + ["behind"]
    task = Task(names, ideals, 60)
    tied = Tied(Independent({}), [items])
    formula = raghavan(items, ideals, task.num_unranked)
    for value in (closed_form(task, tied), prum_of(task, tied)):
        assert value is not None
        assert value.precision == pytest.approx(formula.precision, rel=1e-10)


def test_groups_of_one_are_no_ties() -> None:
    for navigation in NAVIGATIONS.values():
        alone = Tied(navigation, [[(x,) for x in TASK.ranking]])
        for value in (closed_form, prum_of):
            found, usual = value(TASK, alone), value(TASK, navigation)
            assert found is not None
            assert usual is not None
            assert found.leading == pytest.approx(usual.leading, rel=1e-12)
            assert found.consulted == pytest.approx(usual.consulted, rel=1e-12)


@pytest.mark.parametrize("name", NAVIGATIONS)
def test_users_agree_with_the_closed_form(name: str) -> None:
    result = crosscheck(TASK, Tied(NAVIGATIONS[name], [TIES]), num_users=20_000, by_rank=True)
    assert result.verdict == "agrees"
    assert any("+ ties" in heading for heading in result.view().tables[0].columns)


def test_users_with_other_ties_disagree() -> None:
    """Negative control: broken ties, and ties of a group too small by one element."""
    tied, others = Tied(NAVIGATIONS["walk"], [TIES]), [[("c", "n", "a"), "d", "x", ("m", "e")]]
    for other in (NAVIGATIONS["walk"], Tied(NAVIGATIONS["walk"], others)):
        users = simulate(TASK, other, num_users=NUM_USERS, seed=1)
        value = closed_form(TASK, tied)
        assert value is not None
        z = (users.consulted - value.consulted) / users.consulted_error
        assert abs(z).max() > 6


@pytest.mark.parametrize("name", NAVIGATIONS)
def test_the_kernel_is_its_twin(name: str) -> None:
    sampler = compiled(TASK, Tied(NAVIGATIONS[name], [TIES]))
    ((_, twin),) = stories(sampler, 300, 5, 0)
    drawn = [np.empty((300, 3), dtype=np.int32, order="F") for _ in range(2)]
    seen = np.empty((3, 300), dtype=np.int32)
    sampler.block(5, 0, sampled=True).draw(*drawn, seen)
    assert seen.T.tolist() == twin


def test_every_order_of_a_group_is_as_likely() -> None:
    ties: list[str | tuple[str, ...]] = [("a", "b", "q")]
    task = Task(flat(ties), IDEALS, 3)
    sampler = compiled(task, Tied(Independent({}), [ties]))
    size = 16_000
    drawn = [np.empty((size, 3), dtype=np.int32, order="F") for _ in range(2)]
    seen = np.empty((3, size), dtype=np.int32)
    sampler.block(1, 0, sampled=True).draw(*drawn, seen)
    _, counts = np.unique(seen, axis=1, return_counts=True)
    assert len(counts) == 6
    expected = size / 6
    # The chi-squared law of five degrees is above 43 with probability 4e-8.
    assert ((counts - expected) ** 2 / expected).sum() < 43


def test_ranks_of_users_are_those_of_their_own_order() -> None:
    tied = Tied(NAVIGATIONS["walk"], [TIES])
    law, users = by_rank(TASK, tied), simulate_ranks(TASK, tied, num_users=NUM_USERS, seed=3)
    assert law is not None
    for part in ("consulted", "leading"):
        chances = getattr(law, part)
        error = np.sqrt(chances * (1 - chances) / NUM_USERS) + 1e-9
        assert (abs(getattr(users, part) / NUM_USERS - chances) / error).max() < 6


# --- what is given --------------------------------------------------------------------------------


def test_tied_is_plain_data() -> None:
    tied = Tied(Walk({("c", "a"): 0.5}), [["x"], ["ß x", ("b", "a"), ("c",)]])
    again = eval(repr(tied))
    assert again == tied
    assert again.key == tied.key
    assert hash(again) == hash(tied)
    assert tied.lists == (("x",), ("ß x", ("b", "a"), "c"))
    assert tied.key != Tied(tied.navigation, [["ß x", "b", "a", "c"]]).key
    assert kind_of(tied) == "walk + ties"
    assert tied.groups(Task(["ß x", "b", "a", "c"], ["a"], 9)).tolist() == [0, 1, 1, 2]
    assert tied.groups(Task([], ["a"], 9)).tolist() == []
    assert closed_form(Task([], ["a"], 9), tied) == exact(np.zeros((0, 1)), 9)


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([["a", ("b", "a")]], "element of list 0 of ties is 'a', must stand there once"),
        ([["a", ()]], "group of list 0 of ties is (), must hold an element"),
        ([["a", ""]], "must be a text that is not empty"),
        (["ab"], "list 0 of ties is 'ab', must be a list of elements"),
        ([[("a", "b")], ["a", "b"]], "must have the ties of the other list"),
    ],
)
def test_bad_lists_are_refused(lists: list[list[str]], message: str) -> None:
    with pytest.raises(InputError) as refused:
        Tied(Independent({}), lists)
    assert message in str(refused.value)


def test_what_does_not_go_with_ties_is_refused() -> None:
    tied = Tied(Independent(PAIRS), [TIES])
    with pytest.raises(InputError, match="must be one of the lists whose ties are known"):
        closed_form(Task(["c"], IDEALS, 12), tied)
    with pytest.raises(InputError, match="Walk where elements are tied; leave out dials, or ties"):
        Tied(Browsing(Independent(PAIRS), fading=0.5), [TIES])
    costs = ListCosts([1.0] * TASK.num_ranked, 1.0, unit="tokens")
    for charged in (
        lambda: closed_form(TASK, tied, costs=costs),
        lambda: prum_of(TASK, tied, costs=costs),
        lambda: simulate(TASK, tied, num_users=10, seed=1, costs=costs),
    ):
        with pytest.raises(InputError, match="costs is 'given', must be left out where elements"):
            charged()
    with pytest.raises(InputError, match="normal counts is 'given'"):
        prum_of(TASK, tied, counts="normal")
    many = [f"x{k}" for k in range(13)]
    task, links = Task(many, ["a"], 20), {(x, "a"): 0.1 for x in many}
    wide = Tied(Independent(links), [[tuple(many)]])
    assert closed_form(task, wide) is None
    with pytest.raises(InputError, match="that show an ideal is 13, must be at most 12 in a group"):
        prum_of(task, wide)
    with pytest.raises(InputError, match="system list, topic topic: number of tied elements"):
        crosscheck(task, wide)
    assert simulate(task, wide, num_users=100, seed=1).num_users == 100


def test_the_cross_check_of_ties_is_the_closed_form() -> None:
    groups = [("d", "c"), ("e", "b", "a")]
    task, tied = Task([*"dceba"], ["a", "b"], 9), Tied(Independent(PAIRS), [groups])
    check = crosscheck(task, tied, num_users=20_000)
    value = closed_form(task, tied)
    assert value is not None
    assert check.verdict == "agrees"
    assert check.comparisons["exact"].tolist() == pytest.approx(value.precision.tolist())
    formula = raghavan(groups, ["a", "b"], 4)
    assert check.systems["classical"].tolist() == [pytest.approx(formula.precision.mean())]


@pytest.mark.parametrize(("name", "value"), [("PRUM", prum_of), ("ExactPRUM", closed_form)])
def test_measures_take_ties(name: str, value: object) -> None:
    scores = {"t": {"d": 3.0, "c": 3.0, "e": 2.0, "b": 2.0, "a": 2.0}}
    chosen = [f"{name}(tied=true)", f"{name}", "CL(tied=true)@r=2", "RP(tied=true)"]
    result = evaluate(
        {"s": scores},
        {"t": {"a": 1, "b": 1}},
        measures=chosen,
        links=PAIRS,
        collection_size=9,
    )
    task = Task([*"dceba"], ["a", "b"], 9)
    tied = Tied(Independent(PAIRS), [[("d", "c"), ("e", "b", "a")]])
    frame = result.to_frame().set_index("measure")["score"]
    assert frame[chosen[0]] == pytest.approx(value(task, tied).average)  # type: ignore[operator]
    assert frame[chosen[1]] == pytest.approx(
        value(task, tied.navigation).average  # type: ignore[operator]
    )
    assert frame[chosen[2]] == pytest.approx(prum_of(task, tied).leading[1])
