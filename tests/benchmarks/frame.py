"""What all benchmarks share: sides that take turns, whole commands timed, and Markdown."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Seconds = dict[str, Floats]

ROOT = Path(__file__).resolve().parents[2]
PYTHON, PRUM = sys.executable, str(Path(sys.executable).with_name("prum"))


def interleaved(
    sides: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = perf_counter,
) -> Seconds:
    """Return the seconds each side took in each round, after a first one that does not count."""
    seconds = {name: np.empty(rounds) for name in sides}
    for number in range(-1, rounds):
        for name, function in sides.items():
            begin = clock()
            function()
            if number >= 0:
                seconds[name][number] = clock() - begin
    return seconds


def ratio(above: Floats, below: Floats) -> float:
    """Return the median of the rounds' ratios."""
    return float(np.median(above / below))


def used_by(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Run a whole command; return its processor seconds, and its peak memory in MiB.

    Of commands that start others the peak is that of the largest process.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    }
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=nowhere)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def commands_table(
    title: str, commands: Mapping[str, Sequence[str]], folder: Path, rounds: int
) -> None:
    """Run commands in turn in every round, and print medians: processor seconds, memory.

    The first round, which fills the disk's cache and compiles Python, does not count. The last
    column is the median of the rounds' ratios to the first command.
    """
    used = np.array(
        [[used_by(command, folder) for command in commands.values()] for _ in range(rounds + 1)]
    )[1:]
    rows = [
        [
            name,
            duration(float(np.median(used[:, place, 0]))),
            f"{ratio(used[:, place, 0], used[:, 0, 0]):.2f}",
            f"{np.median(used[:, place, 1]):,.0f} MiB",
        ]
        for place, name in enumerate(commands)
    ]
    table(title, ["command", "processor", "over the first", "peak"], rows)


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Print a Markdown table."""
    print(f"\n### {title}\n")
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()


def number(value: float) -> str:
    """Return three figures: 12.3 million, 45,600, 7.89."""
    if value >= 1e9:
        return f"{value / 1e9:.3g} billion"
    if value >= 1e6:
        return f"{value / 1e6:.3g} million"
    if value >= 1000:
        return f"{round(value, 2 - int(np.log10(value))):,.0f}"
    return f"{value:.3g}"


def duration(seconds: float) -> str:
    """Return seconds in a fitting unit."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} µs"
