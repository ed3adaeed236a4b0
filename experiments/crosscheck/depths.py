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

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic import consulted_quantiles
from prum.analytic.precision.blocks import ByRank, by_rank, prum_by_rank
from prum.experiments.crosscheck.checked_list import Names
from prum.experiments.crosscheck.tables import KINDS, PRINTED, Row, column, numbers
from prum.experiments.crosscheck.verdicts import NO_LAW
from prum.experiments.evaluate.given import is_list
from prum.experiments.frame.numbers import amount_of, shown
from prum.experiments.frame.view import Column
from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import proportion
from prum.simulator.sampling.measured.effort import UsersByRank, simulate_ranks
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
            "verdict": verdicts_on(p.T.ravel(), threshold),
        }
        tables.append(pd.DataFrame({**_named(names), **columns}))
    return pd.concat(tables, ignore_index=True) if tables else None


def verdicts_on(p: Floats, threshold: float) -> list[str]:
    """Return the verdicts of single tests; NaN is without one."""
    found = np.select([np.isnan(p), p < threshold], [NO_LAW, "disagrees"], "agrees")
    return [str(verdict) for verdict in found]


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
    worst = {"agrees": 0, NO_LAW: 1, "disagrees": 2}
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
    return (
        f"{people(probability).capitalize()} are done within {charged(one, unit)} where "
        f"they want one ideal, within {amount_of(every)} where they want all{among}."
    )


def charged(amount: float, unit: str) -> str:
    """Return what is consulted: "1 element", "20 elements", "20 tokens"."""
    return f"{amount_of(amount)} {'element' if (unit, amount) == (ELEMENTS, 1) else unit}"


MOST_ROWS = 1_000_000
# What is tested of a rank, named as in `Crosscheck.comparisons`, in words.
EVENTS = {"consulted": "P(consulted)", "leading": "P(something new)"}


@dataclass(frozen=True, slots=True, eq=False)
class RanksOfList:
    """A list, rank by rank: PRUM's probabilities, exact ones if they are known, and users."""

    task: Task
    prum: ByRank
    exact: ByRank | None
    simulated: UsersByRank

    @classmethod
    def of(cls, task: Task, navigation: Navigation, num_users: int, seed: int) -> "RanksOfList":
        """Return them of a list.

        Raise InputError as `simulate_ranks`.
        """
        users = simulate_ranks(task, navigation, num_users=num_users, seed=seed)
        return cls(task, prum_by_rank(task, navigation), by_rank(task, navigation), users)

    @property
    def num_tests(self) -> int:
        """How many tests there are: where something may happen or not, of both events."""
        if self.exact is None:
            return 0
        chances = [getattr(self.exact, event) for event in EVENTS]
        return sum(int(np.count_nonzero((of > 0) & (of < 1))) for of in chances)

    @property
    def p(self) -> Floats:
        """The smaller p-value of each rank and r, NaN if unknown, shape (o, t)."""
        if self.exact is None:
            return np.full((self.task.num_ranked, self.task.num_ideals), np.nan)
        n = self.simulated.num_users
        p: Floats = np.minimum(
            *(_binomial(getattr(self.simulated, of), n, getattr(self.exact, of)) for of in EVENTS)
        )
        return p


def _binomial(counts: Ints, n: int, chances: Floats) -> Floats:
    """Return exact two-sided p-values of how many of n users something happens to."""
    from scipy.stats import binom

    p: Floats = np.minimum(
        1, 2 * np.minimum(binom.cdf(counts, n, chances), binom.sf(counts - 1, n, chances))
    )
    return p


def check_countable(lists: Lists) -> None:
    """Raise InputError where users browse by need, or rows of all ranks and r are too many."""
    for task, navigation in lists.values():
        check_no_need(task, navigation, "by rank")
    rows = sum(task.num_ranked * task.num_ideals for task, _ in lists.values())
    if rows > MOST_ROWS:
        rule = f"be at most {MOST_ROWS:,}, ranks times ideals of all lists"
        raise InputError("rows by rank", rows, rule, remedy="check fewer or shorter lists")


