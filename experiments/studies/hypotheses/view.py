"""The view of the study of hypotheses: errors by cause and recall, and rankings of systems."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.frame.drawing import INK, PRUM, RULE, SIMULATED, Drawing, mark, paneled
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.statistics.intervals import student_factor
from prum.experiments.statistics.tests import LEVEL, holm, p_of_means
from prum.experiments.studies.hypotheses.scores import CAUSES, LEVELS, Setting, users_of
from prum.experiments.studies.hypotheses.study import (
    ApproximatedRow,
    HypothesesDesign,
    HypothesesFindings,
    HypothesesRanking,
    HypothesesRow,
)
from prum.experiments.studies.kit.quantities import attributes, with_half
from prum.experiments.studies.kit.story import Story
from prum.simulator.model.grammar import parse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HypothesesResult = StudyResult[HypothesesDesign, HypothesesRow, HypothesesFindings]

_SOME_LEVELS = (0.1, 0.5, 1.0)
_NO_ENDS = None, None
# Rounding leaves so much of the share of a cause without effect.
_ROUNDING = 1e-12
# Lines for so many causes; digits of a share, what is beyond is rounding.
_MOST_SHARES, _DIGITS = 2, 12
# What each means, for readers who know no theory, who click and seek pages.
PLAIN = {
    "noisy-or": "shortcut for what was seen",
    "normal law": "bell curve above ten pages",
    "within": "clicks of a result depend",
    "across": "people differ",
    "need": "who wants more clicks more",
    "unranked": "clicks after the list",
    "total": "all together",
}


def view(result: HypothesesResult) -> View:
    """Return errors by cause and by recall, and rankings of systems, for each setting."""
    story, findings, settings = Story.beside(__package__), result.found, result.design.settings()
    rows = {
        setting: [row for row in result.rows if _setting(row) == setting] for setting in settings
    }
    total, *causes = (row for row in rows[settings[0]] if row.recall == "mean")
    decided = decided_shares(causes, findings.num_topics)
    half = _half(total.share, total.share_high)
    tables = []
    for setting in settings:
        tables.append(_by_cause(setting, rows[setting]))
        rankings = [ranking for ranking in findings.rankings if _setting(ranking) == setting]
        if rankings:
            tables.append(_ranked(setting, rankings))
    ends = "" if half is None else f" ± {shown(half, '.5f')}"
    values = {
        "setting": _name(settings[0]),
        "precision": total.precision,
        "error": shown(total.share, ".5f") + ends,
        "shares": ", ".join(
            f"{row.cause} ({PLAIN[row.cause]}) {shown(row.share, '.5f')}" for row in decided
        ),
        "found": findings,
        "num_values": findings.num_lists * findings.num_ways,
        "users_with_list": result.design.users,
        "users_beyond": users_of("unranked", result.design.users),
    }
    by_name = {_name(setting): rows[setting] for setting in settings}
    return story.view(
        (*tables, _meanings(), *(_by_recall(setting, rows[setting]) for setting in settings)),
        values,
        headline=(
            "headline",
            "untested" if half is None else "shares" if decided else "no share",
        ),
        figure=("Error of PRUM by cause, and by recall level", lambda: _figure(by_name)),
        notes=(
            "cut off" if findings.topics_left_out else None,
            "notes",
            "simulated" if findings.num_simulated else "exact",
            "rankings" if findings.rankings else None,
            "approximation" if isinstance(total, ApproximatedRow) else None,
        ),
        more=_explained(story, settings),
    )


def _setting(row: HypothesesRow | HypothesesRanking) -> Setting:
    return Setting(row.within, row.across, row.need)


def _name(setting: Setting) -> str:
    return f"{setting.within}; {setting.across}; {setting.need}"


def _half(mean: float, high: float | None) -> float | None:
    return None if high is None else high - mean


def decided_shares(causes: Sequence[HypothesesRow], num_topics: int) -> list[HypothesesRow]:
    """Return the causes whose shares are significant, the largest first: t tests, Holm's method."""
    tested = [row for row in causes if row.share_high is not None and abs(row.share) > _ROUNDING]
    p = [
        float(
            p_of_means(
                np.array(row.share),
                np.array(_half(row.share, row.share_high)) / student_factor(num_topics - 1),
                np.array(float(num_topics)),
            )
        )
        for row in tested
    ]
    # What has no effect at all is tested too, with p = 1.
    adjusted = holm([*p, *[1.0] * (len(causes) - len(tested))])
    decided = [
        row for row, own in zip(tested, adjusted, strict=False) if own is not None and own <= LEVEL
    ]
    return sorted(decided, key=lambda row: -abs(row.share))


def _explained(story: Story, settings: Sequence[Setting]) -> Iterator[str]:
    """Yield what the settings mean."""
    words = (
        word for setting in settings for word in (setting.within, setting.across, setting.need)
    )
    for word in dict.fromkeys(words):
        part = parse(word, ValueError)[0][0]
        numbers = [number.text for number in part.words]
        if part.head in story.sections:
            yield story.line(part.head, words=word, numbers=numbers, factors=", ".join(numbers))


def _by_cause(setting: Setting, rows: Sequence[HypothesesRow]) -> Table:
    shares = {(row.cause, row.recall): row.share for row in rows}

    def share_at(level: float) -> Column[HypothesesRow]:
        return Column(f"share at {level:g}", lambda row: shares[row.cause, level], ".5f")

    columns: list[Column[HypothesesRow]] = [
        *attributes("cause"),
        *with_half("alone", "alone", ".5f"),
        *with_half("share", "share", ".5f"),
        *map(share_at, _SOME_LEVELS),
    ]
    if isinstance(rows[0], ApproximatedRow):
        columns += with_half("approximation", "approximation", ".5f")
    total, *causes = (row for row in rows if row.recall == "mean")
    return Table.of(
        f"PRUM minus the true precision, by cause, mean over recall: {_name(setting)}",
        (*causes, total),
        columns,
        parts=lambda row: row is total,
    )


