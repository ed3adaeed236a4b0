"""Kill a sweep again and again, resume it, and compare its exports with an undisturbed sweep's.

    python -m tests.reliability.kills [--kills 30] [--seed 1]

Each kill takes the coordinator or one of its two workers, at random, some parts after the last.
Exit status 1 if a byte of an export differs, or users are missing or counted twice.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests.deadline import SOON
from tests.end_to_end.sweep_processes import Local, Running, Sessions, check_users, num_parts
from tests.end_to_end.test_sweep_survives import EXPORT, SMALL, exported, undisturbed

USERS, MOST_PARTS = 40_000, 8


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Kill sweeps and compare what they export.")
    parser.add_argument("--kills", type=int, default=30, help="how often (30)")
    parser.add_argument("--seed", type=int, default=1, help="of whom, and when (1)")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    coordinators = workers = sweeps = 0
    with tempfile.TemporaryDirectory(prefix="prum-") as place:
        whole = Path(place) / "whole"
        whole.mkdir()
        expected = undisturbed(SMALL, whole)
        total = num_parts(whole / "sweep.sqlite")
        while coordinators + workers < options.kills:
            folder = Path(place) / f"sweep{sweeps}"
            folder.mkdir()
            (folder / "sweep.toml").write_text(SMALL)
            with Sessions() as sessions:
                while coordinators + workers < options.kills:
                    running = sessions.sweep(*Local.words, folder=folder)
                    if not _reached(running, draw, total):
                        break
                    if draw.random() < 0.5:
                        running.kill()
                        coordinators += 1
                    else:
                        Local().kill_worker(running, draw)
                        workers += 1
                        running.process.communicate(timeout=SOON)  # 1 if a cell was lost
                sessions.sweep(*Local.words, *EXPORT, folder=folder).ended()
            sweeps += 1
            check_users(folder / "sweep.sqlite", USERS)
            if exported(folder) != expected:
                sys.exit(f"sweep {sweeps}, seed {options.seed}: the exports differ")
    print(
        f"{coordinators} coordinators and {workers} workers killed in {sweeps} sweeps: "
        "exports equal, byte for byte"
    )


def _reached(running: Running, draw: random.Random, total: int) -> bool:
    """Wait for some more parts; return whether there are so many."""
    goal = num_parts(running.folder / "sweep.sqlite") + draw.randint(1, MOST_PARTS)
    if goal > total - MOST_PARTS:
        running.kill()
        return False
    running.until_parts(goal)
    return True


if __name__ == "__main__":
    main()
