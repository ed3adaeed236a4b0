"""Groups of users, and their values by the closed forms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.utility.browsed import browsed
from prum.analytic.utility.diversity import err_ia, fresh_gains, geometric, intent_aware
from prum.analytic.utility.laws import StoppingLaw, beta_stopping, stopping
from prum.analytic.utility.measures import (
    MEASURES,
    Sample,
    preference_utility,
    preferred_if_relevant,
    utility,
)
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.examples import built_in_campaign, web_example
from prum.simulator.model import Beta
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.measured.stops import (
    DISTRIBUTIONS,
    Stops,
    simulate_preferences,
    simulate_stops,
    stopping_users,
)

# Takes `num_users` and `seed`.
SimulateStops = Callable[..., Stops]

# Fig. 1 of Carterette (2011); the length of the list and R are not printed.
RELEVANT_RANKS = (1, 2, 3, 5, 8, 11, 17, 24)
NUM_RANKS, NUM_RELEVANT = 100, 10
MODELS = ("M1", "M2", "M3", "M4")
# theta of users who differ.
POPULATION = Beta(1, 3)
# A made topic of three intents: P(i|q), and the relevant ranks of each.
INTENTS = (0.5, 0.3, 0.2)
INTENT_RANKS = ((1, 2, 5, 24), (2, 3, 8, 11, 17), (5, 24))
ALPHA = 0.5
UNNAMED = "cells marked –, and the expected rank"


@dataclass(frozen=True, slots=True)
class ClosedMean:
    """A closed form: what users of a group have by a model, in the mean.

    Parameters
    ----------
    measure
        Its name.
    distribution
        How they stop.
    model
        "M1" .. "M4".
    value
        What is claimed.
    column
        Which of the simulated means it is.
    most
        The most that one user can have.
    """

    measure: str
    distribution: str
    model: str
    value: float
    column: int
    most: float = 1.0


@dataclass(frozen=True, slots=True)
class UserGroup:
    """Users simulated together, all that is claimed of them, and the law of their last rank."""

    part: str
    simulate: SimulateStops
    claims: tuple[ClosedMean, ...]
    law: StoppingLaw | None = None


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRanking:
    """A ranking of the plain users: relevance by rank, 0 or 1, and R."""

    relevance: Floats
    num_relevant: int

    @property
    def shown(self) -> Floats:
        """The reach without browsing: each relevant rank shows its own document."""
        return shown_by(np.flatnonzero(self.relevance) + 1, self.num_relevant, len(self.relevance))


def groups_of(theta: float, ranking: JudgedRanking | None = None) -> list[UserGroup]:
    """Return all groups, in the order of the study's parts; the first three on a ranking."""
    ranking = ranking or JudgedRanking(relevance_of(RELEVANT_RANKS), NUM_RELEVANT)
    return [
        *_plain(theta, ranking),
        *_browsed("web", _reach(web_example(), "list", "web"), theta),
        *_browsed("campaign", _reach(built_in_campaign(), "gateway", "topic01"), theta),
        *_population(ranking),
        *_preferences(theta, ranking),
        *_diversity(theta),
        *_unnamed(theta, ranking),
    ]


def relevance_of(ranks: Sequence[int]) -> Floats:
    """Return relevance by rank of a list of 100."""
    return np.isin(np.arange(1, NUM_RANKS + 1), ranks).astype(np.float64)


def shown_by(ranks: ArrayLike, num_relevant: int, num_ranks: int = NUM_RANKS) -> Floats:
    """Return the reach of a list without browsing: each relevant rank shows its own document."""
    ranks = np.asarray(ranks)
    reach = np.zeros((num_ranks, num_relevant))
    reach[ranks - 1, np.arange(len(ranks))] = 1
    return reach


def _group(
    part: str,
    distribution: str,
    reach: Floats,
    theta: float | Beta,
    value: Callable[[str], float],
) -> UserGroup:
    """Return users who stop by a distribution, and the values of its measures."""
    users = stopping_users(distribution, reach, theta=theta)
    measures = (name for name, (stops, _) in MEASURES.items() if stops == distribution)
    claims = (_claim(name, value(name), reach.shape[1]) for name in measures)
    return UserGroup(part, partial(simulate_stops, users), tuple(claims))


def _plain(theta: float, ranking: JudgedRanking) -> list[UserGroup]:
    def value(name: str) -> float:
        return utility(name, ranking.relevance, ranking.num_relevant, theta=theta)

    return [
        replace(_group("plain", name, ranking.shown, theta, value), law=_law(name, theta, ranking))
        for name in DISTRIBUTIONS
    ]


def _law(distribution: str, theta: float, ranking: JudgedRanking) -> StoppingLaw:
    return stopping(distribution, ranking.relevance, ranking.num_relevant, theta=theta)


def _unnamed(theta: float, ranking: JudgedRanking) -> list[UserGroup]:
    """Return the cells of table 1 marked "-", and M3 with f(k) = k, the expected last rank."""
    total, groups = ranking.num_relevant, []
    for name in DISTRIBUTIONS:
        own = partial(utility, relevance=ranking.relevance, num_relevant=total, theta=theta)
        users = stopping_users(name, ranking.shown, theta=theta)
        claims = (
            ClosedMean(
                "–", *cell, own(cell), MODELS.index(cell[1]), total if cell[1] == "M2" else 1.0
            )
            for cell in product([name], MODELS)
            if cell not in MEASURES.values()
        )
        groups.append(UserGroup(UNNAMED, partial(simulate_stops, users), tuple(claims)))
        ranked = stopping_users(name, ranking.shown, theta=theta, effort=_rank)
        rank = ClosedMean(
            "f(k) = k", name, "M3", own((name, "M3"), effort=_rank), 2, len(ranking.relevance)
        )
        groups.append(UserGroup(UNNAMED, partial(simulate_stops, ranked), (rank,)))
    return groups


