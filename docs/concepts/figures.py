"""The figures of the pages on concepts: `python -m docs.concepts.figures` draws them anew.

Each is an SVG file of its own, whose colours follow the reader's light or dark.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from prum import Beta, Browsing, Coupled, Independent, Task, Walk
from prum.analytic import closed_form, exact, mixture, poisson_binomial, prum
from prum.experiments.views.drawing import INK, PRUM, RULE, SIMULATED, SOFT, Drawing, drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOLDER = Path(__file__).parent / "images"
# Smaller errors are rounding, which differs between processors.
_ROUNDING = 1e-14
_WIDTH, _HEIGHT = 560, 250
_FILE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="system-ui, 'DejaVu Sans', sans-serif">
<style>
:root {{ --ink: #1a1a1a; --soft: #676767; --rule: #dedbd4; --prum: #b84a00; --simulated: #0072b2; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #ebe9e4; --soft: #a3a19c; --rule: #3a3b3f; --prum: #ff9440; --simulated: #56b4e9; }}
}}
</style>
{body}
</svg>
"""  # noqa: E501 (an attribute of XML may not be broken)


def _tidied(axes: "Axes", x: str, y: str) -> None:
    """Leave the frame out, and name the axes."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_facecolor("none")
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def _lines(
    title: str, x: str, y: str, lines: dict[str, tuple[np.ndarray, np.ndarray]]
) -> Callable[["Figure"], None]:
    """Return what draws some named lines."""

    def fill(figure: "Figure") -> None:
        axes = figure.subplots()
        dashes = ("-", "--", ":", "-.")
        colours = (INK, PRUM, SIMULATED, SOFT)
        for number, (name, (at, values)) in enumerate(lines.items()):
            axes.plot(at, values, color=colours[number], linestyle=dashes[number], label=name)
        axes.set_title(title, loc="left", color=INK)
        axes.legend(frameon=False)
        if all(float(place).is_integer() for place in at):
            axes.set_xticks(at)
        _tidied(axes, x, y)
        figure.tight_layout()

    return fill


def of_prum() -> Drawing:
    """PRUM's error over recall, on a list of four pages that each link to eight."""
    reach = np.full((4, 8), 0.3)
    recall = np.arange(1, 9)
    error = prum(reach, 40).precision - exact(reach, 40).precision
    fill = _lines(
        "PRUM is exact at r = 1, and a little too low beyond",
        "recall value r",
        "PRUM − exact",
        {"four pages, each with eight links": (recall, error)},
    )
    return drawn(fill, _WIDTH, _HEIGHT, "prum")


def of_counts() -> Drawing:
    """The law of the number of ideals seen, after some ranks."""
    per_rank = np.linspace(0.02, 0.3, 8)

    def fill(figure: "Figure") -> None:
        axes = figure.subplots()
        for number, (ranks, colour) in enumerate(((1, PRUM), (5, SIMULATED), (20, INK))):
            law = poisson_binomial(1 - (1 - per_rank) ** ranks)
            places = np.arange(len(law)) + (number - 1) * 0.26
            name = "after 1 rank" if ranks == 1 else f"after {ranks} ranks"
            axes.bar(places, law, width=0.24, color=colour, label=name)
        axes.set_title("How many of 8 ideals users have seen", loc="left", color=INK)
        axes.legend(frameon=False)
        _tidied(axes, "ideals seen", "share of users")
        figure.tight_layout()

    return drawn(fill, _WIDTH, _HEIGHT, "counts")


def of_dependence() -> Drawing:
    """Exact precision of three joint laws with the same reach, and PRUM."""
    task, margins = dependent()
    recall = np.arange(1, task.num_ideals + 1)
    navigations = {
        "exclusive": Coupled(margins, "exclusive"),
        "independent": margins,
        "together": Coupled(margins, "comonotone"),
    }
    lines = {}
    for name, navigation in navigations.items():
        found = closed_form(task, navigation)
        if found is None:
            raise ValueError(f"no closed form: {name}")
        lines[name] = (recall, found.precision)
    title = "The same P(x → y), three ways for visits to hang together"
    fill = _lines(title, "recall value r", "exact precision", lines)
    return drawn(fill, _WIDTH, _HEIGHT, "dependence")


