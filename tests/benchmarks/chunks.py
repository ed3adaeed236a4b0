"""All measures of lists of chunks against spans: ``python tests/benchmarks/chunks.py``."""

import argparse
import time
from collections.abc import Callable

import numpy as np

from prum.analytic import closed_form, independent_of, prum_of
from prum.analytic.spans import efficiency, list_coverage
from prum.simulator.model import ChunkTable, Covering, Span, Task

Case = tuple[Task, Covering]


def table(documents: int, size: int = 400, step: int = 100) -> ChunkTable:
    """Return 100 overlapping chunks of each document."""
    return ChunkTable(
        {
            f"{d}:{k}": (f"doc{d}", k * step, k * step + size)
            for d in range(documents)
            for k in range(100)
        }
    )


def cases(chunks: ChunkTable, questions: int, depth: int, **dials: float) -> list[Case]:
    """Return questions with up to five spans; most chunks of a list are of their documents."""
    random = np.random.default_rng(1)
    documents = len(chunks.documents)
    drawn = []
    links = chunks.links(**dials) if dials else None
    for _ in range(questions):
        near = random.integers(documents, size=random.integers(1, 6))
        starts = random.integers(0, 9_500, size=len(near))
        spans = {
            f"{number}": Span(f"doc{document}", start, start + int(random.integers(50, 500)))
            for number, (document, start) in enumerate(
                zip(near.tolist(), starts.tolist(), strict=True)
            )
        }
        from_near = random.random(2 * depth) < 0.7
        others = random.integers(documents, size=2 * depth)
        at = np.where(from_near, random.choice(near, size=2 * depth), others)
        names = [f"{d}:{k}" for d, k in zip(at, random.integers(100, size=2 * depth), strict=True)]
        ranking = list(dict.fromkeys(names))[:depth]
        covering = Covering(chunks, spans, links=links)
        drawn.append((Task(ranking, spans, covering.collection_size(len(ranking))), covering))
    return drawn


def by_characters(task: Task, covering: Covering) -> object:
    """Return the exact value in characters read."""
    return closed_form(task, covering, costs=covering.costs_along(task))


MEASURES: dict[str, Callable[[Task, Covering], object]] = {
    "coverage, success, precision, IoU at every k": list_coverage,
    "exact PRUM": closed_form,
    "exact PRUM by characters": by_characters,
    "PRUM": prum_of,
    "noisy-or": independent_of,
    "Efficiency": efficiency,
}


def main() -> None:
    """Print the time of each measure, for all questions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--depth", type=int, default=100)
    options = parser.parse_args()
    start = time.process_time()
    chunks = table(options.documents)
    print(f"{len(chunks):,} chunks: {time.process_time() - start:.2f} s of processor")
    for way, dials in (("nothing opened", {}), ("next .5", {"next": 0.5})):
        drawn = cases(chunks, options.questions, options.depth, **dials)
        for name, measure in MEASURES.items():
            measure(*drawn[0])
            start = time.process_time()
            for case in drawn:
                measure(*case)
            print(f"{way}, {name}: {time.process_time() - start:.2f} s")


if __name__ == "__main__":
    main()
