"""Read the games of Wikispeedia as paths, and write how often their steps were taken.

    python -m tests.end_to_end.played SOURCE OUT [--most 100]

SOURCE is the folder that `wikispeedia.py` reads. A game is the path of a player, back clicks
resolved, to where they finished or gave up, whichever they did. OUT becomes a table of links for
the command line's `walk`: the share of visits to x from which the player's next step was to y.

Games of a task, start and target, that was played more than 100 times are left out: 10 tasks, four
of which have 1,586 to 2,044 games each, and say more of themselves than of their pages.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from prum.experiments.logs import Sessions, step_counts
from prum.simulator.model import Links
from tests.end_to_end.wikispeedia import _rows

Floats = NDArray[np.float64]

CONVERGED = 1e-10
MOST_GAMES = 100


class Played(NamedTuple):
    """A game: the pages of its path and its target, as row numbers of articles (-1: none)."""

    path: tuple[int, ...]
    target: int


def read_articles(source: Path) -> list[str]:
    """Return the names of the articles, in the order in which the games count them."""
    return [name for (name,) in _rows(source / "articles.tsv.gz", num_names=1)]


def read_played(source: Path, articles: Sequence[str]) -> Iterator[Played]:
    """Yield all games, finished ones first, in the order of the files."""
    code = {article: number for number, article in enumerate(articles)}
    for (line,) in _rows(source / "paths_finished_resolved.tsv.gz"):
        path = tuple(map(int, line.split()))
        yield Played(path, path[-1])
    for _, _, _, line, target, _ in _rows(source / "paths_unfinished.tsv.gz"):
        trail: list[int] = []
        for page in line.split(";"):
            if page == "<":
                trail.pop()
            else:
                trail.append(code[unquote(page)])
        yield Played(tuple(trail), code.get(unquote(target), -1))


def seldom(played: Sequence[Played], most: int) -> list[Played]:
    """Return the games of tasks that were played `most` times at most."""
    num_games = Counter((game.path[0], game.target) for game in played)
    return [game for game in played if num_games[game.path[0], game.target] <= most]


class Steps:
    """The pages of some games' paths one after the other."""

    def __init__(self, played: Sequence[Played], numbers: Sequence[int]) -> None:
        paths = [played[number].path for number in numbers]
        self.games = np.repeat(np.asarray(numbers), [len(path) for path in paths])
        self.pages = np.array([page for path in paths for page in path])
        self.goes_on = np.append(self.games[1:] == self.games[:-1], False)

    def visits(self, weights: Floats, ideals: Sequence[int]) -> Floats:
        """Return how often a walk of these transitions comes to each ideal, from each page.

        The expected number, a start there included, summed over the lengths of walks. `weights`
        has a number for each game.
        """
        of = weights[self.games]
        size = max(int(self.pages.max()), *ideals) + 1
        times = np.bincount(self.pages, weights=of, minlength=size)
        on = np.flatnonzero(self.goes_on & (of > 0))
        x, y = self.pages[on], self.pages[on + 1]
        moves = sparse.coo_array((of[on] / times[x], (x, y)), shape=(size, size)).tocsr()
        after = np.zeros((size, len(ideals)))
        after[ideals, np.arange(len(ideals))] = 1
        total = after.copy()
        while after.max() > CONVERGED:
            after = moves @ after
            total += after
        return total


def write_links(played: Sequence[Played], articles: Sequence[str], out: Path) -> None:
    """Write P(move from x to y) of these games as CSV."""
    sessions = Sessions.of([[articles[page] for page in game.path] for game in played], back=None)
    moves = {pair for session in sessions for pair in pairwise(session)}
    counts = step_counts(sessions, Links(dict.fromkeys(moves, 1)), elements=articles)
    with out.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["source", "target", "probability"])
        writer.writerows((x, y, repr(p)) for x, y, p in counts.shares())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Write how often the games' steps were taken.")
    parser.add_argument("source", type=Path, metavar="SOURCE", help="folder of the game data")
    parser.add_argument("out", type=Path, metavar="OUT", help="table of links to write")
    parser.add_argument("--most", type=int, default=MOST_GAMES, help="games of a task (100)")
    options = parser.parse_args(arguments)
    articles = read_articles(options.source)
    played = seldom(list(read_played(options.source, articles)), options.most)
    write_links(played, articles, options.out)


if __name__ == "__main__":
    main()
