"""What each assumption of PRUM costs.

On a campaign, the built-in one or your own files, the study breaks each hypothesis on purpose,
alone and with the others. It splits PRUM's error by cause, in precision and in the ranking of
systems.
"""

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from math import factorial
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from prum.analytic import PrecisionRecall, closed_form, independent_of, prum_of
from prum.experiments.fitting import reached
from prum.experiments.frame.design import Seed, option
from prum.experiments.frame.frames import columns_of, frame_table
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import View
from prum.experiments.statistics.intervals import mean_interval, student_factor
from prum.experiments.statistics.rankings import agreement
from prum.experiments.statistics.tests import LEVEL, holm, p_of_means
from prum.experiments.studies.kit.campaigns import CampaignDesign
from prum.experiments.studies.kit.story import Story
from prum.experiments.sweeps import Here, Processes
from prum.simulator import Campaign, Independent, InputError, Task, example_campaign, simulate
from prum.simulator.model import Navigation
from prum.simulator.model.arrays import Floats

_SOME_LEVELS = (0.1, 0.5, 1.0)
# Rounding leaves so much of the share of a cause without effect.
_ROUNDING = 1e-12

Subset = frozenset[str]

# What PRUM's formula shortens, then what is not as it assumes, in the order of the tables; and what
# each means, for readers who know no theory, who click and seek ideals.
FORMULA = {
    "noisy-or": "shortcut for what was seen",
    "normal law": "above ten ideals",
}
BROWSING = {
    "within": "clicks of a result depend",
    "across": "people differ",
    "need": "who wants more clicks more",
    "unranked": "clicks after the list",
}
PLAIN = {**FORMULA, **BROWSING, "total": "all together"}
CAUSES = (*FORMULA, *BROWSING)
# The causes that change the mean probabilities, too.
MARGINS = ("across", "need")
LEVELS = tuple(level / 10 for level in range(1, 11))
_BASES = ("independent", "exclusive", "comonotone", "copula", "walk")
# What estimates precision where these of the formula's causes are present.
_ESTIMATORS: dict[Subset, Callable[..., PrecisionRecall]] = {
    frozenset(): independent_of,
    frozenset({"noisy-or"}): prum_of,
    frozenset({"normal law"}): partial(independent_of, counts="normal"),
    frozenset(FORMULA): partial(prum_of, counts="normal"),
}
# Who browses after the list takes as long as so many who stop with it, or more.
_AFTER_LIST = 80


@dataclass(frozen=True, slots=True)
class Setting:
    """Ways of browsing that break the hypotheses, in the words of `prum list navigations`."""

    within: str
    across: str
    need: str

    def kind(self, causes: Iterable[str]) -> str:
        """Return the way of browsing where only some causes are present."""
        words = {**asdict(self), "unranked": "unranked"}
        return " + ".join(words[name] for name in BROWSING if name in causes) or "independent"

    def __str__(self) -> str:
        return f"{self.within}; {self.across}; {self.need}"


class HypothesesDesign(CampaignDesign):
    """Options of the study of hypotheses: of one campaign, the built-in campaign by default."""

    within: tuple[str, ...] = option(
        (),
        "How visits from one element depend on each other: exclusive, comonotone, 'copula RHO', "
        "walk; by default exclusive and comonotone, or as --navigation has it.",
        metavar="KIND",
    )
    across: tuple[str, ...] = option(
        ("beta 1 1",),
        "How users differ: 'beta A B', 'types SHARE:FACTOR ...', 'one-factor RHO'.",
        metavar="KIND",
        always=True,
    )
    need: tuple[str, ...] = option(
        ("need 0.5 0.75 1",),
        "What share of browsing users who want 1, 2, ... ideals do: 'need F ...'.",
        metavar="KIND",
        always=True,
    )
    users: int = option(
        20_000,
        "Simulated users per list, for ways of browsing without an exact value; an eightieth "
        "where they browse after the list, each through much of the collection.",
        least=2,
        most=10**9,
        always=True,
        remedy="say how many users",
    )
    seed: Seed = 1
    workers: int | None = option(
        None,
        "Processes; all processors by default.",
        least=1,
        matters=False,
        remedy="give the number of processes",
    )

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        if self.example or self.has_files():
            super().check()
        self.check_single()

    @cached_property
    def campaigns(self) -> list[Campaign]:
        """The only campaign.

        Raise InputError or OSError as `read_campaign`.
        """
        if self.example or self.has_files():
            return super().campaigns
        campaign = example_campaign("campaign")
        return [campaign if self.navigation is None else campaign.browsed(self.navigation)]

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


