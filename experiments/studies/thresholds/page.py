"""What the page of the study of thresholds says."""

from typing import Any

from prum.experiments.report.page import Table
from prum.experiments.studies.study import Study
from prum.experiments.studies.thresholds.claims import verdicts
from prum.experiments.studies.thresholds.figure import spreads_and_powers
from prum.experiments.studies.thresholds.wording import NOTES, tables


def contents(study: Study) -> dict[str, Any]:
    """Return what the page says."""
    first, *others = verdicts(study)
    return {
        "title": "Study: what thresholds cost",
        "headline": first,
        "story": [
            "Relevance can be a matter of degree, and a system can show how relevant it takes a "
            "document to be. Precision and recall cut both at a threshold: what is above counts "
            "whole, what is below not at all. Mizzaro (2001) measures the mean distance between "
            "what the system shows and what the user finds instead, ADM.",
            "He says that precision and recall change much when estimates near a threshold change "
            "a little, and do not change when others change a lot; and that ADM, free of both "
            "faults, needs few queries. Here this is tried on simulated queries, in which most "
            "documents have little relevance, and systems that are more or less wrong.",
            *others,
        ],
        "caption": "How far estimates that move by up to e move each measure, in its own units "
        "(left) and beside the gap between two systems (middle); how often an experiment tells the "
        "two apart (right)",
        "label": "Spread of measures over e, and power over the number of queries",
        "drawing": spreads_and_powers(study),
        "notes": list(NOTES),
        "tables": [
            Table(told.title, told.header, told.rows, num_left=told.num_left)
            for told in tables(study)
        ],
    }
