"""What the page of the study of the normal law says."""

from collections.abc import Mapping
from typing import Any

from prum.experiments.report.page import Table
from prum.experiments.studies.normal import figure
from prum.experiments.studies.normal.study import ERRORS, LAWS, NAMES, PAPER_ERROR, PAPER_SIZE
from prum.experiments.studies.study import Study
from prum.experiments.studies.wording import interval, number

_PROBABILITIES = {"pmf": "P(F = s)", "cdf": "P(F ≤ s)"}


def contents(study: Study) -> dict[str, Any]:
    """Return what the page says."""
    draws, sizes = study.options["draws"], study.options["sizes"]
    m = PAPER_SIZE if PAPER_SIZE in sizes else sizes[0]
    means = {(row["law"], row["m"], row["error"]): row for row in study.rows}
    normal, refined = (means[law, m, "pmf"] for law in ("normal", "refined normal"))
    is_paper = m == PAPER_SIZE and study.options["power"] == 1
    drawn = (
        "uniformly between 0 and 1"
        if study.options["power"] == 1
        else f"as uniform numbers to the power {study.options['power']:g}, so that "
        + ("most are small" if study.options["power"] > 1 else "most are large")
    )
    slopes = {(slope["law"], slope["error"]): slope for slope in study.found["slopes"]}
    story = [
        "Somebody reads a list of search results and follows links from it. Each of m pages that "
        "he looks for is found with a probability of its own, independently of the others. How "
        "many will he have found, F? The exact distribution of F is known, but takes m² steps to "
        "compute. A bell curve with the same mean and variance, cut into cells of width 1 around "
        "the whole numbers, takes m steps; the authors of PRUM used it in their program wherever "
        f"m was above {PAPER_SIZE}. Is it close enough?",
        f"To find out, m probabilities were drawn {drawn}, {draws:,} times for each m. The error "
        "of a draw is the largest difference, over all s, between the exact and the approximate "
        "probability that F = s.",
    ]
    if slopes:
        told = {law: interval(slopes[law, "pmf"], "slope", 3) for law in LAWS[:2]}
        story.append(
            f"The mean error shrinks like m to the power {told['normal']}. Correcting the bell "
            f"curve for skewness divides the error at m = {m} by "
            f"{normal['mean'] / refined['mean']:.1f} (power {told['refined normal']}). The Poisson "
            "law, which needs nothing but the mean and suits rare events only, is shown for "
            "contrast."
        )
    if is_paper and study.found["conventions"]:
        num = sum(round(one["mean"], 2) == PAPER_ERROR for one in study.found["conventions"])
        story.append(
            f"The paper reports {PAPER_ERROR:g}, in one digit and without saying whether of "
            f"P(F = s) or of P(F ≤ s); {num} of the readings in the last table round to it."
        )
    tables = [
        Table(
            f"Largest error over s of {_PROBABILITIES[error]}, mean over {draws:,} draws",
            ("m", *(text for law in LAWS for text in (NAMES[law], "± 95 %", "largest"))),
            [
                [str(size), *(text for law in LAWS for text in _errors(means[law, size, error]))]
                for size in sizes
            ],
        )
        for error in ERRORS
    ]
    if slopes:
        tables.append(
            Table(
                "Slope of log mean error on log m",
                ("law", "probability", "slope", "± 95 %", "from m =", "to m ="),
                [
                    [
                        NAMES[one["law"]],
                        _PROBABILITIES[one["error"]],
                        number(one["slope"], 4),
                        number(one["high"] - one["slope"], 4),
                        str(one["least_m"]),
                        str(one["greatest_m"]),
                    ]
                    for one in slopes.values()
                ],
                num_left=2,
            )
        )
    if study.found["conventions"]:
        tables.append(
            Table(
                f"Readings of the paper’s error at m = {PAPER_SIZE}",
                ("largest absolute difference over s", "mean", "± 95 %", "largest"),
                [[one["convention"], *_errors(one)] for one in study.found["conventions"]],
            )
        )
    return {
        "title": "Study: a bell curve for the number of pages found",
        "headline": f"With {m} pages the bell curve’s largest error is "
        f"{interval(normal, 'mean', 4)} on average over {draws:,} random draws"
        + (f"; the paper reports {PAPER_ERROR:g}." if is_paper else "."),
        "story": story,
        "caption": f"Mean of the largest error over s of P(F = s), by m; {draws:,} draws each",
        "label": "Mean error of three laws over the number of ideals, on logarithmic axes",
        "drawing": figure.normal(study),
        "notes": [
            "Both scales are logarithmic. Bars are 95 % intervals of the mean over draws, mostly "
            "smaller than the marks. The slopes’ intervals carry the draws alone, not how far the "
            "points are from a line."
        ],
        "tables": tables,
    }


def _errors(row: Mapping[str, Any]) -> list[str]:
    """Return mean error, half its interval, and the largest error."""
    half = row["high"] - row["mean"]
    texts = (f"{row['mean']:.4g}", f"{half:.1g}", f"{row['largest']:.4g}")
    return [text.replace("-", "−") for text in texts]
