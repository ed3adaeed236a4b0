"""Time `prum evaluate` beside ir_measures on one round of runs, and print Markdown.

python tests/benchmarks/evaluating.py [--rounds N] [--runs FOLDER --qrels FILE --size N]
                                      [--submitted FOLDER [--submitted-only]]

All sides are whole processes, in turn in every round: PRUM as published and exact, at every r, over
ten links for each judged element, beside AP and nDCG@10 by ir_measures. Without files of one's own
the runs are made: 143 of 30 topics and 1,000 ranks. Before that, with a folder of TREC-COVID's
first round (runs-as-submitted, round1-runs-top1000.tsv.xz, qrels-rnd1.txt.gz), AP and nDCG@10 by
both of real runs: one of them, eight as they were submitted, and all 143, written with tabs,
decided between or with `--trec`. Needs the extra `ir`.
"""

import argparse
import lzma
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

RUNS, TOPICS, RANKS, COLLECTION, POOL, IDEALS = 143, 30, 1_000, 51_078, 4_800, 78
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


def print_times(sides: dict[str, list[str]], rounds: int) -> None:
    """Run the commands in turn in every round, and print medians, and of each pair the ratios."""
    # Whoever installs prum or ir_measures has them compiled.
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    times: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
    for number in range(rounds + 1):
        for side, command in sides.items():
            begin, used = perf_counter(), _processor_seconds()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
            if number:  # the first round fills the disk's cache
                times[side].append((perf_counter() - begin, _processor_seconds() - used))
    print("| one process each | seconds | of a processor |\n|---|---|---|")
    for side, pairs in times.items():
        whole, used = (median(column) for column in zip(*pairs, strict=True))
        print(f"| {side} | {whole:.2f} | {used:.2f} |")
    for first, second in zip(list(times)[::2], list(times)[1::2], strict=True):
        ratios = [
            tuple(ours / theirs for ours, theirs in zip(*pair, strict=True))
            for pair in zip(times[second], times[first], strict=True)
        ]
        whole, used = (median(column) for column in zip(*ratios, strict=True))
        print(f"| {second} over {first} | {whole:.2f} | {used:.2f} |")
    print()


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_round(submitted: Path, folder: Path) -> list[Path]:
    """Write the runs of the whole round, of which the lists are known, with scores that fall."""
    runs: dict[str, list[str]] = {}
    with lzma.open(submitted / "round1-runs-top1000.tsv.xz", "rt") as file:
        for line in file:
            if line.startswith("#"):
                continue
            run, topic, ids = line.rstrip("\n").split("\t")
            runs.setdefault(run, []).extend(
                "\t".join((topic, "Q0", element, str(rank), f"{20 - rank / 81:.6f}", run)) + "\n"
                for rank, element in enumerate(ids.split(), start=1)
            )
    folder.mkdir()
    for run, lines in runs.items():
        (folder / run).write_text("".join(lines))
    return [folder / run for run in runs]


def submitted_sides(submitted: Path, files: Sequence[Path], what: str) -> dict[str, list[str]]:
    """Return the commands on real runs, and those that only read them."""
    qrels, measures = str(submitted / "qrels-rnd1.txt.gz"), "AP,nDCG@10"
    runs = list(map(str, files))
    python, prum = sys.executable, str(Path(sys.executable).with_name("prum"))
    ours = [prum, "evaluate", *runs, "--qrels", qrels, "--measures", measures]
    return {
        f"ir_measures, {what}": [python, "-c", THEIRS, measures, qrels, *runs],
        f"prum evaluate, {what}": ours,
        f"ir_measures again, {what}": [python, "-c", THEIRS, measures, qrels, *runs],
        f"prum evaluate --trec, {what}": [*ours, "--trec"],
    }


def print_submitted(folder: Path, rounds: int) -> None:
    """Print the times of real runs: one, eight as they were submitted, and the whole round."""
    files = sorted((folder / "runs-as-submitted").glob("*.gz"))
    print_times(submitted_sides(folder, files[-2:-1], "one run"), rounds)
    print_times(submitted_sides(folder, files, "eight runs, gzipped"), rounds)
    with tempfile.TemporaryDirectory() as name:
        files = write_round(folder, Path(name) / "tabs")
        print_times(submitted_sides(folder, files, f"{len(files)} runs, tabs"), rounds)


def main() -> None:
    """Time both sides in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--runs", type=Path, help="folder of TREC runs")
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--size", type=int, default=COLLECTION, help="of the collection")
    parser.add_argument("--submitted", type=Path, help="folder of TREC-COVID's first round")
    parser.add_argument("--submitted-only", action="store_true", help="only the real runs")
    given = parser.parse_args()
    if given.submitted is not None:
        print_submitted(given.submitted, given.rounds)
    if given.submitted_only:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.runs is None:
            runs, qrels = made_round(folder)
        else:
            runs, qrels = sorted(given.runs.iterdir()), given.qrels
        links = folder / "links.csv"
        write_links(qrels, links)
        files = [str(run) for run in runs]
        prum = str(Path(sys.executable).with_name("prum"))
        ours = [prum, "evaluate", *files, "--qrels", str(qrels)]
        browsed = ["--links", str(links), "--collection-size", str(given.size)]
        theirs = [sys.executable, "-c", THEIRS]
        sides = {
            "ir_measures, AP and nDCG@10": [*theirs, "AP,nDCG@10", str(qrels), *files],
            "prum evaluate, PRUM and ExactPRUM": [*ours, *browsed, "--measures", "PRUM,ExactPRUM"],
        }
        print_times(sides, given.rounds)


if __name__ == "__main__":
    main()
