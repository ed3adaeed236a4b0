"""Errors of PRUM over what was set: which dials matter most, and a map of two of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum.experiments.report.outcomes import CellOutcome
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.kinds import NAVIGATIONS

RECALL, _SYSTEM = "recall", "system"
# Shares of the ideals that are wanted: up to each of these.
_SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
_SHARE_NAMES = ("up to .2", "to .4", "to .6", "to .8", "to 1")
MOST_LEVELS = 16
_ABSENT = "none"
_DIALS = {name for name, form in NAVIGATIONS.forms.items() if form.slot}


@dataclass(frozen=True, slots=True)
class VariedDial:
    """Something that was set: its name, its values in order, and which of them each error has."""

    name: str
    levels: tuple[str, ...]
    codes: Ints


@dataclass(frozen=True, slots=True)
class Influence:
    """How much of the variance of the size of errors a dial alone explains, in [0, 1]."""

    name: str
    share: float
    num_levels: int


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The largest errors by the values of two dials, over all that the others were set to.

    `largest` has shape (rows, columns): the error furthest from 0, with its sign, NaN where there
    is none. `others` are the dials that are taken at their worst; `num_left_out` values of the
    two dials have smaller errors than those that are shown.
    """

    row: str
    column: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    largest: Floats
    others: tuple[str, ...]
    num_left_out: int


def errors_of(outcomes: Sequence[CellOutcome]) -> Floats:
    """Return PRUM less the reference at each r of each outcome, one after the other."""
    return np.concatenate([one.deviation for one in outcomes]) if outcomes else np.empty(0)


def dials_of(outcomes: Sequence[CellOutcome]) -> list[VariedDial]:
    """Return the dials that differ between errors, each of shape as `errors_of`."""
    sizes = [one.num_ideals for one in outcomes]
    settings = [_of_outcome(one) for one in outcomes]
    dials = []
    for name in dict.fromkeys(name for setting in settings for name in setting):
        values = [setting.get(name, _ABSENT) for setting in settings]
        levels = tuple(sorted(set(values), key=natural))
        numbers = {level: number for number, level in enumerate(levels)}
        codes = np.repeat([numbers[value] for value in values], sizes)
        dials.append(VariedDial(name, levels, codes))
    shares = np.concatenate([np.arange(1, size + 1) / size for size in sizes] or [np.empty(0)])
    dials.append(VariedDial(RECALL, _SHARE_NAMES, np.searchsorted(_SHARES, shares - 1e-9)))
    return [dial for dial in dials if len(np.unique(dial.codes)) > 1]


def _of_outcome(outcome: CellOutcome) -> dict[str, str]:
    """Return what one list was set to; a navigation's dials each have a name of their own.

    >>> values = np.ones(1)
    >>> _of_outcome(CellOutcome("f", "web", "walk + fading .9", "s", "t", *[values] * 5))["fading"]
    '.9'
    """
    base, *parts = outcome.setting.split(" + ")
    # Dials alone set those of independent browsing.
    if base.partition(" ")[0] in _DIALS:
        base, parts = "independent", [base, *parts]
    browsing = {name: value for name, _, value in (part.partition(" ") for part in parts)}
    return {
        "file": outcome.file,
        "campaign": outcome.campaign,
        "browsing": base,
        **{name: value or "yes" for name, value in browsing.items()},
        **outcome.dials,
        "counted": outcome.unit,
        _SYSTEM: outcome.system,
    }


def natural(text: str) -> tuple[tuple[int, float, str], ...]:
    """Return what sorts texts as people do: numbers in them by size, and before words.

    >>> sorted(["beta 10 1", "none", ".5", "beta 9 1", "0.25"], key=natural)
    ['0.25', '.5', 'beta 9 1', 'beta 10 1', 'none']
    """
    parts = re.split(r"(\d*\.?\d+)", text)
    return tuple(
        (0, float(part), "") if at % 2 else (1, 0.0, part) for at, part in enumerate(parts) if part
    )


