"""Visits and trials in sessions: counted a second time path by path, and what is refused."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from prum.experiments.logs import Sessions, turns_of, visit_counts
from prum.experiments.logs.counts import consultations
from prum.simulator.model import InputError, Links

LINKS = Links({("x", "a"): 1, ("x", "b"): 1, ("x", "c"): 1, ("a", "b"): 1, ("y", "c"): 1})
PAIRS = [(x, y) for x, y, _ in LINKS]


def refused(make: Callable[[], object], *parts: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert all(part in str(error.value) for part in parts), str(error.value)


def joined(paths: list[list[list[str]]], cut: list[bool]) -> Sessions:
    """Return sessions of several paths each."""
    flat = Sessions.of([path for session in paths for path in session])
    sizes = [len(session) for session in paths]
    starts = flat.starts[np.append(0, np.cumsum(sizes))]
    return replace(flat, starts=starts, person=np.full(len(sizes), -1), is_cut=np.array(cut))


def by_loops(
    paths: list[list[list[str]]], cut: list[bool], order: list[tuple[str, str]] | None
) -> dict[tuple[str, str], list[int]]:
    """Return visits and trials of each pair, path by path."""
    told = {pair: [0, 0] for pair in PAIRS}
    for session, is_cut in zip(paths, cut, strict=True):
        for number, (x, *visits) in enumerate(session):
            seen = set(visits) - {x, "<"}
            for pair in PAIRS:
                if pair[0] != x:
                    continue
                if is_cut and number == len(session) - 1:
                    if order is None:
                        continue
                    rest = order[order.index(pair) :]
                    if not any((x, y) in rest for y in seen):
                        continue
                told[pair][0] += pair[1] in seen
                told[pair][1] += 1
    return told


@pytest.mark.parametrize("known", [True, False])
def test_visits_and_trials_are_those_counted_path_by_path(known: bool) -> None:
    rng = np.random.default_rng(5)
    order = [PAIRS[k] for k in rng.permutation(len(PAIRS))] if known else None
    paths = []
    for _ in range(60):
        session = []
        for _ in range(rng.integers(1, 4)):
            x = str(rng.choice(["x", "y", "a", "b"]))
            targets = [y for source, y in order or PAIRS if source == x and rng.random() < 0.5]
            path = [x]
            for y in targets:
                path += [y, "<"] if rng.random() < 0.5 else [y]
                path += [y] if rng.random() < 0.3 else []
            session.append(path[: -1 if path[-1] == "<" else None])
        paths.append(session)
    cut = (rng.random(60) < 0.4).tolist()
    turns = None if order is None else turns_of(LINKS, order)
    log = joined(paths, cut)
    counts = visit_counts(log, LINKS, turns=turns)
    wanted = by_loops(paths, cut, order)
    assert [[k, n] for k, n in zip(counts.seen.tolist(), counts.tried.tolist(), strict=True)] == [
        wanted[pair] for pair in PAIRS
    ]
    assert counts.num_sessions == 60
    assert counts.num_broken == sum(cut)
    # Trials that are listed one by one are those that are counted.
    _, consulted, _ = consultations(log, LINKS, turns=turns)
    place, row = consulted.expanded()
    came = consulted.turn_came(place, row)
    assert (np.bincount(row[came], minlength=5) == counts.tried).all()
    seen = came & consulted.seen(place, row)
    assert (np.bincount(row[seen], minlength=5) == counts.seen).all()


def test_visits_along_no_link_are_refused_or_left_out() -> None:
    log = [["x", "a"], ["q", "a"], ["x", "y", "b"], ["x", "q"]]
    refused(
        lambda: visit_counts(Sessions.of(log), LINKS),
        "number of strays in the log",
        "3",
        "'q'",
        "--skip-strays",
    )
    refused(lambda: visit_counts(Sessions.of(log[2:]), LINKS, elements=["q"]), "'x' -> 'y'")
    counts = visit_counts(Sessions.of(log), LINKS, skip_strays=True)
    assert counts.num_strays == 3
    assert counts.seen.tolist() == [0, 1, 1, 0, 0]
    assert counts.tried.tolist() == [0, 3, 3, 3, 0]
    # Where no link leads from, nothing is tried.
    assert not visit_counts(Sessions.of([["c"], ["b"]]), LINKS).tried.any()


def test_a_log_without_sessions_and_an_order_that_is_none_are_refused() -> None:
    refused(lambda: visit_counts(Sessions.of([]), LINKS), "log", "empty")
    refused(lambda: turns_of(LINKS, PAIRS[:-1]), "link", "('y', 'c')", "add it to the order")
    log, turns = Sessions.of([["x", "a"], ["x", "c", "<", "b"]]), turns_of(LINKS, PAIRS)
    refused(
        lambda: visit_counts(log, LINKS, turns=turns),
        "order of links",
        "'b' before 'c' from 'x'",
    )
