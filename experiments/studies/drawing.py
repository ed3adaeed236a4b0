"""What figures of studies share, drawn as the cross-check's page draws its curves."""

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from prum.experiments.report.curves import INK, PRUM, RULE, SIMULATED, STYLE, Drawing, inside

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# No error is drawn below this; the scale is logarithmic.
LEAST = 1e-12
_COLOURS = (PRUM, INK, SIMULATED)
_MARKS = ("o", "s", "^", "D", "v")
_DASHES: tuple[Any, ...] = ((None, None), (4, 2), (1, 1.5))


def colour(number: int) -> str:
    """Return the colour of a line."""
    return _COLOURS[number % len(_COLOURS)]


def mark(number: int) -> str:
    """Return the mark of a line's points."""
    return _MARKS[number % len(_MARKS)]


def points(
    axes: "Axes",
    x: Sequence[int],
    rows: Sequence[Any],
    name: str,
    prefix: str,
    number: int,
    label: str,
) -> None:
    """Draw the means of `rows` with their intervals, kept on the logarithmic scale."""
    means = [max(row[name], LEAST) for row in rows]
    below = [
        mean - max(row[f"{prefix}low"], mean / 10) for mean, row in zip(means, rows, strict=True)
    ]
    above = [max(row[f"{prefix}high"] - mean, 0) for mean, row in zip(means, rows, strict=True)]
    axes.errorbar(
        x,
        means,
        [[max(one, 0) for one in below], above],
        color=colour(number),
        marker=mark(number),
        markersize=4,
        markeredgewidth=0,
        dashes=_DASHES[(number + number // len(_DASHES)) % len(_DASHES)],
        linewidth=1.3,
        elinewidth=1,
        label=label,
    )


def tidy(axes: "Axes", values: Sequence[int], name: str) -> None:
    """Give the axes logarithmic scales, ticks at `values` and a name, and no frame."""
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
