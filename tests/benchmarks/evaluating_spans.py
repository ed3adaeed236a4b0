"""Time `prum evaluate` of chunks by gold spans, and print Markdown.

python tests/benchmarks/evaluating_spans.py [--rounds N] [--chunks N] [--topics N] [--ranks N]

Documents of 1,000 chunks of 800 characters, half of which the next one repeats; up to five spans
for each topic; lists that hold some of the chunks around them. Everything is read from files, in
one process. Times are of processors, so that other work on the machine
matters less.
"""

import argparse
import csv
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

import prum

EACH, SIZE, STEP = 1_000, 800, 400
DEFAULT = "Coverage@10,CharPrecision@10,IoU@10,Efficiency,ExactPRUM"
ALL = (
    f"{DEFAULT},Coverage@100,Coverage@2000 tokens,Success@10,RR,PRUM,ExactPRUM(need=whole),"
    "ExactPRUM(cost=tokens)"
)


def make(folder: Path, num_chunks: int, topics: int, ranks: int) -> None:
    """Write chunks.jsonl, gold.csv and top.run."""
    rng = np.random.default_rng(1)
    with (folder / "chunks.jsonl").open("w") as file:
        for k in range(num_chunks):
            start = k % EACH * STEP
            row = {"id": f"c{k}", "doc": f"d{k // EACH}", "start": start, "end": start + SIZE}
            file.write(json.dumps({**row, "tokens": 200 + k % 7}) + "\n")
    with (folder / "gold.csv").open("w") as gold, (folder / "top.run").open("w") as run:
        rows = csv.writer(gold)
        rows.writerow(["topic", "doc", "start", "end"])
        for topic in range(topics):
            document = int(rng.integers(max(num_chunks // EACH, 1)))
            starts = rng.integers(0, EACH * STEP, size=int(rng.integers(1, 6))).tolist()
            for start in starts:
                end = start + int(rng.integers(20, 900))
                rows.writerow([f"q{topic}", f"d{document}", start, end])
            near = rng.integers(-2, 3, size=4 * len(starts)) + np.repeat(starts, 4) // STEP
            listed = [
                *(document * EACH + near.clip(0, EACH - 1)),
                *rng.integers(num_chunks, size=ranks),
            ]
            listed = list(dict.fromkeys(min(int(k), num_chunks - 1) for k in listed))[:ranks]
            rng.shuffle(listed)
            for rank, k in enumerate(listed):
                run.write(f"q{topic} Q0 c{k} {rank + 1} {ranks - rank} top\n")


def main() -> None:
    """Print medians."""
    parser = argparse.ArgumentParser()
    for name, default in (("rounds", 5), ("chunks", 100_000), ("topics", 500), ("ranks", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, arguments.chunks, arguments.topics, arguments.ranks)
        files = {"chunks": folder / "chunks.jsonl", "spans": folder / "gold.csv"}

        def evaluated(measures: str) -> Callable[[], object]:
            return lambda: prum.evaluate(folder / "top.run", **files, measures=measures)

        sides: dict[str, Callable[[], object]] = {
            "reading chunks": lambda: prum.read_chunks(files["chunks"]),
            "reading the run": lambda: prum.read_run(folder / "top.run"),
            "the default measures, with reading": evaluated(DEFAULT),
            "twelve measures, with reading": evaluated(ALL),
        }
        evaluated(ALL)()
        times: dict[str, list[float]] = {side: [] for side in sides}
        for _ in range(arguments.rounds):
            for side, work in sides.items():
                began = process_time()
                work()
                times[side].append(process_time() - began)
    print(
        f"| {arguments.chunks:,} chunks, {arguments.topics:,} topics, {arguments.ranks} ranks | s |"
    )
    print("|---|---|")
    for side, seconds in times.items():
        print(f"| {side} | {median(seconds):.2f} |")


if __name__ == "__main__":
    main()
