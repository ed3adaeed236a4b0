"""Turn logs of people into sessions: games of Wikispeedia, votes on paragraphs, clicks of searches.

    python -m tests.end_to_end.logs_of_people games SOURCE OUT
    python -m tests.end_to_end.logs_of_people votes SOURCE OUT
    python -m tests.end_to_end.logs_of_people clicks SOURCE OUT

Tables have the columns session, element and person; tables of links source and target.

games
    SOURCE is the folder that `wikispeedia.py` reads. finished.csv has the first finished game of
    each pair of start and target, with back clicks; unfinished.csv all games that were given up;
    links.csv all links. A person is an address. Games with a move along no link (117 of 53,593),
    and one that begins at an article without links, are left out.
votes
    SOURCE is the file that `votes.py` reads. For each setting, SETTING.csv has a session for each
    document and person: the document, then each paragraph that the person marked, and back.
    SETTING-links.csv leads from each document to its paragraphs.
clicks
    SOURCE is a log of NAVER. clicks.csv has a session for each search: the query, then each result
    that was clicked, and back; links.csv leads from each query to all results that it listed. A
    person is a session of the log. Clicks outside the list of their search are left out.
"""

import argparse
import csv
import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from tests.end_to_end.votes import read_votes
from tests.end_to_end.wikispeedia import _rows

# What people did: session, person, and the elements in their order, back clicks as "<".
Session = tuple[str, str, Sequence[str]]
BACK = "<"


def write_log(path: Path, sessions: Iterable[Session]) -> None:
    """Write sessions as rows of session, element and person."""
    write_table(
        path,
        ("session", "element", "person"),
        ((name, element, person) for name, person, visits in sessions for element in visits),
    )


def write_links(path: Path, links: Iterable[tuple[str, str]]) -> None:
    """Write links as rows of source and target."""
    write_table(path, ("source", "target"), links)


def write_table(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def game_links(source: Path) -> list[tuple[str, str]]:
    """Return the links between different articles."""
    return [(x, y) for x, y in _rows(source / "links.tsv.gz", num_names=2) if x != y]


def games(source: Path, links: Iterable[tuple[str, str]], *, finished: bool) -> Iterator[Session]:
    """Yield games along links, finished or not, as they were played."""
    known = set(links)
    articles = {article for link in known for article in link}
    name = "paths_finished_raw_one_per_pair" if finished else "paths_unfinished"
    for number, row in enumerate(_rows(source / f"{name}.tsv.gz")):
        if finished and number == 0:
            continue  # the names of columns
        person, path = (row[1], row[4]) if finished else (row[0], row[3])
        visits = [unquote(page) for page in path.split(";")]
        trail = list[str]()
        moves = list[tuple[str, str]]()
        for page in visits:
            if page == BACK:
                trail.pop()
            else:
                moves += [(trail[-1], page)] if trail else []
                trail.append(page)
        if known.issuperset(moves) and visits[0] in articles:
            yield f"{name}{number}", person, visits


def convert_games(source: Path, out: Path) -> None:
    """Write the games and their links."""
    links = game_links(source)
    write_links(out / "links.csv", links)
    for name in ("finished", "unfinished"):
        write_log(out / f"{name}.csv", games(source, links, finished=name == "finished"))


def convert_votes(source: Path, out: Path) -> None:
    """Write the marks of each setting, and where they could be."""
    for setting, votes in read_votes(source).items():
        ends = [*votes.starts.tolist(), votes.marked.shape[1]]
        paragraphs = [
            [f"document {document} paragraph {number + 1}" for number in range(end - begin)]
            for document, (begin, end) in enumerate(pairwise(ends))
        ]
        write_links(
            out / f"{setting}-links.csv",
            ((f"document {d}", name) for d, own in enumerate(paragraphs) for name in own),
        )
        write_log(
            out / f"{setting}.csv",
            (
                (
                    f"{person} {d}",
                    f"person {person}",
                    star(
                        f"document {d}",
                        [
                            name
                            for name, is_marked in zip(
                                own, votes.marked[person, ends[d] : ends[d + 1]], strict=True
                            )
                            if is_marked
                        ],
                    ),
                )
                for d, own in enumerate(paragraphs)
                for person in np.flatnonzero(votes.judged[:, d]).tolist()
            ),
        )


def star(entry: str, seen: Iterable[str]) -> list[str]:
    """Return visits from an entry, each followed by a back click.

    >>> star("a", ["b", "c"])
    ['a', 'b', '<', 'c', '<']
    """
    return [entry, *(name for element in seen for name in (element, BACK))]


def convert_clicks(source: Path, out: Path) -> None:
    """Write searches with their clicks, and what queries listed."""
    searches: list[tuple[str, str, list[str], list[str]]] = []
    last: dict[str, int] = {}
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            session, _, kind, first, *rest = line.rstrip("\t\n").split("\t")
            if kind == "Q":
                last[session] = len(searches)
                searches.append((session, f"query {first}", rest[1:], []))
            elif session in last:
                _, _, listed, clicked = searches[last[session]]
                if first in listed and first not in clicked:
                    clicked.append(first)
    write_links(
        out / "links.csv",
        dict.fromkeys((query, f"url {url}") for _, query, urls, _ in searches for url in urls),
    )
    write_log(
        out / "clicks.csv",
        (
            (str(number), f"session {session}", star(query, (f"url {url}" for url in clicked)))
            for number, (session, query, _, clicked) in enumerate(searches)
        ),
    )


CONVERTERS: dict[str, Callable[[Path, Path], None]] = {
    "games": convert_games,
    "votes": convert_votes,
    "clicks": convert_clicks,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Turn logs of people into sessions.")
    parser.add_argument("kind", choices=CONVERTERS, help="what is read")
    parser.add_argument("source", type=Path, metavar="SOURCE", help="file or folder of the data")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write to")
    options = parser.parse_args(arguments)
    CONVERTERS[options.kind](options.source, options.out)


if __name__ == "__main__":
    main()
