"""Measure what users of each kind and closed forms take, here and in another checkout.

python -m tests.benchmarks.user_kinds [--rounds N] [--beside CHECKOUT]

Prints Markdown: medians of the processor's seconds, and of the rounds' ratios to the checkout's,
whose interpreter is its `.venv/bin/python`. Both sides are processes that take turns at each kind
in every round, so that a busy machine slows them alike.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np

from prum.analytic import closed_form, exact, exact_joint, precision_bounds, prum
from tests.benchmarks.frame import duration, ratio, table
from tests.benchmarks.workloads import dense_reach, flat_task, graph_task, joint_law, sparse_reach
from tests.user_kinds import USERS

ROOT = Path(__file__).resolve().parents[2]
NUM_USERS = 16_384
SHORTEST = 0.01  # seconds: shorter work is repeated for so long


def works() -> dict[str, Callable[[], object]]:
    """Return what is timed, by name; results of one call must not serve the next."""
    dense, sparse, joint = dense_reach(300, 50), sparse_reach(3_000, 1_000, 10), joint_law(50, 10)
    flat, graph = flat_task(200, 10), graph_task(300, 5)
    few = sparse_reach(100, 30, 4)
    return {
        **{kind: partial(users, NUM_USERS, 1) for kind, users in USERS.items()},
        "closed form: exact, dense": lambda: exact(dense, 600),
        "closed form: exact, sparse": lambda: exact(sparse, 9_000),
        "closed form: exact_joint": lambda: exact_joint(joint, 100),
        "closed form: prum, dense": lambda: prum(dense, 600),
        "closed form: prum, sparse": lambda: prum(sparse, 9_000),
        "closed form: precision_bounds": lambda: precision_bounds(few, 200),
        "closed form: of an independent task": lambda: closed_form(*flat),
        "closed form: of a walk": lambda: closed_form(*graph),
    }


def serve() -> None:
    """Time the kinds whose names come in, a line each; answer with seconds."""
    timed = works()
    print("\n".join(timed), end="\n\n", flush=True)
    for line in sys.stdin:
        begin, repeats = process_time(), 0
        while not repeats or process_time() - begin < SHORTEST:
            timed[line.rstrip("\n")]()
            repeats += 1
        print((process_time() - begin) / repeats, flush=True)


class Side:
    """A process that times kinds with a checkout's program, on one processor."""

    def __init__(self, checkout: Path) -> None:
        self.process = subprocess.Popen(
            [checkout / ".venv/bin/python", __file__, "--serve"],
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
        )
        self.kinds = list(iter(self._line, ""))

    def _line(self) -> str:
        return self.process.stdout.readline().rstrip("\n")  # type: ignore[union-attr]

    def seconds(self, kind: str) -> float:
        """Return what a call takes."""
        print(kind, file=self.process.stdin, flush=True)
        return float(self._line())


def main() -> None:
    """Print a table of all kinds, and geometric means of the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--beside", type=Path, default=ROOT, help="the other checkout")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    sides = Side(ROOT), Side(options.beside.resolve())
    kinds = [kind for kind in sides[0].kinds if kind in sides[1].kinds]
    seconds = np.empty((options.rounds + 1, len(kinds), 2))
    for number, (place, kind) in product(range(options.rounds + 1), enumerate(kinds)):
        # Who comes first in one round comes second in the next.
        for side in (0, 1) if number % 2 else (1, 0):
            seconds[number, place, side] = sides[side].seconds(kind)
    seconds = seconds[1:]
    ratios = {kind: ratio(*seconds[:, place].T) for place, kind in enumerate(kinds)}
    rows = [
        [kind, duration(float(np.median(seconds[:, place, 0]))), f"{ratios[kind]:.2f}"]
        for place, kind in enumerate(kinds)
    ]
    table(f"{NUM_USERS:,} users, or a call", ["kind", "median", "over the other's"], rows)
    for what, chosen in (
        ("users", [ratios[kind] for kind in kinds if not kind.startswith("closed form")]),
        ("closed forms", [ratios[kind] for kind in kinds if kind.startswith("closed form")]),
    ):
        print(f"\nGeometric mean of {len(chosen)} {what}: {np.exp(np.log(chosen).mean()):.3f}")


if __name__ == "__main__":
    main()
