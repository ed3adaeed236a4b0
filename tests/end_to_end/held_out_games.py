"""Turn finished Wikispeedia games into logs to learn from, and one to be predicted.

    python -m tests.end_to_end.held_out_games SOURCE OUT

SOURCE is the folder that `wikispeedia.py` reads; back clicks are resolved there, so that each step
is a move along a link. The games are shuffled by a seed, and the first 10,000 held out. Written to
OUT, the same each time:

links.csv
    source, target: all links, each once.
heldout.csv
    session, element: the 10,000 games.
train.csv, train-4000.csv, train-400.csv
    The other 41,312 games, and the first of them.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.end_to_end.logs_of_people import write_table
from tests.end_to_end.wikispeedia import _rows

NUM_HELD_OUT = 10_000
SIZES = (400, 4000)
SEED = 1


def convert(source: Path, out: Path) -> None:
    """Write links and games to the folder `out`."""
    articles = [name for (name,) in _rows(source / "articles.tsv.gz", num_names=1)]
    links = sorted({(x, y) for x, y in _rows(source / "links.tsv.gz", num_names=2)})
    games = [
        [articles[int(number)] for number in path.split()]
        for (path,) in _rows(source / "paths_finished_resolved.tsv.gz")
    ]
    order = np.random.default_rng(SEED).permutation(len(games)).tolist()
    held_out, train = order[:NUM_HELD_OUT], order[NUM_HELD_OUT:]
    write_table(out / "links.csv", ("source", "target"), links)
    parts = {"heldout": held_out, "train": train} | {f"train-{n}": train[:n] for n in SIZES}
    for name, numbers in parts.items():
        rows = ((number, element) for number in numbers for element in games[number])
        write_table(out / f"{name}.csv", ("session", "element"), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Turn finished games into logs.")
    parser.add_argument("source", type=Path, metavar="SOURCE", help="folder of the game data")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write to")
    options = parser.parse_args(arguments)
    convert(options.source, options.out)


if __name__ == "__main__":
    main()
