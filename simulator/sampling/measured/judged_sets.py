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
        # What is in no set need not be looked at.
        self._ever: Flags = np.asarray(self.is_ideal.any(axis=0), dtype=np.bool_)
        self._last: tuple[ArrayLike, Ints, Flags] | None = None

    def precision(self, listed: ArrayLike, rank: int) -> Floats:
        """Return P@k."""
        return self._found(listed, rank) / rank

    def recall(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return R@k."""
        return self._over_ideals(self._found(listed, rank))

    def success(self, listed: ArrayLike, rank: int) -> Floats:
        """Return whether an ideal stands on the first k ranks."""
        return (self._found(listed, rank) > 0).astype(np.float64)

    def reciprocal_rank(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return 1 / the rank of the first ideal."""
        ranks, hits = self._hits(listed, rank)
        if not len(ranks):
            return np.zeros(len(self.is_ideal))
        return np.where(hits.any(axis=1), 1 / ranks[hits.argmax(axis=1)], 0.0)

    def err(self, listed: ArrayLike, rank: int | None = None, *, stop: float) -> Floats:
        """Return ERR: users stop at an ideal with the probability `stop`."""
        ranks, hits = self._hits(listed, rank)
        seen = np.cumsum(hits, axis=1)
        return np.asarray((hits * stop * (1 - stop) ** (seen - 1.0)) @ (1 / ranks))

    def rbp(self, listed: ArrayLike, rank: int | None = None, *, p: float) -> Floats:
        """Return RBP of persistence p."""
        ranks, hits = self._hits(listed, rank)
        return np.asarray((1 - p) * (hits @ p ** (ranks - 1.0)))

    def dcg(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return DCG of gains 0 and 1."""
        ranks, hits = self._hits(listed, rank)
        return np.asarray(hits @ (1 / np.log2(ranks + 1.0)))

    def ndcg(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return nDCG of gains 0 and 1."""
        steps = 1 / np.log2(np.arange(2, self.is_ideal.shape[1] + 2))
        best = np.concatenate([[1.0], np.cumsum(steps)])  # 1 without ideals: no gain either
        most = self.num_ideals if rank is None else np.minimum(self.num_ideals, rank)
        return np.asarray(self.dcg(listed, rank) / best[most])

    def r_precision(self, listed: ArrayLike) -> Floats:
        """Return precision at as many ranks as there are ideals."""
        ranks, hits = self._hits(listed, None)
        return self._over_ideals((hits & (ranks <= self.num_ideals[:, None])).sum(axis=1))

    def average_precision(self, listed: ArrayLike, rank: int | None = None) -> Floats:
        """Return AP."""
        ranks, hits = self._hits(listed, rank)
        return self._over_ideals(np.einsum("ij,ij,j->i", np.cumsum(hits, axis=1), hits, 1 / ranks))

    def bpref(self, listed: ArrayLike) -> Floats:
        """Return bpref, as trec_eval."""
        rows = np.asarray(listed, dtype=np.int64)
        rows = rows[rows >= 0]
        rows = rows[self._is_judged[rows]]
        hits, ideals = self.is_ideal[:, rows], self.num_judged_ideals[:, None]
        others = np.cumsum(~hits, axis=1)
        least = np.minimum(int(self._is_judged.sum()) - ideals, ideals)
        above = np.minimum(others, ideals) / np.maximum(least, 1)
        total = (hits * (1 - above)).sum(axis=1)
        return np.asarray(total / np.maximum(self.num_judged_ideals, 1))

    @property
    def num_judged_ideals(self) -> Ints:
        """Number of judged ideals of each set."""
        return np.asarray(self.is_ideal[:, self._is_judged].sum(axis=1))

    def _hits(self, listed: ArrayLike, rank: int | None) -> tuple[Ints, Flags]:
        """Return the ranks of what some set holds, and which sets do."""
        if self._last is None or self._last[0] is not listed:
            rows = np.asarray(listed, dtype=np.int64)
            at = np.flatnonzero(rows >= 0)
            at = at[self._ever[rows[at]]]
            self._last = listed, at + 1, self.is_ideal[:, rows[at]]
        _, ranks, hits = self._last
        within = len(ranks) if rank is None else int(np.searchsorted(ranks, rank, side="right"))
        return ranks[:within], hits[:, :within]

    def _found(self, listed: ArrayLike, rank: int | None) -> Ints:
        return np.asarray(self._hits(listed, rank)[1].sum(axis=1))

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