def ranks_of(lists: Lists, num_users: int, seed: int, threads: int) -> dict[Names, RanksOfList]:
    """Return every list, rank by rank."""
    with ThreadPoolExecutor(threads) as pool:
        found = pool.map(lambda of: RanksOfList.of(*of, num_users, seed), lists.values())
        return dict(zip(lists, found, strict=True))


def rank_table(ranks: Mapping[Names, RanksOfList], threshold: float) -> "pd.DataFrame | None":
    """Return a row for each list, r and rank, judged at `threshold`; None without any."""
    import pandas as pd

    tables = []
    for names, of_list in ranks.items():
        p = of_list.p.T.ravel()
        found = {"p": p, "verdict": verdicts_on(p, threshold)}
        tables.append(pd.DataFrame({**_named(names), **dict(_columns(of_list)), **found}))
    return pd.concat(tables, ignore_index=True) if tables else None


def _columns(ranks: RanksOfList) -> Iterator[tuple[str, object]]:
    """Yield what names the rows of a list, and the probabilities."""
    o, t = ranks.prum.consulted.shape
    n = ranks.simulated.num_users
    yield "r", np.repeat(np.arange(1, t + 1), o)
    yield "rank", np.tile(np.arange(1, o + 1), t)
    yield "element", [*ranks.task.ranking] * t
    yield "users", n
    for event in EVENTS:
        share = getattr(ranks.simulated, event) / n
        unknown = np.full(share.shape, np.nan)
        known = unknown if ranks.exact is None else getattr(ranks.exact, event)
        yield f"prum_{event}", getattr(ranks.prum, event).T.ravel()
        yield f"exact_{event}", known.T.ravel()
        yield f"simulated_{event}", share.T.ravel()
        error = np.sqrt(share * (1 - share) / (n - 1)) if n > 1 else np.full(share.shape, np.inf)
        yield f"{event}_error", error.T.ravel()


def in_sentences(rows: "pd.DataFrame", reference: str) -> Iterator[str]:
    """Yield what was found of one campaign rank by rank, of exact values and of PRUM."""
    if rows.empty:
        yield "By rank: the lists are empty."
        return
    yield f"By rank, against the exact values: {_counted(rows)}."
    errors = {}
    for event, words in EVENTS.items():
        known = rows[f"exact_{event}"].fillna(rows[f"simulated_{event}"])
        off = (rows[f"prum_{event}"] - known).to_numpy()
        at = int(np.argmax(np.abs(off)))
        place = f" ({_place(rows.iloc[at])})"
        errors[words] = "0" if abs(off[at]) < PRINTED else shown(off[at], "+.5f") + place
    each = ", ".join(f"{words} {error}" for words, error in errors.items())
    yield f"PRUM's largest errors by rank against {reference}: {each}."


def _counted(rows: "pd.DataFrame") -> str:
    counts = rows["verdict"].value_counts()
    words = {**KINDS, NO_LAW: "without closed form"}
    told = ", ".join(f"{counts[kind]:,} {said}" for kind, said in words.items() if kind in counts)
    bad = rows[rows["verdict"] == "disagrees"]
    return told if bad.empty else f"{told} (first: {_place(bad.iloc[0])})"


def _place(row: "pd.Series[Any]") -> str:
    return f"{row['system']}, {row['topic']}, rank {row['rank']}, r = {row['r']}"


def rank_columns(names: Sequence[Column[Row]]) -> list[Column[Row]]:
    """Return the columns of ranks, behind what names their list."""
    heads = ("{}: PRUM", "exact", "simulated")
    probabilities = []
    for event, words in EVENTS.items():
        of = (f"prum_{event}", f"exact_{event}", f"simulated_{event}")
        probabilities += numbers([head.format(words) for head in heads], of, ".5f")
        probabilities.append(column("± error", f"{event}_error", ".5f", is_optional=True))
    return [
        *names,
        column("rank", "rank"),
        column("element", "element", left=True, is_optional=True),
        *probabilities,
        column("p", "p", ".2g", is_optional=True),
        column("verdict", "verdict", left=True),
    ]
