"""What the page of the study of realism says."""

from typing import Any

from prum.experiments.crosscheck.page import PageTable
from prum.experiments.studies.realism.figure import shares
from prum.experiments.studies.realism.wording import (
    CHANGES,
    FITS,
    SAMPLES,
    change_cells,
    distance_cells,
    distance_columns,
    fit_cells,
    headline,
    labels,
    notes,
    sample_cells,
    verdict,
)
from prum.experiments.studies.study import WrittenStudy


def contents(study: WrittenStudy) -> dict[str, Any]:
    """Return what the page says."""
    fitted = study.found["fit"] is not None
    tables = list[PageTable]()
    if fitted:
        tables = [
            PageTable("Distances before and after", FITS, fit_cells(study)),
            PageTable("Dials", CHANGES, change_cells(study), num_left=3, last_left=True),
        ]
    for label in labels(study):
        columns, distances = distance_columns(study, label), distance_cells(study, label)
        tables.append(PageTable(f"Distances of A and {label}", columns, distances, num_left=2))
        tables.append(PageTable(f"Samples, A and {label}", SAMPLES, sample_cells(study, label)))
    return {
        "title": "Study: are made data like real data?",
        "headline": headline(study),
        "story": [
            f"A is {study.found['a']}, B is {study.found['b']}. Whatever both have is told by "
            "samples of numbers: links of pages, shapes of trees, ideals and lists of topics, what "
            "people did. Of each sample the figure shows which share of the values is at most x.",
            *([] if not fitted else [
                "B is a specification: its dials were fitted to A. Those that A tells were read "
                "off, the others searched by making small collections. Both the collection as "
                "specified and the fitted one were made again, with another seed, and compared."
            ]),
            *(f"A and {label}: {verdict(study, label)}" for label in labels(study) if fitted),
        ],
        "caption": "Share of values up to x. A black"
        + (", B as given orange and dashed, fitted blue" if fitted else ", B orange and dashed"),
        "label": "Empirical distribution functions of both sides, a panel for each statistic",
        "drawing": shares(study),
        "notes": notes(study),
        "tables": tables,
    }  # fmt: skip
