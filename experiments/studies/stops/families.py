"""Static stopping distributions with parameters to fit, cut at the end of the page or not."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from prum.analytic.utility.distributions import stopping
from prum.analytic.utility.laws import StoppingLaw
from prum.analytic.utility.over_theta import beta_stopping
from prum.simulator.model.arrays import Floats

# Parameters are searched on scales on which all numbers are allowed, within these ends.
_ENDS = (-12.0, 12.0)
# The law that knows nothing behind the page.
PAGE = "uniform"


@dataclass(frozen=True, slots=True)
class Family:
    """Stopping distributions that differ in their parameters.

    Parameters
    ----------
    name
        As in a study's rows.
    parameters
        Names of the free ones.
    to_values
        Takes a point of the scales to the parameters.
    law
        Takes the number of ranks and the parameters to P(k).
    cut
        Whether stops are those at ranks 1 .. n, so that P(k given k <= n) is their law. Otherwise
        one cell more counts all stops behind rank n.
    """

    name: str
    parameters: tuple[str, ...]
    to_values: Callable[[Floats], tuple[float, ...]]
    law: Callable[..., StoppingLaw]
    cut: bool = True

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """The ends of the scales."""
        return [_ENDS] * len(self.parameters)

    def uncut(self) -> "Family":
        """Return the family with a cell for stops behind the last rank."""
        return replace(self, cut=False)

    def log_mass(self, point: Floats, num_cells: int) -> Floats:
        """Return the logarithm of each cell's probability."""
        law = self._law(point, num_cells)
        mass = law.mass / law.mass.sum() if self.cut else np.append(law.mass, law.remainder)
        # At the ends of the scales a P(k) may underflow, which is no proof that it is 0.
        return np.asarray(np.log(np.maximum(mass, np.finfo(np.float64).tiny)), dtype=np.float64)

    def remainder(self, point: Floats, num_cells: int) -> float | None:
        """Return P(k > n), before any cut; None for a law of the page alone."""
        return None if self.name == PAGE else self._law(point, num_cells).remainder

    def _law(self, point: Floats, num_cells: int) -> StoppingLaw:
        return self.law(num_cells - (not self.cut), *self.to_values(point))


def _nothing(_: Floats) -> tuple[float, ...]:
    return ()


def _theta(point: Floats) -> tuple[float, ...]:
    return (float(expit(point[0])),)


def _base(point: Floats) -> tuple[float, ...]:
    return (1 + float(np.exp(point[0])),)


def _beta(point: Floats) -> tuple[float, ...]:
    """Return a and b: their share a / (a + b) and their sum are easier to find."""
    total = float(np.exp(point[1]))
    return float(expit(point[0])) * total, float(expit(-point[0])) * total


def _rbp(n: int, theta: float = 0.5) -> StoppingLaw:
    return stopping("RBP", n=n, theta=theta)


def _dcg(n: int, base: float = 2.0) -> StoppingLaw:
    return stopping("DCG", n=n, base=base)


def _mixed(n: int, a: float, b: float) -> StoppingLaw:
    return beta_stopping("RBP", n=n, a=a, b=b)


FAMILIES = (
    Family("RBP .5", (), _nothing, _rbp),
    Family("RBP", ("theta",), _theta, _rbp),
    Family("DCG 2", (), _nothing, _dcg),
    Family("DCG", ("base",), _base, _dcg),
    Family("RR", (), _nothing, lambda n: stopping("RR", n=n)),
    Family("Beta", ("a", "b"), _beta, _mixed),
    Family(PAGE, (), _nothing, lambda n: StoppingLaw.of(np.full(n, 1 / n))),
)
