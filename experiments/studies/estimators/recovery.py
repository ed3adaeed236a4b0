"""Probabilities of navigation estimated from a log, and PRUM computed with them.

Hypothesis: the share of consultations of x in which y was seen is too low where users stop in the
middle of an element, and unbiased where only those are counted in which the turn of y came. The
intervals of Wilson and Jeffreys then hold what they promise, but for the coarseness of few trials.
PRUM with such shares for probabilities is off by how curved it is ("of shares"), and by what nobody
consulted. Shares that are shrunk to a base of all pairs (`beta_base`) are off by less, and the
middle of their posterior laws holds what it promises over all pairs. Design: the log of the
dataset, every pair x -> y of positive probability, by number of trials; intervals over topics, for
pairs of one topic share users. PRUM of all lists with shares of all users, of a quarter and a
sixteenth of them, beside PRUM with the true probabilities; 0 where nobody consulted x. Cost: some
seconds for a million events.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from prum.experiments.fitting import BetaLaws, beta_base
from prum.experiments.generate import Dataset
from prum.experiments.logs import Trials, read_events, trials_of
from prum.experiments.logs.trials import EVERY, TURN
from prum.experiments.statistics.intervals import (
    Interval,
    binomial_coverage,
    clustered_interval,
    holds,
    mean_interval,
    proportion_intervals,
    root_interval,
    root_mean_square,
)
from prum.experiments.statistics.rankings import tau_b
from prum.experiments.studies.estimators.given import Estimator, Rescore
from prum.experiments.studies.estimators.scoring import EstimatorRows, browses, scores_by
from prum.simulator import Budget, Found, Links, Patience
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.stopping import rule_of

EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
# Exact coverage is a sum over all outcomes of so many trials at most.
_MOST_EXACT = 5_000
_PARTS = (16, 4, 1)
# Shares that are shrunk to a base, and intervals by their laws.
SHRUNK, POSTERIOR = "shrunk", "posterior"


def by_recovery(
    rows: EstimatorRows,
    dataset: Dataset,
    scores: Mapping[str, Floats],
    measures: Sequence[str],
    step: Callable[[], object],
    estimators: Sequence[Estimator] = (),
) -> list[str]:
    """Add what the log tells of each pair, and PRUM by it; return notes.

    Parameters
    ----------
    scores, measures
        Scores by measure, and those that can be computed with other probabilities.
    estimators
        Those that were given: of these, what takes probabilities.
    """
    if dataset.log is None:
        return ["There is no log: probabilities are not recovered."]
    if not any(len(links) for links in dataset.navigation.values()):
        return ["Nobody browses: there are no probabilities to recover from the log."]
    trials = logged(dataset, dataset.log)
    true = trials.probabilities * dataset.mean_factor
    step()
    for way in trials.counted:
        happened, number = trials.counts(way)
        add_pairs(rows, way, happened, number, true, trials.topic_of)
    step()
    own = {one.name: one.again for one in estimators if one.browses and one.again is not None}
    _add_plugged(rows, dataset, trials, scores, [name for name in measures if browses(name)], own)
    step()
    return _notes(dataset, trials)


def logged(dataset: Dataset, log: Path) -> Trials:
    """Return the trials of a log of a folder.

    Ideals are looked at in the order of topics.jsonl, or of ids, or on a walk in none.

    Raise InputError or OSError as `read_events`.
    """
    ideals = {judged.topic: judged.ideals for judged in dataset.judged()}
    orders = [dataset.written_ideals(), ideals] if dataset.is_plain else []
    dials = dataset.specification.log
    rules = [rule_of(words) for words in dials.stop] if dials else []
    numbers = [rule.ideals for rule in rules if isinstance(rule, Found)]
    if dials and dials.want is not None:
        numbers.append(dials.want)
    # Where other rules stop them, no number of ideals does.
    wanted = None
    if numbers or not rules:
        wanted = {topic: min([*numbers, len(own)]) for topic, own in ideals.items()}
    return trials_of(
        read_events(log),
        dataset.navigation,
        dict(dataset.lists()),
        ideals,
        orders=[order for order in orders if order is not None],
        wanted=wanted,
    )


def add_pairs(
    rows: EstimatorRows, way: str, happened: Ints, trials: Ints, true: Floats, topic_of: Ints
) -> None:
    """Add bias, rmse and coverage of shares, by number of trials and of all that were tried."""
    rows.add("links", way, "", {"never": float(np.mean(trials == 0))})
    tried = trials > 0
    happened, trials, topic_of = (column[tried] for column in (happened, trials, topic_of))
    true = true[tried]
    if not len(trials):
        return
    error = happened / trials - true
    variance = true * (1 - true) / trials
    ends = {POSTERIOR: posterior(happened, trials).ends(0.95)}
    ends |= proportion_intervals(happened, trials)
    held = {method: holds(own, true).astype(np.float64) for method, own in ends.items()}
    few = trials <= _MOST_EXACT
    exact = binomial_coverage(trials[few], true[few])
    bins = np.searchsorted(EDGES, trials, side="right") - 1
    parts: list[tuple[float | None, Flags]] = [(None, np.ones(len(bins), np.bool_))]
    parts += [(EDGES[bin_], bins == bin_) for bin_ in np.unique(bins).tolist()]
    for at, part in parts:
        topics = topic_of[part]
        values: dict[str, float | Interval] = {
            "pairs": float(part.sum()),
            "bias": clustered_interval(error[part], topics),
            "rmse": root_interval(clustered_interval(error[part] ** 2, topics)),
            "binomial rmse": math.sqrt(variance[part].mean()),
        }
        rows.add("links", way, "", values, at=at)
        for method, flags in held.items():
            values = {"coverage": clustered_interval(flags[part], topics)}
            if method in exact and few[part].all():
                values["binomial coverage"] = float(exact[method][part[few]].mean())
            rows.add("links", way, method, values, at=at)


def posterior(happened: Ints, trials: Ints) -> BetaLaws:
    """Return the law of each pair's probability, given what all pairs tell of its base."""
    base = beta_base(happened, trials)
    return BetaLaws.of_trials(happened, trials, base.means, base.concentration)


