"""Variance at equal time of rare users beside plain: `python tests/benchmarks/rare_users.py`."""

import time

import numpy as np
from numpy.typing import NDArray

from prum.simulator import Independent, Simulation, Task, simulate

USERS = 1 << 19
ROUNDS = 5


def missing(chance: float, *, num_unranked: int = 10_000) -> tuple[Task, Independent]:
    """Return a list of 100 with five ideals, one of which is missed with this chance."""
    rng = np.random.default_rng(1)
    ranking, ideals = [f"x{k}" for k in range(100)], [f"i{k}" for k in range(5)]
    links = {
        (ranking[rank], ideal): float(rng.uniform(0.2, 0.6))
        for ideal in ideals
        for rank in rng.choice(90, 4, replace=False).tolist()
    }
    links |= {(ranking[95], ideal): 1.0 for ideal in ideals[1:]}
    passed = float(np.prod([1 - p for (_, ideal), p in links.items() if ideal == ideals[0]]))
    links[ranking[95], ideals[0]] = 1 - chance / passed
    return Task(ranking, ideals, 100 + len(ideals) + num_unranked), Independent(links)


def meeting(chance: float) -> tuple[Task, Independent]:
    """Return a list where two of three ideals are seen at one element with this chance."""
    links = {("x", "a"): 0.5, ("x", "b"): 2 * chance, ("y", "a"): 1.0, ("z", "b"): 1.0}
    return Task(["x", "y", "z", "c"], ["a", "b", "c"], 1_000), Independent(links)


CASES = {
    **{f"missed with {chance:g}": missing(chance) for chance in (0.1, 0.03, 0.01, 6e-4, 1e-5)},
    **{f"together with {chance:g}": meeting(chance) for chance in (0.01, 1e-3, 1e-5)},
}


def _timed(case: tuple[Task, Independent], *, rare: bool) -> tuple[Simulation, float]:
    began = time.perf_counter()
    simulation = simulate(*case, num_users=USERS, seed=1, threads=1, rare=rare)
    return simulation, time.perf_counter() - began


def _gain(
    plain: NDArray[np.float64], rare: NDArray[np.float64], times: float
) -> NDArray[np.float64]:
    """Return how many times less variance there is at equal time, where there is any."""
    varies = plain > 0
    return (plain[varies] / np.maximum(rare[varies], 1e-9 * plain[varies])) ** 2 / times


def main() -> None:
    """Print, case by case, time and variance at equal time of C(t), and of every C(r) and CL(r)."""
    print("case, time over plain, times less variance of C(t), least and most of any mean")
    for name, case in CASES.items():
        _timed(case, rare=True), _timed(case, rare=False)
        ratios = []
        for _ in range(ROUNDS):
            plain, plain_time = _timed(case, rare=False)
            rare, rare_time = _timed(case, rare=True)
            ratios.append(rare_time / plain_time)
        times = float(np.median(ratios))
        depth = _gain(plain.consulted_error, rare.consulted_error, times)
        every = np.concatenate((depth, _gain(plain.leading_error, rare.leading_error, times)))
        print(f"{name}: {times:.2f}, {depth[-1]:.3g}, {every.min():.2f}, {every.max():.3g}")


if __name__ == "__main__":
    main()
