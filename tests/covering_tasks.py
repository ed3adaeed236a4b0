"""Lists of chunks and the spans that are looked for: cases by hand, and random small ones."""

import numpy as np

from prum.simulator.model import ChunkTable, Covering, Span, Task

Case = tuple[Task, Covering]

# Ids with blanks, Unicode and digits; ordered by no rule.
NAMES = ("b", "a b", "ß", "日本", "10", "9", "nan", "x → y", "A")
REPORT = ChunkTable(
    {
        "first half": ("report", 0, 50),
        "second half": ("report", 50, 100),
        "first half again": ("report", 0, 50),
        "middle": ("report", 25, 75),
        "all": ("report", 0, 100),
        "later": ("report", 120, 200),
        "annex": ("annex", 0, 50),
    }
)


def covering_case(
    ranking: list[str],
    spans: dict[str, Span],
    links: dict[tuple[str, str], float] | None = None,
    *,
    whole: bool = False,
    more: int = 0,
    chunks: ChunkTable = REPORT,
) -> Case:
    """Return a task over chunks and how it is read, with `more` chunks than there are."""
    covering = Covering(chunks, spans, links=links, whole=whole)
    size = covering.collection_size(len(set(ranking))) + more
    return Task(ranking, list(spans), size), covering


ONE, TWO = (
    {"x": Span("report", 0, 100)},
    {"x": Span("report", 10, 90), "y": Span("report", 40, 60)},
)
OPENED = {("first half", "second half"): 0.5, ("annex", "middle"): 0.3, ("annex", "later"): 1.0}

COVERINGS: dict[str, Case] = {
    "two halves": covering_case(["first half", "second half"], ONE),
    "a half twice": covering_case(["first half", "first half again"], ONE),
    "a chunk twice": covering_case(["annex", "first half", "annex", "annex"], TWO, OPENED),
    "overlapping gold": covering_case(["later", "middle", "all"], TWO, more=40),
    "opened for two spans": covering_case(["annex", "first half", "later"], TWO, OPENED),
    "opened, whole": covering_case(["annex", "first half", "later"], TWO, OPENED, whole=True),
    "whole": covering_case(["second half", "later", "first half"], TWO, whole=True, more=3),
    "across a gap": covering_case(["later", "second half"], {"x": Span("report", 90, 130)}),
    "shown by nobody": covering_case(
        ["annex", "all"], {"x": Span("report", 95, 120), "y": Span("lost", 0, 9)}, OPENED, more=9
    ),
    "no ranks": covering_case([], TWO),
    "one chunk, one span": covering_case(
        ["日本"], {"ß": Span("x → y", 3, 4)}, chunks=ChunkTable({"日本": ("x → y", 0, 9)})
    ),
}


def random_covering(rng: np.random.Generator) -> Case:
    """Return a small list of overlapping chunks; duplicates, openings and gaps among them."""
    names = [str(name) for name in rng.permutation(np.array(NAMES))]
    documents = names[: rng.integers(1, 4)]
    rows: dict[str, tuple[str, int, int]] = {}
    for chunk in names[: rng.integers(2, 8)]:
        begin = int(rng.integers(0, 40))
        document = documents[rng.integers(len(documents))]
        rows[chunk] = document, begin, begin + int(rng.integers(1, 30))
    chunks = list(rows)
    ranking = [chunks[k] for k in rng.integers(0, len(chunks), rng.integers(0, 7))]
    spans: dict[str, Span] = {}
    for ideal in range(rng.integers(1, 5)):
        begin = int(rng.integers(0, 50))
        document = documents[rng.integers(len(documents))]
        spans[f"{ideal} ß"] = Span(document, begin, begin + int(rng.integers(1, 25)))
    links = {
        (source, target): float(rng.choice([0.0, 0.1, 0.5, rng.random(), 1.0]))
        for source in chunks
        for target in chunks
        if rng.random() < 0.3
    }
    return covering_case(
        ranking,
        spans,
        links if rng.random() < 0.7 else None,
        whole=bool(rng.random() < 0.4),
        more=int(rng.choice([0, 0, 1, 5])),
        chunks=ChunkTable(rows),
    )