# --- values of every list -------------------------------------------------------------------------


def compute(design: HypothesesDesign, progress: Advance) -> Any:
    """Return PRUM's error on a campaign, split by cause, in every combination of settings.

    Hypotheses. PRUM takes every user for one who visits each element on its own (2.2) whatever
    number of ideals they want (2.1), who does not browse after the list, and it shortens the sum
    over what they have seen (2.3, and the normal law). Each is broken on purpose: visits from one
    element are coupled; users differ; who wants more browses more; they browse after the list too.

    Design. PRUM is always given the true P(x -> y), in the mean over users and needs, so that what
    is left is the hypotheses' own. Its error, PRUM less the true precision, is computed with every
    subset of the six causes present: the first two change the formula (`independent_of` with or
    without 2.3 and the normal law), the others what is true (the exact value, or simulated users
    where there is none, the same users everywhere). `alone` is the error with this cause only,
    `share` its share of that with all: the Shapley value. Shares add up to the whole error, that of
    the cause "total". Means over systems, with intervals over topics, at recall levels and in the
    mean over recall values; `precision` is the true one with all causes.

    Beside the rows: sizes of the campaign, how many values were simulated, how PRUM ranks systems
    beside the true ranking, and `simulation_error`, the most that the draw of users adds to the
    standard error of a mean over topics.

    Cost. 16 ways of browsing per setting and list, .05 to .5 s each for the built-in campaign.

    Raise InputError as `navigation_of` and `read_campaign`, for a campaign with dials turned
    already, and for a walk where the campaign has none.
    """
    campaign, settings = design.campaign, design.settings()
    plain, walked = apart(campaign)
    margins = dict.fromkeys(s.kind(causes) for s in settings for causes in subsets(MARGINS))
    kinds = dict.fromkeys(s.kind(causes) for s in settings for causes in subsets(BROWSING))
    jobs: dict[tuple[str, str, str], tuple[Any, ...]] = {}
    for of, names in (("estimates", margins), ("true", kinds)):
        for kind in names:
            walks = kind.split(" + ")[0] == "walk" and of == "true"
            if walks and walked is None:
                rule, remedy = "be left out, because the campaign's links are no walk", "walk them"
                raise InputError("within", "walk", rule, remedy=remedy)
            browsed = (walked if walks and walked else plain).browsed(kind)
            num_users = 0 if of == "estimates" else users_of(kind, design.users)
            for topic in campaign.ideals:
                tasks = [browsed.task(system, topic) for system in campaign.runs]
                jobs[of, kind, topic] = (tasks, browsed.navigation_on(topic), num_users)
    step = counted(progress, len(jobs))
    num_workers = design.workers or os.cpu_count() or 1
    with Here() if num_workers == 1 else Processes(num_workers) as hands:
        futures = {}
        for job, arguments in jobs.items():
            futures[job] = hands.submit(of_lists, *arguments, design.seed)
            futures[job].add_done_callback(lambda _: step())
        done = {job: future.result() for job, future in futures.items()}
    topics = tuple(campaign.ideals)
    rows, rankings = list[dict[str, Any]](), list[dict[str, Any]]()
    for setting in settings:
        estimated, true = _scores(setting, done, topics)
        rows += _rows(setting, estimated, true)
        if len(campaign.runs) > 1:
            rankings += _rankings(setting, estimated, true)
    # Of users who stand for true values: how far those drawn anew may move a mean of lists.
    errors = {job[1:]: lists[1] for job, lists in done.items() if job[0] == "true"}
    by_kind = (
        np.array([sum(errors[kind, topic].values()) / len(campaign.runs) for topic in topics])
        for kind in kinds
    )
    return rows, SimpleNamespace(
        num_topics=len(topics),
        num_systems=len(campaign.runs),
        num_lists=len(topics) * len(campaign.runs),
        num_simulated=sum(map(len, errors.values())),
        num_ways=len(kinds),
        most_ideals=max(map(len, campaign.ideals.values())),
        rankings=rankings,
        simulation_error=max(float(np.linalg.norm(by_topic)) / len(topics) for by_topic in by_kind),
    )


