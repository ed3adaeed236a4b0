"""What repeated runs of systems show: variance by topics and trials, more of either, pass^k."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from prum.experiments.compare.scores import Scores
from prum.experiments.frame.frames import columns_of, frame_table, turned
from prum.experiments.frame.numbers import about, exactly, number
from prum.experiments.frame.view import Table
from prum.experiments.statistics.repeated import Components, all_succeed, components
from prum.simulator.model.arrays import Floats

# So many trials together succeed at most, and so many systems are told one by one.
_MOST_TOGETHER, _MOST_SYSTEMS = 8, 6


# System -> its scores, (trials, topics).
Repeats = Mapping[str, Floats]


def repeats_of(scores: Scores) -> Repeats:
    """Return system -> its scores by the first measure, none where no system has trials."""
    if scores.trials is None:
        return {}
    return dict(zip(scores.systems, scores.repeats(0), strict=True))


def variances(repeats: Repeats) -> dict[str, Components]:
    """Return system -> variances of its scores, of those with trials."""
    return {
        name: components(scored)
        for name, scored in repeats.items()
        if len(scored) > 1 and scored.shape[1] > 1
    }


def repeat_tables(repeats: Repeats, measure: str) -> Iterator[Table]:
    """Yield shares of variance, and of scores of 0 and 1 how likely several trials succeed."""
    if parts := variances(repeats):
        rows = [
            {"system": name, "trials": of.num_trials}
            | dict(zip(("by topics", "by trials", "by both"), of.shares(), strict=True))
            for name, of in parts.items()
        ]
        forms: dict[str, Any] = {"system": "", "trials": ","}
        forms |= dict.fromkeys([*rows[0]][2:], _percent)
        yield frame_table(f"Variance of a score by {measure}", turned(rows), forms)
        yield from success_tables(
            {name: repeats[name] for name in parts}, "trials of a topic all succeed"
        )


def success_tables(repeats: Repeats, what: str) -> Iterator[Table]:
    """Yield how likely several trials succeed, if scores are 0 and 1 and all systems have some."""
    most = min(*map(len, repeats.values()), _MOST_TOGETHER) if repeats else 0
    if most < 2 or not all(np.isin(scored, (0, 1)).all() for scored in repeats.values()):
        return
    chances = {f"pass^{k}": k for k in range(1, most + 1)}
    rows = [
        {"system": name} | columns_of(**{x: all_succeed(scored, k) for x, k in chances.items()})
        for name, scored in repeats.items()
    ]
    forms = {"system": ""} | {f"{name} and ±": ".4f" for name in chances}
    yield frame_table(f"pass^k: how likely k {what}", turned(rows), forms)


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{100 * share:.0f} %"


def repeat_notes(repeats: Repeats, half: float | None = None) -> Iterator[str]:
    """Yield what trials mean for intervals, and how many more make half of one so narrow.

    By default half as wide as they are.
    """
    if not (parts := variances(repeats)):
        return
    yield "Intervals and decisions are over topics and trials: another run on other topics."
    alone = [name for name, scored in repeats.items() if len(scored) < 2]
    if alone:
        yield f"One trial only, taken to vary by topics alone: {', '.join(alone[:_MOST_SYSTEMS])}."
    for name, of in [*parts.items()][:_MOST_SYSTEMS]:
        now = of.half_width(of.num_topics, of.num_trials)
        aim = now / 2 if half is None else half
        topics, trials = of.needed(aim) if now > aim else (np.inf, np.inf)
        more = [
            f"about {about(needed - there)} more {noun}{'s' * (needed - there > 1)}"
            for needed, there, noun in (
                (trials, of.num_trials, "trial"),
                (topics, of.num_topics, "topic"),
            )
            if np.isfinite(needed)
        ]
        said = " or ".join(more) or "more trials and more topics together"
        if now <= aim:
            said = "no more"
        shown = number(aim) if half is None else exactly(half)
        yield f"{name}: ± {shown} takes {said} (± {number(now)} now)."
