"""What the page of the study of properties says."""

from typing import Any

from prum.experiments.report.page import Table
from prum.experiments.studies.properties.table import FOOTNOTES
from prum.experiments.studies.properties.wording import (
    LEGEND,
    agreements,
    cells,
    counterexamples,
    differences,
    measures_of,
)
from prum.experiments.studies.study import Study


def contents(study: Study) -> dict[str, Any]:
    """Return what the page says."""
    verdicts = study.found["verdicts"]
    compared = [one for one in verdicts if one["paper"] is not None]
    differ = differences(study)
    names = measures_of(study)
    return {
        "title": "Study: what measures of structured retrieval do and do not",
        "headline": f"Of the {len(compared)} cells of the paper’s Table IV, read as its authors "
        f"explain them, computation gives the same for {len(compared) - len(differ)}.",
        "story": [
            "Search results may be parts of documents, and parts hold each other. A measure of how "
            "good a list is should know what to make of that: of a result next to what was wanted "
            "(a near miss), of one that was shown before inside another (overlap), of one that "
            "leads to several (a best entry point). The authors of PRUM tell in a table, by "
            "argument, which measure does what.",
            "Here every cell is decided by computation: two lists of which one ought to score "
            "higher, simulated users whose mean the measure claims to be, or a search of "
            f"{study.options['draws']:,} random tasks for a counter-example. A search that finds "
            "none proves nothing.",
            *differ,
            "What a check asks decides some cells. Each list has one number here, GR that at its "
            "end: read at every rank it would know precision, too. A result counts as shown "
            "before (overlap) where all users have seen it; where some have not, PRUM pays for "
            "showing it to them. That what xCG finds hangs on the order of overlapping results "
            "counts against its recall base, not its overlap.",
        ],
        "drawing": None,
        "notes": [
            *LEGEND,
            f"Footnotes of the paper: {'; '.join(FOOTNOTES)}.",
            *agreements(study),
        ],
        "tables": [
            Table(
                "Which measure has which property",
                ("property", *names),
                cells(study),
            ),
            Table(
                "Counter-examples",
                ("property", "check", "expected", "found"),
                [
                    [one.asked, one.check, one.expected, text]
                    for one in counterexamples(study)
                    for text in one.found
                ],
                num_left=4,
            ),
            Table(
                "Topics (element:words, parts in brackets)",
                ("topic", "what it is"),
                [[name, text] for name, text in study.found["topics"].items()],
                num_left=2,
            ),
        ],
    }
