"""The figure of the study of hypotheses: errors by cause, and by recall."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from prum.experiments.studies.hypotheses.study import HypothesesRow
from prum.experiments.views.drawing import (
    INK,
    PRUM,
    RULE,
    SIMULATED,
    Drawing,
    mark,
    paneled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_SHARES = 2
# Digits of a share; what is beyond is rounding.
_ROUND = 12


def figure(settings: Mapping[str, Sequence[HypothesesRow]]) -> Drawing:
    """Return a line of panels for the rows of each setting: errors by cause, and by recall."""
    causes = _largest_shares(settings)

    def by_cause(axes: "Axes", name: str, rows: Sequence[HypothesesRow]) -> None:
        _by_cause(axes, [row for row in rows if row.recall == "mean"])
        axes.set_title(name)

    def by_recall(axes: "Axes", rows: Sequence[HypothesesRow]) -> None:
        _by_recall(axes, [row for row in rows if row.recall != "mean"], causes)
        axes.legend()

    panels: list[Callable[[Axes], None]] = []
    for name, rows in settings.items():
        panels += [partial(by_cause, name=name, rows=rows), partial(by_recall, rows=rows)]
    return paneled(panels, columns=2, tall=280)


def _by_cause(axes: "Axes", rows: Sequence[HypothesesRow]) -> None:
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
            axes.plot(
                [value], [place + shift], "o", color=colour, markersize=4,
                markerfacecolor=colour if filled else "none", markeredgewidth=0.8,
            )  # fmt: skip
    axes.axvline(0, color=RULE, linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(order)), [row.cause for row in order])
    axes.tick_params(axis="y", labelcolor=INK)
    axes.invert_yaxis()
    axes.locator_params(axis="x", nbins=4)
    axes.set_xlabel("error of precision", labelpad=3)
    axes.grid(visible=False)


def _largest_shares(settings: Mapping[str, Sequence[HypothesesRow]]) -> list[str]:
    """Return the two causes with the largest share of an error at any recall level."""
    largest: dict[str, float] = {}
    for rows in settings.values():
        for row in rows:
            if row.cause != "total":
                largest[row.cause] = max(largest.get(row.cause, 0), abs(row.share))
    return sorted(sorted(largest, key=largest.__getitem__)[-_MOST_SHARES:])


def _by_recall(axes: "Axes", rows: Sequence[HypothesesRow], causes: Sequence[str]) -> None:
    """Draw the whole error by recall, and the shares of some causes."""
    by_cause: dict[str, list[HypothesesRow]] = {}
    for row in rows:
        by_cause.setdefault(row.cause, []).append(row)
    total = by_cause.pop("total")
    recall = [row.recall for row in total]
    low: list[Any] = [row.share_low for row in total]
    high: list[Any] = [row.share_high for row in total]
    # One topic has no interval.
    if low[0] is not None:
        axes.fill_between(recall, low, high, color=RULE, alpha=0.5, linewidth=0)
    axes.plot(
        recall,
        [round(row.share, _ROUND) for row in total],
        color=INK,
        linestyle="--",
        label="total",
    )
    for number, cause in enumerate(causes):
        shares = [round(row.share, _ROUND) for row in by_cause[cause]]
        axes.plot(
            recall, shares, color=(PRUM, SIMULATED)[number % 2],
            marker=mark(number), markersize=3, linewidth=1, label=cause,
        )  # fmt: skip
    axes.axhline(0, color=RULE, linewidth=0.8, zorder=0)
    axes.set_xlabel("recall", labelpad=3)
    axes.locator_params(axis="y", nbins=5)
    axes.set_title("share of the error")
    axes.grid(visible=False)
