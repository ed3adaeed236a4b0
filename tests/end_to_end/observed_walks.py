"""Hold noisy-or, and walks without memory, against the walks of people: games of Wikispeedia.

    python -m tests.end_to_end.observed_walks SOURCE [--topics 50] [--resamples 100] [--seed 1]
                                              [--towards] [--most 100]

SOURCE and the topics are those of `wikispeedia.py`. Finished games are conditioned on success, so
all games are taken together; and they are goal-directed: with --towards only those games count for
a topic whose target is one of its ideals, otherwise all do. The entries of a topic are the 10
articles that most games towards its ideals pass, ideals left out, if at least 50 of the games that
count pass them. Games of a task, start and target, that was played more often than --most are left
out. N_x is the set of ideals on the rest of a game's path once it came to x. Its laws:

games
    The share of games with each set.
noisy-or
    Each ideal on its own, with the games' P(x -> y), the share of games with y in N_x.
exclusive, comonotone
    The same P(x -> y): at most one ideal as far as they allow; all that are more probable.
markov
    An absorbing walk of the games' transitions (`observed`), whatever came before.
markov apart
    The same, of one half of the games and held against the other, both ways: there it cannot gain
    from repeating the very paths that it was made of.

For each law: P(any ideal) and P(two or more), means over pairs of topic and entry; precision at
r = 1 and averaged over r of the list of a topic's entries followed by its ideals (which lead on
too; contexts independent), means over topics; `prum` is PRUM of the games' P(x -> y). Beside it the
error against `games`, its interval, and its root mean square over pairs or lists, that of noise
taken out. Intervals: +- 1.96 standard deviations over games drawn anew. That some games are of one
person is not known and not allowed for.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from prum.analytic import coupled_within, exact_joint, prum
from prum.analytic.precision.walks import within_from
from tests.end_to_end.wikispeedia import _rows, choose_topics, paths, read_games

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NUM_ENTRIES = 10
LEAST_GAMES = 50
CONVERGED = 1e-10
# Games of a task, start and target, that was played more often are left out: 10 tasks, four of them
# with 1,586 to 2,044 games each, which say more of themselves than of their pages.
MOST_GAMES = 100
COUPLED = {"noisy-or": "independent", "exclusive": "exclusive", "comonotone": "comonotone"}
LAWS = ("games", *COUPLED, "prum", "markov", "markov apart")


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
    for path, target, _ in paths(source, articles):
        yield Played(tuple(code[page] for page in path), code.get(target, -1))


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


class Place(NamedTuple):
    """A topic's entries and ideals, and the games that count for it.

    For the k-th of entries and ideals, passing[k] are the numbers of the games that come to it, and
    seen[k] the ideals on their paths from there, bit x for ideal x.
    """

    entries: tuple[int, ...]
    ideals: tuple[int, ...]
    steps: Steps
    passing: list[Ints]
    seen: list[Ints]


def place(played: Sequence[Played], ideals: tuple[int, ...], everything: Steps | None) -> Place:
    """Return the place of these ideals; `everything` if all games count."""
    wanted = [number for number, game in enumerate(played) if game.target in ideals]
    counting = wanted if everything is None else range(len(played))
    passed = Counter(page for number in wanted for page in set(played[number].path))
    num_games = Counter(page for number in counting for page in set(played[number].path))
    ranked = sorted(passed, key=lambda page: (-passed[page], page))
    frequent = [x for x in ranked if x not in ideals and num_games[x] >= LEAST_GAMES]
    entries = tuple(frequent[:NUM_ENTRIES])
    bit = {ideal: 1 << x for x, ideal in enumerate(ideals)}
    found: dict[int, list[tuple[int, int]]] = {page: [] for page in entries + ideals}
    for number in counting:
        rest, from_first = 0, {}
        for page in reversed(played[number].path):
            rest |= bit.get(page, 0)
            from_first[page] = rest
        for page in from_first.keys() & found.keys():
            found[page].append((number, from_first[page]))
    columns = [np.array(pairs, dtype=np.int64).reshape(-1, 2).T for pairs in found.values()]
    steps = Steps(played, wanted) if everything is None else everything
    return Place(entries, ideals, steps, [one for one, _ in columns], [two for _, two in columns])


def of_games(at: Place, weights: Floats) -> Floats:
    """Return P(N_x subset of A) in the games, a row for each entry and ideal."""
    t = len(at.ideals)
    within = np.empty((len(at.passing), 1 << t))
    for k, (numbers, seen) in enumerate(zip(at.passing, at.seen, strict=True)):
        counts = np.bincount(seen, weights=weights[numbers], minlength=1 << t)
        if not counts.any():  # who is not there leads to himself at most
            counts[1 << (k - len(at.entries)) if k >= len(at.entries) else 0] = 1
        for x in range(t):
            halves = counts.reshape(-1, 2, 1 << x)
            halves[:, 1] += halves[:, 0]
        within[k] = counts / counts[-1]
    return within


def of_walk(at: Place, visits: Floats) -> Floats:
    """Return P(N_x subset of A) of an absorbing walk from the visits to the ideals of `at`.

    Visits among ideals are (I - K)^-1, K being where the walk comes to an ideal after one; those
    from elsewhere H (I - K)^-1, H being where it comes to one first.
    """
    among = np.linalg.inv(visits[list(at.ideals)])
    whole = np.eye(len(at.ideals))
    first = np.vstack([visits[list(at.entries)] @ among, whole])
    return within_from(np.maximum(first, 0), np.maximum(whole - among, 0))


def summary(at: Place, within: Floats) -> dict[str, Floats]:
    """Return P(any), P(two or more) of each entry; precision of the list, at 1 and averaged."""
    num_entries, t = len(at.entries), len(at.ideals)
    none = within[:num_entries, 0]
    one = within[:num_entries, 1 << np.arange(t)].sum(axis=1) - t * none
    precision = exact_joint(within, 0).precision
    return {"any": 1 - none, "two or more": 1 - none - one, **of_list(precision)}


def of_list(precision: Floats) -> dict[str, Floats]:
    """Return the precision of a list at 1 and averaged over recall values."""
    return {"precision at 1": precision[:1], "precision": precision.mean(keepdims=True)}


def measured(places: Sequence[Place], weights: Floats, halves: Ints) -> dict[str, Floats]:
    """Return each quantity, shape (laws, pairs or lists), with a weight for each game."""
    parts = [weights * (halves == half) for half in (0, 1)]
    collected: dict[str, list[Floats]] = {}
    for _, group in groupby(places, key=lambda at: id(at.steps)):
        same = list(group)
        ideals = [ideal for at in same for ideal in at.ideals]
        edges = np.cumsum([0, *(len(at.ideals) for at in same)])
        visits = [same[0].steps.visits(of, ideals) for of in (weights, *parts)]
        for at, (begin, end) in zip(same, pairwise(edges), strict=True):
            whole, *learned = (summary(at, of_walk(at, one[:, begin:end])) for one in visits)
            held = [summary(at, of_games(at, of)) for of in reversed(parts)]
            games = of_games(at, weights)
            t = len(at.ideals)
            reach = np.stack([1 - games[:, ~(1 << x)] for x in range(t)], axis=1)
            found = {law: summary(at, coupled_within(reach, how)) for law, how in COUPLED.items()}
            found |= {"games": summary(at, games), "markov": whole}
            found["prum"] = found["noisy-or"] | of_list(prum(reach, 0).precision)
            for name, truth in found["games"].items():
                error = sum(one[name] - two[name] for one, two in zip(learned, held, strict=True))
                rows = [found[law][name] for law in LAWS[:-1]] + [truth + error / 2]
                collected.setdefault(name, []).append(np.array(rows))
    return {name: np.concatenate(of_all, axis=1) for name, of_all in collected.items()}


class Estimate(NamedTuple):
    """A mean, its error against games with its interval's half-width, and the rms without noise.

    Of games themselves the half-width is that of the mean.
    """

    value: float
    error: float
    half_width: float
    rms: float


def estimate(
    places: Sequence[Place], num_games: int, *, num_resamples: int, seed: int
) -> dict[str, dict[str, Estimate]]:
    """Return the estimate of each quantity and law."""
    generator = np.random.default_rng(seed)
    halves = generator.permutation(num_games) % 2
    values = measured(places, np.ones(num_games), halves)
    evenly = np.full(num_games, 1 / num_games)
    draws = [
        measured(places, generator.multinomial(num_games, evenly).astype(np.float64), halves)
        for _ in range(num_resamples)
    ]
    result: dict[str, dict[str, Estimate]] = {}
    for name, value in values.items():
        drawn = np.stack([draw[name] for draw in draws])
        for row, law in enumerate(LAWS):
            error = value[row] - value[0]
            noise = drawn[:, row] - drawn[:, 0]
            square = float(np.mean(error**2 - noise.var(axis=0, ddof=1)))
            noise = drawn[:, 0] if law == "games" else noise
            half_width = 1.96 * float(noise.mean(axis=1).std(ddof=1))
            result.setdefault(name, {})[law] = Estimate(
                float(value[row].mean()), float(error.mean()), half_width, max(square, 0) ** 0.5
            )
    return result


def read_places(
    source: Path, *, num_topics: int, towards: bool, most: int
) -> tuple[list[Place], int]:
    """Return the places of the topics that have entries, and the number of games."""
    articles = read_articles(source)
    code = {article: number for number, article in enumerate(articles)}
    played = seldom(list(read_played(source, articles)), most)
    everything = None if towards else Steps(played, range(len(played)))
    topics = choose_topics(source, list(read_games(source, articles)), num_topics=num_topics)
    places = [place(played, tuple(code[x] for x in one.ideals), everything) for one in topics]
    return [at for at in places if at.entries], len(played)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Hold noisy-or against walks of people.")
    parser.add_argument("source", type=Path, metavar="SOURCE", help="folder of the game data")
    parser.add_argument("--topics", type=int, default=50, help="number of topics (50)")
    parser.add_argument("--resamples", type=int, default=100, help="times games are drawn anew")
    parser.add_argument("--seed", type=int, default=1, help="seed of what is drawn")
    parser.add_argument("--towards", action="store_true", help="only games towards a topic")
    parser.add_argument("--most", type=int, default=MOST_GAMES, help="games of a task (100)")
    options = parser.parse_args(arguments)
    if options.topics < 1 or options.resamples < 2:
        parser.error("--topics must be at least 1 and --resamples 2")
    places, num_games = read_places(
        options.source, num_topics=options.topics, towards=options.towards, most=options.most
    )
    print(f"{num_games} games, {len(places)} topics, {sum(len(at.entries) for at in places)} pairs")
    found = estimate(places, num_games, num_resamples=options.resamples, seed=options.seed)
    for name, laws in found.items():
        print(name)
        for law, (value, error, half_width, rms) in laws.items():
            against = "" if law == "games" else f"  rms {rms:.4f}, error {error:+.4f}"
            print(f"    {law:13}{value:8.4f}{against} +- {half_width:.4f}")


if __name__ == "__main__":
    main()
