"""The result of `simulate`: what users of every system did."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from prum.experiments.frame.result import Result
from prum.experiments.sessions.settings import Settings
from prum.experiments.sessions.summary import RATIOS, REASONS, RatioEstimate, Summary
from prum.experiments.views.view import Column, Table, View

if TYPE_CHECKING:
    import pandas as pd

# Minutes to seconds.
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class SystemUsers:
    """What the users of a system did."""

    campaign: str
    system: str
    summary: Summary


def sessions_view(systems: Sequence[SystemUsers], settings: Settings) -> View:
    """Return two tables of each campaign's systems."""
    campaigns = dict.fromkeys(each.campaign for each in systems)
    users = settings.num_users
    return View(
        title="Users in time",
        headline=(
            f"{users:,} user{'s' * (users > 1)} of each system, from number "
            f"{settings.first_user} on, seed {settings.seed}."
        ),
        story=(),
        tables=tuple(
            table
            for campaign in campaigns
            for table in _tables(campaign, [x for x in systems if x.campaign == campaign])
        ),
        notes=("±: one standard error, over users.",),
    )


def _tables(campaign: str, systems: Sequence[SystemUsers]) -> Iterator[Table]:
    yield Table.of(
        f"{campaign}: means over sessions; precision = E[CL] / E[C], a ratio of means",
        systems,
        [
            _SYSTEM,
            Column("sessions", lambda row: row.summary.num_sessions, ",d"),
            *_estimate("C", "consulted", 3),
            *_estimate("CL", "leading", 4),
            *_estimate("ideals", "ideals", 4),
            *_estimate("precision", "precision", 5),
        ],
    )
    reasons = [
        reason
        for reason in REASONS
        if any(row.summary.estimate(reason).value > 0 for row in systems)
    ]
    yield Table.of(
        f"{campaign}: time of a session, and why it ended, by shares",
        systems,
        [
            _SYSTEM,
            *_estimate("seconds", "minutes", 2, times=_SECONDS),
            *_estimate("ideals/min", "ideals_per_minute", 4),
            *(next(_estimate(reason, reason, 4)) for reason in reasons),
        ],
    )


_SYSTEM: Column[SystemUsers] = Column("system", lambda row: row.system, left=True)


def _estimate(
    heading: str, name: str, digits: int, *, times: int = 1
) -> Iterator[Column[SystemUsers]]:
    """Yield the columns of a number and of its standard error."""

    def part(which: str) -> Callable[[SystemUsers], float]:
        def of(row: SystemUsers) -> float:
            value: float = times * getattr(row.summary.estimate(name), which)
            return value if math.isfinite(value) else math.nan

        return of

    yield Column(heading, part("value"), f".{digits}f")
    yield Column("±", part("error"), f".{digits}f")


class SystemValues(TypedDict):
    """Means over the sessions of a system: value and standard error."""

    campaign: str
    system: str
    users: int
    sessions: int
    consulted: RatioEstimate
    leading: RatioEstimate
    ideals: RatioEstimate
    precision: RatioEstimate
    minutes: RatioEstimate
    ideals_per_minute: RatioEstimate
    found: RatioEstimate
    persistence: RatioEstimate
    rank: RatioEstimate
    fruitless: RatioEstimate
    budget: RatioEstimate
    patience: RatioEstimate
    end: RatioEstimate


class SessionsValues(TypedDict):
    """What the JSON of users in time holds."""

    num_users: int
    first_user: int
    seed: int
    systems: list[SystemValues]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SessionsResult(Result):
    """Users of every system of some campaigns, in time.

    Attributes
    ----------
    settings
        What they have in common.
    systems
        What those of each system did.
    arguments, command
        As `Result` has them.
    """

    settings: Settings
    systems: tuple[SystemUsers, ...]

    kind = "simulate"

    def view(self) -> View:
        """Return means over sessions, and why they ended."""
        return sessions_view(self.systems, self.settings)

    def values(self) -> SessionsValues:
        """Return means over sessions with standard errors, system by system."""
        return {
            "num_users": self.settings.num_users,
            "first_user": self.settings.first_user,
            "seed": self.settings.seed,
            "systems": [
                SystemValues(
                    campaign=each.campaign,
                    system=each.system,
                    users=each.summary.num_users,
                    sessions=each.summary.num_sessions,
                    **{name: each.summary.estimate(name) for name in RATIOS},  # type: ignore[typeddict-item]
                )
                for each in self.systems
            ],
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each system and mean, with its standard error."""
        import pandas as pd

        rows = [
            (each.campaign, each.system, name, estimate.value, estimate.error)
            for each in self.systems
            for name in RATIOS
            for estimate in (each.summary.estimate(name),)
        ]
        return pd.DataFrame(rows, columns=["campaign", "system", "name", "value", "error"])
