"""Hypotheses about which links people take, compared by evidence as HypTrails does."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from prum.experiments.fitting.dirichlet import log_evidence
from prum.experiments.logs.counts import StepCounts
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Floats

CONCENTRATIONS = (1.0, 10.0, 100.0, 1000.0, 10_000.0)


@dataclass(frozen=True, slots=True)
class HypothesisEvidence:
    """How probable a log's moves are under a hypothesis that is believed so firmly.

    Parameters
    ----------
    hypothesis, concentration
        Its name; how many moves at each element the belief is worth.
    log_evidence
        The logarithm of the probability of all moves in their order.
    """

    hypothesis: str
    concentration: float
    log_evidence: float


def evidence(
    counts: StepCounts,
    hypotheses: Mapping[str, Links],
    concentrations: Iterable[float] = CONCENTRATIONS,
) -> list[HypothesisEvidence]:
    """Return the evidence of hypotheses about links, for each concentration of belief in them.

    Choices at x are Dirichlet with shapes 1 + k h_xy, where h_xy are the hypothesis's weights over
    their sum (Singer et al., HypTrails, WWW 2015); an element of which it says nothing keeps 1.
    Differences at the same k are log Bayes factors.

    Raises
    ------
    InputError
        for a negative concentration.

    >>> links = Links({("a", "b"): 1, ("a", "c"): 1})
    >>> from prum.experiments.logs import Sessions, step_counts
    >>> counts = step_counts([Sessions.of([["a", "b"], ["a", "b"]])], links)
    >>> right, wrong = Links({("a", "b"): 1}), Links({("a", "c"): 1})
    >>> [round(row.log_evidence, 3) for row in evidence(counts, {"b": right, "c": wrong}, [10])]
    [-0.167, -4.357]
    """
    links = counts.links
    rows = list[HypothesisEvidence]()
    levels = list(concentrations)
    for k in levels:
        if not k >= 0:
            raise InputError("concentration", k, "be at least 0", remedy="try 100")
    for name, hypothesis in hypotheses.items():
        shares = hypothesis_shares(links, hypothesis)
        for k in levels:
            shapes = 1 + k * shares
            value = log_evidence(counts.moves, shapes, links.sources, len(links.elements)).sum()
            rows.append(HypothesisEvidence(name, k, float(value)))
    return rows


def hypothesis_shares(links: Links, hypothesis: Links) -> Floats:
    """Return by row of links its share of the hypothesis's weights among the source's links.

    0 for all rows of a source of which the hypothesis says nothing.
    """
    code = np.array([hypothesis.code.get(name, -1) for name in links.elements], dtype=np.int64)
    x, y = code[links.sources], code[links.targets]
    size = len(hypothesis.elements)
    keys = hypothesis.sources.astype(np.int64) * size + hypothesis.targets
    wanted = np.where((x >= 0) & (y >= 0), x * size + y, -1)
    place = np.searchsorted(keys, wanted)
    known = place < len(keys)
    known[known] = keys[place[known]] == wanted[known]
    weights = np.zeros(len(links))
    weights[known] = hypothesis.probabilities[place[known]]
    whole = np.bincount(links.sources, weights, len(links.elements))
    shares: Floats = weights / np.where(whole > 0, whole, 1)[links.sources]
    return shares
