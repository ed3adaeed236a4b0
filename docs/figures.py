"""Draw the pictures of the README and the tutorial; `python docs/figures.py` writes docs/images.

Every number in a picture is computed here, by `prum`. A picture is the same bytes on every machine,
and a test compares the files with what this module draws. They follow the reader's preference for
light or dark; that of the README is in a light and a dark file as well, for hosts that know better
what the reader has chosen.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
from sketch import Sketch, styles

from prum import Copula, Coupled, Independent, Task, Walk, prum, simulate
from prum.analytic import closed_form, reach_matrix

IMAGES = Path(__file__).parent / "images"
RANKING, IDEALS = ("hub", "news", "guide", "faq"), ("guide", "faq")
LINKS = {("hub", "guide"): 0.5, ("hub", "faq"): 0.4}


def ranked_list(sketch: Sketch, top: float) -> None:
    """Draw the list at the left edge, with its links on the right of it."""
    height, gap, left, right = 42, 12, 44, 144
    middles = [top + place * (height + gap) + height / 2 for place in range(len(RANKING))]
    for rank, (name, middle) in enumerate(zip(RANKING, middles, strict=True), start=1):
        is_ideal = name in IDEALS
        sketch.text(32, middle + 7, str(rank), fill="soft", at="end")
        sketch.box(
            left, middle - height / 2, right - left, height, fill="ink" if is_ideal else "faint"
        )
        sketch.text(left + 12, middle + 7, name, fill="paper" if is_ideal else "ink", bold=is_ideal)
    for number, ((source, target), probability) in enumerate(LINKS.items()):
        start = middles[RANKING.index(source)] - 6 + 12 * (1 - number)
        end = middles[RANKING.index(target)]
        bulge = 52 + 50 * number
        sketch.arc((right, start), (right + 3, end), bulge=bulge, stroke="soft")
        sketch.text(right + 0.8 * bulge + 4, (start + end) / 2 + 9, f"{probability:g}".lstrip("0"))


def task() -> Task:
    """Return the list of the README's picture and example."""
    return Task(ranking=RANKING, ideals=IDEALS, collection_size=len(RANKING))


def precision() -> Sketch:
    """Draw the list, and simulated precision as it closes in on the exact value."""
    approximate = prum(reach_matrix(task(), Walk(LINKS)), 0).precision[0]
    exact = closed_form(task(), Walk(LINKS)).precision[0]
    counts = [round(10 ** (1 + step / 10)) for step in range(41)]
    simulation = simulate(task(), Walk(LINKS), num_users=counts[0], seed=7)
    simulations = [simulation]
    for done, count in pairwise(counts):
        simulation += simulate(task(), Walk(LINKS), num_users=count - done, first_user=done, seed=7)
        simulations.append(simulation)
    values = [float(found.precision[0]) for found in simulations]
    errors = [1.96 * float(found.precision_error[0]) for found in simulations]

    sketch = Sketch(
        "Left, a list: hub, news, guide and faq, of which guide and faq are ideals; links lead "
        f"from hub to guide ({LINKS['hub', 'guide']:g}) and to faq ({LINKS['hub', 'faq']:g}). "
        "Right, precision at the first ideal: as simulated users grow from 10 to "
        f"{counts[-1]:,}, theirs closes in on the exact value, {exact:.3f}; PRUM stays at "
        f"{approximate:.3f}.",
        344,
    )
    sketch.text(20, 38, "A list with links", bold=True)
    ranked_list(sketch, 66)
    sketch.text(20, 326, "in bold: ideals", fill="soft")

    left, right, top, bottom, low, high = 312, 616, 66, 276, 0.55, 0.98

    def across(count: float) -> float:
        return left + (right - left) * (math.log10(count) - 1) / 4

    def up(value: float) -> float:
        value = min(max(value, low), high)
        return bottom - (bottom - top) * (value - low) / (high - low)

    sketch.text(left - 40, 38, "Precision at the first ideal", bold=True)
    for tenth in range(6, 10):
        sketch.line([(left, up(tenth / 10)), (right, up(tenth / 10))], stroke="rule", width=1)
        sketch.text(left - 10, up(tenth / 10) + 7, f".{tenth}", fill="soft", at="end")
    for count, at in ((10, "start"), (1000, "middle"), (100_000, "end")):
        sketch.text(across(count), bottom + 24, f"{count:,}", fill="soft", at=at)
    sketch.text(right, bottom + 50, "simulated users", fill="soft", at="end")
    pairs = list(zip(counts, values, errors, strict=True))
    above = [(across(count), up(value + error)) for count, value, error in pairs]
    below = [(across(count), up(value - error)) for count, value, error in pairs]
    sketch.area([*above, *reversed(below)], fill="simulated", opacity=0.22)
    sketch.line([(left, up(exact)), (right, up(exact))], width=2)
    sketch.line([(across(n), up(value)) for n, value, _ in pairs], stroke="simulated", width=3)
    sketch.line(
        [(left, up(approximate)), (right, up(approximate))], stroke="prum", dash="9 6", width=3
    )
    sketch.text(right, up(exact) - 12, f"exact {shown(exact)}", at="end")
    sketch.text(right, up(exact) + 40, "simulated", fill="simulated", at="end")
    sketch.text(right, up(approximate) - 12, f"PRUM {shown(approximate)}", fill="prum", at="end")
    return sketch


