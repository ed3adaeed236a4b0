"""Simulated judges: sets of ideals drawn from probabilities, and the scores of a list by each."""

from hashlib import sha256

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Flags, Floats, Ints


class JudgedSets:
    """Sets of ideals of one topic, and what a list scores by each: an array of shape (sets,).

    Measures, lists and cut-offs are those of `prum.analytic.expected`; every set is scored as if
    nobody had ever doubted it, and one without ideals as 0.

    Parameters
    ----------
    is_ideal
        Which elements are ideal, shape (sets, elements).
    is_judged
        Which were judged, shape (elements,), for `bpref`; by default all.

    >>> sets = JudgedSets([[True, False], [True, True]])
    >>> sets.average_precision([1, 0]).tolist(), sets.recall([0], rank=1).tolist()
    ([0.5, 1.0], [1.0, 0.5])
    """

    def __init__(self, is_ideal: ArrayLike, is_judged: ArrayLike | None = None) -> None:
        self.is_ideal: Flags = np.asarray(is_ideal, dtype=np.bool_)
        self.num_ideals: Ints = self.is_ideal.sum(axis=1)
        everything = np.ones(self.is_ideal.shape[1], dtype=np.bool_)
        self._is_judged: Flags = np.asarray(
            everything if is_judged is None else is_judged, dtype=np.bool_
        )
        self._by_element: Flags = np.ascontiguousarray(self.is_ideal.T)
        # What is in no set need not be looked at.
        self._ever: Flags = np.asarray(self.is_ideal.any(axis=0), dtype=np.bool_)
        self._last: tuple[ArrayLike, tuple[Ints, Ints, Ints]] | None = None

    def precision(self, listed: ArrayLike, rank: int) -> Floats:
        """Return P@k."""
        return self._number(listed, rank) / rank

    def recall(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return R@k."""
        return self._over_ideals(self._number(listed, rank))

    def success(self, listed: ArrayLike, rank: int) -> Floats:
        """Return whether an ideal stands on the first k ranks."""
        return (self._number(listed, rank) > 0).astype(np.float64)

    def reciprocal_rank(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return 1 / the rank of the first ideal."""
        ranks, sets, numbers = self._hits(listed, rank)
        return self._summed((numbers == 1) / ranks, sets)

    def err(self, listed: ArrayLike, rank: int | None = None, *, stop: float) -> Floats:
        """Return ERR: users stop at an ideal with the probability `stop`."""
        ranks, sets, numbers = self._hits(listed, rank)
        reached = (1 - stop) ** np.arange(int(numbers.max(initial=1)))
        return self._summed(stop * reached[numbers - 1] / ranks, sets)

    def rbp(self, listed: ArrayLike, rank: int | None = None, *, p: float) -> Floats:
        """Return RBP of persistence p."""
        ranks, sets, _ = self._hits(listed, rank)
        reached = p ** np.arange(float(ranks.max(initial=1)))
        return (1 - p) * self._summed(reached[ranks - 1], sets)

    def dcg(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return DCG of gains 0 and 1."""
        ranks, sets, _ = self._hits(listed, rank)
        discounts = 1 / np.log2(np.arange(2, int(ranks.max(initial=1)) + 2))
        return self._summed(discounts[ranks - 1], sets)

    def ndcg(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return nDCG of gains 0 and 1."""
        steps = 1 / np.log2(np.arange(2, self.is_ideal.shape[1] + 2))
        best = np.concatenate([[1.0], np.cumsum(steps)])  # 1 without ideals: no gain either
        most = self.num_ideals if rank is None else np.minimum(self.num_ideals, rank)
        return np.asarray(self.dcg(listed, rank) / best[most])

    def r_precision(self, listed: ArrayLike) -> Floats:
        """Return precision at as many ranks as there are ideals."""
        ranks, sets, _ = self._hits(listed, None)
        return self._over_ideals(self._summed(ranks <= self.num_ideals[sets], sets))

    def average_precision(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return AP."""
        ranks, sets, numbers = self._hits(listed, rank)
        return self._over_ideals(self._summed(numbers / ranks, sets))

    def bpref(self, listed: ArrayLike) -> Floats:
        """Return bpref, as trec_eval 10."""
        rows = np.asarray(listed, dtype=np.int64)
        rows = rows[rows >= 0]
        places, sets, numbers = self._shown_ideals(rows[self._is_judged[rows]])
        ideals = self.num_judged_ideals
        least = np.minimum(int(self._is_judged.sum()) - ideals, ideals)
        above = np.minimum(places - numbers, ideals[sets]) / np.maximum(least, 1)[sets]
        return self._summed(1 - above, sets) / np.maximum(ideals, 1)

    @property
    def num_judged_ideals(self) -> Ints:
        """Number of judged ideals of each set."""
        return np.asarray(self.is_ideal[:, self._is_judged].sum(axis=1))

    def _hits(self, listed: ArrayLike, rank: int | None) -> tuple[Ints, Ints, Ints]:
        """Return ranks, sets, and numbers within the set, of all ideals found, by set and rank."""
        if self._last is None or self._last[0] is not listed:
            self._last = listed, self._shown_ideals(np.asarray(listed, dtype=np.int64))
        ranks, sets, numbers = self._last[1]
        if rank is None:
            return ranks, sets, numbers
        within = ranks <= rank
        return ranks[within], sets[within], numbers[within]

    def _shown_ideals(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        places = np.flatnonzero(rows >= 0)
        places = places[self._ever[rows[places]]]
        sets, column = np.nonzero(np.ascontiguousarray(self._by_element[rows[places]].T))
        firsts = np.searchsorted(sets, np.arange(len(self.is_ideal)))
        return places[column] + 1, sets, np.arange(1, len(sets) + 1) - firsts[sets]

    def _number(self, listed: ArrayLike, rank: int | None) -> Ints:
        return np.bincount(self._hits(listed, rank)[1], minlength=len(self.is_ideal))

    def _summed(self, values: ArrayLike, sets: Ints) -> Floats:
        """Return sums of values by set."""
        sums = np.bincount(sets, np.asarray(values), minlength=len(self.is_ideal))
        return np.asarray(sums, dtype=np.float64)

    def _over_ideals(self, values: ArrayLike) -> Floats:
        return np.asarray(values) / np.maximum(self.num_ideals, 1)


def simulate_sets(probabilities: ArrayLike, topic: str, *, num_sets: int, seed: int) -> Flags:
    """Return sets of ideals, each element ideal by its probability, shape (sets, elements).

    The numbers are a function of the seed and the topic.

    >>> simulate_sets([0.0, 1.0], "q", num_sets=2, seed=1).tolist()
    [[False, True], [False, True]]
    """
    given = np.asarray(probabilities, dtype=np.float64)
    key = np.frombuffer(sha256(topic.encode()).digest(), dtype=">u4")
    sequence = np.random.SeedSequence(seed, spawn_key=tuple(key.tolist()))
    rng = np.random.Generator(np.random.SFC64(sequence))
    uncertain = np.flatnonzero((given > 0) & (given < 1))
    sets = np.broadcast_to(given == 1, (num_sets, len(given))).copy()
    sets[:, uncertain] = rng.random((num_sets, len(uncertain))) < given[uncertain]
    return sets


def every_set(probabilities: ArrayLike) -> tuple[Flags, Floats]:
    """Return all sets of ideals that can be, and their probabilities: 2^k of k doubtful elements.

    >>> every_set([0.25, 1.0])[1].tolist()
    [0.75, 0.25]
    """
    given = np.asarray(probabilities, dtype=np.float64)
    doubtful = np.flatnonzero((given > 0) & (given < 1))
    numbers = np.arange(2 ** len(doubtful))[:, None]
    chosen = (numbers >> np.arange(len(doubtful))) & 1 == 1
    sets = np.broadcast_to(given == 1, (len(numbers), len(given))).copy()
    sets[:, doubtful] = chosen
    return sets, np.where(chosen, given[doubtful], 1 - given[doubtful]).prod(axis=1)
