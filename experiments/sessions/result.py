"""The result of `simulate`: what users of every system did, in means with standard errors."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from prum.experiments.frame.frames import FrameResult, frame_table, turned
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.view import Figure, Table, View
from prum.experiments.statistics.intervals import normal_factor
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import Constant, Costs, Duration
from prum.simulator.model.errors import whole_number
from prum.simulator.model.stopping import Rule, Stopping, stopping_on
from prum.simulator.sampling.streams import MOST_USERS
from prum.simulator.sessions.crowd import Geometric, Poisson, Query, Traffic
from prum.simulator.sessions.trace import Detail, Reason, Session

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from prum.experiments.frame.drawing import Drawing


@dataclass(frozen=True, slots=True)
class Settings:
    """What users of every system have in common.

    Parameters
    ----------
    num_users, first_user, seed, arrivals, queries_each, pause, costs, detail
        As in `Traffic`.
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
    queries_each: Geometric | None = None
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

    def traffic(
        self, campaign: Campaign, system: str, topics: Iterable[str] | None = None
    ) -> Traffic:
        """Return where the users of a system meet, facing its lists of all topics or some."""
        tasks = {topic: campaign.task(system, topic) for topic in topics or campaign.ideals}
        queries = (
            Query(topic, task, campaign.navigation_on(topic), self.stopping(task))
            for topic, task in tasks.items()
        )
        times = self.pause or Constant(0), self.costs or Costs.unit()
        how = self.arrivals, self.queries_each
        return Traffic(tuple(queries), self.seed, *how, *times, self.detail)


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


def counts_of(sessions: Iterable[Session]) -> list[float]:
    """Return the counts of one user, of all sessions together."""
    counts = [1.0] + [0.0] * (len(_COUNTS) - 1)
    for session in sessions:
        counts[_SESSIONS] += 1
        counts[_CONSULTED] += session.consulted
        counts[_LEADING] += session.leading
        counts[_IDEALS] += len(session.finds)
        counts[_MINUTES] += session.seconds / 60
        counts[_FIRST_REASON + REASONS.index(session.reason)] += 1
    return counts


class Summary:
    """Sums over users.

    Users are independent of each other, the sessions of one need not be: standard errors are by
    the delta method over users.
    """

    def __init__(self) -> None:
        self._sums = np.zeros(len(_COUNTS))
        self._products = np.zeros((len(_COUNTS), len(_COUNTS)))

    def add_user(self, counts: Sequence[float]) -> None:
        """Add what `counts_of` says of a user."""
        row = np.array(counts)
        self._sums += row
        self._products += np.outer(row, row)

    def estimate(self, name: str) -> tuple[float, float]:
        """Return one of `RATIOS` with its standard error; NaN where there is nothing to divide by.

        The error is sqrt(n / (n - 1) sum (Y_u - R X_u)^2) / sum X_u over users u, R the ratio;
        infinite for one user.
        """
        y, x = (_COUNTS.index(part) for part in RATIOS[name])
        total = self._sums[x]
        if not total > 0:
            return math.nan, math.nan
        ratio = float(self._sums[y] / total)
        n = self._sums[_USERS]
        if n < 2:
            return ratio, math.inf
        products: Floats = self._products
        squares = products[y, y] - 2 * ratio * products[x, y] + ratio**2 * products[x, x]
        return ratio, float(math.sqrt(max(squares, 0.0) * n / (n - 1)) / total)

    def row(self) -> dict[str, Any]:
        """Return how many users and sessions there were, and each mean with its error."""
        row: dict[str, Any] = {
            "users": int(self._sums[_USERS]),
            "sessions": int(self._sums[_SESSIONS]),
        }
        for name in RATIOS:
            row[name], row[f"{name}_error"] = self.estimate(name)
        return row


