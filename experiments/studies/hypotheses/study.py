"""Which hypothesis costs what: PRUM's error over a campaign, split by cause.

Hypotheses: PRUM takes every user for one who visits each element on its own (2.2) whatever number
of ideals he wants (2.1), who does not browse after the list, and it shortens the sum over what he
has seen (2.3, and the normal law). Each is broken on purpose: visits from one element hang
together; users differ; who wants more browses more; they browse after the list too.

Design: PRUM is always told the true P(x -> y), in the mean over users and needs, so that what is
left is the hypotheses' own. Its error, PRUM less the true precision, is computed with every subset
of the six causes present: the first two change the formula (`independent` with or without 2.3 and
the normal law), the others what is true (the exact value, or simulated users where there is none,
the same users everywhere). Of a cause it says what the error is if it alone is present, and its
share when all are: the Shapley value, its mean contribution over all orders in which the causes may
come. Shares add up to the whole error. Intervals are over topics.

Cost: 16 ways of browsing per setting and list, .05 to .5 s each for the built-in campaign.
"""

import itertools
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.analytic.precision.contexts import contexts_of
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.rankings import agreement
from prum.experiments.studies.hypotheses.causes import Subset, shapley, subsets
from prum.experiments.studies.study import (
    MOST_STUDIED,
    Advance,
    WrittenStudy,
    checked_seed,
    command_of,
)
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Axes, Cell, Estimator, Given, Kept, Source, grid
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.failures import NotComputed
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here, Workers
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Independent, InputError, Links, Task, Walk
from prum.simulator.model.errors import whole_number
from prum.simulator.model.kinds import NAVIGATIONS, base_of

Floats = NDArray[np.float64]

# The causes, in the order in which they are told; each with what it is, for people to read.
FORMULA = {
    "noisy-or": "the shortcut: Hypothesis 2.3",
    "normal law": "a bell curve for more than ten ideals",
}
TRUTH = {
    "within": "visits from one element hang together: Hypothesis 2.2 within a context",
    "across": "users differ: Hypothesis 2.2 across ranks",
    "need": "who wants more browses more: Hypothesis 2.1",
    "unranked": "users browse after the list too",
}
CAUSES = (*FORMULA, *TRUTH)
# The causes that are broken in a way that can be chosen.
SETTINGS = ("within", "across", "need")
# The same for readers who know no theory, who click and seek pages.
PLAIN = {
    "noisy-or": "shortcut for what was seen",
    "normal law": "bell curve above ten pages",
    "within": "clicks of a result depend",
    "across": "people differ",
    "need": "who wants more clicks more",
    "unranked": "clicks after the list",
    "total": "all together",
}
LEVELS = tuple(level / 10 for level in range(1, 11))

WITHIN = ("exclusive", "comonotone")
ACROSS = ("beta 1 1",)
NEED = ("need 0.5 0.75 1",)


@dataclass(frozen=True, slots=True)
class Setting:
    """How far each hypothesis is broken, in the words of `navigation_of`."""

    within: str
    across: str
    need: str

    def kind(self, causes: Subset) -> str:
        """Return the way of browsing where only some causes are present."""
        words = {"within": self.within, "across": self.across, "need": self.need}
        parts = [words.get(cause, cause) for cause in TRUTH if cause in causes]
        return " + ".join(parts) or "independent"


