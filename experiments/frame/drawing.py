"""Drawings in SVG: colours, axes, panels, points and legends that all figures share.

A drawing is the inside of an SVG element, to stand in a page that defines the colours --ink,
--soft, --rule, --prum and --simulated. It is drawn twice where it has panels: for a wide page, and
for a narrow one, where the panels stand one below the other.
"""

import io
import re
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from prum.experiments.frame.files import check_packages
from prum.experiments.frame.numbers import shown
from prum.simulator.model import InputError

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
# Points of a drawing's text, and of its width: text is at least 11 CSS pixels high wherever the
# page shows it (style.css).
TEXT, WIDE, NARROW = 11.5, 900, 336
# A letter of a title or of a legend, and what a line of a legend takes, in points.
_LETTER, _LINE, _KEY = 6.4, 18, 60
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "prum",
    "font.size": TEXT,
    "axes.titlesize": TEXT,
    "axes.titlecolor": SOFT,
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "legend.fontsize": TEXT,
    "legend.frameon": False,
    # A name may hold a dollar.
    "text.parse_math": False,
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
    """The inside of an SVG element and its size; and the same drawn for a narrow page, if it is.

    `fill` draws it anew, for files.
    """

    width: int
    height: int
    body: str
    fill: "Callable[[Figure], None]"
    narrow: "Drawing | None" = None


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
        elinewidth=1,
        label=label,
        **_look(number),
    )


def curves(axes: "Axes", named: Mapping[str, Mapping[Any, float]]) -> None:
    """Draw a line for each name, through the points that its x have."""
    for number, (name, line) in enumerate(named.items()):
        axes.plot([*line], [*line.values()], label=name, **_look(number))


def rows(
    axes: "Axes",
    named: Sequence[tuple[str, float, float, float]],
    colours: Sequence[str],
    size: float = TEXT,
) -> None:
    """Draw a row for each name, the first at the top: from low to high, and a point between."""
    for at, ((_, low, middle, high), shade) in enumerate(zip(named, colours, strict=True)):
        axes.plot([low, high], [at, at], color=shade, linewidth=1.6, solid_capstyle="butt")
        axes.plot([middle], [at], "o", color=shade, markersize=4, markeredgewidth=0)
    axes.set_yticks(range(len(named)), [name for name, *_ in named], fontsize=size)
    axes.set_ylim(len(named) - 0.4, -0.6)


def height(num_rows: int) -> int:
    """Return the points of a panel with so many rows."""
    return 48 + 22 * num_rows


def _look(number: int) -> dict[str, Any]:
    return {
        "color": colour(number),
        "marker": mark(number),
        "markersize": 4,
        "markeredgewidth": 0,
        "dashes": _DASHES[(number + number // len(_DASHES)) % len(_DASHES)],
        "linewidth": 1.3,
    }


def paneled(
    panels: "Sequence[Callable[[Axes], object]]",
    *,
    columns: int,
    tall: int,
    has_legend: bool = False,
    share: Literal["x", "y", "both", "none"] = "none",
    prefix: str = "study",
) -> Drawing:
    """Return panels side by side, and for narrow pages one below the other.

    Parameters
    ----------
    panels
        Each fills its axes, which have no frame, and lines across.
    columns
        How many stand side by side on a wide page.
    tall
        The height of a panel with its title and ticks, in points.
    has_legend
        Whether the lines of the first panel are named at the top.
    share
        The axes that all panels have in common.
    prefix
        Begins the ids inside.
    """

    def at(width: int, columns: int, prefix: str) -> Drawing:
        columns = min(columns, len(panels))
        lines = -(-len(panels) // columns)
        named = _legend_lines(panels[0], width) if has_legend else []

        def fill(figure: "Figure") -> None:
            figure.set_layout_engine("constrained", w_pad=0.09, h_pad=0.09, wspace=0.03)
            grid = figure.subplots(
                lines,
                columns,
                squeeze=False,
                sharex=share in ("x", "both"),
                sharey=share in ("y", "both"),
                subplot_kw={"facecolor": "none"},
            )
            for place, axes in enumerate(grid.flat):
                if place >= len(panels):
                    axes.set_visible(False)
                    continue
                _plain_axes(axes)
                panels[place](axes)
                _finish(axes, width / columns)
            if has_legend:
                handles, labels = grid.flat[0].get_legend_handles_labels()
                labels = [textwrap.fill(label, int((width - _KEY) / _LETTER)) for label in labels]
                figure.legend(
                    handles,
                    labels,
                    loc="outside upper left",
                    ncols=len(named[0]),
                    borderaxespad=0,
                    borderpad=0,
                    handlelength=2.6,
                    columnspacing=2,
                )

        return drawn(fill, width, lines * tall + len(named) * _LINE, prefix)

    return replace(at(WIDE, columns, prefix), narrow=at(NARROW, 1, f"{prefix}-narrow"))


def _legend_lines(panel: "Callable[[Axes], object]", width: int) -> list[list[str]]:
    """Return the names of a panel's lines, as many in a line as there is room for."""
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    panel(axes)
    _, labels = axes.get_legend_handles_labels()
    letters = max(map(len, labels), default=1)
    across = max(1, min(len(labels), int(width / (letters * _LETTER + _KEY))))
    return [labels[at : at + across] for at in range(0, len(labels), across)]


def _plain_axes(axes: "Axes") -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)


def _finish(axes: "Axes", width: float) -> None:
    """Fold a long title, and give scales of powers ticks without raised digits, which are small."""
    from matplotlib.ticker import FuncFormatter, LogFormatter

    title = axes.get_title(loc="left")
    axes.set_title("\n".join(textwrap.wrap(title, int((width - 40) / _LETTER))))
    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(axis.get_major_formatter(), LogFormatter):
            axis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))


def _tick(value: float) -> str:
    """Return a tick of a scale of powers.

    >>> _tick(0.01), _tick(1e-7), _tick(20.0)
    ('0.01', '1e−7', '20')
    """
    return shown(value, "g").replace("e−0", "e−")


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
    return Drawing(width, height, inside(stream.getvalue(), prefix), fill)


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


SUFFIXES = (".pdf", ".svg", ".png")
# What of a file would be another each time.
_DATES = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
_DOTS = 200


def check_suffix(path: str | Path) -> str:
    """Return the suffix of a figure's file; raise InputError if it is no type of figure."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        rule = f"end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise InputError("figure's file", str(path), rule, remedy="name it so")
    return suffix


def check_figure(path: str | Path) -> None:
    """Raise InputError if a figure cannot be drawn, or not in a file of this name."""
    check_suffix(path)
    check_packages("matplotlib", extra="report", use="draw figures")


def figure_bytes(
    fill: "Callable[[Figure], object]",
    size: tuple[float, float],
    path: str | Path,
    style: Mapping[Any, Any] | None = None,
) -> bytes:
    """Return what `fill` draws as a file of the type that the path names.

    `size`: width and height in inches; `style`: parameters of matplotlib in the place of its own.

    Raise InputError as `check_suffix`.
    """
    suffix = check_suffix(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    stream = io.BytesIO()
    with mpl.rc_context(), warnings.catch_warnings():
        # A name may have letters that the font lacks; other files have them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        mpl.rcdefaults()
        mpl.rcParams.update({**(style or {}), "svg.hashsalt": "prum", "pdf.fonttype": 42})
        mpl.rcParams["svg.fonttype"] = "none"
        figure = Figure(figsize=size)
        fill(figure)
        figure.savefig(stream, format=suffix[1:], dpi=_DOTS, metadata=_DATES[suffix])
    return stream.getvalue()
