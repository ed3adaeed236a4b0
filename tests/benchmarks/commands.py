"""Time whole commands as people type them, and print Markdown.

python -m tests.benchmarks.commands [--rounds N] [--data FOLDER] [GROUP ...]

first       what people do first: `import prum`, the README's block, small commands
evaluate    `prum evaluate` beside ir_measures (extra `ir`) on runs of the size of a campaign's
submitted   the same on real runs: FOLDER holds TREC-COVID's first round
spans       `prum evaluate` of chunks by gold spans
log         reading a log of people and counting its steps, in each format
long        the same of ten million events, as CSV; only if it is named
made        `prum generate`, with one process and with two
large       a million pages, ten million events: `prum generate`; only if it is named

Commands of a group take turns in every round. Data are made in a temporary folder.
"""

import argparse
import json
import lzma
import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from tests.benchmarks.frame import PRUM, PYTHON, ROOT, commands_table

Commands = dict[str, list[str]]


def _first(_folder: Path, _data: Path) -> Commands:
    readme = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
    return {
        "`import prum`": [PYTHON, "-c", "import prum"],
        "`prum --help`": [PRUM, "--help"],
        "README's Python": [PYTHON, "-c", next(code for code in readme if "crosscheck" in code)],
        "`prum crosscheck --example web`": [PRUM, "crosscheck", "--example", "web"],
    }


# --- runs -----------------------------------------------------------------------------------------

RUNS, TOPICS, RANKS, COLLECTION, POOL, IDEALS = 143, 30, 1_000, 51_078, 300, 78
MEASURES = "AP,nDCG@10"
THEIRS = """
import sys, ir_measures
measures = [ir_measures.parse_measure(name) for name in sys.argv[1].split(",")]
evaluator = ir_measures.evaluator(measures, list(ir_measures.read_trec_qrels(sys.argv[2])))
for run in sys.argv[3:]:
    print(run, evaluator.calc_aggregate(ir_measures.read_trec_run(run)))
"""


def _made_round(folder: Path) -> tuple[list[str], str]:
    """Write runs and qrels; every run prefers judged elements, ideal ones more."""
    rng = np.random.default_rng(1)
    ids = [f"{number:08x}" for number in rng.permutation(COLLECTION).tolist()]
    pools = [rng.permutation(COLLECTION)[:POOL] for _ in range(TOPICS)]
    _write_lines(
        folder / "qrels",
        (
            f"{topic} 0 {ids[element]} {int(place < IDEALS)}"
            for topic, pool in enumerate(pools, start=1)
            for place, element in enumerate(pool.tolist())
        ),
    )
    for run in range(RUNS):
        lines = []
        for topic, pool in enumerate(pools, start=1):
            scores = rng.random(COLLECTION)
            scores[pool] += 1.2 * rng.random(POOL) + (np.arange(POOL) < IDEALS) * rng.random()
            best = np.argsort(-scores)[:RANKS].tolist()
            lines += [
                f"{topic} Q0 {ids[x]} {rank} {scores[x]:.6f} run{run:03}"
                for rank, x in enumerate(best, start=1)
            ]
        _write_lines(folder / f"run{run:03}", lines)
    return [f"run{run:03}" for run in range(RUNS)], "qrels"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def _beside_ir_measures(runs: list[str], qrels: str) -> Commands:
    ours = [PRUM, "evaluate", *runs, "--qrels", qrels, "--measures", MEASURES]
    return {
        f"ir_measures, {len(runs)} runs": [PYTHON, "-c", THEIRS, MEASURES, qrels, *runs],
        "`prum evaluate`": ours,
        "`prum evaluate --trec`": [*ours, "--trec"],
    }


