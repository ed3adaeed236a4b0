"""Users who browse as people or agents did in games: whole games, resampled.

Who consults an element plays on as one of the games that passed it, drawn at random: so P(x -> y)
is the share of games through x that come to y later, and visits from one element depend on each
other as they did in the games. How the games of one user at different elements belong together is
in no log: weak worlds draw them apart, others let a user play on for longer than others, or for
less long, at each element.
"""

import csv
import gzip
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from tests.end_to_end.observed_walks import MOST_GAMES, read_articles, read_played, seldom
from tests.reliability.dependent_users import Floats, Ints, Users
from tests.reliability.made_worlds import Topic

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
# How many groups of users there are, and how firmly they belong to them, by strength.
_GROUPS = {"weak": (1, 1.0), "medium": (4, 0.5), "strong": (4, 1.0)}


@dataclass(frozen=True, eq=False)
class Games:
    """Visits of pages in games: page, game, first and last place in the game, what follows it."""

    pages: Ints
    games: Ints
    places: Ints
    lasts: Ints
    left: Ints
    # Pages that at least so many games pass, the most frequent first.
    often: Ints

    @classmethod
    def of_paths(cls, paths: Sequence[Sequence[int]], least: int) -> "Games":
        """Return the first visits in paths; `often` takes `least` games."""
        rows = [
            (
                page,
                game,
                path.index(page),
                len(path) - 1 - path[::-1].index(page),
                len(path) - path.index(page),
            )
            for game, path in enumerate(paths)
            for page in dict.fromkeys(path)
        ]
        table = np.array(rows, dtype=np.int64)
        numbers, counts = np.unique(table[:, 0], return_counts=True)
        often = numbers[np.argsort(-counts, kind="stable")][: (counts >= least).sum()]
        return cls(*table.T, often)

    def later(self, ideals: Sequence[int]) -> Ints:
        """Return the set of ideals that each visit's game comes to, there or later; bits."""
        sets = np.zeros(len(self.pages), dtype=np.int64)
        for bit, ideal in enumerate(ideals):
            last = np.full(self.games.max() + 1, -1)
            here = self.pages == ideal
            last[self.games[here]] = self.lasts[here]
            sets |= (last[self.games] >= self.places).astype(np.int64) << bit
        return sets


@cache
def games_of(name: str) -> Games | None:
    """Return the games of "people" or "agents"; None where the data is missing."""
    folder = DATA / ("wikispeedia" if name == "people" else "agents")
    if not folder.is_dir():
        return None
    if name == "people":
        played = seldom(list(read_played(folder, read_articles(folder))), MOST_GAMES)
        paths = tuple(game.path for game in played)
        return Games.of_paths(paths, 200)
    with gzip.open(folder / "wikirace_qwen_games.tsv.gz", "rt", encoding="utf-8") as stream:
        rows = [row["path"].split(";") for row in csv.DictReader(stream, delimiter="\t")]
    paths = tuple(_numbered(rows))
    return Games.of_paths(paths, 20)


def _most(pages: Ints, counts: Ints | Floats, num: int) -> Ints:
    """Return so many pages of which the counts are largest."""
    return pages[np.argsort(-counts[pages], kind="stable")][:num]


def _numbered(rows: Iterable[Sequence[str]]) -> Iterable[tuple[int, ...]]:
    numbers: dict[str, int] = {}
    for row in rows:
        yield tuple(numbers.setdefault(page, len(numbers)) for page in row)


def resampled(
    rng: np.random.Generator, strength: str, names: Sequence[str], scale: float, *, played: str
) -> Topic:
    """Return users of one topic: some pages that are often passed after another one are ideals.

    Raises
    ------
    LookupError
        if the data is missing.
    """
    visits = games_of(played)
    if visits is None:
        raise LookupError(f"no games of {played}: {DATA} is missing")
    t = int(rng.integers(2, 6))
    start = rng.choice(visits.often[:200])
    through = np.isin(visits.games, visits.games[visits.pages == start])
    most = visits.pages.max() + 1
    near = _most(visits.often, np.bincount(visits.pages[through], minlength=most), 10)
    ideals = rng.choice(near, t, replace=False).tolist()
    sets = visits.later(ideals)
    # Elements to rank: pages from which most games come to some ideal; fewer if users browse less.
    passed = np.bincount(visits.pages, minlength=most)
    share = np.bincount(visits.pages, sets > 0, most) / np.maximum(passed, 1)
    pages = np.setdiff1d(visits.often, ideals)
    leading = _most(pages, share, int(25 / scale**0.5))
    gates = rng.choice(leading, int(rng.integers(3, 7)), replace=False).tolist()
    groups, stays = _GROUPS[strength]
    sees = {}
    for name, page in zip(names, [*ideals, *gates], strict=False):
        here = visits.pages == page
        order = np.argsort(visits.left[here], kind="stable")
        edges = np.linspace(0, here.sum(), groups + 1)
        first = np.arange(here.sum())
        # Each group has as many games, parts of games among them.
        law = [
            np.bincount(
                sets[here][order],
                np.clip(np.minimum(first + 1, high) - np.maximum(first, low), 0, None),
                2**t,
            )
            for low, high in pairwise(edges)
        ]
        sees[name] = np.stack(law) / np.diff(edges)[:, None]
    users = Users(np.full(groups, 1 / groups), stays, sees)
    return Topic(tuple(names[:t]), tuple(sees), users)
