"""Read logs of people and count their steps, and print Markdown: seconds and peak memory.

python tests/benchmarks/reading_logs.py [--events N ...] [--rounds N] [--formats csv ...]

Every run is a process of its own; starting it and loading libraries counts as memory, not as time.
With the defaults some ten minutes.
"""

import argparse
import gzip
import itertools
import json
import multiprocessing
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from prum.experiments.logs import read_sessions, step_counts
from prum.simulator.model import Links
from tests.benchmarks.compare import table
from tests.benchmarks.large_walks import peak

PAGES, DEGREE, PATH, BATCH = 5_000, 20, 5, 100_000
FORMATS = ("csv", "csv.gz", "quoted.csv", "jsonl", "parquet")


def targets() -> np.ndarray:
    """Return where the links of each page lead, shape (pages, degree); those of a page differ."""
    return (np.arange(PAGES)[:, None] + 1 + 7 * np.arange(DEGREE)) % PAGES


def written(folder: Path, ending: str, events: int) -> Path:
    """Write a log of sessions of five rows, of which now and then one is a back click."""
    import pandas as pd

    rng, where = np.random.default_rng(1), targets()
    names = np.array([*(f"Page_{k}" for k in range(PAGES)), "<"], dtype=object)
    path = folder / f"log{events}.{ending}"
    plain = path.with_suffix("") if ending.endswith("gz") else path
    writer = None
    with plain.open("wb") as file:
        for begin in range(0, events // PATH, BATCH):
            sessions = np.arange(begin, min(begin + BATCH, events // PATH))
            at = [rng.integers(PAGES, size=len(sessions))]
            for _ in range(PATH - 2):
                at.append(where[at[-1], rng.integers(DEGREE, size=len(sessions))])
            last = where[at[-1], rng.integers(DEGREE, size=len(sessions))]
            at.append(np.where(rng.random(len(sessions)) < 0.3, PAGES, last))
            frame = pd.DataFrame(
                {
                    "session": [f"s{k}" for k in sessions for _ in range(PATH)],
                    "time": np.arange(PATH * begin, PATH * begin + PATH * len(sessions)) / 10,
                    "element": names[np.stack(at, axis=1).ravel()],
                    "person": [f"p{k // 10}" for k in sessions for _ in range(PATH)],
                }
            )
            if ending == "parquet":
                import pyarrow as pa
                import pyarrow.parquet as pq

                rows = pa.Table.from_pandas(frame)
                writer = writer or pq.ParquetWriter(file, rows.schema)
                writer.write_table(rows)
            elif ending == "jsonl":
                frame.to_json(file, orient="records", lines=True)
            else:
                quoting = 2 if ending.startswith("quoted") else 0
                frame.to_csv(file, index=False, header=not begin, quoting=quoting)
        if writer is not None:
            writer.close()
    if plain != path:
        with plain.open("rb") as source, gzip.open(path, "wb", 6) as packed:
            while piece := source.read(1 << 20):
                packed.write(piece)
        plain.unlink()
    return path


def timed(path: str) -> str:
    """Return seconds, seconds of processor, MiB and moves of reading and counting, as JSON."""
    import pandas  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    links = Links.from_columns(
        [f"Page_{x}" for x in range(PAGES) for _ in range(DEGREE)],
        [f"Page_{y}" for y in targets().ravel().tolist()],
        np.full(PAGES * DEGREE, 0.5),
    )
    begin, processor = perf_counter(), process_time()
    counts = step_counts(read_sessions(path), links)
    seconds = perf_counter() - begin
    return json.dumps([seconds, process_time() - processor, peak(), int(counts.moves.sum())])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--formats", nargs="+", default=FORMATS)
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for ending, events in itertools.product(args.formats, args.events):
            path = written(Path(folder), ending, events)
            size = path.stat().st_size / 1e6
            runs = []
            for _ in range(args.rounds):
                with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
                    runs.append(json.loads(pool.submit(timed, str(path)).result()))
            path.unlink()
            seconds, processor, memory, moves = zip(*runs, strict=True)
            assert len(set(moves)) == 1
            rows.append(
                [
                    ending,
                    f"{events:,}",
                    f"{size:.0f} MB",
                    f"{median(seconds):.1f} s",
                    f"{median(processor):.1f} s",
                    f"{median(memory):.0f} MiB",
                ]
            )
            print(rows[-1], file=sys.stderr)
    columns = ["format", "events", "file", "time", "of the processor", "peak"]
    table("Logs read and counted", columns, rows)


if __name__ == "__main__":
    main()
