"""Where the uncertainty of scores comes from: of topics, and of a navigation learned from a log.

A navigation that was learned is the same for all topics and systems: what is not known of it moves
their scores together. So its part of the variance of a mean over topics is that of the mean's
slopes by the rows of the links (the delta method), and of a difference that of the difference's
slopes; it does not become smaller with topics, but with sessions.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic.precision.gradient import Of, row_slopes
from prum.analytic.precision.of_task import independent_of, prum_of
from prum.experiments.compare.decision import Decision, decide
from prum.experiments.compare.question import Question
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.scores import scored_runs
from prum.experiments.frame.frames import frame_table
from prum.experiments.frame.numbers import about, count, number, shown
from prum.experiments.frame.view import Table, View
from prum.experiments.measures.judged import Judged, RankingLike, taken
from prum.experiments.measures.measure import Measure
from prum.experiments.statistics.intervals import normal_factor, student_factor
from prum.simulator.model import Navigation, Task
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    from prum.experiments.fitting.fitted import FittedNavigation

# Sentences are made of so many pairs; of more there is the table.
_MOST_PAIRS = 6
_MANY = 1e6
# A row: names and numbers, as attributes.
Row = SimpleNamespace


# Of the log's sessions; so many more, and what is left is taken for what always will be.
_ALL = 2.0**40
_VALUES = {"prum": prum_of, "exact": independent_of}


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """The uncertainty of one measure, by where it comes from.

    Parameters
    ----------
    measure
        Which one; of all others navigation counts as known.
    num_sessions, num_topics
        Of the log, and those judged on which the measure has a value.
    means
        Rows (system, mean, topics, navigation, low, high): standard errors of topics and of
        navigation, and an interval of both.
    pairs
        Of the decision if it is by this measure, `system` less `other`: difference, standard errors
        of topics and of navigation; `low` and `high` by both, at the critical value of the family.
        If the difference stays as it is, the interval leaves out 0 after so many `sessions` more,
        or with `topics_needed` topics and the same log: 0, and the number there is, if it does
        already; infinite if it never will. `known` is half of it if navigation were known.
    errors
        Standard error of each score by navigation, shape (systems, topics) as the scores have them.
    """

    measure: str
    num_sessions: int
    num_topics: int
    means: tuple[Row, ...]
    pairs: tuple[Row, ...]
    errors: Floats

    def content(self) -> dict[str, Any]:
        """Return what JSON has of it."""
        return {
            "measure": self.measure,
            "sessions": self.num_sessions,
            "topics": self.num_topics,
            "means": list(map(vars, self.means)),
            "pairs": list(map(vars, self.pairs)),
        }


def value_that_answers(measure: Measure, navigation: Navigation) -> Of | None:
    """Return what to differentiate of a measure by the links, None where they count as known."""
    settings: Mapping[str, Any] = measure.settings
    if settings.get("tied") or any(
        settings.get(key) is not None for key in ("navigation", "cost", "need")
    ):
        return None
    if not navigation.base.takes_dials:
        return None
    if measure.name.measure == "PRUM":
        return "prum" if settings["counts"] == "poisson-binomial" else None
    return "exact" if measure.name.measure == "ExactPRUM" and navigation.is_tossed else None


def browses_by_links(measure: Measure) -> bool:
    """Return whether a measure's value rests on a navigation: the given one, or one it names."""
    by_name = measure.settings.get("navigation") is not None
    return by_name or measure.name.measure in ("PRUM", "ExactPRUM")


def doubtful_measures(
    measures: Iterable[Measure], judged: Sequence[Judged]
) -> list[tuple[Measure, Of]]:
    """Return the measures of which navigation's part is known, and what to differentiate."""
    navigation = judged[0].navigation(None)
    each = [(measure, value_that_answers(measure, navigation)) for measure in measures]
    return [(measure, of) for measure, of in each if of is not None]


def scored_by_learned(
    fitted: "FittedNavigation",
    question: Question,
    judged: Sequence[Judged],
    lists: Iterable[tuple[str, Mapping[str, RankingLike]]],
    measures: Sequence[Measure],
    progress: Callable[[int], object] | None,
) -> dict[str, Any]:
    """Return scores as `scored_runs`, and what is not known of a navigation that was learned."""
    doubtful = doubtful_measures(measures, judged)
    lists = list(lists) if doubtful else lists  # they are read again, topic by topic
    made = scored_runs(
        ((name, ranked, judged) for name, ranked in lists), measures, progress=progress
    )
    if not doubtful:
        known = tuple(str(measure) for measure in measures if browses_by_links(measure))
        return {**made, "taken_as_known": known}
    question.check_systems(made["scores"].systems)
    decision, kept = decide(made["scores"], question), [ranked for _, ranked in lists]
    uncertainty = uncertainty_of(fitted, *doubtful[0], judged, kept, made["scores"], decision)
    return {**made, "uncertainty": uncertainty}


