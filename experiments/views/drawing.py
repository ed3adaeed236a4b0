"""Drawings in SVG: colours, axes, points and legends that all figures share.

A drawing is the inside of an SVG element, to stand in a page that defines the colours --ink,
--soft, --rule, --prum and --simulated.
"""

import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Stand-ins for the page's colours: matplotlib knows no variables of CSS.
INK, SOFT, RULE = "#111111", "#777777", "#dddddd"
PRUM, SIMULATED = "#d55e00", "#0072b2"
_VARIABLES = {
    INK: "var(--ink)",
    SOFT: "var(--soft)",
    RULE: "var(--rule)",
    PRUM: "var(--prum)",
    SIMULATED: "var(--simulated)",
}
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "prum",
    "font.size": 9,
    "axes.edgecolor": RULE,
    "axes.linewidth": 0.8,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "lines.linewidth": 1.5,
}
# No error is drawn below this; the scale is logarithmic.
LEAST = 1e-12
_COLOURS = (PRUM, INK, SIMULATED)
_MARKS = ("o", "s", "^", "D", "v")
_DASHES: tuple[Any, ...] = ((None, None), (4, 2), (1, 1.5))


@dataclass(frozen=True, slots=True)
class Drawing:
    """The inside of an SVG element and its size."""

    width: int
    height: int
    body: str


def colour(number: int) -> str:
    """Return the colour of a line."""
    return _COLOURS[number % len(_COLOURS)]


def mark(number: int) -> str:
    """Return the mark of a line's points."""
    return _MARKS[number % len(_MARKS)]


def points(
    axes: "Axes",
    x: Sequence[float],
    means: Sequence[float],
    ends: Sequence[tuple[float, float]],
    number: int,
    label: str,
) -> None:
    """Draw means with the ends of their intervals, kept on the logarithmic scale."""
    means = [max(mean, LEAST) for mean in means]
    pairs = list(zip(means, ends, strict=True))
    axes.errorbar(
        x,
        means,
        [
            [max(mean - max(low, mean / 10), 0) for mean, (low, _) in pairs],
            [max(high - mean, 0) for mean, (_, high) in pairs],
        ],
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


def drawn(
    fill: "Callable[[Figure], None]", width: int, height: int, prefix: str = "study"
) -> Drawing:
    """Return what `fill` draws, in points; `prefix` begins the ids inside."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        figure = Figure(figsize=(width / 72, height / 72), facecolor="none")
        fill(figure)
        stream = io.StringIO()
        with warnings.catch_warnings():
            # A name may have letters that the font lacks; the page's font may have them.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            figure.savefig(stream, format="svg", metadata={"Date": None})
    return Drawing(width, height, inside(stream.getvalue(), prefix))


def inside(svg: str, prefix: str) -> str:
    """Return what an SVG document of matplotlib holds, fit to stand among others in a page."""
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    svg = re.sub(r' ?font-family:[^;"]*;?', "", svg)
    svg = re.sub(r'(?<= )(?:d|x|y|width|height|transform)="[^"]*"', _rounded, svg)
    svg = re.sub(r' transform="rotate\(-?0 [^"]*\)"', "", svg)
    svg = svg.replace("xlink:href", "href")
    used = dict.fromkeys(re.findall(r'(?:url\(|href=")#([^")]+)', svg))
    names = {name: f"{prefix}-{number}" for number, name in enumerate(used)}

    def named(match: re.Match[str]) -> str:
        return f' id="{names[match[1]]}"' if match[1] in names else ""

    svg = re.sub(r' id="([^"]*)"', named, svg)
    for old, new in names.items():
        svg = svg.replace(f"#{old}", f"#{new}")
    return re.sub(r">\s+<", "><", svg).strip()


def _rounded(match: re.Match[str]) -> str:
    short = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", match[0])
    return " ".join(short.split())