def influences(errors: Floats, dials: Sequence[VariedDial]) -> list[Influence]:
    """Return the dials, that of most influence on the size of errors first.

    The share is that of the variance of |error| that lies between a dial's values. A dial that
    says what another says, as a file whose campaign is its own, is left out.

    >>> dial = VariedDial("fading", (".5", ".9"), np.array([0, 0, 1, 1]))
    >>> influences(np.array([0.1, -0.1, 0.3, 0.3]), [dial])
    [Influence(name='fading', share=1.0, num_levels=2)]
    """
    known = ~np.isnan(errors)
    sizes = np.abs(errors[known])
    found: list[Influence] = []
    partitions: list[Ints] = []
    for dial in dials:
        codes = dial.codes[known]
        _, first, alike = np.unique(codes, return_index=True, return_inverse=True)
        if len(first) < 2 or any(_same(alike, other) for other in partitions):
            continue
        partitions.append(alike)
        counts = np.bincount(alike)
        means = np.bincount(alike, weights=sizes) / counts
        total = float(((sizes - sizes.mean()) ** 2).sum())
        between = float((counts * (means - sizes.mean()) ** 2).sum())
        share = min(between / total, 1.0) if total > 0 else 0.0
        found.append(Influence(dial.name, share, len(first)))
    return sorted(found, key=lambda one: -round(one.share, 12))


def _same(one: Ints, other: Ints) -> bool:
    """Return whether two dials part errors alike."""
    pairs = len(np.unique(one * (int(other.max()) + 1) + other))
    return pairs == int(one.max()) + 1 == int(other.max()) + 1


def heat_maps(errors: Floats, dials: Sequence[VariedDial]) -> list[HeatMap]:
    """Return the map of the two dials of most influence, and that of two which were set.

    The latter, where it is another, leaves out systems and recall, which every list has. Of more
    values than can be shown, those with the largest errors stay.
    """
    order = [one.name for one in influences(errors, dials)]
    pairs = [order[:2], [name for name in order if name not in (RECALL, _SYSTEM)][:2]]
    kept = [pair for at, pair in enumerate(pairs) if len(pair) == 2 and pair not in pairs[:at]]
    return [_map(errors, dials, pair, order) for pair in kept]


def _map(
    errors: Floats, dials: Sequence[VariedDial], pair: Sequence[str], order: Sequence[str]
) -> HeatMap:
    """Return the map of a pair of dials, at the worst over those others that matter."""
    by_name = {dial.name: dial for dial in dials}
    # The one with more values stands in rows, which have room; recall goes from left to right.
    first, second = sorted(
        (by_name[name] for name in pair),
        key=lambda dial: (dial.name == RECALL, -len(dial.levels)),
    )
    known = ~np.isnan(errors)
    shape = len(first.levels), len(second.levels)
    cells = first.codes[known] * shape[1] + second.codes[known]
    values = errors[known]
    largest = np.full(shape, np.nan)
    # Of equal places the last write counts, so that the largest come last.
    by_size = np.argsort(np.abs(values), kind="stable")
    largest.ravel()[cells[by_size]] = values[by_size]
    rows, columns = _worst(largest, axis=1), _worst(largest, axis=0)
    there = ~np.isnan(largest)
    left_out = int(there.any(axis=1).sum() + there.any(axis=0).sum()) - len(rows) - len(columns)
    return HeatMap(
        first.name,
        second.name,
        tuple(first.levels[at] for at in rows),
        tuple(second.levels[at] for at in columns),
        largest[np.ix_(rows, columns)],
        tuple(name for name in order if name not in pair),
        left_out,
    )


def _worst(largest: Floats, axis: int) -> Ints:
    """Return which rows or columns have the largest errors, in order."""
    sizes = np.nan_to_num(np.abs(largest), nan=-1).max(axis=axis)
    kept = np.argsort(-sizes, kind="stable")[:MOST_LEVELS]
    return np.sort(kept[sizes[kept] >= 0])
