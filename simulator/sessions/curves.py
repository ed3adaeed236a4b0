"""Measures of many sessions: how long people take to find things."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from prum.simulator.model.errors import whole_number
from prum.simulator.sessions.trace import Session

if TYPE_CHECKING:
    import pandas as pd


def time_curve(sessions: Iterable[Session], num_ideals: int) -> "pd.DataFrame":
    """Return a row for each r = 1 .. t: how long people took to see r ideals, and how many did.

    Columns: r; `share`, of users who saw r ideals before they stopped, with `share_error`;
    `seconds`, the mean time of these users, with `seconds_error`; `per_minute`, 60 r / seconds.
    Errors are standard errors; NaN where at most one user came so far. If all users go on until
    they have t, this is the expected time curve of Dunlop (1997), simulated.

    Raises
    ------
    InputError
        for t below 1.

    >>> from prum.simulator.model import Task
    >>> from prum.simulator.sessions.session import scripted
    >>> session = scripted(Task(["x", "a", "b"], ["a", "b"], 3), {"x": ["b"]})
    >>> time_curve([session], 2)[["r", "share", "seconds", "per_minute"]].to_dict("list")
    {'r': [1, 2], 'share': [1.0, 1.0], 'seconds': [1.0, 2.0], 'per_minute': [60.0, 60.0]}
    """
    import pandas as pd

    t = whole_number("num_ideals", num_ideals, least=1, remedy="count the ideals")
    users, counts = 0, np.zeros(t)
    sums, squares = np.zeros(t), np.zeros(t)
    for session in sessions:
        seconds = np.array(session.finds[:t])
        users += 1
        counts[: len(seconds)] += 1
        sums[: len(seconds)] += seconds
        squares[: len(seconds)] += seconds**2
    r = np.arange(1, t + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, mean = counts / users, sums / counts
        variance = np.maximum(squares / counts - mean**2, 0) / (counts - 1)
        return pd.DataFrame(
            {
                "r": r,
                "share": share,
                "share_error": np.sqrt(share * (1 - share) / users),
                "seconds": mean,
                "seconds_error": np.sqrt(np.where(counts > 1, variance, np.nan)),
                "per_minute": 60 * r / mean,
            }
        )
