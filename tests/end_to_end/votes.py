"""Read which paragraphs of a document people marked relevant, or simulate it.

The file is gzipped and tab-separated: a line for each setting, document and person, with the number
of paragraphs of the document and those that the person marked, counted from 1.
"""

import csv
import gzip
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


class Votes(NamedTuple):
    """The marks of a setting.

    marked, shape (people, paragraphs), is false where nothing was judged; judged, shape (people,
    documents), tells; the paragraphs of document d begin at starts[d].
    """

    marked: Bools
    judged: Bools
    starts: Ints

    @property
    def sizes(self) -> Ints:
        """The number of paragraphs of each document."""
        return np.diff(self.starts, append=self.marked.shape[1])


def read_votes(path: Path) -> dict[str, Votes]:
    """Return the votes of each setting."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    settings = {}
    for setting in dict.fromkeys(row["setting"] for row in rows):
        own = [row for row in rows if row["setting"] == setting]
        size = {row["doc"]: int(row["n_paragraphs"]) for row in own}
        person = {name: i for i, name in enumerate(sorted({row["worker"] for row in own}))}
        document = {name: d for d, name in enumerate(size)}
        starts = np.cumsum([0, *size.values()])
        votes = Votes(
            np.zeros((len(person), starts[-1]), dtype=np.bool_),
            np.zeros((len(person), len(size)), dtype=np.bool_),
            starts[:-1],
        )
        for row in own:
            i, d = person[row["worker"]], document[row["doc"]]
            votes.judged[i, d] = True
            for paragraph in row["relevant_paragraphs"].split():
                votes.marked[i, starts[d] + int(paragraph) - 1] = True
        settings[setting] = votes
    return settings


def simulated(votes: Votes, rho_person: float, rho: float, generator: np.random.Generator) -> Votes:
    """Return new marks of the same people on the same documents, with the same shares p.

    Each mark is sqrt(rho_person) Z + sqrt(rho - rho_person) Y + sqrt(1 - rho) E <= Phi^-1(p), Z of
    the person, Y of the person and the document, E of the mark.
    """
    p = votes.marked.sum(axis=0) / np.repeat(votes.judged.sum(axis=0), votes.sizes)
    num_people, num_documents = votes.judged.shape
    factor = math.sqrt(rho_person) * generator.standard_normal((num_people, 1))
    factor = factor + math.sqrt(max(rho - rho_person, 0)) * generator.standard_normal(
        (num_people, num_documents)
    )
    noise = math.sqrt(1 - max(rho, rho_person)) * generator.standard_normal(votes.marked.shape)
    marked = np.repeat(factor, votes.sizes, axis=1) + noise <= ndtri(p)
    return votes._replace(marked=marked & np.repeat(votes.judged, votes.sizes, axis=1))
