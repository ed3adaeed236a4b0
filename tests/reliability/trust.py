"""Measure how often what `prum trust` says is false, on made worlds whose truth is enumerated.

    python -m tests.reliability.trust [--worlds 300] [--seed 1] [--processes 2] [--csv FILE]

`trust` is given runs, judgements and P(x -> y), and not who the users are. Each of its claims is
held against the truth of those users: by how much PRUM is off, in the mean over topics of each
system, and whether the order of two systems stays. Bounds must never be left: those for any
dependence in any world, those for visits from one element where ranks are independent. Exit status
1 if they are.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import beta

from prum.experiments.frame.numbers import number
from prum.experiments.trust import TrustResult
from prum.experiments.trust.jobs import trust
from prum.experiments.trust.of_list import PRUM
from prum.experiments.trust.trusted import trusted_recall
from prum.experiments.trust.verb import SHARE
from tests.reliability.dependent_users import Floats
from tests.reliability.game_worlds import games_of, resampled
from tests.reliability.made_worlds import MADE, STRENGTHS, Maker, World, made_world

PLAYED = ("people", "agents")
# Claims on PRUM's error, as it is printed; whether bounds prove what is tolerated.
TRUSTED, TRUSTED_SHARE = "errs by at most X", "errs by at most X %"
BEYOND_IT, BEYOND_SHARE = "off by up to X", "off by up to X %"
MEAN = "mean over r, by up to X"
PROVEN = "errs by at most X, by bounds"
VALUES = (TRUSTED, TRUSTED_SHARE, BEYOND_IT, BEYOND_SHARE, MEAN)
# Claims on orders.
KEPT_BY_BOUNDS = "kept, by bounds"
# Bounds of a list's precision at each r.
ANY = "bounds, any dependence"
ORDERS = ("kept", "turns", "undecided", "level")
CLAIMS = (*VALUES, PROVEN, *ORDERS, KEPT_BY_BOUNDS, ANY)
NEVER_FALSE = (PROVEN, KEPT_BY_BOUNDS, ANY)
# What rounding leaves of a value; a difference that matters.
_ROUNDING, CLEAR = 1e-9, 0.001


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim on one world, and the truth.

    Parameters
    ----------
    world, kind, strength
        Where it was made.
    claim
        What is claimed; "kept", "turns", "undecided" or "level" of an order, else what of PRUM's
        error.
    said
        The largest error claimed, as it is printed; of an order PRUM's difference, the higher
        system first; 0 of bounds.
    true
        The largest true error; of an order the true difference; of bounds how far it is beyond.
    is_false
        Whether truth exceeds what is said; of an order that is kept, whether it is the other way;
        of one that turns, whether it is not.
    """

    world: int
    kind: str
    strength: str
    claim: str
    said: float
    true: float
    is_false: bool


def kinds() -> dict[str, Maker]:
    """Return the kinds of worlds; those of games if their data is there."""
    played = {
        f"games of {name}": partial(resampled, played=name)
        for name in PLAYED
        if games_of(name) is not None
    }
    return {**MADE, **played}


def claims(number: int, seed: int) -> list[Claim]:
    """Return what `trust` claims in a world that is made, with the truth."""
    return claims_of(made_world(number, seed, kinds()), number)


def claims_of(world: World, number: int) -> list[Claim]:
    """Return what `trust` claims in a world, with the truth."""
    result = trust(**world.given(), workers=1)
    truth = world.truth()
    found = [
        *of_values(result, truth),
        *_of_orders(result, truth),
        *_of_bounds(result, truth),
    ]
    return [Claim(number, world.kind, world.strength, *row) for row in found]


_Row = tuple[str, float, float, bool]