def _scores(
    setting: Setting, done: Mapping[Any, tuple[Floats, Any]], topics: Sequence[str]
) -> tuple[dict[Subset, Floats], dict[Subset, Floats]]:
    """Return estimated and true precision with every subset of causes present.

    Of shape (systems, topics, 1 + levels): the mean over recall values, then that at each level.
    """

    def over_topics(of: str, causes: Subset) -> Floats:
        kind = setting.kind(causes)
        return np.stack([done[of, kind, topic][0] for topic in topics], axis=-2)

    estimates = {causes: over_topics("estimates", causes) for causes in subsets(MARGINS)}
    exact = {causes: over_topics("true", causes) for causes in subsets(BROWSING)}
    places = {formula: place for place, formula in enumerate(_ESTIMATORS)}
    estimated = {
        causes: estimates[causes.intersection(MARGINS)][places[causes.intersection(FORMULA)]]
        for causes in subsets(CAUSES)
    }
    return estimated, {causes: exact[causes.intersection(BROWSING)] for causes in estimated}


def _rows(
    setting: Setting, estimated: dict[Subset, Floats], true: dict[Subset, Floats]
) -> Iterator[dict[str, Any]]:
    """Yield a row for the whole error and each cause, at all recall values and each level."""
    errors = {causes: (estimated[causes] - true[causes]).mean(axis=0) for causes in true}
    everything = frozenset(CAUSES)
    shares = {"total": errors[everything], **shapley(errors, CAUSES)}
    alone = {"total": errors[everything], **{c: errors[frozenset({c})] for c in CAUSES}}
    precision = true[everything].mean(axis=(0, 1))
    for column, recall in enumerate(("mean", *LEVELS)):
        for cause in ("total", *CAUSES):
            values = columns_of(
                alone=mean_interval(alone[cause][:, column]),
                share=mean_interval(shares[cause][:, column]),
            )
            yield {
                **asdict(setting),
                "recall": recall,
                "cause": cause,
                **{name: None if np.isnan(value) else value for name, value in values.items()},
                "precision": float(precision[column]),
            }


def _rankings(
    setting: Setting, estimated: dict[Subset, Floats], true: dict[Subset, Floats]
) -> Iterator[dict[str, Any]]:
    """Yield how PRUM ranks systems, with all causes present and with each alone."""
    for cause in ("total", *CAUSES):
        causes = frozenset(CAUSES if cause == "total" else {cause})
        # The same resamples for every cause.
        agreed = agreement(
            estimated[causes][..., 0], true[causes][..., 0], np.random.default_rng(0)
        )
        low, high = agreed.tau_b_interval or (None, None)
        tau = {"tau-b": agreed.tau_b, "tau-b_low": low, "tau-b_high": high}
        yield {**asdict(setting), "cause": cause, **tau, "best_changes": agreed.best_changes}


# --- values of lists, cause by cause --------------------------------------------------------------


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


def apart(campaign: Campaign) -> tuple[Campaign, Campaign | None]:
    """Return the campaign with independent visits of the same P(x -> y), and itself if it walks.

    Raise InputError for a campaign with dials turned already.
    """
    kind = campaign.kind
    if " + " in kind or kind.split(" ")[0] not in _BASES:
        rule, remedy = f"be one of {', '.join(_BASES)}", "leave the dials to the study's options"
        raise InputError("navigation of the campaign", kind, rule, remedy=remedy)
    if kind != "walk":
        return campaign.browsed("independent"), None
    margins = {}
    for topic, ideals in campaign.ideals.items():
        steps = campaign.navigation_on(topic).links
        margins[topic] = Independent(reached(steps, steps.elements, ideals))
    return replace(campaign, navigation=margins, name=f"{campaign.name}, as independent"), campaign


