"""Simulated queries with continuous relevance, systems that estimate it with an error, scores.

Of query q the user's estimates (URE) of its documents are independent, Beta(3 m, 3 (1 - m)) with
m = m_q uniform on (.02, .18): most near 0, some 4 % above 1/2. A system's estimates (SRE) are wrong
on the scale of log odds, which keeps them in (0, 1):

    logit SRE(d) = logit URE(d) + s h_q i_q N(0, 1)

s is the dial, the system's error; h_q = exp(.4 N(0, 1)) how hard the query is, to all systems;
i_q = exp(.2 N(0, 1)) how it suits this one. Errors of documents and of systems are independent.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from prum.analytic.adm.thresholds import BAND
from prum.simulator.model.arrays import Flags, Floats

# Those of the paper's tables, and the two that it proposes in place of P and R.
PAPERS = ("P", "R", "E", "ADM")
BANDED = ("P'", "R'")
MEASURES = (*PAPERS, *BANDED)
THRESHOLD = 0.5

_MEANS = (0.02, 0.18)
_CONCENTRATION = 3.0
_HARDNESS = 0.4
_INTERACTION = 0.2
# Log odds of 0 and 1 are infinite.
_LEAST = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """Some queries.

    Parameters
    ----------
    ure
        User relevance estimates, shape (queries, documents).
    hardness
        h_q, shape (queries,).
    """

    ure: Floats
    hardness: Floats

    def system(self, error: float, rng: np.random.Generator) -> Floats:
        """Return the SREs of a system with this error, shape (queries, documents)."""
        number = len(self.hardness)
        size = error * self.hardness * np.exp(_INTERACTION * rng.standard_normal(number))
        noise = rng.standard_normal(self.ure.shape)
        odds = logit(np.clip(self.ure, _LEAST, 1 - _LEAST))
        estimates: Floats = expit(odds + size[:, None] * noise)
        return estimates


def draw_queries(number: int, documents: int, rng: np.random.Generator) -> Queries:
    """Return independent queries over as many documents each."""
    means = rng.uniform(*_MEANS, (number, 1))
    ure = rng.beta(_CONCENTRATION * means, _CONCENTRATION * (1 - means), (number, documents))
    return Queries(ure, np.exp(_HARDNESS * rng.standard_normal(number)))


def scores(
    sre: Floats, ure: Floats, retrieved: float = THRESHOLD, relevant: float = THRESHOLD
) -> Floats:
    """Return `MEASURES`, shape (..., measures), of estimates, shape (..., documents).

    P is nan where nothing is retrieved, R where nothing is relevant, E = (P + R) / 2 where one of
    them is. P' and R' are the shares of what is retrieved, and relevant, in the band of estimates
    less than 1 - sqrt(2) / 2 from relevance.

    >>> scores(np.array([[0.9, 0.4]]), np.array([0.6, 0.5])).round(4).tolist()
    [[1.0, 0.5, 0.75, 0.8, 0.0, 0.5]]
    """
    shown, wanted = sre >= retrieved, ure >= relevant
    apart = np.abs(sre - ure)
    near = apart < BAND

    def share(part: Flags, whole: Flags) -> Floats:
        with np.errstate(invalid="ignore"):
            found: Floats = (part & whole).sum(axis=-1) / whole.sum(axis=-1)
        return found

    precision, recall = share(wanted, shown), share(shown, wanted)
    of_paper = precision, recall, (precision + recall) / 2, 1 - apart.sum(axis=-1) / sre.shape[-1]
    return np.stack([*of_paper, share(near, shown), share(near, wanted)], axis=-1)