def of_values(result: TrustResult, truth: Mapping[str, Sequence[Floats]]) -> Iterator[_Row]:
    """Yield what is claimed of PRUM's error, and the largest true one of any system."""
    trusted = trusted_recall(result)
    by_r = [_error(result, truth, r) for r in range(1, trusted.largest + 1)]
    at, behind = by_r[: trusted.last], by_r[trusted.last :]

    def claim(name: str, said: float, true: float) -> _Row:
        # As it is printed, rounded up; what is right is off by nothing.
        printed = 0.0 if said < _ROUNDING else float(number(said, up=True))
        return name, printed, true, true > printed + _ROUNDING

    if at:
        yield claim(TRUSTED, trusted.error, max(one for one, _ in at))
        yield claim(TRUSTED_SHARE, trusted.share, max(one for _, one in at))
    if behind:
        yield claim(BEYOND_IT, trusted.beyond, max(one for one, _ in behind))
        yield claim(BEYOND_SHARE, trusted.beyond_share, max(one for _, one in behind))
    average, _ = _error(result, truth, None)
    yield claim(MEAN, trusted.average, average)
    if trusted.is_proven:
        most = max(one / result.tolerance for one, _ in by_r), max(one / SHARE for _, one in by_r)
        yield PROVEN, 1.0, max(most), max(most) > 1 + _ROUNDING


def _error(
    result: TrustResult, truth: Mapping[str, Sequence[Floats]], r: int | None
) -> tuple[float, float]:
    """Return PRUM's largest true error of a system's mean over the topics that have r ideals.

    Alone, and beside PRUM's value.
    """
    errors = []
    for system, precisions in truth.items():
        rows = [
            (result.lists[system, name].values[PRUM].precision, precision)
            for name, precision in zip(result.topics, precisions, strict=True)
            if r is None or len(precision) >= r
        ]
        prum, true = (
            np.mean([row.mean() if r is None else row[r - 1] for row in side])
            for side in zip(*rows, strict=True)
        )
        errors.append((abs(prum - true), abs(prum - true) / prum))
    return float(max(one for one, _ in errors)), float(max(one for _, one in errors))


def _of_orders(result: TrustResult, truth: Mapping[str, Sequence[Floats]]) -> Iterator[_Row]:
    """Yield what is claimed of the order of each two systems."""
    means = {system: np.mean([one.mean() for one in rows]) for system, rows in truth.items()}
    for pair in result.pairs:
        true = float(means[pair.system] - means[pair.other])
        said = [pair.standing]
        said += [KEPT_BY_BOUNDS] if pair.is_kept_by_bounds else []
        for one in said:
            yield one, pair.by_prum.difference, true, is_false(one, true)


def is_false(standing: str, true: float) -> bool:
    """Return whether a verdict on an order is false, where the difference is truly so much.

    >>> is_false("kept", 0.01), is_false("kept", -0.01), is_false("turns", 0.01)
    (False, True, True)
    """
    if standing == "turns":
        return true > _ROUNDING
    return standing.startswith("kept") and true < -_ROUNDING


def _of_bounds(result: TrustResult, truth: Mapping[str, Sequence[Floats]]) -> Iterator[_Row]:
    """Yield whether a list's precision leaves its bounds at some r, and by how much."""
    for system, precisions in truth.items():
        for topic, precision in zip(result.topics, precisions, strict=True):
            one = result.lists[system, topic]
            low, high = one.bounds.precision_low, one.bounds.precision_high
            left = float(np.maximum(low - precision, precision - high).max())
            yield ANY, 0.0, left, left > _ROUNDING


def measured(num_worlds: int, seed: int, processes: int) -> pd.DataFrame:
    """Return a row for each claim in so many worlds."""
    work = partial(claims, seed=seed)
    if processes == 1:
        rows = [work(number) for number in range(num_worlds)]
    else:
        with ProcessPoolExecutor(processes) as pool:
            rows = list(pool.map(work, range(num_worlds), chunksize=4))
    return pd.DataFrame([asdict(row) for world in rows for row in world])


# --- tables --------------------------------------------------------------------------------------

# Shares of worlds in which a claim would be true if it were widened.
_SHARES = (0.5, 0.8, 0.9, 0.95, 0.99)


