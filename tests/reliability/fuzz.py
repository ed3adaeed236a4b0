"""Spoil valid files at random and read them: a valid result, or one line that says what is wrong.

    python -m tests.reliability.fuzz [--inputs 10000] [--seed 1]

A table with a line for each kind: how many spoiled files were read, refused in one line, and
neither, that is by a fault. The bytes of these are kept in the folder, and exit status is 1.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from tests.spoiled import KINDS, result_of, spoiled


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Spoil valid files and read them.")
    parser.add_argument("--inputs", type=int, default=10_000, help="of each kind (10000)")
    parser.add_argument("--seed", type=int, default=1, help="of what is spoiled (1)")
    options = parser.parse_args()
    faults = 0
    print(f"{'kind':<20} {'inputs':>8} {'read':>8} {'refused':>8} {'neither':>8}")
    for number, (name, kind) in enumerate(KINDS.items()):
        rng = np.random.default_rng([options.seed, number])
        counts = Counter[str]()
        for _ in range(options.inputs):
            file = spoiled(kind.valid, rng)
            try:
                counts["refused" if result_of(kind, file) is None else "read"] += 1
            except Exception as error:
                counts["neither"] += 1
                kept = Path(f"neither-{name}-{counts['neither']}".replace(" ", "-"))
                kept.write_bytes(file)
                print(f"{name}: {type(error).__name__}: {error}: see {kept}", file=sys.stderr)
        faults += counts["neither"]
        shown = " ".join(f"{counts[what]:>8,}" for what in ("read", "refused", "neither"))
        print(f"{name:<20} {options.inputs:>8,} {shown}", flush=True)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
