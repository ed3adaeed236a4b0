"""Where the uncertainty of scores comes from: of topics, and of a navigation learned from a log.

A navigation that was learned is the same for all topics and systems: what is not known of it moves
their scores together. So its part of the variance of a mean over topics is that of the mean's
slopes by the rows of the links (the delta method), and of a difference that of the difference's
slopes; it does not become smaller with topics, but with sessions.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic.precision.gradient import Of, row_slopes
from prum.analytic.precision.of_task import independent_of, prum_of
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.errors import ErrorParts
from prum.experiments.evaluate.scores import scored_runs
from prum.experiments.frame.numbers import count
from prum.experiments.measures.judged import Judged, RankingLike, taken
from prum.experiments.measures.measure import Measure
from prum.simulator.model import Navigation, Task

if TYPE_CHECKING:
    from prum.experiments.fitting.fitted import FittedNavigation

_VALUES = {"prum": prum_of, "exact": independent_of}


_NOTE = (
    "Navigation ±: to first order in its probabilities. Pages are taken as independent of each "
    "other, so that it is too small where the log hardly shows many of them. It is shared by "
    "all topics, so more topics do not reduce it. "
    "{} alone has this part: for other measures navigation counts as known, or does not matter."
)


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


def scored_by_learned(
    fitted: "FittedNavigation",
    judged: Sequence[Judged],
    lists: Iterable[tuple[str, Mapping[str, RankingLike]]],
    measures: Sequence[Measure],
    progress: Callable[[int], object] | None,
) -> dict[str, Any]:
    """Return scores as `scored_runs`, and what is not known of a navigation that was learned.

    Where navigation's part in the first measure, which decides, is not known, there are none.
    """
    navigation = judged[0].navigation(None)
    of = value_that_answers(measures[0], navigation)
    lists = list(lists) if of else lists  # they are read again, topic by topic
    made = scored_runs(
        ((name, ranked, judged) for name, ranked in lists), measures, progress=progress
    )
    if of is None:
        browsing = tuple(str(measure) for measure in measures if browses_by_links(measure))
        return {**made, "taken_as_known": browsing}
    runs = [ranked for _, ranked in lists]
    return {
        **made,
        "uncertainty": log_errors(fitted, measures[0], of, judged, runs, made["scores"]),
    }


def log_errors(
    fitted: "FittedNavigation",
    measure: Measure,
    of: Of,
    judged: Sequence[Judged],
    runs: Sequence[Mapping[str, RankingLike]],
    scores: Scores,
) -> ErrorParts:
    """Return what a log leaves open of the first measure, as `value_that_answers` has it.

    `fitted` is what was learned: the topics' navigation is its mean, with dials or without. `runs`
    are topic -> ranking of each system, in the order of the scores.
    """
    counted = np.flatnonzero(~np.isnan(scores.values[:, :, 0]).any(axis=0))
    slopes = np.zeros((len(scores.systems), len(fitted.to_links())))
    errors = np.full(scores.values.shape, np.nan)
    # One topic after the other: what its walks lead to is the same for all systems.
    for place in counted.tolist():
        topic = judged[place]
        for system, lists in enumerate(runs):
            task = topic.task(taken(lists.get(topic.topic, ()), "ranking"))
            way = topic.navigation(None)
            of_score = row_slopes(task, way, _recall(measure, task, way, of), of=of)
            errors[system, place, 0] = fitted.variances(of_score).sum() ** 0.5
            slopes[system] += of_score / len(counted)
    topics, sessions = count(len(counted), "topic"), count(fitted.num_sessions, "session")
    return ErrorParts(
        "navigation",
        "Where the uncertainty comes from: halves of 95 % intervals by "
        f"{topics} and a log of {sessions}",
        errors,
        lambda contrast: float(fitted.variances(contrast @ slopes).sum()) ** 0.5,
        None,
        (_NOTE.format(measure),),
        {"sessions": fitted.num_sessions},
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
