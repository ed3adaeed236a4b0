"""Estimated and true precision of every list with every subset of causes, as cells of a sweep."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from prum.analytic.precision.contexts import contexts_of
from prum.experiments.studies.hypotheses.causes import BROWSING, CAUSES, FORMULA, Subset, subsets
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Axes, Cell, Estimator, Source, grid
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.failures import NotComputed
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Workers
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Independent, InputError, Links, Task, Walk
from prum.simulator.model.arrays import Floats
from prum.simulator.model.kinds import NAVIGATIONS, base_of

LEVELS = tuple(level / 10 for level in range(1, 11))
# Which of the formula's causes are present, and what then estimates precision.
_ESTIMATORS: dict[Subset, Estimator] = {
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

    Raises
    ------
    InputError
        for a campaign with dials turned already.
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
    if not isinstance(walk, Walk):
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


class Values:
    """Every value that the study needs, computed as cells of a sweep."""

    store: Store

    def __init__(self, workers: Workers, budget: UserBudget, seed: int) -> None:
        self.workers, self.budget, self.seed = workers, budget, seed
        self.cells: dict[tuple[str, Estimator, str, str], Cell] = {}
        self.num_simulated = self.num_ways = 0

    def plan(self, settings: Sequence[Setting], plain: Source, walked: Source | None) -> None:
        """Find the cells of formulas and exact values.

        Raises
        ------
        InputError
            as `navigation_of`, and for a walk where the campaign has none.
        """
        kinds = {s.kind(causes): None for s in settings for causes in subsets(BROWSING)}
        margins = {s.kind(causes): None for s in settings for causes in subsets(("across", "need"))}
        self.num_ways = len(kinds)
        walks = tuple(kind for kind in kinds if base_of(kind) == "walk")
        if walked is None and walks:
            raise InputError(
                "within", "walk", "be left out, for the campaign's links are no walk",
                remedy="let the campaign be browsed by walks",
            )  # fmt: skip
        self._grid(plain, tuple(margins), tuple(_ESTIMATORS.values()))
        tossed = tuple(kind for kind in kinds if kind not in walks)
        for source, ways in ((plain, tossed), (walked, walks)):
            if source is not None and ways:
                self._grid(source, ways, ("exact",))

    def compute(self, store: Store, progress: Callable[[float], object]) -> None:
        """Compute what is planned, then simulate users where there is no exact value.

        Raises
        ------
        NotComputed
            if a value could not be computed.
        """
        self.store = store
        cells = list(self.cells.values())
        self._run(cells, lambda share: progress(0.8 * share))
        exact = [cell for cell in cells if cell.estimator == "exact"]
        missing = [cell for cell in exact if self.store.result(cell.key) is None]
        self.num_simulated = len(missing)
        lists = {(cell.source, cell.navigation, cell.system, cell.topic) for cell in missing}
        simulated = [
            cell
            for source, kind in dict.fromkeys((cell.source, cell.navigation) for cell in missing)
            for cell in self._grid(source, (kind,), ("simulated",))
            if (source, kind, cell.system, cell.topic) in lists
        ]
        self._run(simulated, lambda share: progress(0.8 + 0.2 * share))

    def precision(self, kind: str, estimator: Estimator, system: str, topic: str) -> Floats:
        """Return precision at r = 1 .. t; simulated users' where there is no exact value."""
        result = self.store.result(self.cells[kind, estimator, system, topic].key)
        if result is None:
            return self.precision(kind, "simulated", system, topic)
        return result.precision

    def _grid(
        self, source: Source, kinds: tuple[str, ...], estimators: tuple[Estimator, ...]
    ) -> list[Cell]:
        cells = grid([source], Axes(navigation=kinds, estimators=estimators, seeds=(self.seed,)))
        for cell in cells:
            self.cells[cell.navigation, cell.estimator, cell.system, cell.topic] = cell
        return cells

    def _run(self, cells: Sequence[Cell], progress: Callable[[float], object]) -> None:
        outcome = run(
            cells, self.store, self.workers, self.budget,
            progress=lambda state: progress(state.share or 0.0),
        )  # fmt: skip
        for reason in outcome.failures.values():
            raise NotComputed(reason)


class SettingScores:
    """Estimated and true precision with every subset of causes present.

    `estimated` and `true` map a subset to the scores, shape (systems, topics, 1 + levels): the mean
    over recall values, then that at each of `LEVELS`.
    """

    def __init__(self, values: Values, setting: Setting, campaign: Campaign) -> None:
        def scores(kind: str, estimator: Estimator) -> Floats:
            return np.array(
                [
                    [
                        _at_levels(values.precision(kind, estimator, system, topic))
                        for topic in campaign.ideals
                    ]
                    for system in campaign.runs
                ]
            )

        estimates = {
            (formula, margins): scores(setting.kind(margins), estimator)
            for formula, estimator in _ESTIMATORS.items()
            for margins in subsets(("across", "need"))
        }
        exact = {causes: scores(setting.kind(causes), "exact") for causes in subsets(BROWSING)}
        self.estimated: dict[Subset, Floats] = {}
        self.true: dict[Subset, Floats] = {}
        for causes in subsets(CAUSES):
            margins = causes.intersection(("across", "need"))
            self.estimated[causes] = estimates[causes.intersection(FORMULA), margins]
            self.true[causes] = exact[causes.intersection(BROWSING)]

    def errors(self) -> dict[Subset, Floats]:
        """Return the mean error over systems with each subset present, (topics, 1 + levels)."""
        return {
            causes: (estimated - self.true[causes]).mean(axis=0)
            for causes, estimated in self.estimated.items()
        }


def _at_levels(precision: Floats) -> Floats:
    """Return mean precision, and precision at each recall level by the ceiling rule."""
    t = len(precision)
    r = np.ceil(np.array(LEVELS) * t - 1e-9).astype(np.int64)
    return np.append(precision.mean(), precision[r - 1])
