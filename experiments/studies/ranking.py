"""Two rankings of systems: Kendall's tau, tau_AP, and whether the best changes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NUM_RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Agreement:
    """How an estimated ranking of systems agrees with the true one, with 95 % intervals.

    `best_changes` is the share of resamples of topics in which the best system by estimate is not
    the best in truth; intervals are percentiles over the same resamples, None for one topic.
    """

    tau: float
    tau_interval: tuple[float, float] | None
    tau_ap: float
    tau_ap_interval: tuple[float, float] | None
    best_changes: float


def agreement(estimated: Floats, true: Floats, rng: np.random.Generator) -> Agreement:
    """Return how rankings by mean score agree; shapes (systems, topics), systems >= 2.

    Topics are resampled 1,000 times with `rng`, the same for both scores.
    """
    means = estimated.mean(axis=1), true.mean(axis=1)
    tau, tau_ap = kendall_tau(*means), average_precision_tau(*means)
    num_topics = true.shape[1]
    if num_topics == 1:
        return Agreement(tau, None, tau_ap, None, float(_best_differs(*means)))
    taus = np.empty((2, NUM_RESAMPLES))
    changes = 0
    for k in range(NUM_RESAMPLES):
        chosen = rng.integers(0, num_topics, num_topics)
        means = estimated[:, chosen].mean(axis=1), true[:, chosen].mean(axis=1)
        taus[:, k] = kendall_tau(*means), average_precision_tau(*means)
        changes += _best_differs(*means)
    low, high = np.quantile(taus, [0.025, 0.975], axis=1)
    return Agreement(
        tau,
        (float(low[0]), float(high[0])),
        tau_ap,
        (float(low[1]), float(high[1])),
        changes / NUM_RESAMPLES,
    )


def kendall_tau(estimated: Floats, true: Floats) -> float:
    """Return Kendall's tau: the share of pairs in the same order less that of pairs in the other.

    A pair that is equal in one of the two counts half for either (tau a, not b).

    >>> kendall_tau(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))
    0.3333333333333333
    """
    one, two = np.sign(estimated[:, None] - estimated), np.sign(true[:, None] - true)
    n = len(true)
    return float((one * two).sum() / (n * (n - 1)))


def kendall_taus(estimated: Floats, true: Floats) -> Floats:
    """Return `kendall_tau` of each row: scores by measure and system.

    >>> kendall_taus(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])).round(4).tolist()
    [0.3333]
    """
    above, below = np.triu_indices(true.shape[-1], 1)
    one = np.sign(estimated[:, above] - estimated[:, below])
    two = np.sign(true[:, above] - true[:, below])
    taus: Floats = (one * two).mean(axis=1)
    return taus


def average_precision_tau(estimated: Floats, true: Floats) -> float:
    """Return tau_AP of Yilmaz, Aslam and Robertson (2008): mistakes at the top cost more.

    2 / (n - 1) sum over i = 2 .. n of C(i) / (i - 1) - 1, where C(i) of the systems above the i-th
    by estimate are above it in truth. Systems that are equal in truth count half; those equal by
    estimate stand in the order of the input.

    >>> average_precision_tau(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))
    0.5
    """
    order = np.argsort(-estimated, kind="stable")
    true = true[order]
    above = np.tril(np.sign(true - true[:, None]), -1).sum(axis=1)[1:]
    return float(np.mean(above / np.arange(1, len(true))))


def tied_pairs(scores: Floats) -> float:
    """Return the share of pairs of systems whose scores are equal.

    >>> tied_pairs(np.array([1.0, 1.0, 0.0]))
    0.3333333333333333
    """
    n = len(scores)
    _, counts = np.unique(scores, return_counts=True)
    return float((counts * (counts - 1)).sum() / (n * (n - 1)))


def _best_differs(estimated: Floats, true: Floats) -> bool:
    """Whether the best by estimate is not among the best in truth."""
    return bool(true[np.argmax(estimated)] < true.max())
