"""Beta laws of many probabilities at once: what trials leave open, and their ends."""

from dataclasses import dataclass

import numpy as np

from prum.simulator.model import observed_shares
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import proportion


@dataclass(frozen=True, slots=True, eq=False)
class BetaLaws:
    """Beta(s m, s (1 - m)) of each of some probabilities.

    Parameters
    ----------
    means
        m, in [0, 1]; shape (n,).
    strengths
        s, how many trials are known of, those that the base is worth included; infinite where the
        probability is known, 0 where nothing is known of it at all; shape (n,).
    """

    means: Floats
    strengths: Floats

    @classmethod
    def of_trials(
        cls, seen: Ints, tried: Ints, means: Floats | float = 0.0, concentration: float = 0.0
    ) -> "BetaLaws":
        """Return the posterior laws of Beta(c m, c (1 - m)), given what was seen of those tried.

        Without a base, the means are the shares that `observed` tells.

        >>> BetaLaws.of_trials(np.array([3]), np.array([4]), 0.5, 4).means.tolist()
        [0.625]
        """
        strengths = concentration + np.asarray(tried, dtype=np.float64)
        return cls(observed_shares(concentration * means + seen, strengths), strengths)

    @classmethod
    def of_moments(cls, means: Floats, variances: Floats) -> "BetaLaws":
        """Return the laws of these means and variances, the latter below m (1 - m).

        >>> BetaLaws.of_moments(np.array([0.5]), np.array([1 / 12])).strengths.round(6).tolist()
        [2.0]
        """
        known = np.full(len(means), np.inf)
        strengths = np.divide(means * (1 - means), variances, out=known, where=variances > 0) - 1
        return cls(means, strengths)

    @property
    def variances(self) -> Floats:
        """Of each probability; 0 where it is known, or nothing is."""
        return self.means * (1 - self.means) / (self.strengths + 1)

    def drawn(self, rng: "np.random.Generator") -> Floats:
        """Return one number of each law."""
        values, is_open = self.means.copy(), self._is_open
        values[is_open] = rng.beta(*self._shapes(is_open))
        return values

    def ends(self, level: float) -> tuple[Floats, Floats]:
        """Return the ends of the middle of each law: what is left is as likely below as above.

        Where nothing is uncertain, both ends are the mean.

        Raises
        ------
        InputError
            for a level outside (0, 1).

        >>> low, high = BetaLaws(np.array([0.5]), np.array([2.0])).ends(0.9)         # uniform
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([0.05], [0.95])
        """
        from scipy.special import betaincinv

        level = proportion("level", level, open_interval=True, remedy="give 0.95, say")
        tail, is_open = (1 - level) / 2, self._is_open
        low, high = self.means.copy(), self.means.copy()
        low[is_open] = betaincinv(*self._shapes(is_open), tail)
        high[is_open] = betaincinv(*self._shapes(is_open), 1 - tail)
        return low, high

    @property
    def _is_open(self) -> Flags:
        m, s = self.means, self.strengths
        is_open: Flags = (m > 0) & (m < 1) & (s > 0) & np.isfinite(s)
        return is_open

    def _shapes(self, chosen: Flags) -> tuple[Floats, Floats]:
        m, s = self.means[chosen], self.strengths[chosen]
        return s * m, s * (1 - m)
