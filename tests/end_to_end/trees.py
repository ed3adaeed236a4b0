"""Turn plays or help pages in XML into files for the command line: runs, qrels, elements, links.

    python tests/end_to_end/trees.py plays SOURCE OUT [--topics 50] [--depth 60]
    python tests/end_to_end/trees.py pages SOURCE OUT [--topics 50] [--depth 60]

Nobody judged these texts: a topic is a word, and what is ideal follows from where the word stands.
So trees and links are real, topics and lists are made up.

plays: SOURCE holds plays as *.xml (PLAY, ACT, SCENE, SPEECH, LINE). Topics are words of at least
five letters that stand in 5 to 12 speeches of at least two plays; these speeches are ideal.
Elements are called as `prum` calls them: hamlet/ACT[1]/SCENE[2]. Written to OUT:

    speeches.run, lines.run, scenes.run, mixed.run
        SPEECHes, LINEs, SCENEs, or all of them, by the number of their words that begin with the
        topic's first four letters, over the square root of the number of their words.
    qrels.txt
    plays.csv.gz
        All elements of all plays: element, parent, length, start, in characters but blanks.

pages: SOURCE holds pages as *.page (Mallard). Topics are words of at least five letters that stand
in the titles of 3 to 12 pages; these pages are ideal. Written to OUT:

    body.run
        Pages by the number of times the word stands in them, title left out, over the square root
        of the number of their words.
    hubs.run
        Pages by the number of their links to pages that hold the word, title left out, over the
        square root of the number of their links.
    qrels.txt, links.csv
        The links of a page, each with an equal share of .85. A link in a page's head (guide, topic,
        seealso) is shown on both pages, so it leads both ways; those in the text lead one way.

Of the words those are taken that lie evenly spaced in the alphabet. Lists end at DEPTH or where
scores are 0; equal scores (in single precision) are ordered by id, last first, as trec_eval does.
The files are the same byte for byte each time; the size of the collection is printed.
"""

import argparse
import csv
import gzip
import io
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

LEAST_LETTERS = 5
STEM = 4
MOST_IDEALS = 12
GOES_ON = 0.85
_WORD = re.compile(r"[a-z]+")

Ideals = Mapping[str, Sequence[str]]
Scores = Mapping[str, Mapping[str, float]]


class Part(NamedTuple):
    """An element of a document: its id, its parent's, its tag, its words, its place."""

    id: str
    parent: str
    tag: str
    words: list[str]
    length: int
    start: int


def convert_plays(source: Path, out: Path, *, num_topics: int = 50, depth: int = 60) -> int:
    """Write runs, qrels and elements of plays to `out` and return the number of elements."""
    parts = [part for path in sorted(source.glob("*.xml")) for part in read_parts(path)]
    by_tag = defaultdict[str, list[Part]](list)
    for part in parts:
        by_tag[part.tag].append(part)
    holding = defaultdict[str, list[str]](list)
    for speech in by_tag["SPEECH"]:
        for word in set(speech.words):
            holding[word].append(speech.id)
    found = {
        word: ids
        for word, ids in holding.items()
        if 5 <= len(ids) <= MOST_IDEALS and len({id.partition("/")[0] for id in ids}) >= 2
    }
    ideals = choose(found, num_topics)
    out.mkdir(parents=True, exist_ok=True)
    tags = {"lines": ["LINE"], "speeches": ["SPEECH"], "scenes": ["SCENE"]}
    for system, some in {**tags, "mixed": ["LINE", "SPEECH", "SCENE"]}.items():
        ranked = [part for tag in some for part in by_tag[tag]]
        scores = {word: by_stem(word, ranked) for word in ideals}
        _write(out / f"{system}.run", run_text(system, scores, depth=depth))
    _write(out / "qrels.txt", qrels_text(ideals))
    rows = [(part.id, part.parent, str(part.length), str(part.start)) for part in parts]
    _write(out / "plays.csv.gz", csv_text(("element", "parent", "length", "start"), rows))
    return len(parts)


def convert_pages(source: Path, out: Path, *, num_topics: int = 50, depth: int = 60) -> int:
    """Write runs, qrels and links of help pages to `out` and return the number of pages."""
    trees = {path.stem: ElementTree.parse(path).getroot() for path in sorted(source.glob("*.page"))}
    titles, bodies = dict[str, list[str]](), dict[str, list[str]]()
    for page, root in trees.items():
        title = root.find("{*}title")
        titles[page] = [] if title is None else _words(title)
        left = Counter(_words(root))
        left.subtract(titles[page])
        bodies[page] = list(left.elements())
    holding = defaultdict[str, list[str]](list)
    for page, words in titles.items():
        for word in set(words):
            holding[word].append(page)
    ideals = choose(
        {word: ids for word, ids in holding.items() if 3 <= len(ids) <= MOST_IDEALS}, num_topics
    )
    links = page_links(trees)
    body, hubs = dict[str, dict[str, float]](), dict[str, dict[str, float]]()
    for word in ideals:
        body[word] = {
            page: words.count(word) / np.sqrt(len(words)) for page, words in bodies.items() if words
        }
        hubs[word] = {
            page: sum(word in bodies[other] for other in shown) / np.sqrt(len(shown))
            for page, shown in links.items()
        }
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "body.run", run_text("body", body, depth=depth))
    _write(out / "hubs.run", run_text("hubs", hubs, depth=depth))
    _write(out / "qrels.txt", qrels_text(ideals))
    rows = [
        (page, other, repr(GOES_ON / len(shown)))
        for page, shown in links.items()
        for other in shown
    ]
    _write(out / "links.csv", csv_text(("source", "target", "probability"), rows))
    return len(trees)


