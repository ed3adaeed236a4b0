"""Rank by rank: P(rank is consulted) and P(rank leads to something new), each with its own test.

Of n users who want r ideals the number that consults rank i is binomial, and so is the number to
whom it shows something new: exact binomial tests, two-sided, whatever the way of browsing. They
take the first users of a list alone. PRUM's probabilities are a family of tests of their own, by
which Hypothesis 2.3 (equation 8) and the noisy-or of P(x in S_i) can be judged apart.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prum.analytic.precision.blocks import ByRank, by_rank, prum_by_rank
from prum.experiments.crosscheck.compared import EQUAL
from prum.experiments.crosscheck.tables import KINDS, PRINTED, Row, column, numbers
from prum.experiments.crosscheck.verdicts import LEAST_EXPECTED
from prum.experiments.statistics.multiplicity import level_of_each
from prum.experiments.views.view import Column, shown
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.measured.ranks import UsersByRank, simulate_ranks
from prum.simulator.sampling.sampler import check_no_need

if TYPE_CHECKING:
    import pandas as pd

    from prum.experiments.crosscheck.result import CheckedList

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

        Raises
        ------
        InputError
            as `simulate_ranks`.
        """
        users = simulate_ranks(task, navigation, num_users=num_users, seed=seed)
        return cls(task, prum_by_rank(task, navigation), by_rank(task, navigation), users)

    def tests(self, of: str) -> "RankTests":
        """Return the tests of "prum" or "exact"."""
        claimed = getattr(self, of)
        n, t = self.simulated.num_users, self.task.num_ideals
        if claimed is None:
            nothing = np.full((self.task.num_ranked, t), np.nan)
            return RankTests(nothing, np.zeros(nothing.shape, dtype=np.bool_), 0)
        p, few, number = [], [], 0
        for event in EVENTS:
            chances: Floats = getattr(claimed, event)
            p.append(_binomial(getattr(self.simulated, event), n, chances))
            rarer = np.minimum(chances, 1 - chances)
            few.append((rarer > EQUAL) & (n * rarer < LEAST_EXPECTED))
            number += int(np.count_nonzero(rarer))
        return RankTests(np.minimum(*p), few[0] | few[1], number)


@dataclass(frozen=True, slots=True)
class RankTests:
    """The smaller p-value of each rank and r, NaN if unknown, shape (o, t), and what `lacks` users.

    `number` counts single tests: where something may happen or not, of both events.
    """

    p: Floats
    lacks: Flags
    number: int

    def verdicts(self, threshold: float) -> NDArray[np.str_]:
        """Return the verdict of each rank and r, at the level of a single test."""
        found = [np.isnan(self.p), self.p < threshold, self.lacks]
        return np.select(found, ["no closed form", "disagrees", "unresolved"], "agrees")


def _binomial(counts: Ints, n: int, chances: Floats) -> Floats:
    """Return exact two-sided p-values of how many of n users something happens to."""
    from scipy.stats import binom

    p: Floats = np.minimum(
        1, 2 * np.minimum(binom.cdf(counts, n, chances), binom.sf(counts - 1, n, chances))
    )
    return p


def check_countable(campaigns: Sequence[Campaign]) -> None:
    """Raise InputError where users browse by need, or rows of all ranks and r are too many."""
    rows = 0
    for campaign in campaigns:
        for _, topic, task in campaign.tasks():
            check_no_need(task, campaign.navigation_on(topic), "by rank")
            rows += task.num_ranked * task.num_ideals
    if rows > MOST_ROWS:
        rule = f"be at most {MOST_ROWS:,}, ranks times ideals of all lists"
        raise InputError("rows by rank", rows, rule, remedy="check fewer or shorter lists")


def ranks_of(
    cases: "Sequence[CheckedList]",
    campaigns: Sequence[Campaign],
    num_users: int,
    seed: int,
    threads: int,
) -> list[RanksOfList]:
    """Return every list, rank by rank."""
    named = {campaign.name: campaign for campaign in campaigns}

    def of(case: "CheckedList") -> RanksOfList:
        campaign = named[case.campaign]
        task = campaign.task(case.system, case.topic)
        return RanksOfList.of(task, campaign.navigation_on(case.topic), num_users, seed)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(of, cases))


def rank_table(
    cases: "Sequence[CheckedList]", ranks: Sequence[RanksOfList], level: float, threshold: float
) -> "pd.DataFrame | None":
    """Return a row for each list, r and rank; None without any.

    Exact values are judged at `threshold`, PRUM's as a family of their own at `level` in all.
    """
    import pandas as pd

    found = [of_list.tests("prum") for of_list in ranks]
    of_prum = level_of_each(level, sum(tests.number for tests in found))
    tables = [
        pd.DataFrame(
            {
                "campaign": case.campaign,
                "system": case.system,
                "topic": case.topic,
                **dict(_columns(of_list)),
                "p": (tests := of_list.tests("exact")).p.T.ravel(),
                "verdict": tests.verdicts(threshold).T.ravel(),
                "prum_p": published.p.T.ravel(),
                "prum_verdict": published.verdicts(of_prum).T.ravel(),
            }
        )
        for case, of_list, published in zip(cases, ranks, found, strict=False)
    ]
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
    against = {"the exact values": "verdict", "PRUM": "prum_verdict"}
    found = [f"against {name}, {_counted(rows, column)}" for name, column in against.items()]
    yield f"By rank: {'; '.join(found)}."
    errors = {}
    for event, words in EVENTS.items():
        known = rows[f"exact_{event}"].fillna(rows[f"simulated_{event}"])
        off = (rows[f"prum_{event}"] - known).to_numpy()
        at = int(np.argmax(np.abs(off)))
        place = f" ({_place(rows.iloc[at])})"
        errors[words] = "0" if abs(off[at]) < PRINTED else shown(off[at], "+.5f") + place
    each = ", ".join(f"{words} {error}" for words, error in errors.items())
    yield f"PRUM's largest errors by rank against {reference}: {each}."


def _counted(rows: "pd.DataFrame", column: str) -> str:
    counts = rows[column].value_counts()
    words = {**KINDS, "no closed form": "without closed form"}
    told = ", ".join(f"{counts[kind]:,} {said}" for kind, said in words.items() if kind in counts)
    bad = rows[rows[column] == "disagrees"]
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
        column("PRUM?", "prum_verdict", left=True),
    ]
