"""Draw the pictures of the documents: `python docs/figures.py` writes them all.

Every number in a picture is computed here, by `prum`, and a test compares the files with what this
module draws. They follow the reader's preference for light or dark; that of the README is in a
light and a dark file as well, for hosts that know better what the reader has chosen.
"""

from collections.abc import Callable, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from prum import Beta, Browsing, Copula, Coupled, Independent, Task, Walk, simulate
from prum.analytic import closed_form, exact, exact_mixture, poisson_binomial, prum, reach_matrix
from prum.experiments.frame.drawing import INK, PRUM, RULE, SIMULATED, SOFT, Drawing
from prum.simulator.model import Navigation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOLDER = Path(__file__).parent
PAPER, FAINT = "#fffefb", "#f1eee6"
LIGHT = {
    "paper": PAPER,
    "faint": FAINT,
    "ink": "#1a1a1a",
    "soft": "#5f5f5f",
    "rule": "#d2cec4",
    "prum": "#b84a00",
    "simulated": "#0072b2",
}
DARK = {
    "paper": "#16171a",
    "faint": "#2a2c31",
    "ink": "#ebe9e4",
    "soft": "#b0aea8",
    "rule": "#46484d",
    "prum": "#ff9440",
    "simulated": "#56b4e9",
}
# Smaller errors are rounding, which differs between processors.
_ROUNDING = 1e-14
# Text is read at 11 pixels where 640 are shown on 358, the width that a phone of 390 leaves.
_PICTURE, _TEXT = 640, 20
_FIGURE = 560, 250

RANKING, IDEALS = ("hub", "news", "guide", "faq"), ("guide", "faq")
LINKS = {("hub", "guide"): 0.5, ("hub", "faq"): 0.4}


def shown(value: float, form: str = ".3f") -> str:
    """Return a number in [0, 1) as people print it.

    >>> shown(0.8333)
    '.833'
    """
    return f"{value:{form}}".lstrip("0")


def precision_of(task: Task, navigation: Navigation) -> np.ndarray:
    """Return exact precision at each recall value."""
    found = closed_form(task, navigation)
    if found is None:
        raise ValueError("no closed form")
    return found.precision


def tidy(axes: "Axes", x: str = "", y: str = "", *, size: float = 11.5) -> None:
    """Leave the frame out, draw lines across, and name the axes."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_facecolor("none")
    axes.tick_params(labelsize=size)
    axes.set_xlabel(x, size=size)
    axes.set_ylabel(y, size=size)


# --- README and tutorial ----------------------------------------------------------------------


def picture(name: str, height: int, fill: "Callable[[Figure], None]") -> Drawing:
    """Return a picture of large text."""
    return Drawing(fill, _PICTURE, height, name)


def canvas(figure: "Figure", heading: str = "") -> "Axes":
    """Return axes over a whole figure, in points from the top left."""
    width, height = 72 * figure.get_size_inches()
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    write(axes, 20, 38, heading, weight="bold")
    return axes


def plot(
    figure: "Figure", box: tuple[float, float, float, float], low: float, high: float, form: str
) -> "Axes":
    """Return axes for precision, whose left, top, right and bottom are given in points."""
    width, height = 72 * figure.get_size_inches()
    left, top, right, bottom = box
    places = (left / width, 1 - bottom / height, (right - left) / width, (bottom - top) / height)
    axes = figure.add_axes(places, ylim=(low, high))
    tidy(axes, size=_TEXT)
    axes.yaxis.set_major_formatter(lambda value, _: shown(value, form))
    return axes


def write(axes: "Axes", x: float, y: float, words: str, **how: object) -> None:
    """Write words whose baseline is at y."""
    axes.text(x, y, words, **{"fontsize": _TEXT, "verticalalignment": "baseline", **how})


def block(axes: "Axes", x: float, y: float, width: float, height: float, colour: str) -> None:
    """Fill a rectangle."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor="none"))


def ranked_list(axes: "Axes", top: float) -> None:
    """Draw the list at the left edge, with its links on the right of it."""
    from matplotlib.patches import FancyArrowPatch

    height, gap, left, right = 42, 12, 44, 144
    middles = [top + place * (height + gap) + height / 2 for place in range(len(RANKING))]
    for rank, (name, middle) in enumerate(zip(RANKING, middles, strict=True), start=1):
        is_ideal = name in IDEALS
        write(axes, 32, middle + 7, str(rank), color=SOFT, horizontalalignment="right")
        block(axes, left, middle - height / 2, right - left, height, INK if is_ideal else FAINT)
        ink, weight = (PAPER, "bold") if is_ideal else (INK, "normal")
        write(axes, left + 12, middle + 7, name, color=ink, weight=weight)
    for number, ((source, target), probability) in enumerate(LINKS.items()):
        start = middles[RANKING.index(source)] - 6 + 12 * (1 - number)
        end = middles[RANKING.index(target)]
        bulge = 0.75 * (52 + 50 * number) / (end - start)
        arrow = FancyArrowPatch(
            (right, start),
            (right + 3, end),
            connectionstyle=f"arc3,rad={-2 * bulge:g}",
            arrowstyle="-|>",
            mutation_scale=20,
            color=SOFT,
            linewidth=2.5,
            shrinkA=0,
            shrinkB=0,
        )
        axes.add_patch(arrow)
        out = right + bulge * (end - start) + 8
        write(axes, out, (start + end) / 2 + 9, shown(probability, "g"))


