"""The view of `simulate`: what users did on each system, and why they stopped."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from prum.experiments.sessions.settings import Settings
from prum.experiments.sessions.summary import REASONS, Summary
from prum.experiments.views.view import Column, Table, View

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
