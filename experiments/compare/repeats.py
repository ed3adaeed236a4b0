"""What repeated runs of systems show: variance by topics and trials, more of either, pass^k."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from prum.experiments.compare.scores import Scores
from prum.experiments.frame.frames import columns_of, frame_table, turned
from prum.experiments.frame.numbers import about, exactly, number
from prum.experiments.frame.view import Table
from prum.experiments.statistics.repeated import Components, all_succeed, components

# So many trials together succeed at most, and so many systems are told one by one.
_MOST_TOGETHER, _MOST_SYSTEMS = 8, 6


def variances(scores: Scores) -> dict[str, Components]:
    """Return system -> variances of its scores by the first measure, of those with trials."""
    if scores.trials is None:
        return {}
    repeats = zip(scores.systems, scores.repeats(0), strict=True)
    return {name: components(run) for name, run in repeats if len(run) > 1 and run.shape[1] > 1}


def repeat_tables(scores: Scores) -> Iterator[Table]:
    """Yield shares of variance, and of scores of 0 and 1 how likely several trials succeed."""
    if not (parts := variances(scores)):
        return
    rows = [
        {"system": name, "trials": of.num_trials}
        | dict(zip(("by topics", "by trials", "by both"), of.shares(), strict=True))
        for name, of in parts.items()
    ]
    forms: dict[str, Any] = {"system": "", "trials": ","} | dict.fromkeys([*rows[0]][2:], _percent)
    yield frame_table(f"Variance of a score by {scores.measures[0]}", turned(rows), forms)
    repeats = dict(zip(scores.systems, scores.repeats(0), strict=True))
    if not all(np.isin(repeats[name], (0, 1)).all() for name in parts):
        return
    most = min(min(of.num_trials for of in parts.values()), _MOST_TOGETHER)
    rows = [
        {"system": name}
        | {
            key: value
            for k in range(1, most + 1)
            for key, value in columns_of(**{f"pass^{k}": all_succeed(repeats[name], k)}).items()
        }
        for name in parts
    ]
    label = "pass^k: how likely k trials of a topic all succeed"
    forms = {"system": ""} | {f"pass^{k} and ±": ".4f" for k in range(1, most + 1)}
    yield frame_table(label, turned(rows), forms)


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{100 * share:.0f} %"


def repeat_notes(scores: Scores, half: float | None) -> Iterator[str]:
    """Yield what trials mean for intervals, and how many more make them so narrow."""
    if scores.trials is None:
        return
    yield "Intervals and decisions are over topics and trials: another run on other topics."
    alone = [
        name for name, run in zip(scores.systems, scores.repeats(0), strict=True) if len(run) < 2
    ]
    if alone:
        yield f"One trial only, taken to vary by topics alone: {', '.join(alone[:_MOST_SYSTEMS])}."
    if half is None:
        return
    for name, of in [*variances(scores).items()][:_MOST_SYSTEMS]:
        now = of.half_width(of.num_topics, of.num_trials)
        topics, trials = of.needed(half)
        more = [
            f"about {about(needed - there)} more {noun}{'s' * (needed - there > 1)}"
            for needed, there, noun in (
                (trials, of.num_trials, "trial"),
                (topics, of.num_topics, "topic"),
            )
            if np.isfinite(needed)
        ]
        said = " or ".join(more) or "more trials and more topics together"
        if now <= half:
            said = "no more"
        yield f"{name}: ± {exactly(half)} takes {said} (± {number(now)} now)."
