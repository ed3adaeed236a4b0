"""How many elements users consult: exact quantiles of C(r) beside simulated ones, and their test.

That q is the quantile of C(r) at a probability p says that P(C <= q - 1) < p <= P(C <= q). So, of n
users, those with C <= q are no fewer than a binomial number of p, and those with C < q no more. Two
exact binomial tests of one side each are one of two sides. It holds whatever the law of C(r); where
C(r) takes few values it rejects more rarely than promised. Where bins of the histogram are wider
than an element, all users in the bin of q count for it. What C(r) elements cost rises with C(r), so
its quantile is what the quantile of C(r) costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.analytic import consulted_quantiles
from prum.experiments.views.numbers import amount_of
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import proportion
from prum.simulator.sampling.simulation import Simulation

if TYPE_CHECKING:
    import pandas as pd

    from prum.experiments.crosscheck.result import CheckedList

# Half of the users, nine in ten, ninety-nine in a hundred.
PROBABILITIES = (0.5, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class Depths:
    """Quantiles of C(r) of one list, shape (probabilities, t): exact, None if unknown; simulated.

    `p` is the two-sided p-value of each, NaN where nothing is known to test it by.
    """

    probabilities: tuple[float, ...]
    exact: Ints | Floats | None
    simulated: Ints | Floats
    p: Floats

    @classmethod
    def of(
        cls,
        task: Task,
        navigation: Navigation,
        simulated: Simulation,
        probabilities: Sequence[float],
    ) -> "Depths":
        """Return them; users must have been drawn as they are, and their distribution kept.

        Raises
        ------
        InputError
            for a probability outside (0, 1), or a simulation without its distribution.
        """
        chosen = tuple(checked(probabilities))
        recall = range(1, simulated.num_ideals + 1)
        measured = [[simulated.consulted_quantile(r, p) for r in recall] for p in chosen]
        known = consulted_quantiles(task, navigation, chosen)
        exact: Ints | Floats | None = known
        if known is not None and simulated.costs is not None:
            exact = simulated.costs.up_to(known)
        p_values = np.full((len(chosen), simulated.num_ideals), np.nan)
        # What is expected is no user's own.
        if known is not None and simulated.unranked == "sampled":
            for column, r in enumerate(recall):
                p_values[:, column] = _p_values(simulated, r, known[:, column], chosen)
        return cls(chosen, exact, np.array(measured), p_values)

    @property
    def num_tested(self) -> int:
        """Number of tests."""
        return int(np.count_nonzero(~np.isnan(self.p)))

    def to_frame(self, threshold: float) -> "pd.DataFrame":
        """Return a row for each r and probability, with the verdict at the level of a test."""
        import pandas as pd

        num, t = self.p.shape
        verdicts = np.select(
            [np.isnan(self.p), self.p < threshold], ["no closed form", "disagrees"], "agrees"
        )
        exact = np.full((num, t), np.nan) if self.exact is None else self.exact
        return pd.DataFrame(
            {
                "r": np.repeat(np.arange(1, t + 1), num),
                "probability": np.tile(self.probabilities, t),
                "exact": exact.T.ravel(),
                "simulated": self.simulated.T.ravel(),
                "p": self.p.T.ravel(),
                "verdict": verdicts.T.ravel(),
            }
        )


def depths_of(
    cases: "Sequence[CheckedList]", campaigns: Sequence[Campaign], probabilities: Sequence[float]
) -> list[Depths]:
    """Return the quantiles of each list; nothing without probabilities."""
    if not probabilities:
        return []
    named = {campaign.name: campaign for campaign in campaigns}
    return [
        Depths.of(
            named[case.campaign].task(case.system, case.topic),
            named[case.campaign].navigation_on(case.topic),
            case.simulated,
            probabilities,
        )
        for case in cases
    ]


def quantile_table(
    cases: "Sequence[CheckedList]", depths: Sequence[Depths], threshold: float
) -> "pd.DataFrame | None":
    """Return the rows of all lists with their names before them; None without any."""
    import pandas as pd

    tables = []
    for case, of_list in zip(cases, depths, strict=False):
        rows = of_list.to_frame(threshold)
        for place, name in enumerate(("campaign", "system", "topic")):
            rows.insert(place, name, getattr(case, name))
        tables.append(rows)
    return pd.concat(tables, ignore_index=True) if tables else None


def checked(probabilities: Sequence[float]) -> list[float]:
    """Return probabilities, each in (0, 1), or raise `InputError`."""
    remedy = "give .9 for nine users in ten"
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


def people(probability: float) -> str:
    """Return how many users a probability is, in words.

    >>> people(0.5), people(0.9), people(0.99), people(0.125)
    ('half of the users', 'nine users in ten', '99 users in 100', '12.5 % of the users')
    """
    names = {0.5: "half of the users", 0.9: "nine users in ten", 0.99: "99 users in 100"}
    return names.get(probability, f"{100 * probability:g} % of the users")


def by_probability(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Return quantiles with a row for each list and r and a column for each of `people`.

    They are exact, or simulated where no exact one is known; the last column, `verdict`, is that
    of the row's worst.
    """
    names = ["campaign", "system", "topic", "r"]
    worst = {"agrees": 0, "no closed form": 1, "disagrees": 2}
    rows = rows.assign(
        value=rows["exact"].fillna(rows["simulated"]),
        worst=rows["verdict"].map(worst),
    )
    table = rows.pivot_table("value", names, "probability", aggfunc="first", sort=False)
    table.columns = [people(float(probability)) for probability in table.columns]
    verdicts = rows.groupby(names, sort=False)["worst"].max()
    table["verdict"] = verdicts.map({number: name for name, number in worst.items()})
    return table.reset_index()


def in_a_sentence(rows: "pd.DataFrame", unit: str) -> str:
    """Return how far users go in one campaign: "Nine users in ten are done within 40 elements".

    In the median over lists, for one ideal and for all of a topic; of the probabilities the one
    nearest to .9.
    """
    probability = min(rows["probability"].unique(), key=lambda p: abs(p - 0.9))
    chosen = rows[rows["probability"] == probability]
    values = chosen["exact"].fillna(chosen["simulated"])
    last = chosen.groupby(["system", "topic"])["r"].transform("max")
    one, every = (values[chosen["r"] == r].median() for r in (1, last))
    num_lists = int((chosen["r"] == 1).sum())
    among = "" if num_lists == 1 else f", in the median over {num_lists:,} lists"
    elements = "element" if (unit, one) == (ELEMENTS, 1) else unit
    return (
        f"{people(probability).capitalize()} are done within {amount_of(one)} {elements} where "
        f"they want one ideal, within {amount_of(every)} where they want all{among}."
    )
