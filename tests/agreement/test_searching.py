"""Sessions of several lists: the closed form, enumeration in fractions, and walked users."""

from fractions import Fraction

import numpy as np
import pytest

from prum.analytic import exact
from prum.analytic.searching import SearchEffort, searcher, searcher_effort, session_effort
from prum.analytic.searching.searcher import MANY_WAYS
from prum.simulator.model import InputError
from prum.simulator.model.searching import Rest, Searcher, SearchStep
from prum.simulator.sessions.searching import walk_searches
from tests.oracle.searching import of_searcher, of_session
from tests.tiers import spread

KINDS = ("reads one by one", "reads at once", "opens", "follows", "follows after")
RESTS = (Rest(), Rest(size=7), Rest(size=7, cost=0.5), Rest(budget=3), Rest(budget=100))


def random_session(rng: np.random.Generator) -> tuple[list[SearchStep], tuple[str, ...]]:
    names = "abcdef"
    ideals = tuple(names[: rng.integers(1, 4)])
    steps = [
        SearchStep(
            float(rng.integers(0, 4)), tuple(rng.choice(list(names), size=rng.integers(0, 4)))
        )
        for _ in range(rng.integers(0, 5))
    ]
    return steps, ideals


def random_searcher(rng: np.random.Generator, kind: str) -> Searcher:
    def shares(*shape: int) -> np.ndarray:
        return rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], size=shape, p=[0.1, 0.3, 0.3, 0.2, 0.1])

    stops = tuple(map(tuple, shares(3, 2).tolist()))
    costs = {"call_cost": float(rng.integers(0, 3))}
    if kind == "reads one by one":
        return Searcher(stops, None, {}, element_cost=1.0, **costs)
    if kind == "reads at once":
        return Searcher(stops, None, {}, **costs)
    opens = tuple(tuple(map(tuple, rows)) for rows in shares(2, 2, 2).tolist())
    links = {"x": {"a": 0.25, "y": 0.5}, "y": {"b": 0.5}, "a": {"b": 0.25}}
    own = links if kind.startswith("follows") else {}
    # Who came to y from x goes on otherwise, and from a who came from x goes nowhere.
    after = {("x", "y"): {"b": 0.125, "c": 0.75}, ("x", "a"): {}} if "after" in kind else {}
    return Searcher(stops, opens, own, after, visit_cost=1.0, **costs)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rest", RESTS, ids=str)
def test_a_known_session_is_as_enumerated(seed: int, rest: Rest) -> None:
    for number in range(5 * seed, 5 * seed + 5):
        check_session(*random_session(np.random.default_rng(number)), rest)