def known_links(dataset: Dataset, trials: Trials, way: str, num_users: int) -> dict[str, Links]:
    """Return each topic's links with the true probabilities, 0 where nobody consulted x."""
    _, number = trials.counts(way, num_users)
    return trials.links(np.where(number > 0, trials.probabilities * dataset.mean_factor, 0.0))


def _add_plugged(
    rows: EstimatorRows,
    dataset: Dataset,
    trials: Trials,
    scores: Mapping[str, Floats],
    measures: Sequence[str],
    own: Mapping[str, Rescore],
) -> None:
    """Add how measures with estimated probabilities differ from those with the true ones."""
    logged = np.array([system in trials.systems for system in dataset.systems])
    best = TURN if TURN in trials.counted else EVERY
    numbers = [max(trials.num_users // part, 1) for part in _PARTS]
    chosen = [(best, number, False) for number in numbers]
    if best != EVERY:
        chosen.append((EVERY, numbers[-1], False))
    chosen += [(best, number, True) for number in numbers]
    for way, users, is_shrunk in chosen:
        counts = trials.counts(way, users)
        laws = posterior(*counts) if is_shrunk else BetaLaws.of_trials(*counts)
        # The two differ by what chance makes of shares.
        estimated, known = (
            scores_by(dataset, measures, navigation=links)[1]
            | {name: again(None, links) for name, again in own.items()}
            for links in (trials.links(laws.means), known_links(dataset, trials, way, users))
        )
        subject = f"{way}, {SHRUNK}" if is_shrunk else way
        for measure in (*measures, *own):
            error = estimated[measure] - scores[measure]
            noise = estimated[measure] - known[measure]
            values: dict[str, float | Interval] = {}
            for part, difference, what in (
                (logged, error, ""),
                (logged, noise, " of shares"),
                (~logged, error, " elsewhere"),
            ):
                # What nobody consulted has a base, too.
                if part.any() and not (is_shrunk and difference is noise):
                    of_part = difference[part]
                    values[f"bias{what}"] = mean_interval(of_part.mean(axis=0))
                    values[f"rmse{what}"] = root_mean_square(np.sqrt((of_part**2).mean(axis=0)))
            if len(error) > 1:
                means = (table[measure].mean(axis=1) for table in (estimated, scores))
                values["tau-b"] = float(tau_b(*means))
            rows.add("plug-in", subject, measure, values, at=users)


def _notes(dataset: Dataset, trials: Trials) -> list[str]:
    """Return what is to be held against the numbers."""
    log = dataset.specification.log
    rules = [rule_of(words) for words in log.stop] if log else []
    people = "Users of different systems are different people."
    if trials.are_same_people:
        people = (
            "Users of one number see the same from the same element in all systems: each counts "
            "once."
        )
    notes = {
        f"The log: {trials.num_users:,} users of {', '.join(trials.systems)} consulted "
        f"{trials.num_consultations:,} elements within their lists, of which "
        f"{trials.broken_off:,} were broken off.": True,
        people: len(trials.systems) > 1,
        f"{trials.unknown:,} sights are of elements to which nothing leads by the table of "
        "navigation.": trials.unknown and dataset.is_plain,
        "Whose turn came can't be told where visits hang together or users differ, or no order "
        "of ideals fits the log.": TURN not in trials.counted,
        "Users stop when their time is up: what they were looking at then is not in the log, "
        "and who sees more takes longer. No way to count is free of bias then.": any(
            isinstance(rule, Budget | Patience) for rule in rules
        ),
        f"People browse by “{dataset.kind}”: a share tells the mean over those who consult x, "
        "at the ranks where they do.": not dataset.is_plain,
        "Users differ: those who find much stop early, so that those who get to x browse less "
        f"than most. P(x → y) is told times the mean factor of all, {dataset.mean_factor:.3g}.": (
            dataset.mean_factor < 1
        ),
    }
    return [note for note, holds_here in notes.items() if holds_here]