def task() -> Task:
    """Return the list of the README's picture and example."""
    return Task(ranking=RANKING, ideals=IDEALS, collection_size=len(RANKING))


def precision() -> tuple[str, Drawing]:
    """Draw the list, and simulated precision as it closes in on the exact value."""
    approximate = prum(reach_matrix(task(), Walk(LINKS)), 0).precision[0]
    right = precision_of(task(), Walk(LINKS))[0]
    counts = [round(10 ** (1 + step / 10)) for step in range(41)]
    simulation = simulate(task(), Walk(LINKS), num_users=counts[0], seed=7)
    simulations = [simulation]
    for done, count in pairwise(counts):
        simulation += simulate(task(), Walk(LINKS), num_users=count - done, first_user=done, seed=7)
        simulations.append(simulation)
    values = np.array([found.precision[0] for found in simulations])
    errors = 1.96 * np.array([found.precision_error[0] for found in simulations])

    def fill(figure: "Figure") -> None:
        page = canvas(figure, "A list with links")
        ranked_list(page, 66)
        write(page, 20, 326, "in bold: ideals", color=SOFT)
        write(page, 272, 38, "Precision at the first ideal", weight="bold")
        axes = plot(figure, (312, 66, 616, 276), 0.55, 0.98, ".1f")
        axes.set(xscale="log", xlim=(10, 1e5), yticks=[0.6, 0.7, 0.8, 0.9])
        axes.minorticks_off()
        axes.set_xticks([10, 1000, 100_000], ["10", "1,000", "100,000"])
        for label, side in zip(axes.get_xticklabels(), ("left", "center", "right"), strict=True):
            label.set_horizontalalignment(side)
        axes.set_xlabel("simulated users", loc="right", size=_TEXT)
        axes.fill_between(
            counts, values - errors, values + errors, color=SIMULATED, alpha=0.22, linewidth=0
        )
        axes.axhline(right, color=INK, linewidth=2)
        axes.plot(counts, values, color=SIMULATED, linewidth=3)
        axes.axhline(approximate, color=PRUM, linewidth=3, dashes=(3, 2))
        at_right = {"horizontalalignment": "right"}
        write(axes, 1e5, right + 0.025, f"exact {shown(right)}", **at_right)
        write(axes, 1e5, right - 0.08, "simulated", color=SIMULATED, **at_right)
        write(axes, 1e5, approximate + 0.025, f"PRUM {shown(approximate)}", color=PRUM, **at_right)

    title = (
        "Left, a list: hub, news, guide and faq, of which guide and faq are ideals; links lead "
        f"from hub to guide ({LINKS['hub', 'guide']:g}) and to faq ({LINKS['hub', 'faq']:g}). "
        "Right, precision at the first ideal: as simulated users grow from 10 to "
        f"{counts[-1]:,}, theirs closes in on the exact value, {right:.3f}; PRUM stays at "
        f"{approximate:.3f}."
    )
    return title, picture("precision", 344, fill)


def visits() -> tuple[str, Drawing]:
    """Draw what users see from the hub, by how visits depend on each other."""
    guide, faq = LINKS.values()
    laws = {
        "exclude each other": (0, guide, faq),
        "independent": (guide * faq, guide * (1 - faq), (1 - guide) * faq),
        "go together": (min(guide, faq), max(guide - faq, 0), max(faq - guide, 0)),
    }

    def fill(figure: "Figure") -> None:
        page = canvas(figure, "What users see from the hub, if visits …")
        for row, (name, (both, first, second)) in enumerate(laws.items()):
            top, place = 64 + 84 * row, 20.0
            write(page, place, top + 18, f"… {name}")
            for label, share, colour, ink in (
                ("both", both, INK, PAPER),
                ("guide", first, SIMULATED, PAPER),
                ("faq", second, SOFT, PAPER),
                ("nothing", 1 - both - first - second, FAINT, INK),
            ):
                if share < 1e-9:
                    continue
                width, number = 600 * share, shown(share, ".1f")
                block(page, place, top + 28, width - 3, 36, colour)
                words = f"{label} {number}" if share > 0.15 else number
                middle = place + width / 2
                write(page, middle, top + 53, words, color=ink, horizontalalignment="center")
                place += width

    told = "; ".join(
        f"{name}: both {both:.1f}, only guide {first:.1f}, only faq {second:.1f}"
        for name, (both, first, second) in laws.items()
    )
    title = (
        f"What users see from the hub, by shares of users. {told}. "
        f"In all three, {guide:.1f} see guide and {faq:.1f} see faq."
    )
    return title, picture("visits", 322, fill)