def uncertainty_of(
    fitted: "FittedNavigation",
    measure: Measure,
    of: Of,
    judged: Sequence[Judged],
    runs: Sequence[Mapping[str, RankingLike]],
    scores: Scores,
    decision: Decision,
) -> Uncertainty:
    """Return the uncertainty of a measure of which navigation's part is known.

    Parameters
    ----------
    fitted
        What was learned; the topics' navigation is its mean, with dials or without.
    of
        What to differentiate, as `value_that_answers` has it.
    runs
        Topic -> ranking of each system, in the order of the scores.
    """
    values = scores.values[:, :, scores.measures.index(str(measure))]
    counted = np.flatnonzero(~np.isnan(values).any(axis=0))
    slopes = np.zeros((len(scores.systems), len(fitted.to_links())))
    errors = np.full(values.shape, np.nan)
    # One topic after the other: what its walks lead to is the same for all systems.
    for place in counted.tolist():
        topic = judged[place]
        for system, lists in enumerate(runs):
            task = topic.task(taken(lists.get(topic.topic, ()), "ranking"))
            way = topic.navigation(None)
            of_score = row_slopes(task, way, _recall(measure, task, way, of), of=of)
            errors[system, place] = fitted.variances(of_score).sum() ** 0.5
            slopes[system] += of_score / len(counted)

    def variance_of(contrast: Floats) -> Callable[[float], float]:
        return lambda more: float(fitted.variances(contrast, more=more).sum())

    num = len(counted)
    means = []
    for system, name in enumerate(scores.systems):
        mean = float(values[system, counted].mean()) if num else np.nan
        topics = float(values[system, counted].std(ddof=1)) / num**0.5 if num > 1 else np.nan
        navigation = variance_of(slopes[system])(0.0) ** 0.5
        factor = student_factor(num - 1) if num > 1 else normal_factor()
        half = factor * float(np.hypot(np.nan_to_num(topics), navigation))
        means.append(
            Row(
                system=name,
                mean=mean,
                topics=topics,
                navigation=navigation,
                low=mean - half,
                high=mean + half,
            )
        )
    by_name = dict(zip(scores.systems, slopes, strict=True))
    pairs = []
    if decision.measure == str(measure) and num > 1:
        pairs = [
            _pair(
                decision,
                pair.system,
                pair.other,
                fitted.num_sessions,
                variance_of(by_name[pair.system] - by_name[pair.other]),
            )
            for pair in decision.pairs
        ]
    return Uncertainty(
        str(measure),
        fitted.num_sessions,
        num,
        tuple(means),
        tuple(pairs),
        errors,
    )


def _recall(measure: Measure, task: Task, navigation: Navigation, of: Of) -> int | None:
    """Return at which r a score is read, None for the mean; where two r tie, the smaller."""
    cutoff = measure.name.cutoff
    if cutoff is None:
        return None
    if cutoff.kind == "recall":
        return int(cutoff.value)
    first = max(int(np.ceil(cutoff.value * task.num_ideals - 1e-9)), 1)
    precision = _VALUES[of](task, navigation).precision
    return first + int(np.argmax(precision[first - 1 :]))


def _pair(
    decision: Decision, system: str, other: str, sessions: int, variance: Callable[[float], float]
) -> Row:
    first, second = decision.systems.index(system), decision.systems.index(other)
    compared = decision.compared.of(first, second)
    critical = np.inf if compared.is_lost else compared.critical
    now = variance(0.0)
    half = critical * (compared.error**2 + now) ** 0.5
    size, known = abs(compared.difference), critical * compared.error
    # What navigation may leave of the variance, and topics.
    left = (size / critical) ** 2 - compared.error**2 if critical else np.inf
    needed = np.inf
    if size > half:
        needed = decision.num_topics
    elif size > critical * now**0.5:
        share = compared.error**2 / ((size / critical) ** 2 - now)
        needed = float(np.floor(decision.num_topics * share)) + 1
    return Row(
        system=system,
        other=other,
        difference=compared.difference,
        topics=compared.error,
        navigation=now**0.5,
        low=compared.difference - half,
        high=compared.difference + half,
        sessions=sessions * _more(variance, left),
        topics_needed=needed,
        known=known,
    )


