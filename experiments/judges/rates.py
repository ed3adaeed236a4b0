"""Rates of judges that differ between topics: Beta-binomial laws, and the evidence for them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from prum.experiments.statistics.intervals import Estimate
from prum.simulator.model.arrays import Floats, Ints

_MEANS = (np.arange(100) + 0.5) / 100
# Pseudo-counts of a topic's law: few where topics differ much.
_SIZES = np.geomspace(0.5, 2000, 40)


@dataclass(frozen=True, eq=False)
class Rate:
    """How often something happened on each topic, of how many trials.

    Within topics rates are Beta(m s, (1 - m) s) with m uniform and log s uniform in [.5, 2000]; or
    they are one rate, uniform beforehand, on all of them.
    """

    happened: Ints
    trials: Ints

    @cached_property
    def _log_likelihood(self) -> Floats:
        """Of mean and pseudo-counts on the grid, shape (means, sizes)."""
        from scipy.special import betaln

        there = self.trials > 0
        k, n = self.happened[there, None, None], self.trials[there, None, None]
        a, b = np.outer(_MEANS, _SIZES), np.outer(1 - _MEANS, _SIZES)
        return np.asarray((betaln(k + a, n - k + b) - betaln(a, b)).sum(axis=0))

    @cached_property
    def posterior(self) -> Floats:
        """P(mean, pseudo-counts) on the grid."""
        weights = np.exp(self._log_likelihood - self._log_likelihood.max())
        return np.asarray(weights / weights.sum())

    @property
    def evidence_within(self) -> float:
        """Log probability of the data where each topic has its own rate."""
        most = self._log_likelihood.max()
        return float(most + np.log(np.exp(self._log_likelihood - most).mean()))

    @property
    def evidence_shared(self) -> float:
        """Log probability of the data where all topics have one rate."""
        from scipy.special import betaln

        k, n = self.happened.sum(), self.trials.sum()
        return float(betaln(k + 1, n - k + 1))

    @property
    def pooled(self) -> Estimate:
        """The rate over all trials, and its 95 % interval if topics are alike (Beta posterior)."""
        from scipy.special import betaincinv

        k, n = float(self.happened.sum()), float(self.trials.sum())
        low, high = (float(betaincinv(k + 1, n - k + 1, level)) for level in (0.025, 0.975))
        return Estimate((k + 1) / (n + 2), low, high)

    @property
    def mean(self) -> Estimate:
        """The mean rate of topics, and its 95 % interval."""
        law = self.posterior.sum(axis=1)
        low, high = np.interp([0.025, 0.975], np.cumsum(law), _MEANS)
        return Estimate(float(law @ _MEANS), float(low), float(high))

    @property
    def spread(self) -> float:
        """The standard deviation of topics' rates: root of the mean of m (1 - m) / (s + 1)."""
        variances = np.outer(_MEANS * (1 - _MEANS), 1 / (_SIZES + 1))
        return float((self.posterior * variances).sum() ** 0.5)

    def drawn(self, num: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return means and pseudo-counts drawn from the posterior."""
        cells = rng.choice(self.posterior.size, num, p=self.posterior.ravel())
        means, sizes = np.unravel_index(cells, self.posterior.shape)
        return _MEANS[means], _SIZES[sizes]


def worth(hit: Rate, false_alarm: Rate, prevalence: float, num_labels: float = np.inf) -> float:
    """Return how many human labels of a topic tell its share of ideals as well as a judge's do.

    The share is estimated by (q - f) / (h - f) from the share q of labels (Rogan and Gladen 1978).
    A topic's h and f are known up to their spread between topics, so that its variance is
    (q (1 - q) / n + p^2 var h + (1 - p)^2 var f) / (h - f)^2; that of N human labels is
    p (1 - p) / N. With n infinite it is what no number of labels exceeds.

    >>> rate = Rate(np.array([9, 9]), np.array([10, 10]))
    >>> worth(rate, rate, 0.5)
    0.0
    """
    h, f, p = hit.mean.value, false_alarm.mean.value, prevalence
    q = p * h + (1 - p) * f
    errors = p**2 * hit.spread**2 + (1 - p) ** 2 * false_alarm.spread**2
    variance = q * (1 - q) / num_labels + errors
    return p * (1 - p) * max(h - f, 0.0) ** 2 / variance
