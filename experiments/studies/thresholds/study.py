"""What thresholds cost: P, R and E beside ADM, on simulated estimates of continuous relevance.

Mizzaro (2001) says of precision and recall at thresholds that small differences between systems can
change them much and large ones not at all; that ADM, the mean distance of estimates, has neither
fault; and that with it "there is no more need for many queries". Queries and systems come from the
model of `prum.experiments.studies.thresholds.model`. Parts of the study, and of its rows:

    jitter      a system's estimates moved at random by up to e: spread of each measure
    threshold   the thresholds moved from .3 to .7
    push        estimates moved away from the user's, none across a threshold
    variance    spread over queries, and over seven systems with .5 to 1.5 times the error
    power       queries by which a paired t-test tells two systems apart
    sample      ADM estimated from some judged documents

Besides, what the paper's tables print, what the definitions give, and the ADM of a system that
gives 0 to all documents.
"""

import numpy as np

from prum.experiments.studies.study import (
    Advance,
    Study,
    checked_draws,
    checked_seed,
    command_of,
)
from prum.experiments.studies.thresholds.model import draw_queries
from prum.experiments.studies.thresholds.power import powers, variances
from prum.experiments.studies.thresholds.printed import figures
from prum.experiments.studies.thresholds.rows import mean_of, row
from prum.experiments.studies.thresholds.samples import NUMBERS, estimates
from prum.experiments.studies.thresholds.scoring import scores
from prum.experiments.studies.thresholds.spreads import JITTERS, jittered, moved_thresholds, pushed
from prum.simulator.model import InputError
from prum.simulator.model.errors import whole_number

QUERIES, DOCUMENTS, DRAWS = 200, 500, 200
ERROR, WORSE = 0.9, 1.1
# Errors of the systems whose scores are compared, in units of the first.
SYSTEMS = tuple(np.linspace(0.5, 1.5, 7).tolist())
# Experiments are drawn from so many queries for each of the study.
_POOL = 20
_DESIGNS = 6
# What fits into a gigabyte or two: of the pool of queries, too.
_MOST_QUERIES, _MOST_ESTIMATES = 5_000, 1_000_000


def study_thresholds(
    *,
    queries: int = QUERIES,
    documents: int = DOCUMENTS,
    draws: int = DRAWS,
    error: float = ERROR,
    worse: float = WORSE,
    seed: int = 1,
    progress: Advance = lambda _: None,
) -> Study:
    """Return the study.

    Parameters
    ----------
    queries, documents
        Simulated queries, and documents of each.
    draws
        Jitters for each e, and samples for each design, number of documents and query.
    error, worse
        The dials of two systems; the first is better, and alone in all parts but `power`.

    Raises
    ------
    InputError
        for fewer than 10 queries or documents, 2 draws, more than memory holds, and dials that are
        not 0 < error < worse.
    """
    queries = whole_number("queries", queries, least=10, most=_MOST_QUERIES, remedy="take 200, say")
    most = _MOST_ESTIMATES // queries
    remedy = f"take 500, say; with {queries} queries they fit into memory"
    documents = whole_number("documents", documents, least=10, most=most, remedy=remedy)
    draws, seed = checked_draws(draws, size=queries), checked_seed(seed)
    if not 0 < error < worse < np.inf:
        raise InputError(
            "error and worse", (error, worse), "be finite, with 0 < error < worse",
            remedy="give the better system the smaller error",
        )  # fmt: skip
    rng = np.random.default_rng(seed)
    advance = _Steps(progress, draws * len(JITTERS) + draws * len(NUMBERS) * _DESIGNS)
    drawn = draw_queries(queries, documents, rng)
    ure, sre = drawn.ure, drawn.system(error, rng)
    rows = [
        *jittered(sre, ure, draws, rng, advance),
        *moved_thresholds(sre, ure),
        *pushed(sre, ure),
        *variances(
            np.stack([scores(drawn.system(error * factor, rng), ure) for factor in SYSTEMS])
        ),
    ]
    pool = draw_queries(_POOL * queries, documents, rng)
    rows += powers(
        scores(pool.system(error, rng), pool.ure), scores(pool.system(worse, rng), pool.ure), rng
    )
    rows += estimates(sre, ure, draws, rng, lambda: advance(draws))
    rows.append(row("variance", "0 to all", "ADM", "mean", mean_of(1 - ure.mean(axis=1))))
    progress(1.0)
    options = {
        "queries": queries,
        "documents": documents,
        "draws": draws,
        "error": error,
        "worse": worse,
        "seed": seed,
    }
    defaults = {
        "queries": QUERIES, "documents": DOCUMENTS, "draws": DRAWS, "error": ERROR, "worse": WORSE,
    }  # fmt: skip
    return Study(
        name="thresholds",
        options=options,
        rows=tuple(rows),
        found={"printed": list(figures())},
        command=command_of("thresholds", options, defaults),
    )


class _Steps:
    """Tell of progress by steps of equal work."""

    def __init__(self, progress: Advance, number: int) -> None:
        self._progress, self._number, self._done = progress, number, 0

    def __call__(self, steps: int = 1) -> None:
        self._done += steps
        self._progress(self._done / self._number)