def _more(variance: Callable[[float], float], left: float) -> float:
    """Return how many times the log's sessions more leave a variance below `left`."""
    from scipy.optimize import brentq

    if variance(0.0) < left:
        return 0.0
    if left <= 0 or variance(_ALL) >= left:
        return np.inf

    def over(power: float) -> float:
        return variance(2.0**power) - left

    low = -20.0
    return float(2.0 ** brentq(over, low, 40.0, xtol=1e-3)) if over(low) > 0 else 2.0**low


# --- what people see -----------------------------------------------------------------------------


def with_uncertainty(view: View, uncertainty: Uncertainty, *, top: int | None = None) -> View:
    """Return the view of an evaluation with what topics and navigation leave open."""
    first, *others = view.tables
    tables = (first, _table(uncertainty, top), *others)
    pair_sentences = tuple(
        f"{_of_pair(pair, uncertainty)}." for pair in uncertainty.pairs[:_MOST_PAIRS]
    )
    notes = (*view.notes, *_notes(uncertainty))
    return replace(view, tables=tables, sentences=(*view.sentences, *pair_sentences), notes=notes)


def _table(uncertainty: Uncertainty, top: int | None) -> Table:
    means = sorted(uncertainty.means, key=lambda row: -row.mean)[:top]
    pairs = uncertainty.pairs[:top]
    rows = [*means, *pairs]
    names = {"value": uncertainty.measure}
    names |= {part: f"{part} ±" for part in ("topics", "navigation", "both")}
    columns = {
        "": [*(row.system for row in means), *(f"{row.system} minus {row.other}" for row in pairs)],
        "value": [*(row.mean for row in means), *(row.difference for row in pairs)],
        "topics": [_factor(row) * row.topics for row in rows],
        "navigation": [_factor(row) * row.navigation for row in rows],
        "both": [(row.high - row.low) / 2 for row in rows],
        "is_pair": [hasattr(row, "other") for row in rows],
    }
    sessions = count(uncertainty.num_sessions, "session")
    return frame_table(
        f"Where the uncertainty comes from: halves of 95 % intervals by "
        f"{count(uncertainty.num_topics, 'topic')} and a log of {sessions}",
        columns,
        dict.fromkeys(("", "value", "topics", "navigation", "both"), ".4f"),
        names=names,
        parts="is_pair",
    )


def _factor(row: Row) -> float:
    """Return how many standard errors half the interval is."""
    error = math.hypot(0 if math.isnan(row.topics) else row.topics, row.navigation)
    return (row.high - row.low) / 2 / error if error else 0.0


def _of_pair(pair: Row, uncertainty: Uncertainty) -> str:
    """Return whether a pair can be told apart, else what would do it, in a sentence."""
    if math.isinf(pair.known):
        few = "too few topics, or the same difference on too many"
        return f"Whether {pair.system} or {pair.other} is better cannot be resampled: {few}"
    both, half = f"{pair.system} and {pair.other}", (pair.high - pair.low) / 2
    split = (
        f"differ by {number(abs(pair.difference))} ± {number(half)}"
        f" (topics ± {number(_factor(pair) * pair.topics)},"
        f" navigation ± {number(_factor(pair) * pair.navigation)})"
    )
    if pair.sessions == 0:
        return f"{both} {split}: apart, with what the log leaves open of navigation counted"
    if math.isfinite(pair.sessions):
        more = about(math.ceil(pair.sessions))
        enough = f"more than {_MANY:,.0f}" if pair.sessions > _MANY else f"about {more}"
        times = shown(pair.sessions / uncertainty.num_sessions, ".1f")
        return (
            f"{both} {split}: {enough} sessions more ({times} times the log) would tell them apart"
        )
    known = f"with navigation known topics alone leave ± {number(pair.known)}"
    if pair.known < abs(pair.difference):
        known = "what such a log never shows leaves too much open"
    topics = "nor would any number of topics with this log"
    if math.isfinite(pair.topics_needed):
        topics = f"about {about(pair.topics_needed)} topics would, with this log"
    return f"{both} {split}: no number of sessions would tell them apart, {known}; {topics}"


def _notes(uncertainty: Uncertainty) -> Iterator[str]:
    yield (
        "Navigation ±: to first order in its probabilities. Pages are taken as independent of each "
        "other, so that it is too small where the log hardly shows many of them. It is shared by "
        "all topics, so more topics do not reduce it. "
        f"{uncertainty.measure} alone has this part: for other measures navigation counts as "
        "known, or does not matter."
    )
    if uncertainty.pairs:
        yield "The numbers needed assume that the difference stays the same."