def sessions_result(systems: Sequence[dict[str, Any]], settings: Settings) -> FrameResult:
    """Return what the users of all systems did: rows (campaign, system, and `Summary.row`).

    `frames["means"]` has a row for each system and mean, with its standard error, and
    `frames["systems"]` how many users and sessions there were.
    """
    means = [
        {"campaign": row["campaign"], "system": row["system"], "name": name}
        | {"value": row[name], "error": row[f"{name}_error"]}
        for row in systems
        for name in RATIOS
    ]
    counted = ("campaign", "system", "users", "sessions")
    return FrameResult(
        kind="simulate",
        frames={
            "means": turned(means),
            "systems": {name: [row[name] for row in systems] for name in counted},
        },
        shown=partial(_view, systems, settings),
        more={
            "num_users": settings.num_users,
            "first_user": settings.first_user,
            "seed": settings.seed,
        },
    )


_CAPTION = "Precision of users in time, E[CL] / E[C], with 95 % intervals over users"


def _view(systems: Sequence[dict[str, Any]], settings: Settings) -> View:
    """Return the answer, and two tables and a figure of each campaign's systems."""
    campaigns = {
        campaign: [row for row in systems if row["campaign"] == campaign]
        for campaign in dict.fromkeys(row["campaign"] for row in systems)
    }
    # What users of the system of the highest precision do, or of the only one.
    best = max(systems, key=lambda row: np.nan_to_num(row["precision"]))
    of_all = f", the highest of {len(systems):,} systems" if len(systems) > 1 else ""
    users = settings.num_users
    return View(
        title="Users in time",
        headline=f"Users of {best['system']} consult {shown(best['consulted'], '.2f')} elements in "
        f"the mean and see {shown(best['ideals'], '.2f')} ideals; their precision is "
        f"{shown(best['precision'], '.4f')}{of_all}.",
        story=(),
        tables=tuple(table for name, rows in campaigns.items() for table in _tables(name, rows)),
        figures=(Figure(_CAPTION, _CAPTION, partial(_drawing, campaigns)),),
        notes=(
            "±: one standard error, over users.",
            f"{users:,} user{'s' * (users > 1)} of each system, from number "
            f"{settings.first_user} on, seed {settings.seed}.",
        ),
    )


def _tables(campaign: str, rows: list[dict[str, Any]]) -> Iterator[Table]:
    columns = {
        name: [None if value == np.inf else value for value in values]
        for name, values in turned(rows).items()
    }
    for end in ("", "_error"):
        minutes = columns[f"minutes{end}"]
        columns[f"seconds{end}"] = [None if x is None else 60 * x for x in minutes]
    reasons = [reason for reason in REASONS if any(row[reason] > 0 for row in rows)]
    means = {"consulted": ".3f", "leading": ".4f", "ideals": ".4f", "precision": ".5f"}
    names = {"consulted": "C", "leading": "CL", "ideals_per_minute": "ideals/min"}
    names |= {name: "±" for name in columns if name.endswith("_error")}
    yield frame_table(
        f"{campaign}: means over sessions; precision = E[CL] / E[C], a ratio of means",
        columns,
        {"system": "<", "sessions": ",d", **_with_errors(means)},
        names=names,
    )
    times = _with_errors({"seconds": ".2f", "ideals_per_minute": ".4f"})
    yield frame_table(
        f"{campaign}: time of a session, and why it ended, by shares",
        columns,
        {"system": "<", **times, **dict.fromkeys(reasons, ".4f")},
        names=names,
    )


def _with_errors(forms: Mapping[str, str]) -> dict[str, str]:
    return {f"{name}{end}": form for name, form in forms.items() for end in ("", "_error")}


def _drawing(campaigns: Mapping[str, list[dict[str, Any]]]) -> "Drawing":
    """Draw a panel for each campaign, and in it a row for each system."""
    from prum.experiments.frame.drawing import SIMULATED, height, paneled, rows

    def panel(axes: "Axes", campaign: str) -> None:
        named = []
        for row in campaigns[campaign]:
            mean, half = row["precision"], normal_factor() * row["precision_error"]
            named.append((row["system"], mean - half, mean, mean + half))
        rows(axes, named, [SIMULATED] * len(named))
        axes.set_title(campaign)
        axes.set_xlabel("precision")

    most = max(map(len, campaigns.values()))
    panels = [partial(panel, campaign=name) for name in campaigns]
    return paneled(panels, columns=1, tall=height(most), prefix="sessions")
