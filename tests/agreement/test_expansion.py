"""Expansions: the law against all states of all links, simulated users, and users one by one."""

import random
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from prum import Expansion, Task, crosscheck, simulate
from prum.analytic import reach_matrix
from prum.analytic.precision.laws.expansion import ExpansionLaw
from prum.analytic.precision.of_task import closed_form, prum_of
from prum.simulator.sampling.ways.samplers import compiled
from prum.simulator.sessions import play
from tests.tiers import DRAWS_ALL, drawn, spread

SEEDED = Task(["s"], ["a", "b"], 20)


class World(NamedTuple):
    """A task with seed s and others, and an expansion."""

    task: Task
    expansion: Expansion


def world(number: int, **dials: Any) -> World:
    """Return a random world of up to seven pages, with cycles, certain links and self-links."""
    draw = random.Random(number)
    pages = "sabcdef"[: draw.choice([4, 5, 6, 7])]
    pairs = [(x, y) for x in pages for y in pages]
    chosen = {("s", "a"), *draw.sample(pairs, min(draw.randint(3, 11), len(pairs)))}
    links = {x: draw.choice([1, 1, 0.5, 0.3, 0, draw.random()]) for x in sorted(chosen)}
    dials = {
        "hops": draw.choice([1, 2, 3, 4]),
        "fan_out": draw.choice([1, 2, 20]),
        "decay": draw.choice([1, 1, 0.6, 0]),
    } | dials
    ranking = ["s", *draw.sample(pages, 2), "s"]
    ideals = {"a", *draw.sample(pages, 2)}
    return World(Task(ranking, ideals, 20), Expansion(links | {("s", "a"): 0.4}, **dials))


def enumerated(seed: str, expansion: Expansion) -> dict[frozenset[str], float]:
    """Return the law of the pages read behind a seed, from all states of all links."""
    offers: dict[str, list[tuple[float, str]]] = {}
    for x, y, p in expansion.links:
        if p > 0 and x != y:
            offers.setdefault(x, []).append((-p, y))
    links = [
        (x, y, -p * (1 if x == seed else expansion.decay))
        for x, each in offers.items()
        for p, y in sorted(each)[: expansion.fan_out]
    ]
    law: dict[frozenset[str], float] = {}
    for state in product(*[(True,) if p == 1 else (True, False) for _, _, p in links]):
        share, followed = 1.0, set[tuple[str, str]]()
        for (x, y, p), is_followed in zip(links, state, strict=True):
            share *= p if is_followed else 1 - p
            followed |= {(x, y)} if is_followed else set()
        read = {seed}
        for _ in range(expansion.hops):
            read |= {y for x, y in followed if x in read}
        law[frozenset(read)] = law.get(frozenset(read), 0) + share
    return law


def test_laws_are_those_of_all_states_and_bounds_hold() -> None:
    exact, bounded = 0, 0
    for number in range(300):
        task, expansion = world(number)
        t = task.num_ideals
        sets = (np.arange(1 << t)[:, np.newaxis] >> np.arange(t) & 1).astype(np.bool_)
        seed = ExpansionLaw(task, expansion).seeds[0]
        assert seed is not None
        states = enumerated("s", expansion).items()
        others = [{x for x, kept in zip(task.ideals, row, strict=True) if not kept} for row in sets]
        wanted = [sum(share for read, share in states if not read & out) for out in others]
        alone = [sum(share for read, share in states if x in read) for x in task.ideals]
        assert (seed.bound() >= np.array(alone) - 1e-12).all(), number
        missing = seed.missing(sets)
        if missing is None:
            assert expansion.hops == 4
            bounded += 1
        else:
            assert missing == pytest.approx(wanted, abs=1e-12), number
            assert seed.read() == pytest.approx(alone, abs=1e-12), number
            exact += 1
    assert exact > 250
    assert bounded > 5


