"""The causes of an error; and precision of every list with every subset of them, by a sweep."""

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import factorial
from typing import Any

import numpy as np

from prum.analytic.precision.laws.law import contexts_of
from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.approximations import claims_of
from prum.experiments.frame.study import Advance
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Axes, Cell, EstimatorName, Source, grid
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.failures import NotComputed
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Workers
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Independent, InputError, Links, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.kinds import NAVIGATIONS, base_of
from prum.simulator.sampling.simulation import Simulation

Subset = frozenset[str]

# What PRUM's formula shortens, then what is not as it assumes; in the order of the tables.
FORMULA = {
    "noisy-or": "the shortcut: Hypothesis 2.3",
    "normal law": "a bell curve for more than ten ideals",
}
BROWSING = {
    "within": "visits from one element hang together: Hypothesis 2.2 within a context",
    "across": "users differ: Hypothesis 2.2 across ranks",
    "need": "who wants more browses more: Hypothesis 2.1",
    "unranked": "users browse after the list too",
}
CAUSES = (*FORMULA, *BROWSING)


def subsets(causes: Iterable[str]) -> Iterator[Subset]:
    """Yield every subset, the smaller first.

    >>> [sorted(subset) for subset in subsets(["a", "b"])]
    [[], ['a'], ['b'], ['a', 'b']]
    """
    names = tuple(causes)
    for size in range(len(names) + 1):
        yield from map(frozenset, itertools.combinations(names, size))


def shapley(values: Mapping[Subset, Floats], causes: Sequence[str]) -> dict[str, Floats]:
    """Return each cause's share of the value of all of them together.

    The share of c is its mean contribution over all orders in which the causes may come:
    sum over S without c of |S|! (n - |S| - 1)! / n! (v(S and c) - v(S)). Shares add up to
    v(all) - v(none) (Shapley 1953).

    >>> worth = {"": 0, "a": 1, "b": 2, "ab": 5}
    >>> values = {frozenset(names): np.array([value]) for names, value in worth.items()}
    >>> {cause: share.tolist() for cause, share in shapley(values, "ab").items()}
    {'a': [2.0], 'b': [3.0]}
    """
    n = len(causes)
    shares = {}
    for cause in causes:
        share = np.zeros_like(values[frozenset()], dtype=np.float64)
        for subset in subsets(name for name in causes if name != cause):
            weight = factorial(len(subset)) * factorial(n - len(subset) - 1) / factorial(n)
            share = share + weight * (values[subset | {cause}] - values[subset])
        shares[cause] = share
    return shares


# --- values of every list -------------------------------------------------------------------------