STRENGTHS = (0.44, 0.45, 0.46, 0.47, 0.48, 0.49)
COUPLINGS: dict[str, Literal["independent", "exclusive", "comonotone"] | Copula] = {
    "exclusive": "exclusive",
    "independent": "independent",
    "correlated": Copula(0.7),
    "together": "comonotone",
}


def places() -> tuple[str, Drawing]:
    """Draw the two systems of the tutorial by how their users' visits depend on each other."""

    def means(ranking: Sequence[str]) -> tuple[float, list[float]]:
        """Return PRUM, and the exact value of each coupling: means over r and topics."""
        task = Task(ranking=ranking, ideals=IDEALS, collection_size=100)
        navigations = [
            Independent({("hub", ideal): strength for ideal in IDEALS}) for strength in STRENGTHS
        ]
        matrices = [reach_matrix(task, navigation) for navigation in navigations]
        published = [prum(matrix, task.num_unranked).precision for matrix in matrices]
        exact = [
            np.mean([precision_of(task, Coupled(each, coupling)) for each in navigations])
            for coupling in COUPLINGS.values()
        ]
        return float(np.mean(published)), [float(value) for value in exact]

    by_prum, exact = means(RANKING)
    direct = means(RANKING[1:])[0]

    def fill(figure: "Figure") -> None:
        page = canvas(figure, "Mean precision of the two systems")
        write(page, 66, 352, "visits from the hub", color=SOFT)
        axes = plot(figure, (66, 60, 620, 300), 0.5, 0.75, ".2f")
        axes.set_yticks(np.arange(50, 80, 5) / 100)
        axes.set(xlim=(-0.45, 3.45))
        axes.set_xticks(range(len(COUPLINGS)), COUPLINGS)
        axes.axhline(direct, color=SIMULATED, linewidth=3)
        axes.axhline(by_prum, color=PRUM, linewidth=3, dashes=(3, 2))
        axes.plot(exact, color=INK, linewidth=3, marker="o", markersize=10)
        write(axes, 0.12, exact[0], "gateway, exact")
        right = {"horizontalalignment": "right"}
        write(axes, 3.45, by_prum + 0.0125, "gateway, PRUM", color=PRUM, **right)
        write(axes, -0.4, direct - 0.0275, "direct", color=SIMULATED)

    told = ", ".join(f"{name} {value:.3f}" for name, value in zip(COUPLINGS, exact, strict=True))
    title = (
        f"Mean precision of two systems. The gateway's, by how visits depend: {told}; PRUM has "
        f"{by_prum:.3f} for all. Direct has {direct:.3f} whatever the visits. The two change "
        "places between independent and correlated visits."
    )
    return title, picture("places", 368, fill)


# --- concepts ---------------------------------------------------------------------------------


def lines_of(
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
        tidy(axes, x, y)
        figure.tight_layout()

    return fill


def of_prum() -> Drawing:
    """PRUM's error over recall, on a list of four pages that each link to eight."""
    reach = np.full((4, 8), 0.3)
    recall = np.arange(1, 9)
    error = prum(reach, 40).precision - exact(reach, 40).precision
    fill = lines_of(
        "PRUM is exact at r = 1, and a little too low beyond",
        "recall value r",
        "PRUM − exact",
        {"four pages, each with eight links": (recall, error)},
    )
    return Drawing(fill, *_FIGURE, "prum")


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
        tidy(axes, "ideals seen", "share of users")
        figure.tight_layout()

    return Drawing(fill, *_FIGURE, "counts")


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
        lines[name] = (recall, precision_of(task, navigation))
    title = "The same P(x → y), three ways for visits to hang together"
    fill = lines_of(title, "recall value r", "exact precision", lines)
    return Drawing(fill, *_FIGURE, "dependence")


def of_quadrature() -> Drawing:
    """How fast Gauss quadrature over users who differ comes to agree."""
    ranking, ideals = [f"page{n}" for n in range(6)], ["a", "b", "c"]
    links = {(page, ideal): 0.5 for page in ranking for ideal in ideals}
    right = precision_of(Task(ranking, ideals, 46), Browsing(Independent(links), Beta(0.5, 1)))
    reach = np.full((6, 3), 0.5)
    nodes = np.arange(1, 11)
    errors = [abs(_by_nodes(reach, 40, int(n)) - right[-1]) for n in nodes]

    def fill(figure: "Figure") -> None:
        axes = figure.subplots()
        axes.semilogy(nodes, np.maximum(errors, _ROUNDING), color=INK, marker="o", markersize=4)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0e}".replace("-", "−"))
        axes.set_title("Error of precision(3), by nodes of quadrature", loc="left", color=INK)
        tidy(axes, "kinds of users in the sum", "error")
        figure.tight_layout()

    return Drawing(fill, *_FIGURE, "quadrature")


