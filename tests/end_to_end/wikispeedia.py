"""Turn the Wikispeedia game data into files for the command line: two runs, qrels and links.

    python tests/end_to_end/wikispeedia.py SOURCE OUT [--topics 50] [--depth 100]

SOURCE is a folder that holds, gzipped, the articles, categories, links and unfinished paths as
published (West and Leskovec 2012; West, Pineau and Precup 2009), and the finished paths as row
numbers of the articles with back clicks resolved.

The game: a player is put on an article and has to reach a given target by following links. It is
goal-directed, so a path says more about the target than a browsing user's would. Finished paths
are moreover conditioned on success; that is why the unfinished games are mixed in when pages are
counted.

Topics: a category with at least 4 articles that were targets of at least 5 finished games each.
Its ideals are the most played of these targets, 8 at most (by finished games, ties by name). Those
topics are taken whose ideals have the most finished games, ties by name. A topic is called by the
last component of its category; categories that share it are called by their whole path.

Written to OUT, byte for byte the same each time:

passes.run
    Articles by the number of games towards the topic's ideals that pass through them before the
    target, finished or not. A game counts once for an article, the start counts, a branch that
    back clicks abandoned does not, nor does the step to the target.
outlinks.run
    Articles by the number of their links into the topic's ideals, divided by the square root of
    their number of links.
qrels.txt
    Grade 1 for each ideal of each topic.
links.csv
    Each link with probability .85 / number of links of its source: a user who goes on with
    probability .85 and chooses evenly. Links of an article to itself are left out everywhere.
targets.qrels, edges.csv, hubs.run, specific.run
    For retrieval that follows links: the 300 articles with the most finished games, each the one
    ideal of its topic; links alone; and 5 seeds for each, those of the 30 articles most passed on
    the way to it that have the most links, or the fewest.

Lists end at DEPTH or where scores are 0; equal scores (in single precision) are ordered by name,
last first, as trec_eval does. The size of the collection, the number of articles, is printed.
"""

import argparse
import csv
import gzip
import io
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

LEAST_TARGETS = 4
MOST_IDEALS = 8
LEAST_GAMES = 5
GOES_ON = 0.85
NUM_TARGETS, MOST_PASSED, NUM_SEEDS = 300, 30, 5


class Game(NamedTuple):
    """A game: its target, and the articles on the way to it (a set: each counts once)."""

    target: str
    passed: frozenset[str]
    finished: bool


class Topic(NamedTuple):
    """A topic: its name, its ideals sorted by name, the finished games towards them."""

    name: str
    ideals: tuple[str, ...]
    num_games: int


def convert(source: Path, out: Path, *, num_topics: int = 50, depth: int = 100) -> int:
    """Write the four files to the folder `out` and return the number of articles."""
    articles = [name for (name,) in _rows(source / "articles.tsv.gz", num_names=1)]
    for article in articles:
        if article.split() != [article]:
            raise ValueError(f"article {article!r} holds a blank; no TREC file could name it")
    links = [(a, b) for a, b in _rows(source / "links.tsv.gz", num_names=2) if a != b]
    games = list(read_games(source, articles))
    topics = choose_topics(source, games, num_topics=num_topics)

    out.mkdir(parents=True, exist_ok=True)
    lists = {"passes": passes(topics, games), "outlinks": outlinks(topics, links)}
    for system, scores in lists.items():
        _write(out / f"{system}.run", run_text(system, scores, depth=depth))
    _write(
        out / "qrels.txt",
        "".join(f"{topic.name} 0 {ideal} 1\n" for topic in topics for ideal in topic.ideals),
    )
    _write(out / "links.csv", links_text(links))
    write_seeds(out, games, links)
    return len(articles)


def write_seeds(out: Path, games: Sequence[Game], links: Sequence[tuple[str, str]]) -> None:
    """Write what retrieval that follows links takes: edges, targets, and two lists of seeds."""
    num_links = Counter(source for source, _ in links)
    played = Counter(game.target for game in games if game.finished)
    targets = sorted(sorted(played, key=lambda x: (-played[x], x))[:NUM_TARGETS])
    passed: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for game in games:
        passed[game.target].update(game.passed)
    for system, sign in (("hubs", -1), ("specific", 1)):
        text = ""
        for target in targets:
            counts = passed[target]
            pool = sorted(counts, key=lambda x, counts=counts: (-counts[x], x))[:MOST_PASSED]
            seeds = sorted(pool, key=lambda x, sign=sign: (sign * num_links[x], x))[:NUM_SEEDS]
            rows = [f"{target} Q0 {x} {k} {-k} {system}\n" for k, x in enumerate(seeds, start=1)]
            text += "".join(rows)
        _write(out / f"{system}.run", text)
    _write(out / "targets.qrels", "".join(f"{target} 0 {target} 1\n" for target in targets))
    edges = "".join(f'"{source}","{target}"\n' for source, target in links)
    _write(out / "edges.csv", "source,target\n" + edges)


