"""Figures of studies, drawn as the cross-check's page draws its curves."""

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from prum.experiments.report.curves import (
    INK,
    PRUM,
    RULE,
    SIMULATED,
    SOFT,
    STYLE,
    Drawing,
    inside,
)
from prum.experiments.studies.hypotheses import PLAIN, setting_of, settings_of
from prum.experiments.studies.normal import LAWS, NAMES
from prum.experiments.studies.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = (PRUM, INK, SIMULATED)
_MARKS = ("o", "s", "^", "D", "v")
_DASHES: tuple[Any, ...] = ((None, None), (4, 2), (1, 1.5))
_COLUMNS = 3
_LEAST = 1e-12
_MOST_SHARES = 2


def normal(study: Study) -> Drawing:
    """Return mean error over m, a line for each law, on logarithmic axes."""

    def fill(figure: "Figure") -> None:
        axes = figure.add_axes((0.11, 0.12, 0.87, 0.76), facecolor="none")
        for number, law in enumerate(LAWS):
            rows = [row for row in study.rows if (row["law"], row["error"]) == (law, "pmf")]
            _points(axes, [row["m"] for row in rows], rows, "mean", "", number, NAMES[law])
        _tidy(axes, study.options["sizes"], "m, pages looked for")
        axes.set_title("mean error", loc="left", fontsize=9, color=SOFT, pad=7)
        legend(figure, axes)

    return drawn(fill, 520, 300)


def noisy_or(study: Study) -> Drawing:
    """Return the largest error over t, a panel for each density, a line for each strength."""
    densities, strengths = study.options["densities"], study.options["strengths"]
    columns = min(len(densities), _COLUMNS)
    lines = -(-len(densities) // columns)
    # Points from the page's edge; a panel's step right and down.
    width, height, left, top, down = 620, 24 + 204 * lines, 46, 50, 204
    right = (width - left) // columns

    def fill(figure: "Figure") -> None:
        first: Any = None
        for number, density in enumerate(densities):
            line, column = divmod(number, columns)
            box = (
                (left + column * right) / width,
                1 - (top + line * down + 140) / height,
                (right - 22) / width,
                140 / height,
            )
            axes = figure.add_axes(box, facecolor="none", sharey=first)
            first = first or axes
            for place, strength in enumerate(strengths):
                rows = [
                    row
                    for row in study.rows
                    if (row["density"], row["strength"]) == (density, strength)
                ]
                t = [row["t"] for row in rows]
                name = f"strength {strength:g}"
                _points(axes, t, rows, "largest", "largest_", place, name)
                worst = [max(-row["worst"], _LEAST) for row in rows]
                axes.plot(
                    t, worst, _mark(place), color=_colour(place), markerfacecolor="none",
                    markersize=4.5, markeredgewidth=0.8, linestyle="none",
                )  # fmt: skip
            _tidy(axes, study.options["ideals"], "t, pages looked for")
            axes.set_title(f"density {density:g}", loc="left", fontsize=9, color=SOFT, pad=7)
            if column:
                axes.tick_params(labelleft=False)
        first.set_ylim(*_limits(study))
        legend(figure, first)

    return drawn(fill, width, height)


def hypotheses(study: Study) -> Drawing:
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


def _largest_shares(study: Study) -> list[str]:
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
            marker=_MARKS[number], markersize=3, linewidth=1, label=PLAIN[cause],
        )  # fmt: skip
    axes.axhline(0, color=RULE, linewidth=0.8, zorder=0)
    axes.set_xlabel("recall", labelpad=3)
    axes.locator_params(axis="y", nbins=5)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _limits(study: Study) -> tuple[float, float]:
    """Return the ends of the scale; errors below 1e-7 are nothing to anybody."""
    least = min(float(row["largest"]) for row in study.rows)
    most = max(-float(row["worst"]) for row in study.rows)
    low = max(least / 2, 1e-7)
    return low, max(most * 1.5, low * 10)


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def _mark(number: int) -> str:
    return _MARKS[number % len(_MARKS)]


def _points(
    axes: "Axes",
    x: Sequence[int],
    rows: Sequence[Any],
    name: str,
    prefix: str,
    number: int,
    label: str,
) -> None:
    """Draw the means of `rows` with their intervals, kept on the logarithmic scale."""
    means = [max(row[name], _LEAST) for row in rows]
    below = [
        mean - max(row[f"{prefix}low"], mean / 10) for mean, row in zip(means, rows, strict=True)
    ]
    above = [max(row[f"{prefix}high"] - mean, 0) for mean, row in zip(means, rows, strict=True)]
    axes.errorbar(
        x,
        means,
        [[max(one, 0) for one in below], above],
        color=_colour(number),
        marker=_mark(number),
        markersize=4,
        markeredgewidth=0,
        dashes=_DASHES[(number + number // len(_DASHES)) % len(_DASHES)],
        linewidth=1.3,
        elinewidth=1,
        label=label,
    )


def _tidy(axes: "Axes", values: Sequence[int], name: str) -> None:
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(list(values), [f"{value:g}" for value in values])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(name, labelpad=3)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)


def legend(figure: "Figure", axes: "Axes") -> None:
    """Name the lines of some axes at the top of the figure."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="upper left",
        ncols=min(len(labels), 4),
        frameon=False,
        borderaxespad=0,
        borderpad=0,
        handlelength=3,
        columnspacing=3,
    )


def drawn(fill: "Callable[[Figure], None]", width: int, height: int) -> Drawing:
    """Return what `fill` draws, in points, fit to stand in the page."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        figure = Figure(figsize=(width / 72, height / 72), facecolor="none")
        fill(figure)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return Drawing(width, height, inside(stream.getvalue(), "study"))
