"""The page of a study: one HTML document that needs nothing else, the same bytes each time."""

from collections.abc import Iterable, Mapping
from typing import Any

from prum.experiments.report.page import Table, check_installed, environment, style
from prum.experiments.studies import figures
from prum.experiments.studies.hypotheses_page import contents
from prum.experiments.studies.noisy_or import ROUNDING
from prum.experiments.studies.normal import ERRORS, LAWS, NAMES, PAPER_ERROR, PAPER_SIZE
from prum.experiments.studies.properties import page as properties_page
from prum.experiments.studies.robustness import page as robustness_page
from prum.experiments.studies.stops import page as stops_page
from prum.experiments.studies.study import Study
from prum.experiments.studies.utility import page as utility_page
from prum.experiments.studies.wording import number

_PROBABILITIES = {"pmf": "P(F = s)", "cdf": "P(F ≤ s)"}


def page(study: Study) -> str:
    """Return the page; styles and tables are those of the cross-check's page.

    Raises
    ------
    InputError
        if jinja2 or matplotlib is not installed.
    """
    check_installed()
    template = environment("prum.experiments.studies").get_template("page.html")
    told = {
        "normal": _normal,
        "noisy-or": _noisy_or,
        "hypotheses": contents,
        "properties": properties_page.contents,
        "robustness": robustness_page.contents,
        "stops": stops_page.contents,
        "utility": utility_page.contents,
    }[study.name](study)
    options = [(name, _listed(value)) for name, value in study.options.items()]
    return template.render(
        {
            **told,
            "style": style(),
            "command": study.command,
            "version": study.version,
            "options": options,
        }
    )


def _normal(study: Study) -> dict[str, Any]:
    """Return what the page says of the normal approximation."""
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
        told = {law: _interval(slopes[law, "pmf"], "slope", 3) for law in LAWS[:2]}
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
        f"{_interval(normal, 'mean', 4)} on average over {draws:,} random draws"
        + (f"; the paper reports {PAPER_ERROR:g}." if is_paper else "."),
        "story": story,
        "caption": f"Mean of the largest error over s of P(F = s), by m; {draws:,} draws each",
        "label": "Mean error of three laws over the number of ideals, on logarithmic axes",
        "drawing": figures.normal(study),
        "notes": [
            "Both scales are logarithmic. Bars are 95 % intervals of the mean over draws, mostly "
            "smaller than the marks. The slopes’ intervals carry the draws alone, not how far the "
            "points are from a line."
        ],
        "tables": tables,
    }


def _noisy_or(study: Study) -> dict[str, Any]:
    """Return what the page says of Hypothesis 2.3."""
    options, worst = study.options, study.found["worst"]
    r, num_tasks = worst["r"], len(study.rows) * options["draws"]
    largest = max(study.rows, key=lambda row: row["largest"])
    story = [
        f"Somebody goes down a list of {options['ranks']} results, each of which may link to some "
        "of t pages that he looks for; some of these are in the list themselves. He stops when he "
        "has seen r of them. Precision at r is the expected number of results that brought him "
        "something new, over the expected number that he consulted. PRUM computes it with a "
        "shortcut: knowing how many pages he has seen so far, it takes each of the others to turn "
        "up independently. That is not quite so: once their number is known, one page that has "
        "been seen makes it likelier that another has not. The value without the shortcut is "
        "known exactly, and PRUM is never above it.",
        "Tasks were made at random: a share of all pairs of result and page has a link (density), "
        "which leads there with a probability anywhere up to a limit (strength). Over "
        f"{options['draws']:,} tasks each, PRUM’s largest error over r was "
        f"{_interval(largest, 'largest', 4)} on average where it is greatest (t = {largest['t']}, "
        f"density {largest['density']:g}, strength {largest['strength']:g}). The shortcut "
        "errs only where one result leads to several pages: it is exact if none leads to more than "
        "one.",
    ]
    table = Table(
        "All points of the design",
        (
            "t", "density", "strength", "exact", "largest", "± 95 %", "mean", "± 95 %",
            "at r = t", "± 95 %", "worst", "its r",
        ),
        [
            [
                str(row["t"]), f"{row['density']:g}", f"{row['strength']:g}",
                number(row["exact"], 5),
                *(
                    number(value, 5)
                    for name in ("largest", "mean", "last")
                    for value in (row[name], row[f"{name}_high"] - row[name])
                ),
                number(row["worst"], 5), str(row["worst_r"]),
            ]
            for row in study.rows
        ],
    )  # fmt: skip
    curve = Table(
        f"The worst task: t = {worst['t']}, density {worst['density']:g}, strength "
        f"{worst['strength']:g}, draw {worst['draw']}",
        ("r", "PRUM", "exact", "difference"),
        [
            [str(at), f"{prum:.5f}", f"{exact:.5f}", number(prum - exact, 5)]
            for at, (prum, exact) in enumerate(
                zip(worst["prum"], worst["exact"], strict=True), start=1
            )
        ],
    )
    return {
        "title": "Study: what PRUM’s shortcut costs",
        "headline": f"PRUM is {_place(study)} the exact precision; it is below by "
        f"{abs(worst['error']):.4f} at most, in {num_tasks:,} random tasks.",
        "story": story,
        "caption": "|PRUM − exact|, its largest over r: mean over tasks (filled) and worst task "
        "(hollow), by the number of pages t",
        "label": "Largest error of PRUM over the number of ideals, by density and strength",
        "drawing": figures.noisy_or(study),
        "notes": [
            "Bars are 95 % intervals of the mean over tasks. The same random numbers serve every "
            "density and strength, so differences between these are surer than the bars say.",
            f"The worst task: PRUM {worst['prum'][r - 1]:.5f}, exact "
            f"{worst['exact'][r - 1]:.5f} at r = {r}; its matrix is in the JSON output. “Exact” "
            "is precision averaged over r and "
            "tasks; “at r = t” is PRUM − exact.",
        ],
        "tables": [curve, table],
    }


def _interval(row: Mapping[str, Any], name: str, digits: int) -> str:
    """Return a value with its interval."""
    low, high = (row.get(f"{name}_{end}", row.get(end)) for end in ("low", "high"))
    ends = " to ".join(number(float(str(end)), digits) for end in (low, high))
    return f"{number(row[name], digits)} ({ends})"


def _place(study: Study) -> str:
    """Say what was found of the bound, which only a wrong program would break."""
    highest = study.found["highest"]
    return "never above" if highest <= ROUNDING else f"by up to {highest:.1g} above"


def _errors(row: Mapping[str, Any]) -> list[str]:
    """Return mean error, half its interval, and the largest error."""
    half = row["high"] - row["mean"]
    texts = (f"{row['mean']:.4g}", f"{half:.1g}", f"{row['largest']:.4g}")
    return [text.replace("-", "−") for text in texts]


def _listed(value: Any) -> str:
    """Return an option's value for people."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(_listed(one) for one in value)
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