def study_hypotheses(
    campaign: Campaign,
    *,
    within: Sequence[str] = (),
    across: Sequence[str] = ACROSS,
    need: Sequence[str] = NEED,
    num_users: int = 20_000,
    seed: int = 1,
    options: Mapping[str, Any] | None = None,
    store: str | Path | None = None,
    workers: Workers | None = None,
    progress: Advance = lambda _: None,
) -> WrittenStudy:
    """Return PRUM's error on a campaign, split by cause, in every combination of settings.

    Parameters
    ----------
    campaign
        Its way of browsing has no dials; if it is not independent, it is what `within` is.
    within, across, need
        Settings, as `navigation_of` names them: bases, populations, needs.
    num_users, seed
        Of simulated users, for ways of browsing without an exact value.
    options
        Where the campaign comes from, by the options of `prum study hypotheses`.
    store
        A file that keeps values, to go on with; opened when nothing can be wrong any more.

    Raises
    ------
    InputError
        as `navigation_of` and `Store`, and for a campaign with dials turned already.
    NotComputed
        if a value could not be computed.
    """
    checked_seed(seed)
    whole_number("users", num_users, least=2, most=MOST_STUDIED, remedy="say how many users")
    plain, walked = _apart(campaign)
    bases = tuple(within) or (WITHIN if campaign.kind == "independent" else (campaign.kind,))
    settings = [Setting(*words) for words in itertools.product(bases, across, need)]
    hands = Here() if workers is None else workers
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="prum-"))

        def source(one: Campaign, name: str) -> Source:
            return Given(one) if isinstance(hands, Here) else Kept.of(one, Path(folder, name))

        values = _Values(hands, UserBudget(num_users), seed)
        values.plan(
            settings,
            source(plain, "plain"),
            None if walked is None else source(walked, "walked"),
        )
        values.compute(stack.enter_context(Store(store)), progress)
        rows, rankings = [], []
        for setting in settings:
            words = {"within": setting.within, "across": setting.across, "need": setting.need}
            scores = _Scores(values, setting, campaign)
            rows += [{**words, **row} for row in _rows(scores)]
            if len(campaign.runs) > 1:
                rankings += [{**words, **row} for row in _rankings(scores)]
    told = {
        **(options or {}),
        "within": bases,
        "across": tuple(across),
        "need": tuple(need),
        "users": num_users,
        "seed": seed,
    }
    return WrittenStudy(
        "hypotheses",
        told,
        tuple(rows),
        {
            "campaign": campaign.name,
            "num_topics": len(campaign.ideals),
            "num_systems": len(campaign.runs),
            "num_lists": len(campaign.ideals) * len(campaign.runs),
            "num_simulated": values.num_simulated,
            "num_ways": values.num_ways,
            "most_ideals": max(len(ideals) for ideals in campaign.ideals.values()),
            "causes": {**FORMULA, **TRUTH},
            "rankings": rankings,
        },
        command_of("hypotheses", told, {}),
    )


def settings_of(study: WrittenStudy) -> list[tuple[str, ...]]:
    """Return the settings, in order."""
    return list(dict.fromkeys(setting_of(row) for row in study.rows))