def check_session(steps: list[SearchStep], ideals: tuple[str, ...], rest: Rest) -> None:
    own = session_effort(steps, ideals, rest=rest)
    actions = [(Fraction(step.cost), step.elements) for step in steps]
    within = [*actions]
    shown = {x for _, elements in within for x in elements}
    told = of_session(actions, ideals, shown, rest)
    assert own.new.tolist() == pytest.approx([float(new) for new, _ in told], abs=1e-12)
    assert own.cost.tolist() == pytest.approx([float(cost) for _, cost in told], abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rest", RESTS, ids=str)
@pytest.mark.parametrize("seed", spread(3, range(3)))
def test_a_searcher_is_as_enumerated(kind: str, rest: Rest, seed: int) -> None:
    rng = np.random.default_rng([seed, 5])
    lists, ideals = [["x", "a"], ["y", "a", "x"], ["b", "x", "b"]], ("a", "b", "c")
    if kind.startswith("follows"):
        lists = [["x", "a"], ["a", "y"]]
    searcher = random_searcher(rng, kind)
    own, beyond = searcher_effort(searcher, lists, ideals, rest=rest)
    new, cost, more = of_searcher(searcher, lists, ideals, rest)
    assert own.new.tolist() == pytest.approx([*map(float, new)], abs=1e-12)
    assert own.cost.tolist() == pytest.approx([*map(float, cost)], abs=1e-12)
    if rest.budget is None:  # else fewer can pay for so many calls
        assert beyond == pytest.approx(float(more), abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rest", RESTS, ids=str)
def test_walked_users_have_the_expectations(kind: str, rest: Rest) -> None:
    """z of each mean within 4.5: 3 of some 120 tests would be off by chance in 1 of 1,000 runs."""
    rng = np.random.default_rng([7, len(kind)])
    searcher = random_searcher(rng, kind)
    lists, ideals = [["x", "a"], ["y", "a", "x"], ["b", "x", "b"]], ("a", "b", "c")
    users = walk_searches(
        searcher, lists, ideals, users=1500, rng=np.random.default_rng(3), rest=rest
    )
    own, _ = searcher_effort(searcher, lists, ideals, rest=rest)
    for values, expected in (
        (users.found, own.found),
        (users.spent, own.spent),
        (users.has_reached, own.reached),
    ):
        assert np.abs(z_of(values, expected)).max() < 4.5
    if np.isfinite(own.cost).all():
        assert np.abs(z_of(users.cost, own.cost)).max() < 4.5


def z_of(values: np.ndarray, expected: np.ndarray) -> np.ndarray:
    error = values.std(axis=0, ddof=1) / len(values) ** 0.5
    difference = values.mean(axis=0) - expected
    z = np.divide(difference, error, out=np.zeros_like(difference), where=error > 0)
    return np.where((error == 0) & (np.abs(difference) > 1e-9), np.inf, z)


PAGES = [f"p{number}" for number in range(30)]
# Everybody goes on with .9, to whatever page, so that hardly anybody is soon back.
EVERYWHERE = {page: dict.fromkeys(PAGES, 0.9 / 30) for page in PAGES}


@pytest.mark.slow
def test_pages_that_lead_to_each_other_are_solved() -> None:
    made = Searcher(((0, 0), (0.3, 0.3)), opens=(((0.5, 0.5),),), follows=EVERYWHERE, visit_cost=1)
    lists, ideals = [PAGES[:10], PAGES[10:20]], PAGES[5:9]
    own, _ = searcher_effort(made, lists, ideals)
    users = walk_searches(made, lists, ideals, users=3000, rng=np.random.default_rng(3))
    for values, expected in ((users.found, own.found), (users.spent, own.spent)):
        assert np.abs(z_of(values, expected)).max() < 4.5
    # Each opening is of 10 visits, in two lists of ten of which one in .3 is not called.
    assert own.spent[-1] < 10 * 0.5 * 10 * (1 + 0.7)


@pytest.mark.parametrize(
    ("rest", "wanted"), [(Rest(budget=100.0), PAGES[5:9]), (Rest(), PAGES[5:18])]
)
def test_too_many_ways_are_left_to_users(
    rest: Rest, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("_MOST_STATES", "_MOST_SETS", "_MOST_MOVES"):
        monkeypatch.setattr(searcher, limit, getattr(searcher, limit) // 20)
    made = Searcher(((0, 0), (0.3, 0.3)), opens=(((0.5, 0.5),),), follows=EVERYWHERE, visit_cost=1)
    with pytest.raises(InputError, match="ways that users may have gone") as caught:
        searcher_effort(made, [PAGES[:10]], wanted, rest=rest)
    assert caught.value.thing == MANY_WAYS


def test_other_users_are_told_apart() -> None:
    """The negative control: users who stop a tenth more often."""
    lists, ideals = [["x", "a"], ["y", "a", "x"], ["b", "x"]], ("a", "b", "c")
    made = Searcher(((0, 0), (0.5, 0.25)), element_cost=1)
    other = Searcher(((0, 0), (0.6, 0.35)), element_cost=1)
    users = walk_searches(made, lists, ideals, users=3000, rng=np.random.default_rng(3))
    own, _ = searcher_effort(other, lists, ideals)
    assert np.abs(z_of(users.spent, own.spent)).max() > 4.5


def test_a_single_list_is_a_list_of_prum() -> None:
    """Without browsing precision is the same, behind the list too."""
    ranking, ideals, size = ["c", "a", "d", "b"], ("a", "b", "e"), 9
    steps = [SearchStep(1, (x,)) for x in ranking]
    own = session_effort(steps, ideals, rest=Rest(size=size))
    reach = [[float(x == ideal) for ideal in ideals] for x in ranking]
    assert own.value.tolist() == pytest.approx(exact(reach, size - 4).precision.tolist())
    reader = Searcher(((0, 0), (1, 1)), element_cost=1)
    model, _ = searcher_effort(reader, [ranking], ideals, rest=Rest(size=size))
    assert model.value.tolist() == pytest.approx(own.value.tolist())


def found_of(
    lists: list[list[str]], ideals: tuple[str, ...], cost: float, budget: float
) -> SearchEffort:
    steps = [SearchStep(cost, (x,)) for shown in lists for x in shown]
    return session_effort(steps, ideals, rest=Rest(budget=budget))


def test_recall_of_the_union_is_the_limit_of_free_consultations() -> None:
    """E[new] / t within a budget is the recall of the concatenated list cut there, if an element
    costs 1, and that of the union as the cost goes to 0; in between it only grows. So is the value,
    E[new] / E[cost], of users with a budget of 1 an ideal whose sessions never show all.
    """
    lists, ideals = [["x", "a", "y"], ["a", "x", "b"], ["x", "b", "z"]], ("a", "b", "c", "d")
    flat = [x for shown in lists for x in shown]
    for k in range(1, len(flat) + 1):
        cut = len(set(flat[:k]) & set(ideals)) / len(ideals)
        assert found_of(lists, ideals, 1, k).new[-1] / 4 == cut
    union = len(set(flat) & set(ideals)) / len(ideals)
    costs = [2.0**-power for power in range(8)]
    recalls = [found_of(lists, ideals, cost, 4).new[-1] / 4 for cost in costs]
    assert recalls == sorted(recalls)
    assert recalls[0] < union == recalls[-1]
    assert found_of(lists, ideals, costs[-1], 4).value[-1] == union
    # Of several users it is the mean recall.
    users = [lists, lists[:1], [["c", "a", "b"]]]
    whole = SearchEffort.mean(found_of(own, ideals, 1e-9, 4) for own in users)
    assert whole.new[-1] / 4 == pytest.approx(np.mean([2 / 4, 1 / 4, 3 / 4]))
    assert whole.value[-1] == pytest.approx(np.mean([2 / 4, 1 / 4, 3 / 4]))


def test_the_second_call_counts_where_a_cut_does_not_see_it() -> None:
    """Call 1 returns nothing, or three others; call 2 the ideal first. Cut at 3, the second of
    these has nothing, whatever comes later.
    """
    nothing, others = [[], ["gold", "x", "y"]], [["x", "y", "z"], ["gold", "u", "v"]]
    cuts = [[x for shown in lists for x in shown][:3] for lists in (nothing, others)]
    assert ["gold" in cut for cut in cuts] == [True, False]
    values = []
    for lists in (nothing, others):
        by_element = session_effort(
            [SearchStep(1, (x,)) for shown in lists for x in shown], ["gold"]
        )
        by_call = session_effort([SearchStep(1, tuple(shown)) for shown in lists], ["gold"])
        assert by_call.value.tolist() == [0.5]
        values.append(by_element.value.tolist())
    assert values == [[1.0], [0.25]]


def test_degenerate_sessions() -> None:
    assert session_effort([], ["a"]).value.tolist() == [0.0]
    assert session_effort([], ["a"], rest=Rest(size=3)).cost.tolist() == [2.0]
    twice = session_effort([SearchStep(1, ("é x", "é x"))], ["é x"])
    assert twice.value.tolist() == [1.0]
    again = [SearchStep(1, ("b",)), SearchStep(1, ("b",)), SearchStep(1, ("a",))]
    assert session_effort(again, ["a"]).cost.tolist() == [3.0]
    with pytest.raises(InputError, match="ideals is"):
        session_effort(again, [])
    with pytest.raises(InputError, match="collection size is 1"):
        session_effort(again, ["a"], rest=Rest(size=1))
    with pytest.raises(InputError, match="budget is 2, must go without"):
        Rest(size=3, budget=2)
    silent = Searcher(((1, 1),), element_cost=1)
    own, beyond = searcher_effort(silent, [["a"]], ["a"], rest=Rest(size=3))
    assert (own.cost.tolist(), beyond) == ([2.0], 0)