def _rank(k: Floats) -> Floats:
    return k


def _browsed(name: str, reach: Floats, theta: float) -> list[UserGroup]:
    def value(measure: str) -> float:
        distribution, model = MEASURES[measure]
        return browsed(distribution, reach, theta=theta).value(model)

    part = f"browsed, {name}"
    return [_group(part, distribution, reach, theta, value) for distribution in DISTRIBUTIONS]


def _population(ranking: JudgedRanking) -> list[UserGroup]:
    a, b = POPULATION.a, POPULATION.b
    laws = {
        "RBP": beta_stopping("RBP", a=a, b=b, n=len(ranking.relevance)),
        "ERR": beta_stopping("ERR", ranking.relevance, a=a, b=b),
    }

    def value(name: str) -> float:
        distribution, model = MEASURES[name]
        return utility((laws[distribution], model), ranking.relevance)

    part = f"theta from Beta({a:g}, {b:g})"
    return [_group(part, distribution, ranking.shown, POPULATION, value) for distribution in laws]


def _preferences(theta: float, ranking: JudgedRanking) -> list[UserGroup]:
    preferred = preferred_if_relevant(ranking.relevance)

    def group(distribution: str, sample: Sample, model: str, most: float) -> UserGroup:
        users = stopping_users(distribution, ranking.shown, theta=theta)
        value = preference_utility(_law(distribution, theta, ranking), preferred, sample=sample)
        simulate = partial(simulate_preferences, users, preferred, sample=sample)
        claim = ClosedMean(f"{sample} of 1..K", distribution, model, value, 0, most)
        return UserGroup("preferences", simulate, (claim,))

    return [
        group(distribution, *kind)
        for distribution in DISTRIBUTIONS
        for kind in (("one", "M4", 1.0), ("all", "M2", float(ranking.num_relevant)))
    ]


def _diversity(theta: float) -> list[UserGroup]:
    """Return intents that stop alike, or each in its own way; with redundancy discounted or not."""
    relevance = np.stack([relevance_of(ranks) for ranks in INTENT_RANKS])
    sizes = [len(ranks) for ranks in INTENT_RANKS]
    largest = max(sizes)
    reaches = [shown_by(ranks, len(ranks)) for ranks in INTENT_RANKS]
    kept = [np.append(1.0, np.full(size - 1, 1 - ALPHA)) for size in sizes]
    fresh = fresh_gains(relevance, geometric(ALPHA))
    own = ("RBP", "DCG", "ERR")
    own_laws = [stopping(name, row, theta=theta) for name, row in zip(own, relevance, strict=True)]
    ap_laws = [stopping("AP", row, size) for row, size in zip(relevance, sizes, strict=True)]
    dcg = stopping("DCG", n=NUM_RANKS)

    def group(names: Sequence[str], *claims: ClosedMean, discounted: bool = False) -> UserGroup:
        users = [
            stopping_users(name, reach, theta=theta, keeping=keeping if discounted else None)
            for name, reach, keeping in zip(names, reaches, kept, strict=True)
        ]
        simulate = partial(simulate_stops, users, probabilities=INTENTS)
        return UserGroup("diversity", simulate, claims)

    def of(
        model: str,
        laws: StoppingLaw | list[StoppingLaw],
        gains: Floats,
        measure: str,
        distribution: str,
    ) -> ClosedMean:
        value = intent_aware(model, laws, gains, INTENTS)
        most = largest if model == "M2" else 1
        return ClosedMean(measure, distribution, model, value, MODELS.index(model), most)

    mixed = ", ".join(own)
    err = ClosedMean("ERR-IA", "ERR", "M3", err_ia(relevance, INTENTS, theta=theta), 2)
    dcgs = of("M2", dcg, fresh, "alpha-DCG", "DCG"), of("M4", dcg, fresh, "alpha-DAG", "DCG")
    plain = (of(model, own_laws, relevance, "own laws", mixed) for model in MODELS)
    discounted = (of(model, own_laws, fresh, "own laws, fresh", mixed) for model in ("M2", "M4"))
    return [
        group(("ERR",) * 3, err),
        group(("AP",) * 3, of("M4", ap_laws, relevance, "AP-IA", "AP")),
        group(("DCG",) * 3, *dcgs, discounted=True),
        group(own, *plain),
        group(own, *discounted, discounted=True),
    ]


def _claim(measure: str, value: float, total: int) -> ClosedMean:
    distribution, model = MEASURES[measure]
    most = 1.0 if model == "M3" else float(total)
    return ClosedMean(measure, distribution, model, value, MODELS.index(model), most)


def _reach(campaign: Campaign, system: str, topic: str) -> Floats:
    reach = reach_matrix(campaign.task(system, topic), campaign.navigation_on(topic))
    return np.asarray(reach.toarray(), dtype=np.float64)