def paths(source: Path, articles: Sequence[str]) -> Iterator[tuple[list[str], str, bool]]:
    """Yield the path of each game, back clicks resolved, its target, and whether it was finished.

    Some targets are no articles: nobody can have finished these.
    """
    for (line,) in _rows(source / "paths_finished_resolved.tsv.gz"):
        path = [articles[int(number)] for number in line.split()]
        yield path, path[-1], True
    for _, _, _, line, target, _ in _rows(source / "paths_unfinished.tsv.gz"):
        trail: list[str] = []
        for page in line.split(";"):
            if page == "<":
                trail.pop()
            else:
                trail.append(unquote(page))
        yield trail, unquote(target), False


def read_games(source: Path, articles: Sequence[str]) -> Iterator[Game]:
    """Yield all games, back clicks resolved."""
    for path, target, finished in paths(source, articles):
        yield Game(target, frozenset(path) - {target}, finished)


def choose_topics(source: Path, games: Sequence[Game], *, num_topics: int) -> list[Topic]:
    """Return the topics with the most finished games, sorted by name."""
    num_games = Counter(game.target for game in games if game.finished)
    members: defaultdict[str, set[str]] = defaultdict(set)
    for article, category in _rows(source / "categories.tsv.gz", num_names=1):
        members[category].add(article)
    shared = Counter(category.rpartition(".")[2] for category in members)
    topics = []
    for category, inside in members.items():
        played = [article for article in inside if num_games[article] >= LEAST_GAMES]
        if len(played) < LEAST_TARGETS:
            continue
        ideals = sorted(played, key=lambda article: (-num_games[article], article))[:MOST_IDEALS]
        last = category.rpartition(".")[2]
        name = "_".join((last if shared[last] == 1 else category).split())
        total = sum(num_games[ideal] for ideal in ideals)
        topics.append(Topic(name, tuple(sorted(ideals)), total))
    topics.sort(key=lambda topic: (-topic.num_games, topic.name))
    return sorted(topics[:num_topics])


def passes(topics: Sequence[Topic], games: Sequence[Game]) -> dict[str, dict[str, float]]:
    """Return for each topic the number of games towards its ideals through each article."""
    passed: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for game in games:
        passed[game.target].update(game.passed)
    scores: dict[str, dict[str, float]] = {}
    for topic in topics:
        total: Counter[str] = Counter()
        for ideal in topic.ideals:
            total.update(passed[ideal])
        scores[topic.name] = dict(total)
    return scores


def outlinks(
    topics: Sequence[Topic], links: Sequence[tuple[str, str]]
) -> dict[str, dict[str, float]]:
    """Return for each topic the links into its ideals / sqrt(all links) of each article."""
    num_links = Counter(source for source, _ in links)
    sources: defaultdict[str, list[str]] = defaultdict(list)
    for source, target in links:
        sources[target].append(source)
    scores: dict[str, dict[str, float]] = {}
    for topic in topics:
        into = Counter(source for ideal in topic.ideals for source in sources[ideal])
        scores[topic.name] = {
            article: float(number / np.sqrt(num_links[article])) for article, number in into.items()
        }
    return scores


def run_text(system: str, scores: Mapping[str, Mapping[str, float]], *, depth: int) -> str:
    """Return the TREC run of `system`: the best `depth` articles of each topic."""
    lines = []
    for topic, scored in scores.items():
        ranked = sorted(scored, key=lambda a: (np.float32(scored[a]), a.encode()), reverse=True)
        for rank, article in enumerate(ranked[:depth], start=1):
            lines.append(f"{topic} Q0 {article} {rank} {scored[article]!r} {system}\n")
    return "".join(lines)


def links_text(links: Sequence[tuple[str, str]]) -> str:
    """Return the links as CSV, sorted, each source choosing evenly among its own."""
    num_links = Counter(source for source, _ in links)
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["source", "target", "probability"])
    for source, target in sorted(links):
        writer.writerow([source, target, repr(GOES_ON / num_links[source])])
    return stream.getvalue()


def _rows(path: Path, *, num_names: int = 0) -> Iterator[list[str]]:
    """Yield the columns of each line that is no comment; the first `num_names` are URL-decoded."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            row = line.rstrip("\r\n").split("\t")
            if row != [""] and not row[0].startswith("#"):
                yield [unquote(name) for name in row[:num_names]] + row[num_names:]


def _write(path: Path, text: str) -> None:
    """Write beside `path` and rename, so that a file is whole or not there."""
    beside = path.with_name(f"{path.name}.part")
    beside.write_text(text, encoding="utf-8", newline="\n")
    os.replace(beside, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description="Turn the Wikispeedia game data into runs, qrels and links."
    )
    parser.add_argument("source", type=Path, metavar="SOURCE", help="folder of the game data")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write to")
    parser.add_argument("--topics", type=int, default=50, help="number of topics (50)")
    parser.add_argument("--depth", type=int, default=100, help="articles in each list (100)")
    options = parser.parse_args(arguments)
    if options.topics < 1 or options.depth < 1:
        parser.error("--topics and --depth must be at least 1")
    try:
        size = convert(options.source, options.out, num_topics=options.topics, depth=options.depth)
    except OSError as error:
        parser.error(str(error))
    print(f"collection size {size}")


if __name__ == "__main__":
    main()
