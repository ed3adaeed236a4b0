"""The result of `simulate`: what users of every system did."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prum.experiments.frame.result import Result
from prum.experiments.sessions.settings import Settings
from prum.experiments.sessions.summary import RATIOS
from prum.experiments.sessions.view import SystemUsers, sessions_view
from prum.experiments.views.view import View

if TYPE_CHECKING:
    import pandas as pd


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
                {
                    "campaign": each.campaign,
                    "system": each.system,
                    "users": each.summary.num_users,
                    "sessions": each.summary.num_sessions,
                    **{name: each.summary.estimate(name) for name in RATIOS},
                }
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