def of_quadrature() -> Drawing:
    """How fast Gauss quadrature over users who differ comes to agree."""
    ranking, ideals = [f"page{n}" for n in range(6)], ["a", "b", "c"]
    links = {(page, ideal): 0.5 for page in ranking for ideal in ideals}
    found = closed_form(Task(ranking, ideals, 46), Browsing(Independent(links), Beta(0.5, 1)))
    if found is None:
        raise ValueError("no closed form")
    reach = np.full((6, 3), 0.5)
    nodes = np.arange(1, 11)
    errors = [abs(_by_nodes(reach, 40, int(n)) - found.precision[-1]) for n in nodes]

    def fill(figure: "Figure") -> None:
        axes = figure.subplots()
        axes.semilogy(nodes, np.maximum(errors, _ROUNDING), color=INK, marker="o", markersize=4)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0e}".replace("-", "−"))
        axes.set_title("Error of precision(3), by nodes of quadrature", loc="left", color=INK)
        _tidied(axes, "kinds of users in the sum", "error")
        figure.tight_layout()

    return drawn(fill, _WIDTH, _HEIGHT, "quadrature")


def _by_nodes(reach: np.ndarray, unranked: int, num_nodes: int) -> float:
    """Return precision at the last r by so many kinds of users, whose propensity is Beta(.5, 1)."""
    from scipy.special import roots_sh_jacobi

    # Weight (1 - x)^(p - q) x^(q - 1): of Beta(1/2, 1), p = q + 0 = 1/2.
    places, weights = roots_sh_jacobi(num_nodes, 0.5, 0.5)
    kinds = [exact(reach * place, unranked) for place in places]
    results = mixture(kinds, weights / weights.sum())
    return float(results.precision[-1])


def of_walks() -> Drawing:
    """PRUM beside the walk that has the same reach, on the longest of shown paths."""
    steps = np.linspace(0.05, 1, 20)
    walked, published = [], []
    for p in steps:
        task, walk = forked(float(p))
        found = closed_form(task, walk)
        if found is None:
            raise ValueError("no closed form")
        walked.append(found.precision[1])
        published.append(prum([[p / 2, p / 2], [p / 2, p / 2]], 20).precision[1])
    lines = {
        "people who walk": (steps, np.array(walked)),
        "PRUM": (steps, np.array(published)),
    }
    fill = _lines(
        "Two pages, each a fork: one ideal or the other", "chance to click", "precision(2)", lines
    )
    return drawn(fill, _WIDTH, _HEIGHT, "walks")


def dependent() -> tuple[Task, Independent]:
    """Return a list of five pages that each lead to the same four ideals."""
    ranking, ideals = [f"page{n}" for n in range(5)], list("abcd")
    links = {(page, ideal): 0.25 for page in ranking for ideal in ideals}
    return Task(ranking, ideals, 60), Independent(links)


def forked(p: float) -> tuple[Task, Walk]:
    """Return a list of two pages from which people move to a or b, if they click at all."""
    moves = {(page, ideal): p / 2 for page in ("x", "y") for ideal in ("a", "b")}
    return Task(["x", "y"], ["a", "b"], 22), Walk(moves)


FIGURES: dict[str, Callable[[], Drawing]] = {
    "prum": of_prum,
    "counts": of_counts,
    "dependence": of_dependence,
    "quadrature": of_quadrature,
    "walks": of_walks,
}


def document(drawing: Drawing) -> str:
    """Return a drawing as a file of its own."""
    return _FILE.format(width=drawing.width, height=drawing.height, body=drawing.body)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in FIGURES.items():
        (FOLDER / f"{name}.svg").write_text(document(draw()), encoding="utf-8")
