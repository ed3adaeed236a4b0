"""The result of `simulate`: what users of every system did."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from prum.experiments.frame.result import Result
from prum.experiments.sessions.settings import Settings
from prum.experiments.sessions.summary import RATIOS, RatioEstimate
from prum.experiments.sessions.view import SystemUsers, sessions_view
from prum.experiments.views.view import View

if TYPE_CHECKING:
    import pandas as pd


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
