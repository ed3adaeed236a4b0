"""Hold noisy-or against people who marked the relevant paragraphs of documents.

    python -m tests.end_to_end.paragraph_votes FILE [--resamples 2000] [--seed 1]

FILE is described in `votes.py`. Some of the people of a setting judged each document. All documents
count alike; p_j is the share of its people who marked paragraph j.

any
    The probability that a person marks any paragraph of a document.
noisy-or
    1 - prod_j (1 - p_j), what it would be if the marks of a document were independent.
noisy-or of different people
    The same without bias, the mean over all ways to ask a different person about each paragraph.
comonotone, exclusive
    max_j p_j and min(1, sum_j p_j): the least and the most that these p_j allow.
person
    If each person had a factor, in all documents the same: a one-factor Gaussian copula whose
    rho_person is fitted to the covariances of a person's marks in *different* documents.
copula
    If each person had a factor in each document: the same, rho fitted to the covariances of a
    person's marks in the *same* document. It holds what is the person's and the document's.

No fit looks at whole documents: `any` under them is predicted. The gap, noisy-or less any, has
three parts: `persons` (noisy-or - person), `documents` (person - copula), `rest` (copula - any).

Intervals: people drawn anew with all their marks. Estimates from 15 people are biased, and such
draws double it, so they are taken about their own mean; `bias` is what simulations of the fitted
model show, with the same people and documents.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import eval_hermitenorm, factorial, ndtr, ndtri

from prum.analytic import normal_nodes
from tests.end_to_end.votes import Votes, read_votes, simulated

Floats = NDArray[np.float64]

NODES, WEIGHTS = normal_nodes(64)
# Powers of a correlation kept in the covariance of two marks; .9^40 is .015, .7^40 is 6e-7.
TERMS = 40
LARGEST_RHO = 0.95


def figures(votes: Votes, people: Floats, documents: Floats) -> dict[str, float]:
    """Return what the module's docstring defines, with a weight for each person and document."""
    size = votes.sizes
    judges = people @ votes.judged
    shown = (judges > 0) * documents
    p = people @ votes.marked / np.maximum(np.repeat(judges, size), 1e-9)
    anything = np.maximum.reduceat(votes.marked, votes.starts, axis=1)

    def mean(of_documents: Floats) -> float:
        return float(shown @ of_documents / shown.sum())

    found = {
        "any": mean(people @ anything / np.maximum(judges, 1e-9)),
        "noisy-or": any_marked(p, 0, shown, votes.starts),
        "comonotone": mean(np.maximum.reduceat(p, votes.starts)),
        "exclusive": mean(np.minimum(1, np.add.reduceat(p, votes.starts))),
    }
    across, within = covariances(votes, people, shown, p)
    found["rho_person"], found["rho"] = fitted(*across), fitted(*within)
    found["person"] = any_marked(p, found["rho_person"], shown, votes.starts)
    found["copula"] = any_marked(p, found["rho"], shown, votes.starts)
    return parts(found)


def parts(of: dict[str, float]) -> dict[str, float]:
    """Return the figures with the gap and its parts, as they are and as shares of it."""
    gap = of["noisy-or"] - of["any"]
    three = {
        "persons": of["noisy-or"] - of["person"],
        "documents": of["person"] - of["copula"],
        "rest": of["copula"] - of["any"],
    }
    shares = {f"{name} / gap": part / gap if gap else math.nan for name, part in three.items()}
    return of | {"gap": gap} | three | shares


def any_marked(p: Floats, rho: float, documents: Floats, starts: NDArray[np.int64]) -> float:
    """Return the mean of P(any) if the marks of a document share a factor; weighted documents."""
    given = ndtr((ndtri(p)[:, None] - math.sqrt(rho) * NODES) / math.sqrt(1 - rho))
    nothing = np.multiply.reduceat(1 - given, starts, axis=0) @ WEIGHTS
    return float(documents @ (1 - nothing) / documents.sum())


def covariances(
    votes: Votes, people: Floats, documents: Floats, p: Floats
) -> tuple[tuple[float, Floats], tuple[float, Floats]]:
    """Return the mean covariance of two marks of a person, and the series of its model in rho.

    First across documents (judgements count alike, however many a person made), then within
    (documents count alike). The covariance of two marks with probabilities p and q under a
    Gaussian copula is sum_n rho^n a_n(p) a_n(q), a_n(p) = He_(n-1)(h) phi(h) / sqrt(n!) at
    h = Phi^-1(p).
    """
    size, starts = votes.sizes, votes.starts
    inner = (p > 0) & (p < 1)
    h, n = ndtri(np.where(inner, p, 0.5)), np.arange(1, TERMS + 1)[:, None]
    density = np.where(inner, np.exp(-(h**2) / 2) / math.sqrt(2 * math.pi), 0)
    series = eval_hermitenorm(n - 1, h) * density / np.sqrt(factorial(n))

    def products(values: Floats) -> Floats:
        """Return the mean product of two paragraphs of each document; 0 if it has one."""
        pairs = np.maximum(size * (size - 1), 1)
        square = np.add.reduceat(values, starts, axis=1) ** 2
        return (square - np.add.reduceat(values**2, starts, axis=1)) / pairs

    residuals = np.where(np.repeat(votes.judged, size, axis=1), votes.marked - p, 0.0)
    share = documents * (size > 1) / np.maximum(people @ votes.judged, 1e-9)
    within = (people @ products(residuals) @ share, products(series) @ (documents * (size > 1)))

    judgements = votes.judged @ documents
    per_person = people * (judgements > 1) / np.maximum(judgements - 1, 1e-9)
    inner_means = np.add.reduceat(residuals, starts, axis=1) / size * documents
    across = per_person @ (inner_means.sum(axis=1) ** 2 - (inner_means**2).sum(axis=1))
    model = np.add.reduceat(series, starts, axis=1) / size * documents
    total, squares = model @ votes.judged.T, model**2 @ votes.judged.T
    return (float(across), (total**2 - squares) @ per_person), (float(within[0]), within[1])


