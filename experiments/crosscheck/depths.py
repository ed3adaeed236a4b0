"""How deep users go: quantiles of C(r), and what happens at each rank, with exact binomial tests.

That q is the quantile of C(r) at a probability p says that P(C <= q - 1) < p <= P(C <= q). So, of n
users, those with C <= q are no fewer than a binomial number of p, and those with C < q no more. Two
exact binomial tests of one side each are one of two sides. It holds whatever the law of C(r); where
C(r) takes few values it rejects more rarely than promised. Where bins of the histogram are wider
than an element, all users in the bin of q count for it. What C(r) elements cost rises with C(r), so
its quantile is what the quantile of C(r) costs.

Of n users who want r ideals the number that consults rank i is binomial, and so is the number to
whom it shows something new, whatever the way of browsing. They take the first users of a list
alone. How far PRUM's probabilities are from the exact ones says what Hypothesis 2.3 (equation 8)
and the noisy-or of P(x in S_i) cost.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic import consulted_quantiles
from prum.analytic.precision.blocks import by_rank, prum_by_rank
from prum.experiments.crosscheck.approximations import Names
from prum.experiments.crosscheck.verdicts import NO_LAW
from prum.experiments.evaluate.given import is_list
from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import proportion
from prum.simulator.sampling.measured.effort import simulate_ranks
from prum.simulator.sampling.sampler import check_no_need
from prum.simulator.sampling.simulation import Simulation

if TYPE_CHECKING:
    import pandas as pd

# A list and how its users browse, by its names.
Lists = Mapping[Names, tuple[Task, Navigation]]
# Half of the users, nine in ten, ninety-nine in a hundred.
PROBABILITIES = (0.5, 0.9, 0.99)


def quantile_table(
    lists: Lists,
    simulated: Mapping[Names, Simulation],
    probabilities: Sequence[float],
    threshold: float,
) -> "pd.DataFrame | None":
    """Return a row for each list, r and probability, judged at `threshold`; None without any.

    Users must have been drawn as they are, and their distribution kept.
    """
    import pandas as pd

    tables = []
    for names, (task, navigation) in lists.items() if probabilities else ():
        users, t = simulated[names], task.num_ideals
        found = consulted_quantiles(task, navigation, probabilities)
        of_law: Ints | Floats = np.full((len(probabilities), t), np.nan)
        p = np.full(of_law.shape, np.nan)
        if found is not None:
            of_law = found if users.costs is None else users.costs.up_to(found)
            for at in range(t) if users.unranked == "sampled" else ():
                p[:, at] = _p_values(users, at + 1, found[:, at], probabilities)
        measured = [
            users.consulted_quantile(r, each) for r in range(1, t + 1) for each in probabilities
        ]
        columns = {
            "r": np.repeat(np.arange(1, t + 1), len(probabilities)),
            "probability": np.tile(probabilities, t),
            "exact": of_law.T.ravel(),
            "simulated": measured,
            "p": p.T.ravel(),
        }
        tables.append(pd.DataFrame({**_named(names), **columns}))
    return judged(pd.concat(tables, ignore_index=True), threshold) if tables else None


def judged(rows: "pd.DataFrame", threshold: float) -> "pd.DataFrame":
    """Return rows of single tests with their verdicts; NaN is without one."""
    found = [rows["p"].isna(), rows["p"] < threshold]
    return rows.assign(verdict=np.select(found, [NO_LAW, "disagrees"], "agrees"))


def _named(names: Names) -> dict[str, str]:
    return dict(zip(("campaign", "system", "topic"), names, strict=True))


def checked(probabilities: Sequence[float]) -> list[float]:
    """Return probabilities, each in (0, 1), or raise `InputError`."""
    remedy = "give .9 for nine users in ten"
    if not is_list(probabilities):
        raise InputError("quantiles", probabilities, "be a list", remedy=f"in [], {remedy}")
    return [
        proportion("probability of a quantile", value, open_interval=True, remedy=remedy)
        for value in probabilities
    ]


def _p_values(simulated: Simulation, r: int, exact: Ints, probabilities: Sequence[float]) -> Floats:
    """Return the p-values of quantiles of C(r), one for each probability."""
    from scipy.stats import binom

    table = simulated.consulted_counts(r)
    up_to = table["up_to"].to_numpy()
    users = np.append(0, np.cumsum(table["users"].to_numpy()))
    edges = np.unique(np.concatenate([[-1], simulated.bins.upper(), [simulated.bins.largest]]))
    # The first edge of a bin that is not below q, and the last one that is.
    above = edges[np.searchsorted(edges, exact, side="left")]
    below = edges[np.searchsorted(edges, exact, side="left") - 1]
    at_most, less = (users[np.searchsorted(up_to, at, side="right")] for at in (above, below))
    n, levels = simulated.num_users, np.array(probabilities)
    few, many = binom.cdf(at_most, n, levels), binom.sf(less - 1, n, levels)
    p: Floats = np.minimum(1, 2 * np.minimum(few, many))
    return p


MOST_ROWS = 1_000_000
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
        **_named(names),
        "r": np.repeat(np.arange(1, t + 1), o),
        "rank": np.tile(np.arange(1, o + 1), t),
        "element": [*task.ranking] * t,
        "users": n,
    }
    p = np.full(o * t, np.nan)
    for event in EVENTS:
        counts = getattr(users, event).T.ravel()
        known = np.full(o * t, np.nan) if exact is None else getattr(exact, event).T.ravel()
        share = counts / n
        columns |= {
            f"prum_{event}": getattr(prum, event).T.ravel(),
            f"exact_{event}": known,
            f"simulated_{event}": share,
            f"{event}_error": np.sqrt(share * (1 - share) / (n - 1)) if n > 1 else np.inf,
        }
        few, many = binom.cdf(counts, n, known), binom.sf(counts - 1, n, known)
        p = np.fmin(p, np.minimum(1, 2 * np.minimum(few, many)))
    return pd.DataFrame({**columns, "p": p})