LEVELS = tuple(level / 10 for level in range(1, 11))
# The causes that change the mean probabilities, too.
_MARGINS = ("across", "need")
# Which of the formula's causes are present, and what then estimates precision.
_ESTIMATORS: dict[Subset, EstimatorName] = {
    frozenset(): "independent",
    frozenset({"noisy-or"}): "prum",
    frozenset({"normal law"}): "independent-normal",
    frozenset({"noisy-or", "normal law"}): "prum-normal",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """Ways of browsing that break the hypotheses, in the words of `navigation_of`."""

    within: str
    across: str
    need: str

    def kind(self, causes: Subset) -> str:
        """Return the way of browsing where only some causes are present."""
        words = {"within": self.within, "across": self.across, "need": self.need}
        parts = [words.get(cause, cause) for cause in BROWSING if cause in causes]
        return " + ".join(parts) or "independent"


def apart(campaign: Campaign) -> tuple[Campaign, Campaign | None]:
    """Return the campaign with independent visits of the same P(x -> y), and itself if it walks.

    Raise InputError for a campaign with dials turned already.
    """
    kind = campaign.kind
    if any(form.slot for form, _ in NAVIGATIONS.read(kind)):
        raise InputError(
            "navigation of the campaign",
            kind,
            f"be one of {', '.join(NAVIGATIONS.bases)}",
            remedy="leave the dials to the study's own options",
        )
    if kind != "walk":
        return campaign.browsed("independent"), None
    margins = {topic: Independent(_walk_margins(campaign, topic)) for topic in campaign.ideals}
    return replace(campaign, navigation=margins, name=f"{campaign.name}, as independent"), campaign


def _walk_margins(campaign: Campaign, topic: str) -> Links:
    """Return P(x -> y) of every element, to the ideals of a topic, on a walk."""
    walk, ideals = campaign.navigation_on(topic), tuple(campaign.ideals[topic])
    if not walk.is_walk:
        raise TypeError(walk)
    elements = tuple(walk.links.elements)
    # A list of all elements; only its reach matters, which no collection changes.
    everything = Task(elements, ideals, len(elements) + len(ideals))
    reach = contexts_of(everything, walk).reach.tocoo()
    ranks, columns = reach.coords
    pairs = [
        (elements[rank], everything.ideals[column], float(p))
        for rank, column, p in zip(ranks, columns, reach.data, strict=True)
        if elements[rank] != everything.ideals[column]
    ]
    sources, targets, probabilities = zip(*pairs, strict=True) if pairs else ((), (), ())
    return Links.from_columns(sources, targets, np.minimum(probabilities, 1.0))


# Who browses after the list takes as long as so many who stop with it, or more.
_AFTER_LIST = 80


def users_of(kind: str, num_users: int) -> int:
    """Return how many users are simulated of a way of browsing.

    >>> users_of("walk + unranked", 20_000), users_of("walk", 20_000)
    (250, 20000)
    """
    return max(2, num_users // _AFTER_LIST) if "unranked" in kind.split(" + ") else num_users


class Values:
    """Every value that the study needs, computed as cells of a sweep."""

    store: Store

    def __init__(self, workers: Workers, num_users: int, seed: int, topics: Iterable[str]) -> None:
        self.workers, self.num_users, self.seed = workers, num_users, seed
        self.topics = tuple(topics)
        self.cells: dict[tuple[str, EstimatorName, str, str], Cell] = {}
        self.num_ways = 0

    @property
    def planned(self) -> list[Cell]:
        """The cells of formulas and exact values."""
        return [cell for cell in self.cells.values() if cell.estimator != "simulated"]

    def plan(self, settings: Sequence[Setting], plain: Source, walked: Source | None) -> None:
        """Find the cells of formulas and exact values, and of users where there may be none.

        Raise InputError as `navigation_of`, and for a walk where the campaign has none.
        """
        kinds = {s.kind(causes): None for s in settings for causes in subsets(BROWSING)}
        margins = {s.kind(causes): None for s in settings for causes in subsets(_MARGINS)}
        self.num_ways = len(kinds)
        walks = tuple(kind for kind in kinds if base_of(kind) == "walk")
        if walked is None and walks:
            raise InputError(
                "within",
                "walk",
                "be left out, because the campaign's links are no walk",
                remedy="let the campaign be browsed by walks",
            )
        self._grid(plain, tuple(margins), tuple(_ESTIMATORS.values()))
        tossed = tuple(kind for kind in kinds if kind not in walks)
        for source, ways in ((plain, tossed), (walked, walks)):
            if source is not None and ways:
                self._grid(source, ways, ("exact", "simulated"))

    def compute(self, store: Store, progress: Advance) -> None:
        """Compute what is planned, topic by topic; users are simulated where nothing is exact.

        Raise NotComputed if a value could not be computed.
        """
        self.store = store
        places = {topic: place for place, topic in enumerate(self.topics)}
        cells = sorted(self.planned, key=lambda cell: places[cell.topic])
        instead = {cell.key: self._simulated(cell) for cell in cells if cell.estimator == "exact"}
        outcome = run(
            cells,
            store,
            self.workers,
            UserBudget(lambda cell: users_of(cell.navigation, self.num_users)),
            instead=instead,
            progress=lambda state: progress(state.share),
        )
        for reason in outcome.failures.values():
            raise NotComputed(reason)

    def topics_done(self) -> list[str]:
        """Return the topics all of whose values are there."""
        stored = self.store.ranges()

        def is_done(cell: Cell) -> bool:
            if cell.key not in stored:
                return False
            if cell.estimator == "simulated":
                users = users_of(cell.navigation, self.num_users)
                return sum(count for _, count in stored[cell.key]) >= users
            return (
                cell.estimator != "exact"
                or self.store.result(cell.key) is not None
                or is_done(self._simulated(cell))
            )

        lacking = {cell.topic for cell in self.planned if not is_done(cell)}
        return [topic for topic in self.topics if topic not in lacking]

    def simulated(self, topics: Collection[str]) -> list[tuple[Cell, Simulation]]:
        """Return the users who stand for true values on some topics, and for which."""
        exact = (cell for cell in self.planned if cell.estimator == "exact")
        results = ((cell, self._result(cell)) for cell in exact if cell.topic in topics)
        return [(cell, users) for cell, users in results if isinstance(users, Simulation)]

    def simulation_error(self, topics: Collection[str]) -> float:
        """Return what users drawn anew may change a mean over systems and topics by: 1 sd.

        The largest over ways of browsing; recall values and systems as if fully correlated (users
        are the same), topics independent.
        """
        errors: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for cell, users in self.simulated(topics):
            errors[cell.navigation][cell.topic] += float(users.precision_error.mean())
        num_systems = len({cell.system for cell in self.planned})
        of_kinds = (np.array(list(own.values())) / num_systems for own in errors.values())
        return max((float(np.linalg.norm(own)) / len(topics) for own in of_kinds), default=0.0)

    def _simulated(self, cell: Cell) -> Cell:
        """Return the simulated cell of an exact one."""
        return self.cells[cell.navigation, "simulated", cell.system, cell.topic]

    def _result(self, cell: Cell) -> PrecisionRecall | Simulation:
        result = self.store.result(cell.key)
        return self._result(self._simulated(cell)) if result is None else result

    def precision(self, kind: str, estimator: EstimatorName, system: str, topic: str) -> Floats:
        """Return precision at r = 1 .. t; simulated users' where there is no exact value."""
        return self._result(self.cells[kind, estimator, system, topic]).precision

    def _grid(
        self, source: Source, kinds: tuple[str, ...], estimators: tuple[EstimatorName, ...]
    ) -> None:
        cells = grid([source], Axes(navigation=kinds, estimators=estimators, seeds=(self.seed,)))
        for cell in cells:
            self.cells[cell.navigation, cell.estimator, cell.system, cell.topic] = cell


def setting_scores(
    values: Values, setting: Setting, systems: Sequence[str], topics: Sequence[str]
) -> tuple[dict[Subset, Floats], dict[Subset, Floats]]:
    """Return estimated and true precision with every subset of causes present.

    Of shape (systems, topics, 1 + levels): the mean over recall values, then that at each of
    `LEVELS`.
    """

    def scores(kind: str, estimator: EstimatorName) -> Floats:
        cells = [[(kind, estimator, system, topic) for topic in topics] for system in systems]
        return np.array([[_at_levels(values.precision(*own)) for own in row] for row in cells])

    estimates = {
        (formula, margins): scores(setting.kind(margins), estimator)
        for formula, estimator in _ESTIMATORS.items()
        for margins in subsets(_MARGINS)
    }
    exact = {causes: scores(setting.kind(causes), "exact") for causes in subsets(BROWSING)}
    estimated = {
        causes: estimates[causes.intersection(FORMULA), causes.intersection(_MARGINS)]
        for causes in subsets(CAUSES)
    }
    return estimated, {causes: exact[causes.intersection(BROWSING)] for causes in estimated}


# The causes present where an approximation of one's own is measured: all of browsing, one, or none.
CLAIMED: tuple[Subset, ...] = (
    frozenset(BROWSING),
    *(frozenset({cause}) for cause in BROWSING),
    frozenset(),
)
# Precision by way of browsing, and by system and topic; at levels as `setting_scores` has it.
Claims = dict[str, dict[tuple[str, str], Floats]]


def claimed(
    given: Any, settings: Sequence[Setting], plain: Campaign, walked: Campaign | None
) -> Claims:
    """Return what an approximation claims of each list in each way of browsing; {} without any.

    Raise InputError or OSError as `claims_of`.
    """
    claims: Claims = {}
    for kind in {setting.kind(of): None for setting in settings for of in CLAIMED}:
        side = walked if base_of(kind) == "walk" else plain
        if given is None or side is None:
            continue
        browsed = side.browsed(kind)
        lists = {
            (side.name, system, topic): (task, browsed.navigation_on(topic))
            for system, topic, task in side.tasks()
        }
        of_lists = claims_of({"approximation": given}, lists)
        claims[kind] = {
            names[1:]: _at_levels(claim["approximation"].precision)
            for names, claim in of_lists.items()
        }
    return claims


def _at_levels(precision: Floats) -> Floats:
    """Return mean precision, and precision at each recall level by the ceiling rule."""
    t = len(precision)
    r = np.ceil(np.array(LEVELS) * t - 1e-9).astype(np.int64)
    return np.append(precision.mean(), precision[r - 1])
