"""Users as Markov chains, solved by a model checker that knows nothing of this project: Storm.

A task becomes a chain of single tosses and steps: consult the next element, toss each link, or walk
on from one element to the next, take an unranked element at random. The rewards are consulted
elements and those that led to a new ideal, the absorbing states users who have seen r ideals.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prum.analytic.precision import closed_form, consulted_pmf
from prum.simulator.model import Expansion, Independent, Navigation, Task, Walk
from tests.oracle.cases import CASES
from tests.oracle.worlds import ONE, ZERO
from tests.tiers import slow

# Two ways to a, a link back to the seed, a page that leaves no room for its weakest link.
_GRAPH = {("s", "a"): 0.5, ("s", "b"): 1, ("b", "a"): 0.25, ("a", "c"): 0.75, ("b", "s"): 0.5}
_GRAPH |= {("b", "c"): 0.125, ("a", "a"): 1, ("t", "c"): 0.5}
_CHECKED: dict[str, tuple[Task, Navigation]] = {
    **CASES,
    "expansion": (
        Task(["s", "t", "s"], ["a", "b", "c"], 6),
        Expansion(_GRAPH, hops=2, fan_out=2, decay=0.5),
    ),
}
NAMES = [
    "expansion",
    "table III",
    "structural",
    "best entry point",
    "no navigation",
    "unranked part",
    "tight collection",
    "duplicates",
    "empty ranking",
    "certain and uncertain",
    "walk, fig. 2",
    "walk, one path",
    "walk with cycle",
]
State = tuple[Any, ...]


@pytest.fixture(scope="module")
def storm() -> Any:
    return pytest.importorskip("stormpy", reason="no stormpy here: pip install stormpy")


def steps_of(
    task: Task, navigation: Navigation, r: int
) -> Callable[[State], dict[State, Fraction]]:
    """Return what takes a state to the next ones with their probabilities."""
    ideals = frozenset(task.ideals)
    links = {(x, y): Fraction(str(p)) for x, y, p in navigation.links}
    num_unranked = task.collection_size - len(set(task.ranking))
    offers: dict[str, list[tuple[str, Fraction]]] = defaultdict(list)
    if isinstance(navigation, Expansion):
        hops, decay = navigation.hops, Fraction(str(navigation.decay))
        for (x, y), p in sorted(links.items(), key=lambda row: (-row[1], row[0])):
            if x != y and len(offers[x]) < navigation.fan_out:
                offers[x].append((y, p))

    def shown(rank: int, seen: frozenset[str], led: bool) -> State:
        return ("shown", rank, seen, led)

    def moves(state: State) -> Iterator[tuple[State, Fraction]]:
        kind, rank, *more_of_it = state
        if kind == "done":
            yield state, ONE
            return
        seen, *rest = more_of_it
        if kind == "rank":
            if rank < len(task.ranking):
                x = task.ranking[rank]
                more = seen | ({x} & ideals)
                again = x in task.ranking[:rank]
                if again:
                    yield shown(rank + 1, seen, False), ONE
                elif isinstance(navigation, Expansion):
                    yield ("read", rank, more, more != seen, ((x, 0),), 0, 0), ONE
                elif isinstance(navigation, Walk):
                    yield ("at", rank, more, more != seen, x), ONE
                else:
                    targets = tuple(y for y in sorted(ideals) if (x, y) in links and y != x)
                    yield ("toss", rank, more, more != seen, x, targets), ONE
            else:
                left = num_unranked - (rank - len(task.ranking))
                hit = Fraction(len(ideals - seen), left)
                unseen = sorted(ideals - seen)
                yield shown(rank + 1, seen | {unseen[0]}, True), hit
                yield shown(rank + 1, seen, False), 1 - hit
        elif kind == "shown":
            yield ("rank", rank, seen) if len(seen) < r else ("done", rank), ONE
        elif kind == "toss":
            led, x, targets = rest
            if not targets:
                yield shown(rank + 1, seen, led), ONE
                return
            y, *others = targets
            p = links[x, y]
            now = seen | {y}
            yield ("toss", rank, now, led or now != seen, x, tuple(others)), p
            yield ("toss", rank, seen, led, x, tuple(others)), 1 - p
        elif kind == "read":
            led, pages, page, place = rest
            if page == len(pages):
                yield shown(rank + 1, seen, led), ONE
                return
            x, hop = pages[page]
            if hop == hops or place == len(offers[x]):
                yield ("read", rank, seen, led, pages, page + 1, 0), ONE
                return
            y, p = offers[x][place]
            p *= (decay if hop else ONE) * (y not in dict(pages))
            now = seen | ({y} & ideals)
            further = (*pages, (y, hop + 1))
            yield ("read", rank, now, led or now != seen, further, page, place + 1), p
            yield ("read", rank, seen, led, pages, page, place + 1), 1 - p
        else:
            led, x = rest
            going = ZERO
            for (source, y), p in links.items():
                if source == x:
                    now = seen | ({y} & ideals)
                    going += p
                    yield ("at", rank, now, led or now != seen, y), p
            yield shown(rank + 1, seen, led), 1 - going

    def steps(state: State) -> dict[State, Fraction]:
        found: dict[State, Fraction] = {}
        for to, p in moves(state):
            if p > 0:
                found[to] = found.get(to, ZERO) + p
        return found

    return steps


def chain(storm: Any, folder: Path, task: Task, navigation: Navigation, r: int) -> Any:
    """Return users who want r ideals as a chain of Storm, of fractions, with rewards C and CL.

    Who is done after c elements is in a state with the label "after<c>".
    """
    steps = steps_of(task, navigation, r)
    start: State = ("rank", 0, frozenset())
    number, states, lines = {start: 0}, [start], list[str]()
    for row, state in enumerate(states):  # grows while it is gone through
        found = steps(state)
        for to in found:
            if to not in number:
                number[to] = len(states)
                states.append(to)
        consults, leads = state[0] == "rank", state[0] == "shown" and state[3]
        labels = "init" * (row == 0) + f"done after{state[1]}" * (state[0] == "done")
        lines += [f"state {row} [{int(consults)}, {int(leads)}] {labels}", "\taction 0"]
        lines += [f"\t\t{to} : {p}" for to, p in sorted((number[to], p) for to, p in found.items())]
    head = ["@type: DTMC", "@parameters", "", "@reward_models", "C CL", "@nr_states"]
    size = f"{len(states)}"
    path = folder / "users.drn"
    path.write_text("\n".join([*head, size, "@nr_choices", size, "@model", *lines, ""]))
    return storm.build_model_from_drn[storm.Rational](str(path))


def checked(storm: Any, model: Any, words: str) -> float:
    """Return what Storm finds for a formula at the beginning."""
    (wanted,) = storm.parse_properties(words)
    found = storm.model_checking(model, wanted)
    return float(found.get_value(model.initial_states[0]))


@slow
@pytest.mark.parametrize("name", NAMES)
def test_closed_forms_are_what_storm_finds(storm: Any, tmp_path: Path, name: str) -> None:
    task, navigation = _CHECKED[name]
    exact = closed_form(task, navigation)
    assert exact is not None
    most = len(task.ranking) + task.collection_size - len(set(task.ranking))
    for r in range(1, len(task.ideals) + 1):
        model = chain(storm, tmp_path, task, navigation, r)
        found = [checked(storm, model, f'R{{"{reward}"}}=? [F "done"]') for reward in ("C", "CL")]
        wanted = [exact.consulted[r - 1], exact.leading[r - 1]]
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        pmf = consulted_pmf(task, navigation, r)
        law = [
            checked(storm, model, f'P=? [F "after{c}"]')
            if model.labeling.contains_label(f"after{c}")
            else 0.0
            for c in range(most + 1)
        ]
        assert law == pytest.approx(pmf, abs=1e-9)


@slow
def test_another_link_is_told_apart(storm: Any, tmp_path: Path) -> None:
    """Negative control: one probability that differs by a millionth shows in each reward."""
    task, navigation = CASES["table III"]
    pairs = {(x, y): p for x, y, p in navigation.links}
    other = Independent({**pairs, ("d", "a"): pairs["d", "a"] + 1e-6})
    exact = closed_form(task, other)
    assert exact is not None
    model = chain(storm, tmp_path, task, navigation, 2)
    for reward, value in (("C", exact.consulted[1]), ("CL", exact.leading[1])):
        found = checked(storm, model, f'R{{"{reward}"}}=? [F "done"]')
        assert abs(found - value) > 1e-8


def test_states_say_what_happens_next() -> None:
    """Table III's first element, by hand: it shows a and b, each with probability .4."""
    task, navigation = CASES["table III"]
    steps = steps_of(task, navigation, 2)
    (first,) = steps(("rank", 0, frozenset()))
    after = {first: ONE}
    for _ in range(2):
        reached: dict[State, Fraction] = {}
        for state, p in after.items():
            for to, q in steps(state).items():
                reached[to] = reached.get(to, ZERO) + p * q
        after = reached
    wanted = {"": 0.36, "a": 0.24, "b": 0.24, "ab": 0.16}
    by_seen = {"".join(sorted(state[2])): float(p) for state, p in after.items()}
    assert by_seen == pytest.approx(wanted)