def _evaluate(folder: Path, _data: Path) -> Commands:
    """Add PRUM and its exact value over ten links of .1 from each judged element."""
    runs, qrels = _made_round(folder)
    judged = sorted({line.split()[2] for line in (folder / qrels).read_text().splitlines()})
    rng = np.random.default_rng(1)
    _write_lines(
        folder / "links.csv",
        [
            "source,target,probability",
            *(
                f"{source},{judged[target]},.1"
                for place, source in enumerate(judged)
                for target in rng.choice(len(judged), 10, replace=False).tolist()
                if target != place
            ),
        ],
    )
    browsed = ["--links", "links.csv", "--collection-size", str(COLLECTION)]
    ours = [PRUM, "evaluate", *runs, "--qrels", qrels, *browsed, "--measures", "PRUM,ExactPRUM"]
    return {**_beside_ir_measures(runs, qrels), "`prum evaluate`, PRUM and ExactPRUM": ours}


def _submitted(folder: Path, data: Path) -> Commands:
    """Return one real run, eight as they were submitted, and the whole round with tabs."""
    files = sorted(map(str, (data / "runs-as-submitted").glob("*.gz")))
    lines: dict[str, list[str]] = {}
    with lzma.open(data / "round1-runs-top1000.tsv.xz", "rt") as rows:
        for row in rows:
            if not row.startswith("#"):
                run, topic, ids = row.rstrip("\n").split("\t")
                lines.setdefault(run, []).extend(
                    "\t".join((topic, "Q0", x, str(rank), f"{20 - rank / 81:.6f}", run))
                    for rank, x in enumerate(ids.split(), start=1)
                )
    for run, of_run in lines.items():
        _write_lines(folder / run, of_run)
    qrels = str(data / "qrels-rnd1.txt.gz")
    return {
        f"{name}, of {len(runs)}": command
        for runs in (files[-1:], files, list(lines))
        for name, command in _beside_ir_measures(runs, qrels).items()
    }


# --- spans ----------------------------------------------------------------------------------------

CHUNKS, EACH, SIZE, STEP, QUESTIONS, DEPTH = 100_000, 1_000, 800, 400, 500, 100
SPAN_MEASURES = {
    "five default measures": "Coverage@10,CharPrecision@10,IoU@10,Efficiency,ExactPRUM",
    "PRUM and ExactPRUM by tokens": "PRUM,ExactPRUM(cost=tokens),Coverage@2000 tokens",
}