def _meanings() -> Table:
    columns: list[Column[str]] = [
        Column("cause", lambda cause: cause, left=True),
        Column("meaning", lambda cause: PLAIN[cause], left=True),
    ]
    return Table.of("Causes", (*CAUSES, "total"), columns)


def _by_recall(setting: Setting, rows: Sequence[HypothesesRow]) -> Table:
    cells = {(row.cause, row.recall): row for row in rows}

    def share_of(cause: str) -> Column[float]:
        return Column(cause, lambda level: cells[cause, level].share, ".5f")

    columns: list[Column[float]] = [
        Column("recall", lambda level: level, "g", left=True),
        Column("true precision", lambda level: cells["total", level].precision, ".4f"),
        *map(share_of, (*CAUSES, "total")),
    ]
    return Table.of(f"Shares by recall: {_name(setting)}", LEVELS, columns, detail=True)


def _ranked(setting: Setting, rankings: Sequence[HypothesesRanking]) -> Table:
    columns: list[Column[HypothesesRanking]] = [
        Column("cause", lambda row: row.cause, left=True),
        Column("tau-b", lambda row: row.tau_b, ".3f"),
        Column("low", lambda row: (row.tau_b_interval or _NO_ENDS)[0], ".2f"),
        Column("high", lambda row: (row.tau_b_interval or _NO_ENDS)[1], ".2f"),
        Column("tau AP", lambda row: row.tau_ap, ".3f"),
        Column("low", lambda row: (row.tau_ap_interval or _NO_ENDS)[0], ".2f"),
        Column("high", lambda row: (row.tau_ap_interval or _NO_ENDS)[1], ".2f"),
        Column("best changes", lambda row: row.best_changes, ".3f"),
    ]
    total, *causes = rankings
    return Table.of(
        f"Ranking of systems by PRUM beside the true one: {_name(setting)}",
        (*causes, total),
        columns,
        parts=lambda row: row is total,
    )


def _figure(settings: Mapping[str, Sequence[HypothesesRow]]) -> Drawing:
    """Return a line of panels for the rows of each setting: errors by cause, and by recall."""
    every = [row for rows in settings.values() for row in rows]
    largest = {
        cause: max(abs(row.share) for row in every if row.cause == cause) for cause in CAUSES
    }
    drawn = sorted(sorted(largest, key=largest.__getitem__)[-_MOST_SHARES:])
    panels: list[Callable[[Axes], None]] = []
    for name, rows in settings.items():
        means = [row for row in rows if row.recall == "mean"]
        by_recall = [row for row in rows if row.recall != "mean"]
        panels += [
            partial(_causes_panel, name=name, rows=means),
            partial(_recall_panel, rows=by_recall, causes=drawn),
        ]
    return paneled(panels, columns=2, tall=280)


def _causes_panel(axes: "Axes", name: str, rows: Sequence[HypothesesRow]) -> None:
    """Draw each cause alone, hollow, and its share, filled."""
    order = [*rows[1:], rows[0]]
    for place, row in enumerate(order):
        colour = INK if row.cause == "total" else PRUM
        for value, low, high, shift, filled in (
            (row.alone, row.alone_low, row.alone_high, -0.16, False),
            (row.share, row.share_low, row.share_high, 0.16, True),
        ):
            if low is not None and high is not None:
                axes.plot([low, high], [place + shift] * 2, color=colour, linewidth=1)
            (dot,) = axes.plot([value], [place + shift], "o", color=colour, markersize=4)
            dot.set(markerfacecolor=colour if filled else "none", markeredgewidth=0.8)
    axes.axvline(0, color=RULE, linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(order)), [row.cause for row in order])
    axes.tick_params(axis="y", labelcolor=INK)
    axes.invert_yaxis()
    axes.locator_params(axis="x", nbins=4)
    axes.set_xlabel("error of precision", labelpad=3)
    axes.grid(visible=False)
    axes.set_title(name)


def _recall_panel(axes: "Axes", rows: Sequence[HypothesesRow], causes: Sequence[str]) -> None:
    """Draw the whole error by recall, and the shares of some causes."""
    by_cause = {cause: [row for row in rows if row.cause == cause] for cause in ("total", *causes)}
    recall = [row.recall for row in by_cause["total"]]
    ends: list[Any] = [(row.share_low, row.share_high) for row in by_cause["total"]]
    # One topic has no interval.
    if None not in ends[0]:
        low, high = zip(*ends, strict=True)
        axes.fill_between(recall, low, high, color=RULE, alpha=0.5, linewidth=0)
    shares = {cause: [round(row.share, _DIGITS) for row in own] for cause, own in by_cause.items()}
    axes.plot(recall, shares["total"], color=INK, linestyle="--", label="total")
    for number, cause in enumerate(causes):
        (line,) = axes.plot(recall, shares[cause], marker=mark(number), label=cause)
        line.set(color=(PRUM, SIMULATED)[number % 2], markersize=3, linewidth=1)
    axes.axhline(0, color=RULE, linewidth=0.8, zorder=0)
    axes.set_xlabel("recall", labelpad=3)
    axes.locator_params(axis="y", nbins=5)
    axes.set_title("share of the error")
    axes.grid(visible=False)
    axes.legend()