def share(false: int, said: int) -> str:
    """Return a share with its 95 % interval (Clopper and Pearson), in per cent.

    >>> share(5, 100), share(0, 0)
    ('5.0 (1.6 to 11.3)', '–')
    """
    if not said:
        return "–"
    low = beta.ppf(0.025, false, said - false + 1) if false else 0.0
    high = beta.ppf(0.975, false + 1, said - false) if false < said else 1.0
    return f"{100 * false / said:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def of_claims(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how often each claim is made, how often it is false, and by more than .001."""
    pairs = rows[rows.claim.isin(ORDERS)]
    # What a `trust` would score that says the same of every pair.
    same = [
        pairs.assign(
            claim=f"({said}, of every pair)", is_false=pairs.true.map(partial(is_false, said))
        )
        for said in ("kept", "turns")
    ]
    rows = pd.concat([rows, *same])
    beyond = rows.true.abs() - rows.said.where(rows.claim.isin((*VALUES, PROVEN)), 0)
    table = (
        rows.assign(clearly=rows.is_false & (beyond > CLEAR))
        .groupby("claim", sort=False)
        .agg(
            worlds=("world", "nunique"),
            said=("is_false", "size"),
            false=("is_false", "sum"),
            clearly=("clearly", "sum"),
        )
    )
    table["false %"] = [share(*row) for row in zip(table.false, table.said, strict=True)]
    there = [claim for claim in CLAIMS if claim in table.index]
    return table.loc[[*there, *(one.claim.iloc[0] for one in same)]].reset_index()


def of_kinds(rows: pd.DataFrame) -> pd.DataFrame:
    """Return, by kind, how often claims are false: weak, medium and strong dependence.

    And of how many pairs the order truly turns, how many of these were found, and not.
    """
    lines = []
    for kind, own in rows.groupby("kind", sort=False):

        def false(claim: str, own: pd.DataFrame = own) -> str:
            made = own[own.claim == claim]
            by = [made[made.strength == strength].is_false for strength in STRENGTHS]
            return "  ".join(f"{one.sum()}/{len(one)}" for one in by)

        turned = own[own.claim.isin(ORDERS) & (own.true < -_ROUNDING)].claim
        lines.append(
            {
                "kind": kind,
                TRUSTED: false(TRUSTED),
                MEAN: false(MEAN),
                "kept": false("kept"),
                "truly turned": len(turned),
                "found": (turned == "turns").sum(),
            }
        )
    return pd.DataFrame(lines)


def of_orders(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what is said of pairs whose order stays, and of those where it truly turns."""
    pairs = rows[rows.claim.isin(ORDERS)]
    truth = np.where(pairs.true < -CLEAR, "turns", np.where(pairs.true > CLEAR, "stays", "neither"))
    table = pd.crosstab(pairs.claim, truth).reindex(ORDERS, fill_value=0)
    return table.reindex(columns=["stays", "neither", "turns"], fill_value=0)


def of_factors(rows: pd.DataFrame) -> pd.DataFrame:
    """Return by which factor what is said would have to grow to be true in a share of worlds."""
    lines = []
    for claim, own in rows[rows.claim.isin(VALUES)].groupby("claim", sort=False):
        ratio = own.true / np.maximum(own.said, 1e-4)
        lines.append({"claim": claim} | {f"{q:.0%}": f"{ratio.quantile(q):.2f}" for q in _SHARES})
    return pd.DataFrame(lines)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure how often what `trust` says is false.")
    parser.add_argument("--worlds", type=int, default=300, help="how many (300)")
    parser.add_argument("--seed", type=int, default=1, help="of which worlds (1)")
    parser.add_argument("--processes", type=int, default=2, help="at once (2)")
    parser.add_argument("--csv", help="file to write every claim to")
    options = parser.parse_args()
    missing = [name for name in PLAYED if games_of(name) is None]
    if missing:
        print(f"no games of {' and '.join(missing)}: their worlds are left out\n")
    rows = measured(options.worlds, options.seed, options.processes)
    if options.csv:
        rows.to_csv(options.csv, index=False)
    for title, table in {
        "claims": of_claims(rows),
        "what is said of pairs, and what is true": of_orders(rows).reset_index(),
        "false, by kind: of weak, medium and strong dependence": of_kinds(rows),
        "largest true error / said, by share of worlds": of_factors(rows),
    }.items():
        print(f"{title}\n{table.to_string(index=False)}\n")
    wrong = rows[rows.is_false & rows.claim.isin(NEVER_FALSE)]
    if len(wrong):
        sys.exit(f"bounds are left in worlds {sorted(set(wrong.world))}")


if __name__ == "__main__":
    main()
