"""How long a made collection takes: whole commands in turn, with one process and with two.

python tests/benchmarks/generating.py             # a minute or two
python tests/benchmarks/generating.py --large     # a million elements, ten million events, too
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SPECIFICATION = """
seed = 1
collection = {{kind = "web", elements = {elements}}}
topics = {{number = {topics}}}
pool = {{depth = 20}}
log = {{users = {users}}}

[[systems]]
name = "aimed"
number = {systems}
target = {{value = [0.2, 0.5]}}
near_misses = 0.3

[[systems]]
name = "free"
number = {systems}
strength = [0.5, 3.0]
"""
USUAL = {"elements": 100_000, "topics": 200, "systems": 5, "users": 2_500}
LARGE = {"elements": 1_000_000, "topics": 1_000, "systems": 25, "users": 5_000}


def resident(process: int) -> int:
    """Return the bytes that a process and those it began hold in memory."""
    own = 0
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
        own = int(pages) * 4096
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return own
    return own + sum(resident(int(child)) for child in children)


def timed(specification: Path, folder: Path, workers: int) -> tuple[float, int]:
    """Return the seconds that a command takes, and the most memory that was seen."""
    command = [
        str(Path(sys.executable).with_name("prum")),
        "generate",
        str(specification),
        "-o",
        str(folder),
        "--replace",
        "--workers",
        str(workers),
    ]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = 0
    ended = threading.Event()

    def watch() -> None:
        nonlocal most
        while not ended.wait(0.2):
            most = max(most, resident(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = process.wait()
    took = time.perf_counter() - began
    ended.set()
    watcher.join()
    if status:
        raise SystemExit(status)
    return took, most


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        specification = folder / "made.toml"
        specification.write_text(SPECIFICATION.format(**USUAL))
        seconds: dict[int, list[float]] = {1: [], 2: []}
        most = dict.fromkeys(seconds, 0)
        for _ in range(chosen.rounds):
            for workers in seconds:
                took, memory = timed(specification, folder / "made", workers)
                seconds[workers].append(took)
                most[workers] = max(most[workers], memory)
        ratio = statistics.median(
            one / two for one, two in zip(seconds[1], seconds[2], strict=True)
        )
        print(f"{USUAL}: medians of {chosen.rounds}")
        for workers, times in seconds.items():
            told = f"{statistics.median(times):.1f} s, at most {most[workers] / 2**20:,.0f} MiB"
            print(f"  {workers} worker(s): {told}")
        print(f"  two are {ratio:.2f} times as fast as one")
        if chosen.large:
            specification.write_text(SPECIFICATION.format(**LARGE))
            took, memory = timed(specification, folder / "made", 2)
            print(f"{LARGE}: {took:.0f} s on two workers, at most {memory / 2**20:,.0f} MiB")


if __name__ == "__main__":
    main()