def _spans(folder: Path, _data: Path) -> Commands:
    """Write chunks that repeat half of the last, up to five spans, lists of chunks near them."""
    rng = np.random.default_rng(1)
    _write_lines(
        folder / "chunks.jsonl",
        (
            json.dumps(
                {"id": f"c{k}", "doc": f"d{k // EACH}", "tokens": 200 + k % 7}
                | {"start": k % EACH * STEP, "end": k % EACH * STEP + SIZE}
            )
            for k in range(CHUNKS)
        ),
    )
    gold, run = ["topic,doc,start,end"], []
    for topic in range(QUESTIONS):
        document = int(rng.integers(CHUNKS // EACH))
        starts = rng.integers(0, EACH * STEP, size=int(rng.integers(1, 6)))
        ends = starts + rng.integers(20, 900, size=len(starts))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            gold.append(f"q{topic},d{document},{start},{end}")
        near = rng.integers(-2, 3, size=4 * len(starts)) + np.repeat(starts, 4) // STEP
        listed = [*(document * EACH + near.clip(0, EACH - 1)), *rng.integers(CHUNKS, size=DEPTH)]
        listed = list(dict.fromkeys(int(k) for k in listed))[:DEPTH]
        rng.shuffle(listed)
        run += [f"q{topic} Q0 c{k} {rank} {-rank} top" for rank, k in enumerate(listed, start=1)]
    _write_lines(folder / "gold.csv", gold)
    _write_lines(folder / "top.run", run)
    given = ["--chunks", "chunks.jsonl", "--spans", "gold.csv"]
    return {
        f"{QUESTIONS} questions, {name}": [
            *(PRUM, "evaluate", "top.run", *given, "--measures", measures)
        ]
        for name, measures in SPAN_MEASURES.items()
    }


# --- logs -----------------------------------------------------------------------------------------

EVENTS, PAGES, DEGREE, PATH = 1_000_000, 5_000, 20, 5
COUNTED = """
import sys, numpy as np
from prum.experiments.logs import read_sessions, step_counts
from prum.simulator.model import Links
pages, degree = map(int, sys.argv[2:])
targets = (np.arange(pages)[:, None] + 1 + 7 * np.arange(degree)) % pages
links = Links.from_columns(
    [f"Page_{x}" for x in range(pages) for _ in range(degree)],
    [f"Page_{y}" for y in targets.ravel().tolist()],
    np.full(pages * degree, 0.5),
)
print(step_counts(read_sessions(sys.argv[1]), links).moves.sum())
"""


def _log(
    folder: Path,
    events: int = EVENTS,
    endings: Iterable[str] = ("csv", "csv.gz", "jsonl", "parquet"),
) -> Commands:
    """Write sessions of five rows along the links; now and then the last is a back click."""
    import pandas as pd

    rng, number = np.random.default_rng(1), events // PATH
    names = np.array([*(f"Page_{k}" for k in range(PAGES)), "<"], dtype=object)
    pages = [rng.integers(PAGES, size=number)]
    for _ in range(PATH - 1):
        pages.append((pages[-1] + 1 + 7 * rng.integers(DEGREE, size=number)) % PAGES)
    pages[-1] = np.where(rng.random(number) < 0.3, PAGES, pages[-1])
    session = np.repeat(np.arange(number), PATH)
    frame = pd.DataFrame(
        {
            "session": [f"s{k}" for k in session],
            "time": np.arange(PATH * number) / 10,
            "element": names[np.stack(pages, axis=1).ravel()],
            "person": [f"p{k // 10}" for k in session],
        }
    )
    for ending in endings:
        if ending == "jsonl":
            frame.to_json(folder / "log.jsonl", orient="records", lines=True)
        elif ending == "parquet":
            frame.to_parquet(folder / "log.parquet")
        else:
            frame.to_csv(folder / f"log.{ending}", index=False)
    return {
        f"{events:,} events, {ending}": [
            *(PYTHON, "-c", COUNTED, f"log.{ending}", str(PAGES), str(DEGREE))
        ]
        for ending in endings
    }


# --- made collections -----------------------------------------------------------------------------

SPECIFICATION = """
seed = 1
collection = {{kind = "web", elements = {}}}
topics = {{number = {}}}
pool = {{depth = 20}}
log = {{users = {}}}
systems = [
    {{name = "aimed", number = {}, target = {{value = [0.2, 0.5]}}, near_misses = 0.3}},
    {{name = "free", number = {}, strength = [0.5, 3.0]}},
]
"""


def _generate(folder: Path, sizes: tuple[int, ...], workers: Iterable[int]) -> Commands:
    (folder / "made.toml").write_text(SPECIFICATION.format(*sizes))
    made = f"rm -rf made && {PRUM} generate made.toml -o made --workers"
    return {f"{n} workers": ["sh", "-c", f"{made} {n}"] for n in workers}


GROUPS: dict[str, Callable[[Path, Path], Commands]] = {
    "first": _first,
    "evaluate": _evaluate,
    "submitted": _submitted,
    "spans": _spans,
    "log": lambda folder, _: _log(folder),
    "long": lambda folder, _: _log(folder, 10 * EVENTS, ["csv"]),
    "made": lambda folder, _: _generate(folder, (100_000, 200, 2_500, 5, 5), (1, 2)),
    "large": lambda folder, _: _generate(folder, (1_000_000, 1_000, 5_000, 25, 25), (2,)),
}


def main() -> None:
    """Print a table for each group."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("group", nargs="*", choices=[*GROUPS, []])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, help="of TREC-COVID's first round")
    given = parser.parse_args()
    others = {"large", "long", *["submitted"] * (given.data is None)}
    for group in given.group or [name for name in GROUPS if name not in others]:
        with tempfile.TemporaryDirectory() as name:
            commands = GROUPS[group](Path(name), given.data and given.data.resolve())
            commands_table(group, commands, Path(name), given.rounds)


if __name__ == "__main__":
    main()