def _by_nodes(reach: np.ndarray, unranked: int, num_nodes: int) -> float:
    """Return precision at the last r by so many kinds of users, whose propensity is Beta(.5, 1)."""
    from scipy.special import roots_sh_jacobi

    # Weight (1 - x)^(p - q) x^(q - 1): of Beta(1/2, 1), p = q + 0 = 1/2.
    places, weights = roots_sh_jacobi(num_nodes, 0.5, 0.5)
    results = exact_mixture([reach * place for place in places], weights / weights.sum(), unranked)
    return float(results.precision[-1])


def of_walks() -> Drawing:
    """PRUM beside the walk that has the same reach, on the longest of shown paths."""
    steps = np.linspace(0.05, 1, 20)
    walked, published = [], []
    for p in steps:
        walked.append(precision_of(*forked(float(p)))[1])
        published.append(prum([[p / 2, p / 2], [p / 2, p / 2]], 20).precision[1])
    lines = {
        "people who walk": (steps, np.array(walked)),
        "PRUM": (steps, np.array(published)),
    }
    fill = lines_of(
        "Two pages, each a fork: one ideal or the other", "chance to click", "precision(2)", lines
    )
    return Drawing(fill, *_FIGURE, "walks")


def dependent() -> tuple[Task, Independent]:
    """Return a list of five pages that each lead to the same four ideals."""
    ranking, ideals = [f"page{n}" for n in range(5)], list("abcd")
    links = {(page, ideal): 0.25 for page in ranking for ideal in ideals}
    return Task(ranking, ideals, 60), Independent(links)


def forked(p: float) -> tuple[Task, Walk]:
    """Return a list of two pages from which people move to a or b, if they click at all."""
    moves = {(page, ideal): p / 2 for page in ("x", "y") for ideal in ("a", "b")}
    return Task(["x", "y"], ["a", "b"], 22), Walk(moves)


PICTURES = {"precision": precision, "visits": visits, "places": places}
FIGURES: dict[str, Callable[[], Drawing]] = {
    "prum": of_prum,
    "counts": of_counts,
    "dependence": of_dependence,
    "quadrature": of_quadrature,
    "walks": of_walks,
}


def document(drawing: Drawing, title: str = "", palettes: Sequence[dict[str, str]] = ()) -> str:
    """Return a drawing as a file of its own; of a picture with a title the paper is drawn, too."""
    light, *dark = palettes or (LIGHT, DARK)
    style = f":root{{{_variables(light)}}}"
    if dark:
        style += f"@media (prefers-color-scheme:dark){{:root{{{_variables(dark[0])}}}}}"
    body = drawing.body.replace(PAPER, "var(--paper)").replace(FAINT, "var(--faint)")
    said, paper = "", ""
    if title:
        said = f'<title id="title">{escape(title)}</title>\n'
        paper = '<rect width="100%" height="100%" rx="8" style="fill: var(--paper)"/>\n'
    labelled = ' role="img" aria-labelledby="title"' if title else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawing.width} {drawing.height}" '
        f'width="{drawing.width}" height="{drawing.height}"{labelled} '
        "font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n"
        f"{said}<style>{style}</style>\n{paper}{body}\n</svg>\n"
    )


def _variables(palette: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in palette.items())


def files() -> dict[str, Callable[[], str]]:
    """Return what draws each file, by its path."""
    made: dict[str, Callable[[], str]] = {
        f"concepts/images/{name}.svg": lambda draw=draw: document(draw())
        for name, draw in FIGURES.items()
    }
    for name, draw in PICTURES.items():
        made[f"images/{name}.svg"] = lambda draw=draw: _titled(draw, LIGHT, DARK)
    # For hosts that show one of two files.
    made["images/precision-light.svg"] = lambda: _titled(precision, LIGHT)
    made["images/precision-dark.svg"] = lambda: _titled(precision, DARK)
    return made


def _titled(draw: Callable[[], tuple[str, Drawing]], *palettes: dict[str, str]) -> str:
    title, drawing = draw()
    return document(drawing, title, palettes)


if __name__ == "__main__":
    for name, draw in files().items():
        (FOLDER / name).write_text(draw(), encoding="utf-8")
