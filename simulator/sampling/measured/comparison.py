"""Two lists on the same users: the difference of their precision, with its paired error."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Counts, Floats
from prum.simulator.model.process import own_version
from prum.simulator.sampling.sampler import Unranked, checked_seed, checked_unranked, checked_users
from prum.simulator.sampling.simulation import half_width
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sampling.ways.samplers import Sampler, compiled

if TYPE_CHECKING:
    import pandas as pd

_CHUNK_CELLS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Difference:
    """Precision of a first list less that of a second, r = 1 .. t, on the same users.

    `difference` is the difference of two ratios of means, `error` its standard error by the delta
    method with the covariance of the two lists, `unpaired_error` the error with different users for
    each list. Arrays have shape (t,).
    """

    difference: Floats
    error: Floats
    unpaired_error: Floats
    num_users: int
    seed: int
    unranked: str
    task_keys: tuple[str, str]
    navigation_key: str
    version: str = field(default_factory=own_version)

    @property
    def users_saved(self) -> Floats:
        """How many times as many users an unpaired comparison needs for the same error."""
        saved = np.ones_like(self.error)
        np.divide(self.unpaired_error, self.error, out=saved, where=self.error > 0)
        return saved**2

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return lower and upper ends of the confidence intervals of the difference."""
        half = half_width(confidence, self.num_users) * self.error
        return self.difference - half, self.difference + half

    def to_frame(self) -> "pd.DataFrame":
        """Return a table with a row for each r: r, difference, error, low, high, users_saved."""
        import pandas as pd

        low, high = self.interval()
        columns: dict[str, Any] = {
            "r": np.arange(1, len(self.difference) + 1),
            "difference": self.difference,
            "error": self.error,
            "low": low,
            "high": high,
            "users_saved": self.users_saved,
        }
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        shown = " ".join(
            f"{value:+.4f}±{error:.4f}".replace("0.", ".")
            for value, error in zip(self.difference[:4], self.error[:4], strict=True)
        )
        more = " ..." if len(self.difference) > 4 else ""
        return (
            f"Difference({self.num_users:,} users of seed {self.seed}, "
            f"t = {len(self.difference)}: precision {shown}{more})"
        )


def compare_lists(
    first: Task,
    second: Task,
    navigation: Navigation,
    *,
    num_users: int,
    seed: int,
    unranked: Unranked = "expected",
) -> Difference:
    """Return how much better the first list serves the same users than the second.

    Each user has the same random numbers for both lists: under independent navigation a number for
    each ideal, which a list turns into the rank of first sight; under walks the same path from the
    same element. So what the lists share cancels. The unranked parts are drawn separately, which
    adds noise; by default their expectation is taken instead.

    >>> from prum.simulator import Independent, Task
    >>> browsing = Independent({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6})
    >>> first, second = (Task(list(ranking), ["a", "b"], 4) for ranking in ("dcab", "cdab"))
    >>> compare_lists(first, second, browsing, num_users=100_000, seed=1)
    Difference(100,000 users of seed 1, t = 2: precision -.0177±.0007 +.0006±.0003)
    """
    if first.ideals != second.ideals:
        thing, rule = "ideals of the second task", f"be those of the first, {first.ideals!r}"
        raise InputError(thing, second.ideals, rule, remedy="compare lists for the same topic")
    seed = checked_seed(seed)
    checked_unranked(unranked)
    count = checked_users(num_users, least=2)
    samplers = compiled(first, navigation), compiled(second, navigation)
    t = first.num_ideals
    # Sums of CL and C of the first list, CL and C of the second, and of all their products.
    sums, products = np.zeros((4, t)), np.zeros((4, 4, t))
    for number in range(-(-count // BLOCK)):
        size = min(BLOCK, count - number * BLOCK)
        blocks = [
            sampler.block(seed, number, sampled=unranked == "sampled") for sampler in samplers
        ]
        for begin in range(0, size, max(1, _CHUNK_CELLS // t)):
            shape = (min(max(1, _CHUNK_CELLS // t), size - begin), t)
            values = np.empty((4, *shape))
            for side, (sampler, block) in enumerate(zip(samplers, blocks, strict=True)):
                consulted, leading = (np.empty(shape, np.int32, "F") for _ in range(2))
                block.draw(consulted, leading)
                values[2 * side], values[2 * side + 1] = _with_expected(sampler, consulted, leading)
            sums += values.sum(axis=1)
            products += np.einsum("iut,jut->ijt", values, values)
    means = sums / count
    covariances = (products - count * means[:, None] * means[None, :]) / (count - 1)
    ratios = means[0] / means[1], means[2] / means[3]
    unit, zero = np.ones(t), np.zeros(t)
    gradient = np.stack([unit, -ratios[0], zero, zero]) / means[1]
    opposite = np.stack([zero, zero, unit, -ratios[1]]) / means[3]
    paired = _variance(covariances, gradient - opposite) / count
    apart = (_variance(covariances, gradient) + _variance(covariances, opposite)) / count
    return Difference(
        ratios[0] - ratios[1],
        np.sqrt(paired),
        np.sqrt(apart),
        count,
        seed,
        unranked,
        (first.key, second.key),
        navigation.key,
    )


def _variance(covariances: Floats, gradient: Floats) -> Floats:
    """Return the variance of the linear combination `gradient`, per r."""
    variance: Floats = np.einsum("it,ijt,jt->t", gradient, covariances, gradient)
    return np.maximum(variance, 0)


def _with_expected(sampler: Sampler, consulted: Counts, leading: Counts) -> tuple[Floats, Floats]:
    """Return CL(r) and C(r), with the expected unranked part where C(r) was not drawn."""
    task = sampler.task
    missing = consulted == 0
    num_found = (~missing).sum(axis=1, keepdims=True)
    further = np.where(missing, np.arange(1, task.num_ideals + 1) - num_found, 0)
    draws = further * (task.num_unranked + 1) / (task.num_ideals - num_found + 1)
    leads: Floats = (leading + further).astype(np.float64)
    return leads, np.where(missing, task.num_ranked, consulted) + draws
