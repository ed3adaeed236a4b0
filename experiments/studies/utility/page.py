"""What the page of the study of utility says."""

from typing import Any

from prum.experiments.report.page import Table
from prum.experiments.studies.study import Study
from prum.experiments.studies.utility.figure import laws
from prum.experiments.studies.utility.wording import HEADER, NOTES, parts_of, summary


def contents(study: Study) -> dict[str, Any]:
    """Return what the page says."""
    return {
        "title": "Study: measures as users who stop",
        "headline": summary(study),
        "story": [
            "Somebody goes down a list of search results and stops somewhere. How good was the "
            "list for him? Carterette (2011) reads fifteen measures, average precision and DCG "
            "among them, as one question: where do people stop, and what do they have by then, "
            "the last document, all relevant ones, little effort, or much for little effort?",
            "Each measure is a formula. Here people are simulated who know no formula: they toss "
            "a coin after each result, or look for one document and stop where they find it. What "
            "they have on average stands beside the formula, also for people who follow links, who "
            "differ in patience, who compare documents with each other, or who mean different "
            "things by one query.",
        ],
        "caption": "The six distributions on the plain list: formula (lines) and users (marks)",
        "label": "Stopping and viewing probabilities over ranks",
        "drawing": laws(study),
        "notes": list(NOTES),
        "tables": [Table(part, HEADER, rows, num_left=3) for part, rows in parts_of(study).items()],
    }