def setting_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the setting that a row is about."""
    return tuple(row[name] for name in SETTINGS)


def simulated(found: Mapping[str, Any]) -> str:
    """Say how much of what is true had to be simulated."""
    if not found["num_simulated"]:
        return "The truth is an exact value everywhere."
    values = found["num_lists"] * found["num_ways"]
    return (
        f"The truth is an exact value, but for {found['num_simulated']:,} of {values:,} values "
        "that have none and come from simulated people, the same ones everywhere."
    )


def _apart(campaign: Campaign) -> tuple[Campaign, Campaign | None]:
    """Return the campaign with independent visits of the same P(x -> y), and itself if it walks."""
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


class _Values:
    """Every value that the study needs, computed as cells of a sweep."""

    store: Store

    def __init__(self, workers: Workers, budget: UserBudget, seed: int) -> None:
        self.workers, self.budget, self.seed = workers, budget, seed
        self.cells: dict[tuple[str, Estimator, str, str], Cell] = {}
        self.num_simulated = self.num_ways = 0

    def plan(self, settings: Sequence[Setting], plain: Source, walked: Source | None) -> None:
        """Find the cells of formulas and exact values."""
        kinds = {s.kind(causes): None for s in settings for causes in subsets(TRUTH)}
        told = {s.kind(causes): None for s in settings for causes in subsets(("across", "need"))}
        self.num_ways = len(kinds)
        walks = tuple(kind for kind in kinds if base_of(kind) == "walk")
        if walked is None and walks:
            raise InputError(
                "within", "walk", "be left out, for the campaign's links are no walk",
                remedy="let the campaign be browsed by walks",
            )  # fmt: skip
        self._grid(plain, tuple(told), tuple(_ESTIMATORS.values()))
        tossed = tuple(kind for kind in kinds if kind not in walks)
        for source, some in ((plain, tossed), (walked, walks)):
            if source is not None and some:
                self._grid(source, some, ("exact",))

    def compute(self, store: Store, progress: Advance) -> None:
        """Compute what is planned, then simulate users where there is no exact value."""
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

    def _run(self, cells: Sequence[Cell], progress: Advance) -> None:
        outcome = run(
            cells, self.store, self.workers, self.budget,
            progress=lambda told: progress(told.share or 0.0),
        )  # fmt: skip
        for told in outcome.failures.values():
            raise NotComputed(told)


# Which of the formula's causes are present, and what then estimates precision.
_ESTIMATORS: dict[Subset, Estimator] = {
    frozenset(): "independent",
    frozenset({"noisy-or"}): "prum",
    frozenset({"normal law"}): "independent-normal",
    frozenset({"noisy-or", "normal law"}): "prum-normal",
}


class _Scores:
    """Estimated and true precision with every subset of causes present.

    `estimated` and `true` map a subset to the scores, shape (systems, topics, 1 + levels): the mean
    over recall values, then that at each of `LEVELS`.
    """

    def __init__(self, values: _Values, setting: Setting, campaign: Campaign) -> None:
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

        told = {
            (formula, margins): scores(setting.kind(margins), estimator)
            for formula, estimator in _ESTIMATORS.items()
            for margins in subsets(("across", "need"))
        }
        truth = {causes: scores(setting.kind(causes), "exact") for causes in subsets(TRUTH)}
        self.estimated: dict[Subset, Floats] = {}
        self.true: dict[Subset, Floats] = {}
        for causes in subsets(CAUSES):
            margins = causes.intersection(("across", "need"))
            self.estimated[causes] = told[causes.intersection(FORMULA), margins]
            self.true[causes] = truth[causes.intersection(TRUTH)]

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


def _rows(scores: _Scores) -> list[dict[str, Any]]:
    """Return a row for the whole error and each cause, at all recall values and each level."""
    errors = scores.errors()
    everything = frozenset(CAUSES)
    shares = {"total": errors[everything], **shapley(errors, CAUSES)}
    alone = {"total": errors[everything], **{c: errors[frozenset({c})] for c in CAUSES}}
    true = scores.true[everything].mean(axis=(0, 1))
    return [
        {
            "recall": level,
            "cause": cause,
            **_interval("alone", alone[cause][:, column]),
            **_interval("share", shares[cause][:, column]),
            "precision": float(true[column]),
        }
        for column, level in enumerate(("mean", *LEVELS))
        for cause in ("total", *CAUSES)
    ]


def _interval(name: str, values: Floats) -> dict[str, float | None]:
    """Return the mean over topics with its interval; none for one topic."""
    if len(values) == 1:
        return {name: float(values[0]), f"{name}_low": None, f"{name}_high": None}
    mean, low, high = mean_interval(values)
    return {name: mean, f"{name}_low": low, f"{name}_high": high}


def _rankings(scores: _Scores) -> list[dict[str, Any]]:
    """Return how PRUM ranks systems, with all causes present and with each alone."""
    present = {"total": frozenset(CAUSES), **{c: frozenset({c}) for c in CAUSES}}
    rows = []
    for name, causes in present.items():
        # The same resamples for every cause.
        found = agreement(
            scores.estimated[causes][..., 0], scores.true[causes][..., 0], np.random.default_rng(0)
        )
        rows.append({"cause": name, **asdict(found)})
    return rows
