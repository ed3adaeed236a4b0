"""Drawings in SVG: colours, axes, panels, points and legends that all figures share.

A drawing is a file, or the inside of an SVG element, to stand in a page that defines the colours
--ink, --soft, --rule, --prum and --simulated.
"""

import io
import re
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
TEXT, WIDE = 11.5, 900
# A letter of a title or of a legend, and what a line of a legend takes, in points.
_LETTER, _LINE, _KEY = 6.4, 18, 60
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "prum",
    "pdf.fonttype": 42,
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
# A figure as a file has a margin, and a salt of its own.
_OF_FILES = {"savefig.bbox": "tight", "savefig.pad_inches": 0.1, "savefig.dpi": 200}
# What of a file would be another each time.
_DATES: dict[str, dict[str, None]] = {
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
    "png": {},
}
_COLOURS = (PRUM, INK, SIMULATED)


@dataclass(frozen=True, slots=True)
class Drawing:
    """What fills a figure of matplotlib, and its size in points; `prefix` begins the ids inside."""

    fill: "Callable[[Figure], None]"
    width: int
    height: int
    prefix: str = "study"

    @property
    def body(self) -> str:
        """What stands inside of an SVG element of a page, fit to stand among others."""
        svg = self._rendered("svg", "none", {"svg.hashsalt": self.prefix}).decode()
        svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
        svg = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
        for colour, variable in _VARIABLES.items():
            svg = svg.replace(colour, variable)
        svg = re.sub(r' ?font-family:[^;"]*;?', "", svg).replace("xlink:href", "href")
        # Of what is referred to matplotlib makes the id from the salt and the content.
        svg = re.sub(r' id="(?![a-z][0-9a-f]{10}")[^"]*"', "", svg)
        svg = re.sub(r'(?<= )(?:d|x|y|width|height|transform)="[^"]*"', _rounded, svg)
        return re.sub(r">\s+<", "><", svg).strip()

    def file(self, suffix: str) -> bytes:
        """Return a file of a type, ".pdf" say, the same each time."""
        return self._rendered(suffix[1:], "white", _OF_FILES)

    def _rendered(self, form: str, paper: str, style: Mapping[Any, Any]) -> bytes:
        import matplotlib as mpl
        from matplotlib.figure import Figure

        stream = io.BytesIO()
        with mpl.rc_context(), warnings.catch_warnings():
            # A name may have letters that the font lacks; the page's font may have them.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
            mpl.rcdefaults()
            mpl.rcParams.update({**STYLE, **style})
            figure = Figure(figsize=(self.width / 72, self.height / 72), facecolor=paper)
            self.fill(figure)
            figure.savefig(stream, format=form, metadata=_DATES[form])
        return stream.getvalue()


def _rounded(match: re.Match[str]) -> str:
    short = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", match[0])
    return " ".join(short.split())


def colour(number: int) -> str:
    """Return the colour of a line."""
    return _COLOURS[number % len(_COLOURS)]


def curves(axes: "Axes", named: Mapping[str, Mapping[Any, float]]) -> None:
    """Draw a line for each name, through the points that its x have."""
    for number, (name, line) in enumerate(named.items()):
        axes.plot(
            [*line],
            [*line.values()],
            label=name,
            color=colour(number),
            marker="os^Dv"[number % 5],
            markersize=4,
            markeredgewidth=0,
            linestyle=("-", "--", ":")[(number + number // 3) % 3],
            linewidth=1.3,
        )


def rows(
    axes: "Axes",
    named: Sequence[tuple[str, float, float, float]],
    colours: Sequence[str],
    size: float = TEXT,
) -> None:
    """Draw a row for each name, the first at the top: from low to high, and a point between."""
    for row, ((_, low, middle, high), shade) in enumerate(zip(named, colours, strict=True)):
        axes.plot([low, high], [row, row], color=shade, linewidth=1.6, solid_capstyle="butt")
        axes.plot([middle], [row], "o", color=shade, markersize=4, markeredgewidth=0)
    axes.set_yticks(range(len(named)), [name for name, *_ in named], fontsize=size)
    axes.set_ylim(len(named) - 0.4, -0.6)


def height(num_rows: int) -> int:
    """Return the points of a panel with so many rows."""
    return 48 + 22 * num_rows


def paneled(
    panels: "Sequence[Callable[[Axes], object]]",
    *,
    columns: int,
    tall: int,
    has_legend: bool = False,
    share: Literal["x", "y", "both", "none"] = "none",
    prefix: str = "study",
) -> Drawing:
    """Return panels side by side.

    Parameters
    ----------
    panels
        Each fills its axes, which have no frame, and lines across.
    columns
        How many stand side by side.
    tall
        The height of a panel with its title and ticks, in points.
    has_legend
        Whether the lines of the first panel are named at the top.
    share
        The axes that all panels have in common.
    prefix
        Begins the ids inside.
    """

    columns = min(columns, len(panels))
    lines = -(-len(panels) // columns)
    named = _legend_lines(panels[0]) if has_legend else []

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
            for side in ("top", "right", "left"):
                axes.spines[side].set_visible(False)
            axes.grid(axis="y", color=RULE, linewidth=0.6)
            axes.set_axisbelow(True)
            panels[place](axes)
            _finish(axes, WIDE / columns)
        if has_legend:
            handles, labels = grid.flat[0].get_legend_handles_labels()
            labels = [textwrap.fill(label, int((WIDE - _KEY) / _LETTER)) for label in labels]
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

    return Drawing(fill, WIDE, lines * tall + len(named) * _LINE, prefix)


def _legend_lines(panel: "Callable[[Axes], object]") -> list[list[str]]:
    """Return the names of a panel's lines, as many in a line as there is room for."""
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    panel(axes)
    _, labels = axes.get_legend_handles_labels()
    letters = max(map(len, labels), default=1)
    across = max(1, min(len(labels), int(WIDE / (letters * _LETTER + _KEY))))
    return [labels[first : first + across] for first in range(0, len(labels), across)]


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


SUFFIXES = (".pdf", ".svg", ".png")


def check_figure(path: str | Path) -> str:
    """Return the suffix of a figure's file.

    Raise InputError if it is no type of figure, or none can be drawn.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        rule = f"end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise InputError("figure's file", str(path), rule, remedy="name it so")
    check_packages("matplotlib", extra="report", use="draw figures")
    return suffix