def read_parts(path: Path) -> Iterator[Part]:
    """Yield the elements of an XML file in document order."""

    def walk(
        node: ElementTree.Element, name: str, parent: str, start: int
    ) -> tuple[list[Part], list[str], int]:
        """Return the parts of a node, itself first, its words, and where it ends."""
        inner, words = list[Part](), _words_of(node.text)
        end = start + _size(node.text)
        counts = Counter[str]()
        for child in node:
            counts[child.tag] += 1
            below, more, end = walk(child, f"{name}/{child.tag}[{counts[child.tag]}]", name, end)
            inner += below
            words += more + _words_of(child.tail)
            end += _size(child.tail)
        return [Part(name, parent, node.tag, words, end - start, start), *inner], words, end

    yield from walk(ElementTree.parse(path).getroot(), path.stem, "", 0)[0]


def page_links(trees: Mapping[str, ElementTree.Element]) -> dict[str, list[str]]:
    """Return the pages that each page shows links to, sorted, each once."""
    shown = defaultdict[str, set[str]](set)
    for page, root in trees.items():
        head = {id(link) for link in root.iterfind(".//{*}info//{*}link")}
        for link in root.iterfind(".//{*}link"):
            other = (link.get("xref") or "").partition("#")[0]
            if other in trees and other != page:
                shown[page].add(other)
                if id(link) in head:
                    shown[other].add(page)
    return {page: sorted(shown[page]) for page in sorted(shown)}


def by_stem(word: str, parts: Sequence[Part]) -> dict[str, float]:
    """Return the score of each part that holds words beginning as `word` does."""
    scores = dict[str, float]()
    for part in parts:
        number = sum(other.startswith(word[:STEM]) for other in part.words)
        if number:
            scores[part.id] = float(number / np.sqrt(len(part.words)))
    return scores


def choose(found: Ideals, number: int) -> dict[str, Sequence[str]]:
    """Return some long words with their ideals, evenly spaced in the alphabet."""
    words = sorted(word for word in found if len(word) >= LEAST_LETTERS)
    places = np.linspace(0, len(words) - 1, min(number, len(words))).round().astype(int)
    return {words[place]: found[words[place]] for place in places.tolist()}


def run_text(system: str, scores: Scores, *, depth: int) -> str:
    """Return the TREC run of `system`: the best `depth` elements of each topic."""
    lines = []
    for topic, scored in scores.items():
        ranked = sorted(scored, key=lambda x: (np.float32(scored[x]), x.encode()), reverse=True)
        for rank, element in enumerate(ranked[:depth], start=1):
            if scored[element] > 0:
                score = float(scored[element])
                lines.append(f"{topic} Q0 {element} {rank} {score!r} {system}\n")
    return "".join(lines)


def qrels_text(ideals: Ideals) -> str:
    """Return TREC qrels: grade 1 for each ideal."""
    return "".join(f"{topic} 0 {ideal} 1\n" for topic, ids in ideals.items() for ideal in ids)


def csv_text(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return stream.getvalue()


def _words(node: ElementTree.Element) -> list[str]:
    return _words_of(" ".join(node.itertext()))


def _words_of(text: str | None) -> list[str]:
    return _WORD.findall((text or "").lower())


def _size(text: str | None) -> int:
    return len("".join((text or "").split()))


def _write(path: Path, text: str) -> None:
    """Write beside `path` and rename, so that a file is whole or not there."""
    beside = path.with_name(f"{path.name}.part")
    content = text.encode()
    # Without a time the same content is the same bytes.
    beside.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    os.replace(beside, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description="Turn plays or help pages in XML into runs, qrels, and elements or links."
    )
    parser.add_argument("what", choices=("plays", "pages"))
    parser.add_argument("source", type=Path, metavar="SOURCE", help="folder of the XML files")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write to")
    parser.add_argument("--topics", type=int, default=50, help="number of topics (50)")
    parser.add_argument("--depth", type=int, default=60, help="elements in each list (60)")
    options = parser.parse_args(arguments)
    if options.topics < 1 or options.depth < 1:
        parser.error("--topics and --depth must be at least 1")
    convert = {"plays": convert_plays, "pages": convert_pages}[options.what]
    try:
        size = convert(options.source, options.out, num_topics=options.topics, depth=options.depth)
    except OSError as error:
        parser.error(str(error))
    if not size:
        parser.error(f"no {options.what} in {options.source}")
    print(f"collection size {size}")


if __name__ == "__main__":
    main()
