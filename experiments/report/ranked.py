"""Rankings of systems: by PRUM and by the reference, between settings, and by other measures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from prum.experiments.measures.measure import better_of
from prum.experiments.report.outcomes import CellOutcome, ListGroup
from prum.experiments.report.results import ScoredSystems
from prum.experiments.statistics.rankings import tau_b
from prum.simulator.model.arrays import Floats


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