def fitted(covariance: float, series: Floats) -> float:
    """Return rho in [0, .95] at which the series has this value, or the end nearer to it."""
    powers = np.arange(1, TERMS + 1)

    def excess(rho: float) -> float:
        return float(series @ rho**powers) - covariance

    if excess(0.0) >= 0:
        return 0.0
    return LARGEST_RHO if excess(LARGEST_RHO) <= 0 else float(brentq(excess, 0, LARGEST_RHO))


def different_people(unmarked: NDArray[np.bool_]) -> float:
    """Return 1 - the mean of prod_j unmarked[i_j, j] over all distinct i_1 .. i_k: unbiased.

    Person by person: ways[A] is the number of ways to have asked about the paragraphs in A.
    """
    num_people, k = unmarked.shape
    ways = np.zeros(1 << k)
    ways[0] = 1
    for person in unmarked:
        more = ways.copy()
        for j in np.flatnonzero(person):
            more.reshape(-1, 2, 1 << int(j))[:, 1] += ways.reshape(-1, 2, 1 << int(j))[:, 0]
        ways = more
    return 1 - float(ways[-1]) / math.perm(num_people, k)


def unbiased_noisy_or(votes: Votes) -> float:
    """Return the mean of `different_people` over documents."""
    ends = votes.starts + votes.sizes
    documents = zip(votes.judged.T, votes.starts, ends, strict=True)
    return float(np.mean([different_people(~votes.marked[own, a:b]) for own, a, b in documents]))


class Figure(NamedTuple):
    """An estimate, its interval, and its bias in simulations of the fitted model."""

    value: float
    low: float
    high: float
    bias: float = math.nan


def measure(votes: Votes, *, num_resamples: int, seed: int) -> dict[str, Figure]:
    """Return each figure of the module's docstring."""
    generator = np.random.default_rng(seed)
    people, documents = (np.ones(number) for number in votes.judged.shape)

    def again(weights: Floats) -> Floats:
        return generator.multinomial(len(weights), weights / len(weights)).astype(np.float64)

    estimates = figures(votes, people, documents)
    rhos = estimates["rho_person"], estimates["rho"]
    drawn = [figures(votes, again(people), documents) for _ in range(num_resamples)]
    wider = [figures(votes, again(people), again(documents)) for _ in range(num_resamples)]
    model = [
        figures(simulated(votes, *rhos, generator), people, documents)
        for _ in range(num_resamples // 4 + 1)
    ]
    truth = parts(estimates | {"any": estimates["copula"]})

    def figure(name: str, draws: list[dict[str, float]], shift: float = 0.0) -> Figure:
        values = np.array([draw[name] for draw in draws])
        low, high = np.quantile(values - values.mean(), [0.025, 0.975]) + estimates[name] + shift
        bias = math.nan if shift else float(np.mean([one[name] for one in model])) - truth[name]
        return Figure(estimates[name] + shift, float(low), float(high), bias)

    result = {name: figure(name, drawn) for name in estimates}
    result["gap, documents drawn too"] = figure("gap", wider)
    shift = unbiased_noisy_or(votes) - estimates["noisy-or"]
    result["noisy-or of different people"] = figure("noisy-or", drawn, shift)
    result["gap of different people"] = figure("gap", drawn, shift)
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Hold noisy-or against paragraph votes.")
    parser.add_argument("file", type=Path, metavar="FILE", help="the votes, gzipped")
    parser.add_argument("--resamples", type=int, default=2000, help="times people are drawn anew")
    parser.add_argument("--seed", type=int, default=1, help="seed of what is drawn")
    options = parser.parse_args(arguments)
    if options.resamples < 2:
        parser.error("--resamples must be at least 2")
    for setting, votes in read_votes(options.file).items():
        print(f"{setting}: {len(votes.judged)} people, {votes.judged.shape[1]} documents")
        measured = measure(votes, num_resamples=options.resamples, seed=options.seed)
        for name, (value, low, high, bias) in measured.items():
            shown = "" if math.isnan(bias) else f"  bias {bias:+.4f}"
            print(f"    {name:30}{value:8.4f}  [{low:.4f}, {high:.4f}]{shown}")


if __name__ == "__main__":
    main()
