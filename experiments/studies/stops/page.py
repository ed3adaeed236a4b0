"""What the page of the study of stops says."""

from typing import Any

from prum.experiments.report.page import Table
from prum.experiments.studies.stops import figure
from prum.experiments.studies.stops.wording import COLUMNS, cells, left_out, legend, title, told
from prum.experiments.studies.study import Study


def contents(study: Study) -> dict[str, Any]:
    """Return what the page says."""
    readings = study.found["readings"]
    best = sum(reading["verdict"]["parameters fitted"] == "best" for reading in readings)
    return {
        "title": "Study: where people stop, by their clicks",
        "headline": f"With parameters fitted, RR beats RBP and DCG in {best} of {len(readings)} "
        f"reading{'s' if len(readings) > 1 else ''} of the clicks.",
        "story": [
            "A measure of how good a list of results is assumes how far people read. Each of RBP, "
            "DCG and the reciprocal rank (RR) stands for a distribution of the rank at which they "
            "stop. Carterette (2011, section 4.1) held these against clicks, by eye, and found RR "
            "clearly the best. Here each is fitted by maximum likelihood and judged by stops that "
            "it has not seen. Beside them stands the Beta mixture: readers with different "
            "patience, of whom RR is one case and RBP a limit.",
            *(f"{title(reading)}. {' '.join(told(reading))}" for reading in readings),
        ],
        "caption": "P(k) by rank k, as fitted: linear (left) and logarithmic scale (right). Dots: "
        "share of clicks. Dashed: laws without parameter",
        "label": "Shares of clicks by rank, and stopping distributions fitted to them",
        "drawing": figure.stops(study),
        "notes": [*left_out(study), *legend(study)],
        "tables": [
            *(
                Table(title(reading), COLUMNS, cells(study, reading), num_left=2)
                for reading in readings
            ),
            *(_by_rank(reading) for reading in readings),
        ],
    }


def _by_rank(reading: dict[str, Any]) -> Table:
    """Return counts, shares and fitted probabilities."""
    laws = list(reading["fitted"])
    ranks = [str(k) for k in range(1, len(reading["counts"]) + 1)]
    if reading["beyond"] is not None:
        ranks[-1] = "later"
    columns = [reading["empirical"], *(reading["fitted"][law] for law in laws)]
    return Table(
        f"P(k) by rank: {title(reading)}",
        ("rank", "stops", "share", *laws),
        [
            [rank, f"{reading['counts'][at]:,}", *(f"{one[at]:.4f}" for one in columns)]
            for at, rank in enumerate(ranks)
        ],
    )