def test_what_is_no_law_is_told_apart() -> None:
    """At 3 hops two ways share a link: the recursion alone, and noisy-or, are off."""
    links = {("s", "x"): 0.5, ("x", "y"): 0.5, ("x", "z"): 0.5, ("y", "a"): 0.8, ("z", "a"): 0.8}
    seed = ExpansionLaw(SEEDED, Expansion(links, hops=3)).seeds[0]
    assert seed is not None
    only_a = np.array([[False, True]])
    states = enumerated("s", Expansion(links, hops=3)).items()
    wanted = sum(share for read, share in states if "a" not in read)
    assert seed.missing(only_a) == pytest.approx(wanted, abs=1e-15)
    by_paths = (1 - 0.5 * 0.5 * 0.8) ** 2
    assert abs(wanted - by_paths) > 0.03
    # What is behind one seed goes together: PRUM, which takes each ideal by itself, is off.
    hub = Expansion({("s", "x"): 0.5, ("x", "a"): 1, ("x", "b"): 1})
    exact = closed_form(SEEDED, hub)
    assert exact is not None
    assert abs(prum_of(SEEDED, hub).precision[0] / exact.precision[0] - 1) > 0.2


@pytest.mark.parametrize("number", spread(11, range(44)))
def test_simulated_users_agree(number: int) -> None:
    task, expansion = world(number, hops=1 + number % 3)
    check = crosscheck(task, expansion, num_users=50_000, seed=number)
    assert check.verdict == "agrees"


def test_simulated_users_tell_another_decay() -> None:
    links = {("s", "x"): 0.5, ("x", "a"): 0.5, ("x", "b"): 0.7}
    users = simulate(SEEDED, Expansion(links, decay=0.6), num_users=50_000, seed=1)
    for decay, is_right in ((0.6, True), (0.65, False)):
        value = closed_form(SEEDED, Expansion(links, decay=decay))
        assert value is not None
        off = np.abs(users.consulted - value.consulted) / users.consulted_error
        assert (off.max() < 4) == is_right


@drawn
@pytest.mark.parametrize("tosses", ["seed", "reader"])
def test_users_one_by_one_are_those_of_the_sampler(tosses: Any) -> None:
    for number in range(25 if DRAWS_ALL else 10):
        task, expansion = world(number, tosses=tosses)
        block = compiled(task, expansion).block(1, 0, sampled=False)
        drawn = []
        for num_users in (7, 13):
            shape = num_users, task.num_ideals
            drawn.append([np.empty(shape, dtype=np.int32, order="F") for _ in range(2)])
            block.draw(*drawn[-1])
        consulted, leading = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
        for user in range(20):
            session = play(task, expansion, user=user, seed=1)
            ranks = [event.rank for event in session.events if event.new]
            listed = [rank for rank in ranks if rank <= task.num_ranked]
            assert [c for c in consulted[user] if c] == listed, (number, user)
            assert leading[user, -1] == len(set(listed))


def test_one_reader_tosses_a_link_once() -> None:
    """Ten seeds lead to one index page, from which gold is seen with .2: once, not ten times."""
    seeds = [f"s{k}" for k in range(10)]
    links = {(x, "index"): 1.0 for x in seeds} | {("index", "a"): 0.2}
    task = Task(seeds, ["a"], 12)
    for tosses in ("seed", "reader"):
        expansion = Expansion(links, tosses=tosses)
        users = simulate(task, expansion, num_users=100_000, seed=1, unranked="sampled")
        assert users.leading[0] == 1
        # Users who find it nowhere in the list go through half of what is behind it.
        means = {"seed": sum(0.8**k for k in range(10)) + 0.8**10 * 1.5, "reader": 0.2 + 0.8 * 11.5}
        assert abs(users.consulted[0] - means[tosses]) < 5 * users.consulted_error[0]
        assert reach_matrix(task, expansion).toarray()[:, 0] == pytest.approx(0.2)
        assert (closed_form(task, expansion) is None) == (tosses == "reader")


def test_links_are_followed_in_both_directions() -> None:
    """As those of a table that holds both, with the likelier of two."""
    for number in range(20):
        task, expansion = world(number)
        links = {(x, y): p for x, y, p in expansion.links}
        both = dict(links)
        for (x, y), p in links.items():
            both[y, x] = max(p, links.get((y, x), 0.0))
            both[x, y] = both[y, x]
        dials = {"hops": expansion.hops, "fan_out": expansion.fan_out, "decay": expansion.decay}
        seen = reach_matrix(task, Expansion(links, both=True, **dials)).toarray()
        assert seen.tolist() == reach_matrix(task, Expansion(both, **dials)).toarray().tolist()
