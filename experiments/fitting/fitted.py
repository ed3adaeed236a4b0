"""What a log tells of navigation: a law of navigations, from which one may be drawn."""

import math
from abc import ABC, abstractmethod
from typing import Any

from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import Links, Navigation
from prum.simulator.model.arrays import Floats


class FittedNavigation(ABC):
    """A navigation that was learned from a log, with what is not known of it.

    Estimators make it; it knows nothing of how. It is browsed by like any other: `navigation` has
    the mean of each probability given the log, `sample_posterior` draws navigations that the log
    leaves possible.
    """

    @property
    @abstractmethod
    def navigation(self) -> Navigation:
        """Each probability in the mean, given the log."""

    @abstractmethod
    def score(self, log: Any) -> float:
        """Return the nats of a step of a log, the mean of -log P(step): the less, the better.

        A step is what people chose among the links of an element, given that they moved along one.
        """

    def perplexity(self, log: Any) -> float:
        """Return e to the power of `score`: as many links, alike, would be as hard to foretell."""
        return math.exp(self.score(log))

    @abstractmethod
    def sample_posterior(self, n: int, seed: int) -> list[Navigation]:
        """Return navigations drawn from the posterior law, each as likely as the log makes it."""

    def to_links(self) -> Links:
        """Return the probabilities of `navigation` as a table."""
        return self.navigation.links

    @abstractmethod
    def variances(self, slopes: Floats, *, more: float = 0.0) -> Floats:
        """Return by source x the posterior variance of the sum over y of slope(x, y) p(x, y).

        Parameters
        ----------
        slopes
            Of each row of `to_links()`.
        more
            Variance to be expected after so many times the log's sessions more.
        """

    @abstractmethod
    def simulate(self, num_sessions: int, seed: int) -> Sessions:
        """Return sessions made from the mean, entries drawn as in the log."""

    @abstractmethod
    def summary(self) -> str:
        """Return what was learned, in sentences and figures that fit a terminal."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, which `read_fitted` understands."""
