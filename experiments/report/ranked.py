"""Rankings of systems: by PRUM and by the reference, between settings, and by other measures."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from prum.experiments.measures.measure import better_of
from prum.experiments.report.results import CellOutcome, ListGroup, ScoredSystems
from prum.experiments.statistics.rankings import tau_b
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.kinds import NAVIGATIONS


@dataclass(frozen=True, slots=True)
class SystemRanking:
    """The systems of one group of lists, by mean precision over r, then over topics.

    Parameters
    ----------
    systems
        In the order of the reference, the best first.
    topics
        Number of topics: those that all systems have.
    prum, reference, classical
        Scores, in the order of `systems`; `classical`, without browsing, may be NaN.
    """

    group: ListGroup
    systems: tuple[str, ...]
    num_topics: int
    prum: Floats
    reference: Floats
    classical: Floats

    @property
    def tau(self) -> float:
        """Kendall's tau-b of PRUM's order with the reference's; NaN if one ties all systems."""
        return float(tau_b(self.prum, self.reference))

    @property
    def classical_tau(self) -> float:
        """The same of precision without browsing; NaN if it is not known."""
        if np.isnan(self.classical).any():
            return float("nan")
        return float(tau_b(self.classical, self.reference))

    @property
    def places(self) -> list[tuple[str, int, int]]:
        """Each system with its places by the reference and by PRUM, equal scores sharing one."""
        return list(zip(self.systems, _places(self.reference), _places(self.prum), strict=True))

    @property
    def moved(self) -> list[tuple[str, int, int]]:
        """The systems whose places differ."""
        return [row for row in self.places if row[1] != row[2]]

    @property
    def best(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The best by the reference and the best by PRUM, all of those that are tied."""
        return _best(self.systems, self.reference), _best(self.systems, self.prum)


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """How far the true order of systems changes from one group of lists to another."""

    first: ListGroup
    second: ListGroup
    tau: float
    num_systems: int
    bests: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class MeasureAgreement:
    """How far a measure orders systems as the measure does that decides."""

    file: str
    measure: str
    primary: str
    tau: float
    num_systems: int
    best: tuple[str, ...]
    primary_best: tuple[str, ...]


def _places(scores: Floats) -> list[int]:
    """Return the place of each score, 1 the highest; what differs by rounding shares one."""
    rounded = np.round(scores, 12)
    return [int((rounded > score).sum()) + 1 for score in rounded]


def _best(systems: Sequence[str], scores: Floats) -> tuple[str, ...]:
    """Return the systems of the first place."""
    places = zip(systems, _places(scores), strict=True)
    return tuple(system for system, place in places if place == 1)


def ranking(group: ListGroup, outcomes: Iterable[CellOutcome]) -> SystemRanking | None:
    """Return the systems of a group by their scores; None for fewer than two.

    A topic counts where PRUM and the reference are known at every r for every system.
    """
    whole: dict[str, dict[str, CellOutcome]] = {}
    for one in outcomes:
        own = whole.setdefault(one.system, {})
        if not np.isnan(one.deviation).any():
            own[one.topic] = one
    systems = [system for system, own in whole.items() if own]
    if len(systems) < 2:
        return None
    topics = [topic for topic in whole[systems[0]] if all(topic in whole[one] for one in systems)]
    if not topics:
        return None

    def scores(name: str) -> Floats:
        return np.array(
            [
                np.mean([np.mean(getattr(whole[system][topic], name)) for topic in topics])
                for system in systems
            ]
        )

    reference = scores("reference")
    order = np.argsort(-np.round(reference, 12), kind="stable")
    return SystemRanking(
        group,
        tuple(systems[at] for at in order),
        len(topics),
        scores("prum")[order],
        reference[order],
        scores("classical")[order],
    )


def rankings(groups: Mapping[ListGroup, Sequence[CellOutcome]]) -> list[SystemRanking]:
    """Return the ranking of each group that has one, that which PRUM changes most first."""
    found = [ranking(group, outcomes) for group, outcomes in groups.items()]
    return sorted(
        (one for one in found if one is not None),
        key=lambda one: 2.0 if np.isnan(one.tau) else one.tau,
    )


def changes(found: Iterable[SystemRanking]) -> Iterator[PlaceChange]:
    """Yield how the true order of the same systems of a campaign changes between settings."""
    by_campaign: dict[tuple[str, str, str], list[SystemRanking]] = {}
    for one in found:
        file, campaign, _, unit = one.group
        by_campaign.setdefault((file, campaign, unit), []).append(one)
    for several in by_campaign.values():
        for first, second in combinations(sorted(several, key=lambda one: one.group), 2):
            if set(first.systems) != set(second.systems):
                continue
            other = dict(zip(second.systems, second.reference.tolist(), strict=True))
            tau = tau_b(first.reference, np.array([other[system] for system in first.systems]))
            bests = first.best[0], second.best[0]
            yield PlaceChange(first.group, second.group, float(tau), len(first.systems), bests)


def agreements(scored: Iterable[ScoredSystems]) -> Iterator[MeasureAgreement]:
    """Yield how each measure agrees with the one that decides, on the systems that both have.

    Of a measure of which less is better the least is the best; one that tells no better from worse
    orders nothing.
    """
    for one in scored:
        primary, *others = one.means
        for measure in others:
            better = better_of(measure)
            if better == "neither":
                continue
            own, deciding = one.means[measure], one.means[primary]
            systems = [system for system in deciding if system in own]
            if len(systems) < 2:
                continue
            values = np.array([own[system] for system in systems])
            values = -values if better == "less" else values
            reference = np.array([deciding[system] for system in systems])
            yield MeasureAgreement(
                one.file,
                measure,
                primary,
                float(tau_b(values, reference)),
                len(systems),
                _best(systems, values),
                _best(systems, reference),
            )


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
