"""What the page of the study of Hypothesis 2.3 says."""

from typing import Any

from prum.experiments.report.page import Table
from prum.experiments.studies.noisy_or import figure
from prum.experiments.studies.noisy_or.study import ROUNDING
from prum.experiments.studies.study import Study
from prum.experiments.studies.wording import interval, number


def contents(study: Study) -> dict[str, Any]:
    """Return what the page says."""
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
        f"{interval(largest, 'largest', 4)} on average where it is greatest (t = {largest['t']}, "
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
        "drawing": figure.noisy_or(study),
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


def _place(study: Study) -> str:
    """Say what was found of the bound, which only a wrong program would break."""
    highest = study.found["highest"]
    return "never above" if highest <= ROUNDING else f"by up to {highest:.1g} above"
