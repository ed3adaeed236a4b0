"""The result of `simulate`: what users of every system did, in means with standard errors."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from prum.experiments.frame.numbers import shown
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import Column, Figure, Table, View
from prum.experiments.statistics.intervals import normal_factor
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import Costs, Duration
from prum.simulator.model.errors import whole_number
from prum.simulator.model.stopping import Rule, Stopping, stopping_on
from prum.simulator.sampling.streams import MOST_USERS
from prum.simulator.sessions.crowd import Entry, Geometric, House, Poisson, Query, house_of
from prum.simulator.sessions.trace import Detail, Reason, Session

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from prum.experiments.frame.drawing import Drawing


@dataclass(frozen=True, slots=True)
class Settings:
    """What users of every system have in common.

    Parameters
    ----------
    num_users, first_user, seed, arrivals, queries_each, pause, costs, detail
        As in `traffic`.
    wanted
        How many ideals they want, all where there are fewer.
    rules
        Other rules by which they stop. Without any rule they want all ideals.
    """

    num_users: int
    seed: int
    first_user: int = 0
    wanted: int | None = None
    rules: tuple[Rule, ...] = ()
    arrivals: Poisson | None = None
    queries_each: int | Geometric | None = None
    pause: Duration | None = None
    costs: Costs | None = None
    detail: Detail = "every"

    def __post_init__(self) -> None:
        whole_number("users", self.num_users, least=1, most=MOST_USERS, remedy="give 1000, say")
        whole_number("user", self.first_user, least=0, most=MOST_USERS, remedy="give a number")
        if self.wanted is not None:
            whole_number("want", self.wanted, least=1, remedy="say how many ideals they want")

    @property
    def users(self) -> range:
        """Their numbers."""
        return range(self.first_user, self.first_user + self.num_users)

    def stopping(self, task: Task) -> Stopping:
        """Return the rules by which a user stops on a task."""
        return stopping_on(task.num_ideals, wanted=self.wanted, rules=self.rules)

    def mean_queries(self, num_topics: int) -> float:
        """Return how many of so many topics a user takes in the mean."""
        if not isinstance(self.queries_each, Geometric):
            return min(self.queries_each or num_topics, num_topics)
        more = 1 - 1 / self.queries_each.mean
        return float(sum(more**k for k in range(num_topics)))

    def house(self, campaign: Campaign, system: str, topics: Iterable[str] | None = None) -> House:
        """Return where the users of a system meet, facing its lists of all topics or some."""
        tasks = {topic: campaign.task(system, topic) for topic in topics or campaign.ideals}
        return house_of(
            [
                Query(topic, task, campaign.navigation_on(topic), self.stopping(task))
                for topic, task in tasks.items()
            ],
            seed=self.seed,
            arrivals=self.arrivals,
            queries_each=self.queries_each,
            pause=self.pause,
            costs=self.costs,
            detail=self.detail,
        )


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


# Minutes to seconds.
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class SystemUsers:
    """What the users of a system did."""

    campaign: str
    system: str
    summary: Summary


def sessions_view(systems: Sequence[SystemUsers], settings: Settings) -> View:
    """Return the answer, and two tables and a figure of each campaign's systems."""
    campaigns = {
        campaign: [each for each in systems if each.campaign == campaign]
        for campaign in dict.fromkeys(each.campaign for each in systems)
    }
    users = settings.num_users
    return View(
        title="Users in time",
        headline=_headline(systems),
        story=(),
        tables=tuple(table for name, some in campaigns.items() for table in _tables(name, some)),
        figures=(Figure(_CAPTION, _CAPTION, partial(_drawing, campaigns)),),
        notes=(
            "±: one standard error, over users.",
            f"{users:,} user{'s' * (users > 1)} of each system, from number "
            f"{settings.first_user} on, seed {settings.seed}.",
        ),
        leads=True,
    )


_CAPTION = "Precision of users in time, E[CL] / E[C], with 95 % intervals over users"


def _headline(systems: Sequence[SystemUsers]) -> str:
    """Return what users of the system of the highest precision do, or of the only one."""
    best = max(systems, key=lambda row: np.nan_to_num(row.summary.estimate("precision").value))
    means = {name: best.summary.estimate(name).value for name in RATIOS}
    of_all = f", the highest of {len(systems):,} systems" if len(systems) > 1 else ""
    return (
        f"Users of {best.system} consult {shown(means['consulted'], '.2f')} elements in the mean "
        f"and see {shown(means['ideals'], '.2f')} ideals; their precision is "
        f"{shown(means['precision'], '.4f')}{of_all}."
    )


def _drawing(campaigns: Mapping[str, Sequence[SystemUsers]]) -> "Drawing":
    """Draw a panel for each campaign, and in it a row for each system."""
    from prum.experiments.frame.drawing import SIMULATED, height, paneled, rows

    def panel(axes: "Axes", campaign: str) -> None:
        some = campaigns[campaign]
        means = [row.summary.estimate("precision") for row in some]
        half = normal_factor()
        ends = [
            (one.value - half * one.error, one.value, one.value + half * one.error) for one in means
        ]
        rows(
            axes,
            [(row.system, *three) for row, three in zip(some, ends, strict=True)],
            [SIMULATED] * len(some),
        )
        axes.set_title(campaign)
        axes.set_xlabel("precision")

    most = max(map(len, campaigns.values()))
    panels = [partial(panel, campaign=name) for name in campaigns]
    return paneled(panels, columns=1, tall=height(most), prefix="sessions")


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

    def values(self) -> dict[str, Any]:
        """Return means over sessions with standard errors, system by system."""
        return {
            "num_users": self.settings.num_users,
            "first_user": self.settings.first_user,
            "seed": self.settings.seed,
            "systems": [
                dict(
                    campaign=each.campaign,
                    system=each.system,
                    users=each.summary.num_users,
                    sessions=each.summary.num_sessions,
                    **{name: each.summary.estimate(name) for name in RATIOS},
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
