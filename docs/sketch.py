"""Sketches: small drawings in plain SVG, in a light and a dark palette."""

from collections.abc import Iterable
from html import escape

LIGHT = {
    "paper": "#fffefb",
    "faint": "#f1eee6",
    "rule": "#d2cec4",
    "soft": "#5f5f5f",
    "ink": "#1a1a1a",
    "prum": "#b84a00",
    "simulated": "#0072b2",
}
DARK = {
    "paper": "#16171a",
    "faint": "#2a2c31",
    "rule": "#46484d",
    "soft": "#b0aea8",
    "ink": "#ebe9e4",
    "prum": "#ff9440",
    "simulated": "#56b4e9",
}
WIDTH = 640
# Read at 11 pixels where 640 are shown on 358, the width that a phone of 390 leaves.
TEXT = 20

Point = tuple[float, float]


class Sketch:
    """A drawing that grows; colours are names of the palettes."""

    def __init__(self, title: str, height: int) -> None:
        self.title, self.height = title, height
        self.parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        fill: str = "ink",
        at: str = "start",
        bold: bool = False,
    ) -> None:
        """Write words whose baseline is at y, from x on, around it or up to it."""
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" class="{fill}" text-anchor="{at}"{weight}>'
            f"{escape(words)}</text>"
        )

    def line(
        self, points: Iterable[Point], *, stroke: str = "ink", width: float = 2.5, dash: str = ""
    ) -> None:
        """Draw a line through some points."""
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<path d="M{path}" class="line {stroke}-line" stroke-width="{width:g}"{dashes}/>'
        )

    def area(self, points: Iterable[Point], *, fill: str, opacity: float) -> None:
        """Fill what lies inside some points."""
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path d="M{path}Z" class="{fill}" opacity="{opacity:g}"/>')

    def box(self, x: float, y: float, width: float, height: float, *, fill: str) -> None:
        """Fill a rectangle."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" '
            f'class="{fill}"/>'
        )

    def dot(self, x: float, y: float, *, fill: str) -> None:
        """Draw a point."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="{fill}"/>')

    def arc(self, start: Point, end: Point, *, bulge: float, stroke: str) -> None:
        """Draw an arrow to the right and back, from one point of the same edge to another."""
        (x, y), (x_end, y_end) = start, end
        out = max(x, x_end) + bulge
        self.parts.append(
            f'<path d="M{x:g} {y:g}C{out:g} {y:g} {out:g} {y_end:g} {x_end + 8:g} {y_end:g}" '
            f'class="line {stroke}-line" stroke-width="2.5"/>'
            f'<path d="M{x_end:g} {y_end:g}l11 -6v12z" class="{stroke}"/>'
        )

    def svg(self, style: str) -> str:
        """Return the drawing as a document with some rules of CSS."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
            f'width="{WIDTH}" height="{self.height}" role="img" aria-labelledby="title" '
            f'font-family="system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif" '
            f'font-size="{TEXT}"><title id="title">{escape(self.title)}</title>'
            f"<style>{style}</style>"
            f'<rect width="{WIDTH}" height="{self.height}" rx="8" class="paper"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


def styles() -> dict[str, str]:
    """Return the rules of CSS for each kind of file: light, dark, and both by preference."""

    def rules(palette: dict[str, str]) -> str:
        return "".join(
            f".{name}{{fill:{colour}}}.{name}-line{{stroke:{colour}}}"
            for name, colour in palette.items()
        )

    still = ".line{fill:none;stroke-linejoin:round}"
    light, dark = rules(LIGHT), rules(DARK)
    return {
        "-light": light + still,
        "-dark": dark + still,
        "": f"{light}@media (prefers-color-scheme:dark){{{dark}}}{still}",
    }