def users_of(kind: str, num_users: int) -> int:
    """Return how many users are simulated of a way of browsing.

    >>> users_of("walk + unranked", 20_000), users_of("walk", 20_000)
    (250, 20000)
    """
    return max(2, num_users // _AFTER_LIST) if "unranked" in kind.split(" + ") else num_users


def of_lists(
    tasks: Sequence[Task], navigation: Navigation, num_users: int, seed: int
) -> tuple[Floats, dict[int, float]]:
    """Return precision of some lists, and of those that are simulated the mean standard error.

    Each estimator's, shape (estimators, lists, 1 + levels); with users the true one, so exact where
    it can be, shape (lists, 1 + levels).
    """
    if not num_users:
        by_estimator = [
            [_at_levels(estimate(task, navigation).precision) for task in tasks]
            for estimate in _ESTIMATORS.values()
        ]
        return np.array(by_estimator), {}
    values, errors = [], {}
    for place, task in enumerate(tasks):
        true: Any = closed_form(task, navigation)
        if true is None:
            true = simulate(task, navigation, num_users=num_users, seed=seed, threads=1)
            errors[place] = float(true.precision_error.mean())
        values.append(_at_levels(true.precision))
    return np.array(values), errors


def _at_levels(precision: Floats) -> Floats:
    """Return mean precision, and precision at each recall level by the ceiling rule."""
    t = len(precision)
    r = np.ceil(np.array(LEVELS) * t - 1e-9).astype(np.int64)
    return np.append(precision.mean(), precision[r - 1])


# --- what is shown --------------------------------------------------------------------------------

SETTING = ["within", "across", "need"]
ERRORS: dict[str, str] = {"cause": "", "alone ±": ".5f", "share ±": ".5f"}
ERRORS |= {f"share at {level:g}": ".5f" for level in _SOME_LEVELS}
RANKINGS = {"cause": "", "tau-b to": ".3f", "best_changes": ".3f"}


def view(result: Any) -> View:
    """Return errors by cause, and rankings of systems, for each setting."""
    import pandas as pd

    story, findings, users = Story.of(__package__), result.found, result.design.users
    tables = []
    rankings = {}
    if findings.rankings:
        rankings = dict(list(pd.DataFrame(findings.rankings).groupby(SETTING, sort=False)))
    for setting, rows in result.to_frame().groupby(SETTING, sort=False):
        name, means = "; ".join(setting), _total_last(rows[rows.recall == "mean"])
        for level in _SOME_LEVELS:
            at_level = rows[rows.recall == level].set_index("cause").share
            means[f"share at {level:g}"] = means.cause.map(at_level)
        label = f"PRUM minus the true precision, by cause, mean over recall: {name}"
        tables.append(frame_table(label, means, ERRORS, parts="is_total"))
        if setting in rankings:
            label = f"Ranking of systems by PRUM beside the true one: {name}"
            of_systems = _total_last(rankings[setting])
            tables.append(frame_table(label, of_systems, RANKINGS, parts="is_total"))
    meanings = {"cause": list(PLAIN), "meaning": list(PLAIN.values())}
    tables.append(frame_table("Causes", meanings, {"cause": "", "meaning": ""}))
    total, *causes = (row for row in result.rows[: len(PLAIN)] if row.recall == "mean")
    decided = decided_shares(causes, findings.num_topics)
    half = None if total.share_high is None else total.share_high - total.share
    values = {
        "setting": f"{total.within}; {total.across}; {total.need}",
        "precision": total.precision,
        "error": shown(total.share, ".5f") + ("" if half is None else f" ± {shown(half, '.5f')}"),
        "shares": ", ".join(
            f"{row.cause} ({PLAIN[row.cause]}) {shown(row.share, '.5f')}" for row in decided
        ),
        "found": findings,
        "num_values": findings.num_lists * findings.num_ways,
        "users_with_list": users,
        "users_beyond": users_of("unranked", users),
    }
    return story.view(
        tables,
        values,
        headline=(
            "headline",
            "untested" if half is None else "shares" if decided else "no share",
        ),
        notes=(
            "notes",
            "simulated" if findings.num_simulated else "exact",
            "rankings" if findings.rankings else None,
        ),
    )


def _total_last(rows: Any) -> Any:
    """Return rows of causes, that of all together behind them, a part of its own."""
    return rows.assign(is_total=rows.cause == "total").sort_values("is_total", kind="stable")


def decided_shares(causes: Sequence[Any], num_topics: int) -> list[Any]:
    """Return the causes whose shares are significant, the largest first: t tests, Holm's method."""
    tested = [row for row in causes if row.share_high is not None and abs(row.share) > _ROUNDING]
    p = [
        float(
            p_of_means(
                np.array(row.share),
                np.array(row.share_high - row.share) / student_factor(num_topics - 1),
                np.array(float(num_topics)),
            )
        )
        for row in tested
    ]
    # What has no effect at all is tested too, with p = 1.
    adjusted = holm([*p, *[1.0] * (len(causes) - len(tested))])
    decided = [
        row
        for row, p_row in zip(tested, adjusted, strict=False)
        if p_row is not None and p_row <= LEVEL
    ]
    return sorted(decided, key=lambda row: -abs(row.share))


HYPOTHESES = Study("hypotheses", __doc__, HypothesesDesign, compute, view)
