"""What a log tells of navigation: a law of navigations, from which one may be drawn."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.fitting.beta import BetaLaws
from prum.experiments.fitting.predictions import Predictions
from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import Links, Navigation, Task, Walk
from prum.simulator.model.arrays import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd


class FittedNavigation(ABC):
    """A navigation that was learned from a log, with what is not known of it.

    Estimators make it; it knows nothing of how. It is browsed by like any other: `navigation` has
    the mean of each probability given the log, `sample_posterior` draws navigations that the log
    leaves possible.
    """

    # What the log says.
    counts: Any

    @property
    def num_sessions(self) -> int:
        """Number of sessions of the log."""
        return int(self.counts.num_sessions)

    @property
    @abstractmethod
    def navigation(self) -> Navigation:
        """Each probability in the mean, given the log."""

    @abstractmethod
    def predict(self, sessions: Sessions) -> Mapping[str, Predictions]:
        """Return by kind of choice what is predicted of a batch, and what people chose.

        Kinds: "step" (which link, given a move), "stop", "back" (given that they didn't stop),
        "visit" (whether they came to y from x at all), as far as the model has them. A probability
        may rest on what the same session held before the choice, and on nothing after it. Strays
        are left out.
        """

    @abstractmethod
    def score(self, log: Any) -> float:
        """Return the nats of a step of a log, the mean of -log P(step): the less, the better.

        A step is what people chose among the links of an element, given that they moved along one.
        """

    def perplexity(self, log: Any) -> float:
        """Return e to the power of `score`: as many links, alike, would be as hard to predict."""
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

    @property
    @abstractmethod
    def tried(self) -> Ints:
        """How often people could have taken each row of `to_links()`."""

    @abstractmethod
    def row_variances(self) -> Floats:
        """Return the posterior variance of each row's probability in `to_links()`."""

    def row_ends(self, level: float) -> tuple[Floats, Floats]:
        """Return the ends of the middle of each row's law in `to_links()`.

        It is the Beta law with the posterior's mean and variance: the posterior itself where this
        is Beta, near it where it is a product of such.

        Raises
        ------
        InputError
            for a level outside (0, 1).
        """
        means = self.to_links().probabilities
        return BetaLaws.of_moments(means, self.row_variances()).ends(level)

    def intervals(self, level: float = 0.95) -> "pd.DataFrame":
        """Return between what each probability lies, given the log: a line for each link.

        Columns source, target, probability, low, high, tried, in the order of `to_links()`. The
        interval is the middle of the posterior law, as `row_ends` has it.

        Raises
        ------
        InputError
            for a level outside (0, 1).
        """
        import pandas as pd

        links = self.to_links()
        low, high = self.row_ends(level)
        names = np.array(links.elements, dtype=object)
        return pd.DataFrame(
            {
                "source": names[links.sources],
                "target": names[links.targets],
                "probability": links.probabilities,
                "low": low,
                "high": high,
                "tried": self.tried,
            }
        )

    @abstractmethod
    def simulate(self, num_sessions: int, seed: int) -> Sessions:
        """Return sessions made from the mean, entries drawn as in the log."""

    @abstractmethod
    def summary(self) -> str:
        """Return what was learned, in sentences and figures that fit a terminal."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, which `read_fitted` understands."""


def reached(steps: Links, elements: Iterable[str], ideals: Sequence[str]) -> Links:
    """Return P(x -> y) of some elements to some ideals, where each step is one of a walk.

    >>> reached(Links({("x", "z"): 0.5, ("z", "y"): 0.5}), ["x"], ["y"])
    Links({('x', 'y'): 0.25})
    """
    from prum.analytic.precision.of_task import reach_matrix

    listed = tuple(sorted(set(elements)))
    task = Task(listed, ideals, len(listed) + len(ideals))
    reach = reach_matrix(task, Walk(steps)).tocoo()
    rows = [
        (listed[x], ideals[y], float(p))
        for x, y, p in zip(*(part.tolist() for part in (*reach.coords, reach.data)), strict=True)
        if p > 0 and listed[x] != ideals[y]
    ]
    sources, targets, values = zip(*rows, strict=True) if rows else ((), (), ())
    return Links.from_columns(sources, targets, list(values))
