"""Which hypothesis costs what: PRUM's error over a campaign, split by cause.

Hypotheses: PRUM takes every user for one who visits each element on its own (2.2) whatever number
of ideals they want (2.1), who does not browse after the list, and it shortens the sum over what
they have seen (2.3, and the normal law). Each is broken on purpose: visits from one element are
coupled; users differ; who wants more browses more; they browse after the list too.

Design: PRUM is always given the true P(x -> y), in the mean over users and needs, so that what is
left is the hypotheses' own. Its error, PRUM less the true precision, is computed with every subset
of the six causes present: the first two change the formula (`independent` with or without 2.3 and
the normal law), the others what is true (the exact value, or simulated users where there is none,
the same users everywhere). Of a cause it says what the error is if it alone is present, and its
share when all are: the Shapley value, its mean contribution over all orders in which the causes may
come. Shares add up to the whole error. Intervals are over topics. An approximation of one's own is
measured by the same true values, with each cause alone and with all.

Cost: 16 ways of browsing per setting and list, .05 to .5 s each for the built-in campaign.
"""

import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, Self

import numpy as np

from prum.experiments.frame.design import Option, Seed, option
from prum.experiments.frame.study import Advance, CutOff
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.rankings import agreement
from prum.experiments.studies.hypotheses.scores import (
    BROWSING,
    CAUSES,
    CLAIMED,
    FORMULA,
    LEVELS,
    Claims,
    Setting,
    Subset,
    Values,
    apart,
    claimed,
    setting_scores,
    shapley,
)
from prum.experiments.studies.kit.campaigns import CampaignDesign
from prum.experiments.studies.kit.quantities import triple
from prum.experiments.sweeps.cells import Given, Kept, Source
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here, on_processors
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model.arrays import Floats


class HypothesesDesign(CampaignDesign):
    """Options of the study of hypotheses: of one campaign, the built-in campaign by default."""

    within: Annotated[
        tuple[str, ...],
        Option(
            "How visits from one element depend on each other: exclusive, comonotone, 'copula "
            "RHO', walk; by default exclusive and comonotone, or as --navigation has it.",
            metavar="KIND",
        ),
    ] = ()
    across: Annotated[
        tuple[str, ...],
        Option(
            "How users differ: 'beta A B', 'types SHARE:FACTOR ...', 'one-factor RHO'.",
            metavar="KIND",
            always=True,
        ),
    ] = ("beta 1 1",)
    need: Annotated[
        tuple[str, ...],
        Option(
            "What share of browsing users who want 1, 2, ... ideals do: 'need F ...'.",
            metavar="KIND",
            always=True,
        ),
    ] = ("need 0.5 0.75 1",)
    users: Annotated[
        int,
        Option(
            "Simulated users per list, for ways of browsing without an exact value; an eightieth "
            "where they browse after the list, each through much of the collection.",
            least=2,
            most=10**9,
            always=True,
            remedy="say how many users",
        ),
    ] = 20_000
    seed: Seed = 1
    approximation: Any = option(
        None,
        "An approximation of your own beside PRUM: columns topic, system, r, and precision, CL and "
        "C, or all three.",
        "FILE",
        file="input",
        data="An approximation beside PRUM: a function of task and navigation, or a table.",
    )
    workers: Annotated[
        int | None,
        Option(
            "Processes; all processors by default.",
            least=1,
            matters=False,
            remedy="give the number of processes",
        ),
    ] = None
    store: Annotated[
        str | None,
        Option(
            "Keep results there, and go on with those kept (SQLite); hypotheses-USERS.sqlite by "
            "default.",
            file="store",
            matters=False,
        ),
    ] = None

    def __init__(self, /, **options: Any) -> None:
        # Results of more users would be other numbers.
        users = options.get("users", type(self).users)
        completed = {"store": f"hypotheses-{users}.sqlite", **options}
        if not any(options.get(name) for name in ("run", "qrels", "example")):
            completed["example"] = ("campaign",)
        super().__init__(**completed)

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        super().check()
        self.check_single()

    def completed(self) -> Self:
        """Return the design with visits from one element as the campaign has them."""
        if self.within:
            return self
        kind = self.campaign.kind
        within = ("exclusive", "comonotone") if kind == "independent" else (kind,)
        return replace(self, within=within)

    def settings(self) -> list[Setting]:
        """Return every combination of what is broken."""
        return [Setting(*words) for words in itertools.product(self.within, self.across, self.need)]


@dataclass(frozen=True, slots=True)
class HypothesesRow:
    """PRUM less the true precision, of one cause or "total", at a recall level or in the mean.

    `alone` is the error with this cause only, `share` its share of that with all; the ends of their
    intervals are None for one topic. `precision` is the true one with all causes.
    """

    within: str
    across: str
    need: str
    recall: float | Literal["mean"]
    cause: str
    alone: float
    alone_low: float | None
    alone_high: float | None
    share: float
    share_low: float | None
    share_high: float | None
    precision: float


@dataclass(frozen=True, slots=True)
class ApproximatedRow(HypothesesRow):
    """Also the error of an approximation that was given, with this cause only or, in total, all."""

    approximation: float
    approximation_low: float | None
    approximation_high: float | None


@dataclass(frozen=True, slots=True)
class HypothesesRanking:
    """PRUM's ranking beside the true one, with all causes ("total") or one: an `Agreement`."""

    within: str
    across: str
    need: str
    cause: str
    tau_b: float | None
    tau_b_interval: tuple[float, float] | None
    tau_ap: float
    tau_ap_interval: tuple[float, float] | None
    best_changes: float


