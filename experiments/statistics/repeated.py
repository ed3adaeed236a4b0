"""Scores that repeat on the same topics: variance by topics, by trials, and by both together.

The score of trial k on topic t is mu + a_t + b_k + e_tk, all independent with mean 0: what a topic
adds, what a trial adds on all topics (a seed, a model's version), and the rest. With n topics and m
trials the mean has the variance

    V = A / n + B / m + E / (n m)

for the variances A, B, E of the three. The mean squares MA = m sum (mean of t - mean)^2 / (n - 1),
MB = n sum (mean of k - mean)^2 / (m - 1), and ME of the rest over (n - 1)(m - 1), have the
expectations E + m A, E + n B and E. So (MA + MB - ME) / (n m) estimates V; where it is less than
MA / (n m) or MB / (n m), as A or B is 0, that one is taken. Student's t has the degrees of freedom
of Satterthwaite (1946), V^2 over the sum of the squares of its terms, each over its own degrees.
"""

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from prum.experiments.statistics.intervals import (
    CONFIDENCE,
    Estimate,
    mean_interval,
    student_factor,
)
from prum.simulator.model.arrays import Floats

# More trials, or topics, than anybody makes.
_MOST = 1_000_000


class Components(NamedTuple):
    """Variances of a score by topics, by trials and by both together, and how many there are."""

    mean: float
    by_topics: float
    by_trials: float
    by_both: float
    num_topics: int
    num_trials: int

    def shares(self) -> tuple[float, float, float]:
        """Return the shares of a score's variance: by topics, by trials, by both together.

        >>> Components(0.5, 3.0, 1.0, 0.0, 10, 5).shares()
        (0.75, 0.25, 0.0)
        """
        parts = self.by_topics, self.by_trials, self.by_both
        total = sum(parts) or math.nan
        return parts[0] / total, parts[1] / total, parts[2] / total

    def values(self) -> dict[str, float]:
        """Return all this by name, and the shares."""
        names = ("share_by_topics", "share_by_trials", "share_by_both")
        return self._asdict() | dict(zip(names, self.shares(), strict=True))

    def by_trials_of(self, num_topics: int, num_trials: int) -> tuple[float, float]:
        """Return B / m with other numbers of both, and its part of Satterthwaite's sum."""
        n, m = num_topics, num_trials
        if not self.by_trials or m < 2:
            return 0.0, 0.0
        squares = self.by_both + n * self.by_trials, self.by_both
        terms = squares[0] ** 2 / (m - 1) + squares[1] ** 2 / ((n - 1) * (m - 1))
        return self.by_trials / m, terms / (n * m) ** 2

    def half_width(self, num_topics: int, num_trials: int) -> float:
        """Return about half the 95 % interval of the mean with other numbers of both.

        >>> round(Components(0.5, 1.0, 0.0, 0.0, 10, 5).half_width(10, 5), 3)
        0.715
        """
        topics = (self.by_topics + self.by_both / num_trials) / num_topics
        trials, squared = self.by_trials_of(num_topics, num_trials)
        if not topics + trials:
            return 0.0
        freedom = (topics + trials) ** 2 / (topics**2 / (num_topics - 1) + squared)
        return student_factor(max(freedom, 1.0)) * math.sqrt(topics + trials)

    def needed(self, half: float) -> tuple[float, float]:
        """Return how many topics, and how many trials, make half the interval so narrow.

        Each with as many of the other as there are; infinite where no number does.

        >>> Components(0.5, 1.0, 0.0, 0.0, 10, 5).needed(0.5)
        (18.0, inf)
        """
        return (
            _least(lambda n: self.half_width(n, self.num_trials) <= half, self.num_topics),
            _least(lambda m: self.half_width(self.num_topics, m) <= half, self.num_trials),
        )


def _least(is_enough: Callable[[int], bool], first: int) -> float:
    """Return the least number from `first` on that is enough, by doubling and halving."""
    few, enough = first - 1, first
    while not is_enough(enough):
        few, enough = enough, 2 * enough
        if enough > _MOST:
            return math.inf
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if is_enough(middle) else (middle, enough)
    return float(enough)


def components(scores: Floats) -> Components:
    """Return the variances of scores, shape (trials, topics), by the mean squares; 0 at least.

    >>> parts = components(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]]))
    >>> parts.mean, parts.by_topics, parts.by_trials, parts.by_both
    (2.5, 1.0, 0.5, 0.0)
    """
    m, n = scores.shape
    mean, by_topic, by_trial = scores.mean(), scores.mean(axis=0), scores.mean(axis=1)
    rest = scores - by_topic - by_trial[:, None] + mean
    topics = float(m * ((by_topic - mean) ** 2).sum()) / max(n - 1, 1)
    trials = float(n * ((by_trial - mean) ** 2).sum()) / max(m - 1, 1)
    both = float((rest**2).sum()) / max((n - 1) * (m - 1), 1)
    by_topics, by_trials = max(topics - both, 0.0) / m, max(trials - both, 0.0) / n
    return Components(float(mean), by_topics, by_trials, both, n, m)


def trial_variances(repeats: Sequence[Floats], level: float = 1 - CONFIDENCE) -> Floats:
    """Return what trials add to the covariance of means over topics, (systems, systems).

    `repeats` are each system's scores, (trials, topics), on the same topics. Added to the variance
    by topics, of means and of differences of two, Student's t with n - 1 degrees of freedom has the
    intervals of this module: of a mean at the `level`, of differences, whose trials are
    independent, at this level of all pairs together, by Bonferroni; none is narrower than by topics
    alone. Trials of a system that has
    only one add nothing, as nobody knows what they would.

    >>> twice = np.array([[1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]])
    >>> trial_variances([twice, twice[:1]]).diagonal().round(2).tolist()
    [0.13, 0.0]
    """
    from scipy.special import stdtrit

    num, n = len(repeats), repeats[0].shape[1]
    added = np.zeros((num, num))
    if n < 2:
        return added
    parts = [components(scores) for scores in repeats]
    means = np.stack([scores.mean(axis=0) for scores in repeats])

    def variance(values: Floats, some: Sequence[Components], tests: int) -> float:
        topics, trials = float(values.var(ddof=1)) / n, 0.0
        squared = topics**2 / (n - 1)
        for part in some:
            more = part.by_trials_of(n, part.num_trials)
            trials, squared = trials + more[0], squared + more[1]
        if not trials:
            return 0.0
        total, tail = topics + trials, level / 2 / tests
        wider = float(stdtrit(total**2 / squared, tail) / stdtrit(n - 1, tail))
        more_than_topics: float = max(wider * wider * total - topics, 0.0)
        return more_than_topics

    for i in range(num):
        added[i, i] = variance(means[i], [parts[i]], 1)
    for i, j in combinations(range(num), 2):
        between = variance(means[i] - means[j], [parts[i], parts[j]], num * (num - 1) // 2)
        added[i, j] = added[j, i] = (added[i, i] + added[j, j] - between) / 2
    return added


def all_succeed(scores: Floats, k: int) -> Estimate:
    """Return pass^k: how likely k trials of a topic all succeed, and its interval over topics.

    `scores` are 0 or 1, (trials, topics). Of c successes in m trials C(c, k) / C(m, k) is unbiased
    for a topic (Yao et al. 2024, tau-bench).

    >>> all_succeed(np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]]), 2).value
    0.5
    """
    m = len(scores)
    chances = [math.comb(int(c), k) / math.comb(m, k) for c in scores.sum(axis=0)]
    return mean_interval(np.array(chances))
