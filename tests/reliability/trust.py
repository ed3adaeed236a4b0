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
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import beta

from prum.analytic import any_dependence_bounds
from prum.experiments.compare.numbers import number
from prum.experiments.trust import TrustResult
from prum.experiments.trust.answer import trusted_recall
from prum.experiments.trust.of_list import PRUM
from prum.experiments.trust.verb import trust
from tests.reliability.dependent_users import Floats
from tests.reliability.game_worlds import games_of, resampled
from tests.reliability.made_worlds import MADE, STRENGTHS, Maker, World, made_world

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
        The largest error claimed; of an order the least difference under any dependence tried, in
        the direction of PRUM's.
    true
        The largest true error; of an order the true difference in the direction of PRUM's.
    by_prum
        Of an order, PRUM's difference.
    is_false
        Whether truth exceeds what is said; of "kept", whether the order is the other way; of
        "turns", whether it is not.
    """

    world: int
    kind: str
    strength: str
    claim: str
    said: float
    true: float
    by_prum: float
    is_false: bool


def kinds() -> dict[str, Maker]:
    """Return the kinds of worlds; those of games if their data is there."""
    played = {
        f"games of {name}": partial(resampled, played=name)
        for name in ("people", "agents")
        if games_of(name) is not None
    }
    return {**MADE, **played}


def claims(number: int, seed: int) -> list[Claim]:
    """Return what `trust` claims in a world, with the truth."""
    world = made_world(number, seed, kinds())
    result = trust(**world.given(), workers=1)
    truth = world.truth()
    found = [*_of_values(result, truth), *_of_orders(result, truth), *_of_bounds(result, world, truth)]
    return [Claim(number, world.kind, world.strength, *row) for row in found]


_Row = tuple[str, float, float, float, bool]


def _of_values(result: TrustResult, truth: Mapping[str, Sequence[Floats]]) -> Iterator[_Row]:
    """Yield what is claimed of PRUM's error, and the largest true one of any system."""
    trusted = trusted_recall(result)
    by_r = [_error(result, truth, r) for r in range(1, trusted.largest + 1)]

    def claim(name: str, said: float, true: float) -> _Row:
        # As it is printed, rounded up; what is right is off by nothing.
        printed = 0.0 if said < _ROUNDING else float(number(said, up=True))
        return name, printed, true, np.nan, true > printed + _ROUNDING

    if trusted.last:
        yield claim("trusted to X", trusted.error, max(by_r[: trusted.last]))
    if trusted.last < trusted.largest:
        yield claim("beyond, off by up to X", trusted.beyond, max(by_r[trusted.last :]))
    average = _error(result, truth, None)
    yield claim("in the mean over r, up to X", trusted.average, average)
    widest = trusted_recall(result, extremes=True)
    yield claim("with extremes, in the mean over r", widest.average, average)


def _error(result: TrustResult, truth: Mapping[str, Sequence[Floats]], r: int | None) -> float:
    """Return PRUM's largest true error of a system's mean over the topics that have r ideals."""
    errors = []
    for system, precisions in truth.items():
        there = [at for at, one in enumerate(precisions) if r is None or len(one) >= r]
        names = [list(result.campaign.ideals)[at] for at in there]
        of = [
            (result.lists[system, name].values[PRUM].precision, precisions[at])
            for at, name in zip(there, names, strict=True)
        ]
        each = [a.mean() - b.mean() if r is None else a[r - 1] - b[r - 1] for a, b in of]
        errors.append(abs(float(np.mean(each))))
    return max(errors)


def _of_orders(result: TrustResult, truth: Mapping[str, Sequence[Floats]]) -> Iterator[_Row]:
    """Yield what is claimed of the order of each two systems."""
    means = {system: np.mean([one.mean() for one in rows]) for system, rows in truth.items()}
    for pair in result.pairs:
        true = float(means[pair.system] - means[pair.other])
        is_false = {"kept": true < -_ROUNDING, "turns": true > _ROUNDING}
        said = pair.standing
        row = pair.range[0], true, pair.by_prum.difference
        yield said, *row, is_false.get(said, False)
        if pair.is_kept_by_bounds:
            yield "kept by bounds", pair.bound_low, true, pair.by_prum.difference, true < 0


def _of_bounds(
    result: TrustResult, world: World, truth: Mapping[str, Sequence[Floats]]
) -> Iterator[_Row]:
    """Yield whether a list's precision leaves its bounds at some r, and by how much."""
    for system, precisions in truth.items():
        for (name, topic), precision in zip(world.topics.items(), precisions, strict=True):
            ranking = world.runs[system][name]
            reach = np.array(
                [
                    topic.users.reach(element)
                    if element in topic.users.sees
                    else np.zeros(len(topic.ideals))
                    for element in ranking
                ]
            )
            wide = any_dependence_bounds(np.clip(reach, 0, 1), world.size - len(ranking))
            within = result.lists[system, name].bounds
            for claim, bounds in {
                "bounds, any dependence": wide,
                "bounds, independent ranks": within,
            }.items():
                beyond = np.maximum(
                    bounds.precision_low - precision, precision - bounds.precision_high
                )
                width = float((bounds.precision_high - bounds.precision_low).mean())
                left = float(beyond.max())
                yield claim, width, left, np.nan, left > _ROUNDING


def measured(num_worlds: int, seed: int, processes: int) -> pd.DataFrame:
    """Return a row for each claim in so many worlds."""
    work = partial(claims, seed=seed)
    if processes == 1:
        rows = [work(number) for number in range(num_worlds)]
    else:
        with ProcessPoolExecutor(processes) as pool:
            rows = list(pool.map(work, range(num_worlds), chunksize=4))
    return pd.DataFrame([asdict(row) for world in rows for row in world])
