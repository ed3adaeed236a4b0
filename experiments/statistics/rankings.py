"""Two rankings of systems: Kendall's tau-b and tau-a, and whether the best changes.

Kendall's tau is the number of pairs of systems in the same order less that of pairs in the other,
divided by what it could be at most: by all pairs in tau-a, so that a tied pair counts as half of
either; by the root of the product of the two numbers of untied pairs in tau-b, which has no value
where all systems are tied. Without ties they are one. Everything of prum tells tau-b, but for the
study of robustness, which repeats a paper and averages over measures: it tells tau-a.
"""

from dataclasses import dataclass

import numpy as np

from prum.experiments.statistics.intervals import student_factor
from prum.simulator.model.arrays import Floats

NUM_RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of an estimated ranking of systems with the true one.

    `tau_b` is None if all systems are tied; the ends of its 95 % interval have their standard error
    from resamples of topics, but for those without a value, and are None for one topic.
    `best_changes` is the share of these resamples in which the best system by estimate is not the
    best by the reference, of several best ones any by chance.
    """

    tau_b: float | None
    tau_b_interval: tuple[float, float] | None
    best_changes: float


def agreement(estimated: Floats, true: Floats, rng: np.random.Generator) -> Agreement:
    """Return how rankings by mean score agree; shapes (systems, topics), systems >= 2.

    Topics are resampled 1,000 times with `rng`, the same for both scores.
    """
    num_topics = true.shape[1]
    tau, differs = _compared(estimated.mean(axis=1), true.mean(axis=1))
    value = None if np.isnan(tau) else tau
    if num_topics == 1:
        return Agreement(value, None, differs)
    samples = (rng.integers(0, num_topics, num_topics) for _ in range(NUM_RESAMPLES))
    taus, changes = np.transpose(
        [
            _compared(estimated[:, topics].mean(axis=1), true[:, topics].mean(axis=1))
            for topics in samples
        ]
    )
    return Agreement(value, tau_interval(value, taus, num_topics), float(changes.mean()))


def tau_interval(
    tau: float | None, resampled: Floats, num_topics: int
) -> tuple[float, float] | None:
    """Return Student's interval around a correlation by its resamples, within -1 and 1, or None.

    Resampled topics repeat, so that rankings agree less by them: their percentiles may lie wholly
    below the correlation. There is none for one topic, or with fewer than two values.
    """
    taus = resampled[~np.isnan(resampled)]
    if tau is None or len(taus) < 2 or num_topics < 2:
        return None
    half = student_factor(num_topics - 1) * float(taus.std(ddof=1))
    return max(tau - half, -1.0), min(tau + half, 1.0)


def _compared(estimated: Floats, true: Floats) -> tuple[float, float]:
    """Return tau-b, and how likely the best by estimate is not a best one by reference."""
    first = estimated == estimated.max()
    return float(tau_b(estimated, true)), 1 - float((true[first] == true.max()).mean())


def tau_b(estimated: Floats, true: Floats) -> Floats:
    """Return Kendall's tau-b of scores whose last axis is that of systems; nan if all are tied.

    >>> tau_b(np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 2.0]]), np.array([3.0, 1.0, 2.0])).round(4)
    array([0.3333, 0.8165])
    """
    signs, other = _signs(estimated), _signs(true)
    net = (signs * other).sum(axis=-1)
    untied = (signs**2).sum(axis=-1) * (other**2).sum(axis=-1)
    taus: Floats = np.divide(net, np.sqrt(untied), out=np.full(net.shape, np.nan), where=untied > 0)
    return taus


def tau_a(estimated: Floats, true: Floats) -> Floats:
    """Return Kendall's tau-a of scores whose last axis is that of systems.

    >>> tau_a(np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 2.0]]), np.array([3.0, 1.0, 2.0])).round(4)
    array([0.3333, 0.6667])
    """
    taus: Floats = (_signs(estimated) * _signs(true)).mean(axis=-1)
    return taus


def _signs(scores: Floats) -> Floats:
    """Return the order of each pair of systems: 1, -1, or 0 for a tie."""
    above, below = np.triu_indices(scores.shape[-1], 1)
    return np.sign(scores[..., above] - scores[..., below])
