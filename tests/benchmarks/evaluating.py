"""Time `prum evaluate` beside ir_measures on one round of runs, and print Markdown.

python tests/benchmarks/evaluating.py [--rounds N] [--runs FOLDER --qrels FILE --size N]

All sides are whole processes, in turn in every round: PRUM as published and exact, at every r,
over ten links for each judged element, beside AP and nDCG@10 by ir_measures; and the fifteen
measures of users who stop beside AP alone. Without files of one's own the runs are made: 143 of 30
topics and 1,000 ranks. Needs the extra `ir`.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

RUNS, TOPICS, RANKS, COLLECTION, POOL, IDEALS = 143, 30, 1_000, 51_078, 4_800, 78
FIFTEEN = "RBP,RBTR,RBAP,CDG,DCG,DAG,RRG,RR,RAP,ERR,EPR,ARR,AP,RRR,RRAP"
THEIRS = """
import sys, ir_measures
measures = [ir_measures.parse_measure(name) for name in sys.argv[1].split(",")]
evaluator = ir_measures.evaluator(measures, list(ir_measures.read_trec_qrels(sys.argv[2])))
for run in sys.argv[3:]:
    print(run, evaluator.calc_aggregate(ir_measures.read_trec_run(run)))
"""


def made_round(folder: Path) -> tuple[list[Path], Path]:
    """Write runs and qrels of the size of a large campaign's: ids of eight characters."""
    rng = np.random.default_rng(1)
    ids = np.array([f"{number:08x}" for number in rng.permutation(COLLECTION)])
    judged, ideals = [], []
    for _ in range(TOPICS):
        pool = rng.permutation(POOL)[: POOL // 16]
        judged.append(pool)
        ideals.append(pool[:IDEALS])
    qrels = folder / "qrels"
    qrels.write_text(
        "".join(
            f"{topic + 1} 0 {ids[element]} {int(place < IDEALS)}\n"
            for topic, pool in enumerate(judged)
            for place, element in enumerate(pool)
        )
    )
    runs = []
    for number in range(RUNS):
        path = folder / f"run{number:03}"
        with path.open("w") as file:
            for topic in range(TOPICS):
                scores = rng.random(COLLECTION)
                scores[judged[topic]] += 1.2 * rng.random(len(judged[topic]))
                scores[ideals[topic]] += rng.random()
                best = np.argpartition(-scores, RANKS)[:RANKS]
                best = best[np.argsort(-scores[best])]
                file.writelines(
                    f"{topic + 1} Q0 {ids[element]} {rank} {scores[element]:.6f} run{number:03}\n"
                    for rank, element in enumerate(best, start=1)
                )
        runs.append(path)
    return runs, qrels


def write_links(qrels: Path, path: Path) -> None:
    """Write ten random links of .1 for each judged element."""
    pool = sorted({line.split()[2] for line in qrels.read_text().splitlines()})
    rng = np.random.default_rng(1)
    with path.open("w") as file:
        file.write("source,target,probability\n")
        for number, source in enumerate(pool):
            targets = [place for place in rng.permutation(len(pool))[:11] if place != number][:10]
            file.writelines(f"{source},{pool[target]},.1\n" for target in targets)


def main() -> None:
    """Time both sides in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--runs", type=Path, help="folder of TREC runs")
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--size", type=int, default=COLLECTION, help="of the collection")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.runs is None:
            runs, qrels = made_round(folder)
        else:
            runs, qrels = sorted(given.runs.iterdir()), given.qrels
        links = folder / "links.csv"
        write_links(qrels, links)
        files = [str(run) for run in runs]
        ours = [
            str(Path(sys.executable).with_name("prum")),
            "evaluate",
            *files,
            "--qrels",
            str(qrels),
        ]
        browsed = ["--links", str(links), "--collection-size", str(given.size)]
        theirs = [sys.executable, "-c", THEIRS]
        sides = {
            "ir_measures, AP and nDCG@10": [*theirs, "AP,nDCG@10", str(qrels), *files],
            "prum evaluate, PRUM and ExactPRUM": [*ours, *browsed, "--measures", "PRUM,ExactPRUM"],
            "ir_measures, AP": [*theirs, "AP", str(qrels), *files],
            "prum evaluate, fifteen measures": [*ours, "--measures", FIFTEEN],
        }
        times: dict[str, list[float]] = {side: [] for side in sides}
        for number in range(given.rounds + 1):
            for side, command in sides.items():
                begin = perf_counter()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                if number:  # the first round compiles kernels and fills the disk's cache
                    times[side].append(perf_counter() - begin)
    print("| one process each | seconds |\n|---|---|")
    for side, seconds in times.items():
        print(f"| {side} | {median(seconds):.2f} |")
    for first, second in zip(list(times)[::2], list(times)[1::2], strict=True):
        pairs = zip(times[second], times[first], strict=True)
        print(f"| {second} over {first} | {median(one / other for one, other in pairs):.2f} |")


if __name__ == "__main__":
    main()