def shown(value: float) -> str:
    """Return a number in [0, 1) as people print it.

    >>> shown(0.8333)
    '.833'
    """
    return f"{value:.3f}".lstrip("0")


def visits() -> Sketch:
    """Draw what users see from the hub, by how visits depend on each other."""
    guide, faq = LINKS.values()
    laws = {
        "exclude each other": (0, guide, faq),
        "independent": (guide * faq, guide * (1 - faq), (1 - guide) * faq),
        "go together": (min(guide, faq), max(guide - faq, 0), max(faq - guide, 0)),
    }
    told = [
        f"{name}: both {both:.1f}, only guide {first:.1f}, only faq {second:.1f}"
        for name, (both, first, second) in laws.items()
    ]
    sketch = Sketch(
        f"What users see from the hub, by shares of users. {'; '.join(told)}. "
        f"In all three, {guide:.1f} see guide and {faq:.1f} see faq.",
        322,
    )
    sketch.text(20, 38, "What users see from the hub, if visits …", bold=True)
    left, right = 20, 620
    for row, (name, (both, first, second)) in enumerate(laws.items()):
        top = 64 + 84 * row
        sketch.text(left, top + 18, f"… {name}")
        place: float = left
        parts = (
            ("both", both, "ink", "paper"),
            ("guide", first, "simulated", "paper"),
            ("faq", second, "soft", "paper"),
            ("nothing", 1 - both - first - second, "faint", "ink"),
        )
        for label, share, fill, ink in parts:
            if share < 1e-9:
                continue
            width = (right - left) * share
            sketch.box(place, top + 28, width - 3, 36, fill=fill)
            words = f"{label} {share:.1f}" if share > 0.15 else f"{share:.1f}"
            sketch.text(
                place + width / 2, top + 53, words.replace("0.", "."), fill=ink, at="middle"
            )
            place += width
    return sketch


STRENGTHS = (0.44, 0.45, 0.46, 0.47, 0.48, 0.49)
COUPLINGS: dict[str, Literal["independent", "exclusive", "comonotone"] | Copula] = {
    "exclusive": "exclusive",
    "independent": "independent",
    "correlated": Copula(0.7),
    "together": "comonotone",
}


def places() -> Sketch:
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
            np.mean([closed_form(task, Coupled(each, coupling)).precision for each in navigations])
            for coupling in COUPLINGS.values()
        ]
        return float(np.mean(published)), [float(value) for value in exact]

    by_prum, exact = means(RANKING)
    direct = means(RANKING[1:])[0]
    told = ", ".join(f"{name} {value:.3f}" for name, value in zip(COUPLINGS, exact, strict=True))
    sketch = Sketch(
        f"Mean precision of two systems. The gateway's, by how visits depend: {told}; PRUM has "
        f"{by_prum:.3f} for all. Direct has {direct:.3f} whatever the visits. The two change "
        "places between independent and correlated visits.",
        368,
    )
    left, right, top, bottom, low, high = 66, 620, 60, 300, 0.5, 0.75
    columns = [left + 64 + 142 * number for number in range(len(COUPLINGS))]

    def up(value: float) -> float:
        return bottom - (bottom - top) * (value - low) / (high - low)

    sketch.text(20, 36, "Mean precision of the two systems", bold=True)
    for step in range(50, 80, 5):
        sketch.line([(left, up(step / 100)), (right, up(step / 100))], stroke="rule", width=1)
        sketch.text(left - 10, up(step / 100) + 7, f".{step}", fill="soft", at="end")
    for x, name in zip(columns, COUPLINGS, strict=True):
        sketch.text(x, bottom + 28, name, fill="soft", at="middle")
    sketch.text(left, bottom + 52, "visits from the hub", fill="soft")
    points = [(x, up(value)) for x, value in zip(columns, exact, strict=True)]
    sketch.line([(left, up(direct)), (right, up(direct))], stroke="simulated", width=3)
    sketch.line([(left, up(by_prum)), (right, up(by_prum))], stroke="prum", dash="9 6", width=3)
    sketch.line(points, width=3)
    for x, y in points:
        sketch.dot(x, y, fill="ink")
    sketch.text(columns[0] + 16, points[0][1] + 2, "gateway, exact")
    sketch.text(right, up(by_prum) - 12, "gateway, PRUM", fill="prum", at="end")
    sketch.text(left + 8, up(direct) + 26, "direct", fill="simulated")
    return sketch


PICTURES = {"precision": precision, "visits": visits, "places": places}
OF_README = {"precision"}


def drawn() -> dict[str, str]:
    """Return every picture by the name of its file."""
    return {
        f"{name}{suffix}.svg": sketch.svg(style)
        for name, sketch in ((name, draw()) for name, draw in PICTURES.items())
        for suffix, style in styles().items()
        if not suffix or name in OF_README
    }


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name, text in drawn().items():
        (IMAGES / name).write_text(text, encoding="utf-8")
