"""Users who trust the estimates they are shown: each draws a threshold and tosses their visits."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.measured.judging import blocks, checked_estimates
from prum.simulator.sampling.streams import TRUST


@dataclass(frozen=True, slots=True)
class Trusting:
    """The mean regret of users per document.

    Attributes
    ----------
    mean, error
        The mean over users and its standard error.
    num_users
        Number of users.
    """

    mean: float
    error: float
    num_users: int


def simulate_trust(
    sre: ArrayLike,
    ure: ArrayLike,
    *,
    reach: Any = None,
    loss: Literal["decision", "distance"] = "decision",
    tau: float | None = None,
    num_users: int,
    seed: int,
) -> Trusting:
    """Simulate users who consult what the system says is worth it, browse, and regret.

    Each user draws a threshold tau, consults documents with SRE >= tau, and tosses each visit from
    those to others. They regret documents seen although URE < tau, and those not seen although
    URE >= tau: by 1, or |URE - tau|; this is summed and divided by the number of documents.

    Parameters
    ----------
    sre, ure
        Estimates of all documents, shape (n,).
    reach
        P(x -> y), row x, column y, shape (n, n), an array or a sparse matrix.
    loss
        "decision" or "distance".
    tau
        The threshold of all users; by default each draws their own.
    num_users
        At least 2.
    seed
        A whole number in [0, 2^64).

    Raises
    ------
    InputError
        for estimates of different lengths, a reach of another shape, another loss, `num_users` or
        `seed` out of range.

    >>> trusting = simulate_trust([0.75, 0.5], [0.25, 0.5], num_users=1000, seed=1)
    >>> abs(trusting.mean - 0.25) < 4 * trusting.error
    True
    """
    system, user = checked_estimates(sre, ure)
    if loss not in ("decision", "distance"):
        raise InputError("loss", loss, "be decision or distance", remedy="choose one")
    n = len(system)
    chances = np.zeros((n, n))
    if reach is not None:
        chances = np.asarray(reach.toarray() if hasattr(reach, "toarray") else reach, dtype=float)
    if chances.shape != (n, n):
        raise InputError(
            "reach", chances.shape, f"have shape ({n}, {n})", remedy="give P(x -> y) of each pair"
        )
    links = np.argwhere(chances > 0)

    def regret(size: int, rng: np.random.Generator) -> Floats:
        thresholds = (rng.random(size) if tau is None else np.full(size, tau))[:, np.newaxis]
        consulted = system >= thresholds
        seen = consulted.copy()
        for x, y in links.tolist():
            seen[:, y] |= consulted[:, x] & (rng.random(size) < chances[x, y])
        wrong = seen != (user >= thresholds)
        weight = np.abs(user - thresholds) if loss == "distance" else np.ones((1, 1))
        regrets: Floats = (wrong * weight).mean(axis=1)
        return regrets

    values = blocks(regret, num_users, n, seed, TRUST)
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return Trusting(float(values.mean()), error, len(values))
