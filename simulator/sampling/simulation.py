"""Simulation: means over simulated users, with standard errors, and which users they were."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.simulator.model import InputError, ListCosts
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import proportion
from prum.simulator.model.json_text import json_value
from prum.simulator.model.process import own_version
from prum.simulator.sampling.tally import Tally

if TYPE_CHECKING:
    import pandas as pd


# Attributes of a simulation that are plain data.
_PLAIN = (
    "task_key",
    "navigation_key",
    "num_ranked",
    "num_unranked",
    "unranked",
    "version",
)


@dataclass(frozen=True, slots=True)
class UserRange:
    """The users that were simulated: `count` of those of `seed`, from number `first` on."""

    seed: int
    first: int
    count: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Simulation:
    """Estimates of expected CL(r), C(r) and precision from simulated users, r = 1 .. t.

    Arrays over r have shape (t,), index 0 is r = 1. `precision` is the ratio of the means, an
    estimate of E[CL(r)] / E[C(r)]; `mean_ratio` is the mean of CL(r) / C(r) over users, another
    number. Errors are standard errors of the mean, for `precision` by the delta method with the
    covariance of CL and C.

    With `costs`, what users consulted and what of it led to something new are costs, in `unit`:
    where C(r) and CL(r) stand below, read these.

    Simulations of disjoint users of the same task add with +. The attributes `task_key`,
    `navigation_key`, `users`, `unranked`, `costs` and `version` are what it takes to get the
    same numbers again.
    """

    tally: Tally
    users: tuple[UserRange, ...]
    task_key: str
    navigation_key: str
    num_ranked: int
    num_unranked: int
    unranked: str
    costs: ListCosts | None = None
    version: str = field(default_factory=own_version)

    @property
    def num_users(self) -> int:
        """Number of simulated users."""
        return self.tally.num_users

    @property
    def num_ideals(self) -> int:
        """t, the number of ideals."""
        return int(self.tally.sums.shape[1])

    @property
    def unit(self) -> str:
        """What is counted: elements, or the unit of their costs."""
        return ELEMENTS if self.costs is None else self.costs.unit

    @property
    def step(self) -> float:
        """What the tally counts in, in `unit`: 1, or a step of the costs."""
        return 1.0 if self.costs is None else self.costs.in_steps(self.num_unranked).size

    @property
    def leading(self) -> Floats:
        """Mean CL(r): consulted elements that led to a previously unseen ideal, or their cost."""
        return self.tally.mean("leading") * self.step

    @property
    def consulted(self) -> Floats:
        """Mean C(r): consulted elements, or their cost."""
        return self.tally.mean("consulted") * self.step

    @property
    def precision(self) -> Floats:
        """Mean CL(r) / mean C(r)."""
        return self.tally.precision

    @property
    def mean_ratio(self) -> Floats:
        """Mean of CL(r) / C(r) over users; NaN where the unranked part was not sampled."""
        if self.unranked == "expected":
            return np.full(self.num_ideals, np.nan)
        return self.tally.mean("ratio")

    @property
    def leading_error(self) -> Floats:
        """Standard error of `leading`."""
        return self.tally.error("leading") * self.step

    @property
    def consulted_error(self) -> Floats:
        """Standard error of `consulted`."""
        return self.tally.error("consulted") * self.step

    @property
    def mean_ratio_error(self) -> Floats:
        """Standard error of `mean_ratio`."""
        if self.unranked == "expected":
            return np.full(self.num_ideals, np.nan)
        return self.tally.error("ratio")

    @property
    def precision_error(self) -> Floats:
        """Standard error of `precision`, by the delta method over independent users."""
        return self.tally.precision_error

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return lower and upper ends of the confidence intervals of precision(r).

        By Student's law with one degree of freedom less than there are users. Where few users have
        a very large C(r), intervals cover less than they should.

        Raises InputError for a confidence outside (0, 1).
        """
        half = half_width(confidence, self.num_users) * self.precision_error
        return self.precision - half, self.precision + half

    def widest(self, recall: Sequence[int], confidence: float = 0.95) -> float:
        """Return the largest half-width of precision's interval among some recall values.

        Raises InputError for a confidence outside (0, 1).
        """
        low, high = self.interval(confidence)
        return float((high - low)[np.array(recall) - 1].max() / 2)

    def to_frame(self) -> "pd.DataFrame":
        """Return a table with a row for each r: estimates and standard errors."""
        import pandas as pd

        r = np.arange(1, self.num_ideals + 1)
        low, high = self.interval()
        return pd.DataFrame(
            {
                "r": r,
                "recall": r / self.num_ideals,
                "leading": self.leading,
                "leading_error": self.leading_error,
                "consulted": self.consulted,
                "consulted_error": self.consulted_error,
                "precision": self.precision,
                "precision_error": self.precision_error,
                "low": low,
                "high": high,
                "mean_ratio": self.mean_ratio,
            }
        )

    def to_json(self) -> str:
        """Return sums and parameters as JSON, from which `from_json` makes an equal simulation."""
        content = {
            **{name: getattr(self, name) for name in _PLAIN},
            "users": [[part.seed, part.first, part.count] for part in self.users],
            **self._costs,
            "num_users": self.num_users,
            "sums": self.tally.sums.tolist(),
        }
        return json.dumps(content, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Simulation":
        """Return the simulation whose `to_json` this is."""
        content = json_value(text)
        return cls(
            Tally(content["num_users"], np.array(content["sums"], dtype=object)),
            tuple(UserRange(*part) for part in content["users"]),
            costs=ListCosts(**content["costs"]) if "costs" in content else None,
            **{name: content[name] for name in _PLAIN if name in content},
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that give the same numbers again, as plain data."""
        return {
            "task_key": self.task_key,
            "navigation_key": self.navigation_key,
            "users": [
                {"seed": part.seed, "first_user": part.first, "num_users": part.count}
                for part in self.users
            ],
            "unranked": self.unranked,
            **self._costs,
            "version": self.version,
        }

    @property
    def _costs(self) -> dict[str, Any]:
        """Return the costs as plain data, nothing without them."""
        return {} if self.costs is None else {"costs": self.costs.content()}

    def __add__(self, other: "Simulation") -> "Simulation":
        if not isinstance(other, Simulation):
            return NotImplemented
        for name in ("task_key", "navigation_key", "unranked", "version"):
            value, added = getattr(self, name), getattr(other, name)
            if value != added:
                rule, remedy = f"be {value!r}", "add simulations of the same task, made alike"
                raise InputError(f"{name} of the simulation to add", added, rule, remedy=remedy)
        if self._costs != other._costs:
            rule, remedy = f"be {self.costs!r}", "add simulations of the same task, made alike"
            raise InputError("costs of the simulation to add", other.costs, rule, remedy=remedy)
        for a, b in product(self.users, other.users):
            if a.seed == b.seed and a.first < b.first + b.count and b.first < a.first + a.count:
                rule = f"be others than {a}"
                remedy = "take another seed, or first_user past those already counted"
                raise InputError("users of the simulation to add", b, rule, remedy=remedy)
        users = _joined((*self.users, *other.users))
        return replace(self, tally=self.tally + other.tally, users=users)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Simulation):
            return NotImplemented
        return self.tally == other.tally and self.parameters == other.parameters

    __hash__ = None  # type: ignore[assignment] # compares arrays

    def __repr__(self) -> str:
        seeds = ", ".join(str(seed) for seed in dict.fromkeys(part.seed for part in self.users))
        shown = " ".join(
            f"{value:.4f}±{error:.4f}".replace("0.", ".")
            for value, error in zip(self.precision[:4], self.precision_error[:4], strict=True)
        )
        more = " ..." if self.num_ideals > 4 else ""
        unit = "" if self.costs is None else f", {self.unit}"
        return (
            f"Simulation({self.num_users:,} users of seed {seeds}, t = {self.num_ideals}{unit}: "
            f"precision {shown}{more})"
        )


def half_width(confidence: float, num_users: int) -> float:
    """Return the half-width of a confidence interval in standard errors.

    Student's quantile, with one degree of freedom less than there are users.

    Raise InputError for a confidence outside (0, 1).

    >>> round(half_width(0.95, 1_000_000), 2), round(half_width(0.95, 8), 2)
    (1.96, 2.36)
    """
    from scipy.special import stdtrit

    level = proportion(
        "confidence", confidence, open_interval=True, remedy="give .95 for 95 percent"
    )
    return float(stdtrit(max(num_users - 1, 1), (1 + level) / 2))


def _joined(parts: tuple[UserRange, ...]) -> tuple[UserRange, ...]:
    """Return `parts` in order, neighbours joined."""
    joined: list[UserRange] = []
    for part in sorted(parts, key=lambda part: (part.seed, part.first)):
        last = joined[-1] if joined else None
        if last and last.seed == part.seed and last.first + last.count == part.first:
            joined[-1] = UserRange(part.seed, last.first, last.count + part.count)
        else:
            joined.append(part)
    return tuple(joined)
