"""Summaries of what users did: means over sessions and ratios of means, with standard errors."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from prum.simulator.model.arrays import Floats
from prum.simulator.sessions.crowd import Entry
from prum.simulator.sessions.trace import Reason, Session

REASONS: tuple[Reason, ...] = get_args(Reason)
# The counts of each user.
_COUNTS = ("users", "sessions", "consulted", "leading", "ideals", "minutes", *REASONS)
_USERS, _SESSIONS, _CONSULTED, _LEADING, _IDEALS, _MINUTES, *_ = range(len(_COUNTS))
_FIRST_REASON = len(_COUNTS) - len(REASONS)
# Name -> the mean of what, over the mean of what.
RATIOS: dict[str, tuple[str, str]] = {
    "consulted": ("consulted", "sessions"),
    "leading": ("leading", "sessions"),
    "ideals": ("ideals", "sessions"),
    "precision": ("leading", "consulted"),
    "minutes": ("minutes", "sessions"),
    "ideals_per_minute": ("ideals", "minutes"),
    **{reason: (reason, "sessions") for reason in REASONS},
}


@dataclass(frozen=True, slots=True)
class RatioEstimate:
    """A number with its standard error; NaN where there is nothing to divide by."""

    value: float
    error: float


@dataclass
class _Open:
    """The counts of a user so far."""

    counts: list[float] = field(default_factory=lambda: [1.0] + [0.0] * (len(_COUNTS) - 1))
    led: int = 0


def counts_of(sessions: Iterable[Session]) -> list[float]:
    """Return the counts of one user, of all sessions together."""
    counts = _Open().counts
    for session in sessions:
        counts[_SESSIONS] += 1
        counts[_CONSULTED] += session.consulted
        counts[_LEADING] += session.leading
        counts[_IDEALS] += len(session.finds)
        counts[_MINUTES] += session.seconds / 60
        counts[_FIRST_REASON + REASONS.index(session.reason)] += 1
    return counts


class Summary:
    """Sums over users who have left; `add` takes the events of many users in any order.

    Users are independent of each other, the sessions of one need not be: standard errors are by
    the delta method over users.
    """

    def __init__(self) -> None:
        self._there: dict[int, _Open] = {}
        self._sums = np.zeros(len(_COUNTS))
        self._products = np.zeros((len(_COUNTS), len(_COUNTS)))

    def add(self, entry: Entry) -> None:
        """Count an event."""
        event = entry.event
        user = self._there.get(entry.user)
        if user is None:
            user = self._there[entry.user] = _Open()
        if event.action == "consult":
            user.counts[_CONSULTED] += event.elements
        elif event.new:
            user.counts[_IDEALS] += 1
            if user.led != event.rank:
                user.led = event.rank
                user.counts[_LEADING] += 1
        elif entry.reason is not None:
            user.led = 0
            user.counts[_SESSIONS] += 1
            user.counts[_MINUTES] += event.time / 60
            user.counts[_FIRST_REASON + REASONS.index(entry.reason)] += 1
            if entry.last:
                self.add_user(user.counts)
                del self._there[entry.user]

    def add_user(self, counts: Sequence[float]) -> None:
        """Add what `counts_of` says of a user."""
        row = np.array(counts)
        self._sums += row
        self._products += np.outer(row, row)

    @property
    def num_users(self) -> int:
        """How many users have left."""
        return int(self._sums[_USERS])

    @property
    def num_sessions(self) -> int:
        """How many sessions they had."""
        return int(self._sums[_SESSIONS])

    def estimate(self, name: str) -> RatioEstimate:
        """Return one of `RATIOS`.

        The error is sqrt(n / (n - 1) sum (Y_u - R X_u)^2) / sum X_u over users u, R the ratio;
        infinite for one user.
        """
        y, x = (_COUNTS.index(part) for part in RATIOS[name])
        total = self._sums[x]
        if not total > 0:
            return RatioEstimate(math.nan, math.nan)
        ratio = float(self._sums[y] / total)
        n = self.num_users
        if n < 2:
            return RatioEstimate(ratio, math.inf)
        products: Floats = self._products
        squares = products[y, y] - 2 * ratio * products[x, y] + ratio**2 * products[x, x]
        return RatioEstimate(ratio, float(math.sqrt(max(squares, 0.0) * n / (n - 1)) / total))
