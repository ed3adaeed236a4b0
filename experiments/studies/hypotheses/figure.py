"""The figure of the study of hypotheses: errors by cause, and by recall."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prum.experiments.report.drawing import (
    INK,
    PRUM,
    RULE,
    SIMULATED,
    SOFT,
    Drawing,
    drawn,
    legend,
    mark,
)
from prum.experiments.studies.hypotheses.study import PLAIN, setting_of, settings_of
from prum.experiments.studies.study import WrittenStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_SHARES = 2


def hypotheses(study: WrittenStudy) -> Drawing:
    """Return a line of panels for each setting: errors by cause, and by recall."""
    settings = settings_of(study)
    causes_drawn = _largest_shares(study)
    width, top, down = 620, 40, 210
    height = top + down * len(settings)

    def fill(figure: "Figure") -> None:
        first: Any = None
        for line, setting in enumerate(settings):
            rows = [row for row in study.rows if setting_of(row) == setting]
            bottom, tall = (height - top - line * down - 150) / height, 150 / height
            causes = figure.add_axes((0.27, bottom, 0.3, tall), facecolor="none")
            _by_cause(causes, [row for row in rows if row["recall"] == "mean"])
            causes.set_title("; ".join(setting), loc="left", fontsize=9, color=SOFT, pad=7, x=-0.89)
            recall = figure.add_axes((0.66, bottom, 0.33, tall), facecolor="none")
            _by_recall(recall, [row for row in rows if row["recall"] != "mean"], causes_drawn)
            first = first or recall
        legend(figure, first)

    return drawn(fill, width, height)


def _by_cause(axes: "Axes", rows: Sequence[Any]) -> None:
    """Draw each cause alone, hollow, and its share, filled."""
    order = [*rows[1:], rows[0]]
    for place, row in enumerate(order):
        for name, shift, filled in (("alone", -0.16, False), ("share", 0.16, True)):
            low, high = row[f"{name}_low"], row[f"{name}_high"]
            colour = INK if row["cause"] == "total" else PRUM
            if low is not None:
                axes.plot([low, high], [place + shift] * 2, color=colour, linewidth=1)
            axes.plot(
                [row[name]], [place + shift], "o", color=colour, markersize=4,
                markerfacecolor=colour if filled else "none", markeredgewidth=0.8,
            )  # fmt: skip
    axes.axvline(0, color=RULE, linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(order)), [PLAIN[row["cause"]] for row in order])
    axes.tick_params(axis="y", labelcolor=INK)
    axes.invert_yaxis()
    axes.locator_params(axis="x", nbins=4)
    axes.set_xlabel("error of precision", labelpad=3)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _largest_shares(study: WrittenStudy) -> list[str]:
    """Return the two causes with the largest share of an error at any recall level."""
    largest: dict[str, float] = {}
    for row in study.rows:
        if row["cause"] != "total":
            largest[row["cause"]] = max(largest.get(row["cause"], 0), abs(row["share"]))
    return sorted(sorted(largest, key=largest.__getitem__)[-_MOST_SHARES:])


def _by_recall(axes: "Axes", rows: Sequence[Any], causes: Sequence[str]) -> None:
    """Draw the whole error by recall, and the shares of some causes."""
    by_cause: dict[str, list[Any]] = {}
    for row in rows:
        by_cause.setdefault(row["cause"], []).append(row)
    total = by_cause.pop("total")
    recall = [row["recall"] for row in total]
    if total[0]["share_low"] is not None:
        low, high = ([row[f"share_{end}"] for row in total] for end in ("low", "high"))
        axes.fill_between(recall, low, high, color=RULE, alpha=0.5, linewidth=0)
    axes.plot(recall, [row["share"] for row in total], color=INK, linestyle="--", label="whole")
    for number, cause in enumerate(causes):
        axes.plot(
            recall, [row["share"] for row in by_cause[cause]], color=(PRUM, SIMULATED)[number % 2],
            marker=mark(number), markersize=3, linewidth=1, label=PLAIN[cause],
        )  # fmt: skip
    axes.axhline(0, color=RULE, linewidth=0.8, zorder=0)
    axes.set_xlabel("recall", labelpad=3)
    axes.locator_params(axis="y", nbins=5)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