@dataclass(frozen=True, slots=True)
class HypothesesFindings:
    """Sizes of the campaign, how many values were simulated, and the rankings of systems.

    `topics_left_out` were not reached before the study was cut off. `simulation_error` is the most
    that the draw of users adds to the standard error of a mean over topics.
    """

    campaign: str
    num_topics: int
    num_systems: int
    num_lists: int
    num_simulated: int
    num_ways: int
    most_ideals: int
    causes: dict[str, str]
    rankings: list[HypothesesRanking]
    topics_left_out: int
    simulation_error: float


def compute(
    design: HypothesesDesign, progress: Advance
) -> tuple[list[HypothesesRow], HypothesesFindings]:
    """Return PRUM's error on a campaign, split by cause, in every combination of settings.

    Raise InputError as `navigation_of`, `read_campaign` and `Store`; for a campaign with dials
    turned already. Raise NotComputed if a value could not be computed. Raise CutOff for Ctrl-C,
    with what there is over the topics that are done.
    """
    campaign = design.campaign
    plain, walked = apart(campaign)
    claims = claimed(design.approximation, design.settings(), plain, walked)
    with ExitStack() as stack:
        hands = stack.enter_context(on_processors(design.workers))
        folder = stack.enter_context(TemporaryDirectory(prefix="prum-"))

        def source(side: Campaign, name: str) -> Source:
            return Given(side) if isinstance(hands, Here) else Kept.of(side, Path(folder, name))

        values = Values(hands, design.users, design.seed, campaign.ideals)
        values.plan(
            design.settings(),
            source(plain, "plain"),
            None if walked is None else source(walked, "walked"),
        )
        # Opened when nothing can be wrong any more.
        store = stack.enter_context(Store(design.store))
        try:
            values.compute(store, progress)
        except KeyboardInterrupt:
            if not (topics := values.topics_done()):
                raise
            raise CutOff(_scored(design, campaign, values, claims, topics)) from None
        return _scored(design, campaign, values, claims, list(campaign.ideals))


def _scored(
    design: HypothesesDesign,
    campaign: Campaign,
    values: Values,
    claims: Claims,
    topics: list[str],
) -> tuple[list[HypothesesRow], HypothesesFindings]:
    """Return rows and findings over some topics, whose values are there."""
    rows: list[HypothesesRow] = []
    rankings: list[HypothesesRanking] = []
    for setting in design.settings():
        estimated, true = setting_scores(values, setting, list(campaign.runs), topics)
        claim = {
            of: np.array(
                [[claims[setting.kind(of)][run, x] for x in topics] for run in campaign.runs]
            )
            for of in CLAIMED
            if claims
        }
        rows += _rows(setting, estimated, true, claim)
        if len(campaign.runs) > 1:
            rankings += _rankings(setting, estimated, true)
    return rows, HypothesesFindings(
        campaign=campaign.name,
        num_topics=len(topics),
        num_systems=len(campaign.runs),
        num_lists=len(topics) * len(campaign.runs),
        num_simulated=len(values.simulated(topics)),
        num_ways=values.num_ways,
        most_ideals=max(len(campaign.ideals[topic]) for topic in topics),
        causes={**FORMULA, **BROWSING},
        rankings=rankings,
        topics_left_out=len(campaign.ideals) - len(topics),
        simulation_error=values.simulation_error(topics),
    )


def _rows(
    setting: Setting,
    estimated: dict[Subset, Floats],
    true: dict[Subset, Floats],
    claims: dict[Subset, Floats],
) -> Iterator[HypothesesRow]:
    """Yield a row for the whole error and each cause, at all recall values and each level."""
    errors = {causes: (estimated[causes] - true[causes]).mean(axis=0) for causes in true}
    everything = frozenset(CAUSES)
    shares = {"total": errors[everything], **shapley(errors, CAUSES)}
    alone = {"total": errors[everything], **{c: errors[frozenset({c})] for c in CAUSES}}
    precision = true[everything].mean(axis=(0, 1))
    # By the causes that concern how users browse.
    off = {of: (claim - true[of]).mean(axis=0) for of, claim in claims.items()}
    recalls: tuple[float | Literal["mean"], ...] = ("mean", *LEVELS)
    for column, recall in enumerate(recalls):
        for cause in ("total", *CAUSES):
            row = {
                **asdict(setting),
                "recall": recall,
                "cause": cause,
                **triple("alone", mean_interval(alone[cause][:, column])),
                **triple("share", mean_interval(shares[cause][:, column])),
                "precision": float(precision[column]),
            }
            if not off:
                yield HypothesesRow(**row)
                continue
            causes = frozenset(BROWSING if cause == "total" else {cause}).intersection(BROWSING)
            own = mean_interval(off[causes][:, column])
            yield ApproximatedRow(**row, **triple("approximation", own))


def _rankings(
    setting: Setting, estimated: dict[Subset, Floats], true: dict[Subset, Floats]
) -> Iterator[HypothesesRanking]:
    """Yield how PRUM ranks systems, with all causes present and with each alone."""
    for cause in ("total", *CAUSES):
        causes = frozenset(CAUSES if cause == "total" else {cause})
        # The same resamples for every cause.
        agreed = agreement(
            estimated[causes][..., 0], true[causes][..., 0], np.random.default_rng(0)
        )
        yield HypothesesRanking(**asdict(setting), cause=cause, **asdict(agreed))
