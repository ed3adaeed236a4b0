"""A log of a campaign, read back with pandas, gives the precision of the kernels."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import norm

from prum.experiments.commands.main import prum
from prum.simulator import built_in_campaign, simulate
from tests.tiers import slow

pytest.importorskip("pyarrow")

WANTED, USERS, SEED = 2, 40, 11
# One rate of false alarms for two means of each of 8 systems, two-sided.
LEVEL = 0.001 / 16 / 2


def logged(path) -> pd.DataFrame:
    """Return a row for each session of a log: system, query, C, CL."""
    rows = pd.read_parquet(path)
    keys = ["system", "user", "session", "query"]
    consulted = rows.groupby(keys)["elements"].sum().rename("consulted")
    leading = rows[rows["new"]].groupby(keys)["rank"].nunique().rename("leading")
    return pd.concat([consulted, leading], axis=1).fillna(0).reset_index()


def far_off(sessions: pd.DataFrame, wanted: int) -> bool:
    """Whether mean C or CL of a system differs from the kernels' beyond chance."""
    campaign = built_in_campaign()
    for system, mine in sessions.groupby("system"):
        differences, variances = np.zeros(2), np.zeros(2)
        for topic, some in mine.groupby("query"):
            kernels = simulate(
                campaign.task(str(system), str(topic)),
                campaign.navigation_on(str(topic)),
                num_users=20_000,
                seed=SEED + 1,
            )
            r = min(wanted, kernels.num_ideals) - 1
            values = some[["consulted", "leading"]].to_numpy(dtype=float)
            theirs = np.array([kernels.consulted[r], kernels.leading[r]])
            errors = np.array([kernels.consulted_error[r], kernels.leading_error[r]])
            differences += values.mean(axis=0) - theirs
            # The kernels' many users know the spread of few sessions better than these do.
            variances += errors**2 * (1 + 20_000 / len(values))
        if (np.abs(differences) > norm.isf(LEVEL) * np.sqrt(variances)).any():
            return True
    return False


@slow
def test_a_campaign_logged_and_read_back_gives_the_kernels_precision(tmp_path) -> None:
    path = tmp_path / "log.parquet"
    done = CliRunner().invoke(
        prum,
        [
            "simulate",
            "--example",
            "campaign",
            "--users",
            str(USERS),
            "--want",
            str(WANTED),
            "--seed",
            str(SEED),
            "--log",
            str(path),
        ],
    )
    assert done.exit_code == 0, done.output
    sessions = logged(path)
    assert len(sessions) == USERS * 160
    assert not far_off(sessions, WANTED)
    # Users who want one more, or one less, are told apart.
    assert far_off(sessions, WANTED + 1)
    assert far_off(sessions, WANTED - 1)
