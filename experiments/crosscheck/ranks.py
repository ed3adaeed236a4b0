"""What happens at each rank: probabilities beside simulated shares, with exact binomial tests.

Of n users who want r ideals the number that consults rank i is binomial, and so is the number to
whom it shows something new, whatever the way of browsing. They take the first users of a list
alone. How far PRUM's probabilities are from the exact ones says what Hypothesis 2.3 (equation 8)
and the noisy-or of P(x in S_i) cost.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic.precision.blocks import by_rank, prum_by_rank
from prum.experiments.crosscheck.approximations import Names
from prum.experiments.crosscheck.verdicts import NO_LAW
from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.sampling.measured.effort import simulate_ranks
from prum.simulator.sampling.sampler import check_no_need

if TYPE_CHECKING:
    import pandas as pd

# A list and how its users browse, by its names.
Lists = Mapping[Names, tuple[Task, Navigation]]
MOST_ROWS = 1_000_000


def judged(rows: "pd.DataFrame", threshold: float) -> "pd.DataFrame":
    """Return rows of single tests with their verdicts; NaN is without one."""
    conditions = [rows["p"].isna(), rows["p"] < threshold]
    return rows.assign(verdict=np.select(conditions, [NO_LAW, "disagrees"], "agrees"))


# What is tested of a rank, named as in `Crosscheck.comparisons`, in words.
EVENTS = {"consulted": "P(consulted)", "leading": "P(something new)"}


def check_countable(lists: Lists) -> None:
    """Raise InputError where users browse by need, or rows of all ranks and r are too many."""
    for task, navigation in lists.values():
        check_no_need(task, navigation, "by rank")
    rows = sum(task.num_ranked * task.num_ideals for task, _ in lists.values())
    if rows > MOST_ROWS:
        rule = f"be at most {MOST_ROWS:,}, ranks times ideals of all lists"
        raise InputError("rows by rank", rows, rule, remedy="check fewer or shorter lists")


def ranks_of(
    lists: Lists, num_users: int, seed: int, threads: int
) -> "tuple[pd.DataFrame | None, int]":
    """Return a row for each list, r and rank, and how many tests that makes; None without lists."""
    import pandas as pd

    if not lists:
        return None, 0
    with ThreadPoolExecutor(threads) as pool:
        rows = pd.concat(
            pool.map(lambda names: _ranks(names, *lists[names], num_users, seed), lists),
            ignore_index=True,
        )
    chances = rows[[f"exact_{event}" for event in EVENTS]].to_numpy()
    return rows, int(np.count_nonzero((chances > 0) & (chances < 1)))


def _ranks(
    names: Names, task: Task, navigation: Navigation, num_users: int, seed: int
) -> "pd.DataFrame":
    """Return a row for each r and rank of a list, with the smaller p of both events."""
    import pandas as pd
    from scipy.stats import binom

    n, o, t = num_users, task.num_ranked, task.num_ideals
    users = simulate_ranks(task, navigation, num_users=n, seed=seed)
    prum, exact = prum_by_rank(task, navigation), by_rank(task, navigation)
    columns: dict[str, Any] = {
        **dict(zip(("campaign", "system", "topic"), names, strict=True)),
        "r": np.repeat(np.arange(1, t + 1), o),
        "rank": np.tile(np.arange(1, o + 1), t),
        "element": [*task.ranking] * t,
        "users": n,
    }
    p = np.full(o * t, np.nan)
    for event in EVENTS:
        counts = getattr(users, event).T.ravel()
        chances = np.full(o * t, np.nan) if exact is None else getattr(exact, event).T.ravel()
        share = counts / n
        columns |= {
            f"prum_{event}": getattr(prum, event).T.ravel(),
            f"exact_{event}": chances,
            f"simulated_{event}": share,
            f"{event}_error": np.sqrt(share * (1 - share) / (n - 1)) if n > 1 else np.inf,
        }
        few, many = binom.cdf(counts, n, chances), binom.sf(counts - 1, n, chances)
        p = np.fmin(p, np.minimum(1, 2 * np.minimum(few, many)))
    return pd.DataFrame({**columns, "p": p})
