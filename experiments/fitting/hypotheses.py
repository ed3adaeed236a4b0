"""Hypotheses about which links people take, compared by evidence as HypTrails does."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from prum.experiments.fitting.dirichlet import group_shares, log_evidence
from prum.experiments.logs.codes import codes_of, rows_of
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
    weights = hypothesis_weights(links, hypothesis)
    return group_shares(weights, links.sources, len(links.elements))


def hypothesis_weights(links: Links, hypothesis: Links) -> Floats:
    """Return by row of links what a hypothesis gives it, 0 for other pairs."""
    code = codes_of(links.elements, hypothesis.code)
    row = rows_of(hypothesis, code[links.sources], code[links.targets])
    weights: Floats = np.append(hypothesis.probabilities, 0.0)[row]
    return weights


def check_base(base: object, words: tuple[str, ...]) -> None:
    """Raise unless a base is one of some words, or a hypothesis of one's own.

    Raises
    ------
    InputError
        then.
    """
    if not isinstance(base, Links) and base not in words:
        rule = f"be one of {', '.join(words)}, or Links (a file of them)"
        raise InputError("base", base, rule, remedy="check the name")
