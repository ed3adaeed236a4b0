"""What thresholds cost: precision and recall beside ADM.

Systems estimate a relevance between 0 and 1. The study shows how precision, recall and their mean
at thresholds of 1/2, and the average distance measure, react to small and to large errors, and how
many queries each needs to tell two systems apart. It samples documents for ADM. After Mizzaro 2001.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.analytic.adm import adm, threshold_measures
from prum.experiments.frame.design import Design, Seed, draws_of, option
from prum.experiments.frame.study import Advance, Study
from prum.experiments.studies.thresholds.parts import (
    JITTERS,
    SAMPLED,
    draw_queries,
    estimates,
    jittered,
    mean_of,
    moved_thresholds,
    powers,
    pushed,
    row,
    scores,
    variances,
)
from prum.experiments.studies.thresholds.runs import (
    of_runs,
    planes,
    read_runs,
)
from prum.experiments.studies.thresholds.view import view
from prum.simulator import InputError
from prum.simulator.model.errors import whole_number

# Errors of the systems whose scores are compared, in units of the first.
SYSTEMS = tuple(np.linspace(0.5, 1.5, 7).tolist())
# Experiments are drawn from so many queries for each of the study.
_POOL = 20
_DESIGNS = 6
_LEAST, _MOST_QUERIES = 10, 5_000
# What fits into a gigabyte or two: estimates, of the pool of queries too, and scores by draw.
_MOST_ESTIMATES, _MOST_SCORES = 1_000_000, 2**26
_MOST_DOCUMENTS = _MOST_ESTIMATES // _LEAST
_SAY = "take 200 queries and 500 documents, say"
_SMALLER = "give the better system the smaller error"
_FIRST = (0.8, 0.6, 0.4, 0.2, 0.1)
# Figure 5 of Mizzaro (2001) has no coordinates: of its table 2 these are points that give the
# figures.
_SMALL, _BIG = (0.68, 0.67, 0.33), (1.0, 0.5)
# Its tables 1 and 2: table, system, URE, SRE, and P, R, E and ADM as printed.
PRINTED = (
    ("1", "IRS1", _FIRST, (0.9, 0.5, 0.5, 0.1, 0.2), (0.67, 1, 0.84, 0.9)),
    ("1", "IRS2", _FIRST, (1.0, 0.4, 0.6, 0.0, 0.3), (0.5, 0.5, 0.5, 0.8)),
    ("1", "IRS3", _FIRST, (0.8, 0.6, 0.4, 0.2, 1.0), (0.67, 1, 0.84, 0.8)),
    ("2 (a)", "IRS1", _SMALL, (0.51, 0.51, 0.51), (0.67, 1, 0.84, 0.83)),
    ("2 (a)", "IRS2", _SMALL, (0.51, 0.49, 0.49), (1, 0.5, 0.75, 0.83)),
    ("2 (a)", "IRS3", _SMALL, (0.51, 0.49, 0.502), (0.5, 0.5, 0.5, 0.826)),
    ("2 (b)", "IRS1", _BIG, _BIG, (1, 1, 1, 1)),
    ("2 (b)", "IRS2", _BIG, (0.5, 1.0), (1, 1, 1, 0.5)),
)


class ThresholdsDesign(Design):
    """Options of the study of thresholds.

    `error` and `worse` are the dials of two systems; the first is better, and alone in all parts
    but `power`.
    """

    queries: int = option(200, "Simulated queries.", least=_LEAST, most=_MOST_QUERIES, remedy=_SAY)
    documents: int = option(
        500, "Documents of each query.", least=_LEAST, most=_MOST_DOCUMENTS, remedy=_SAY
    )
    draws: int = option(200, draws_of("jitters and samples of documents"))
    error: float = option(
        0.9,
        "How far a system's estimates are off, on the scale of log odds.",
        "X",
        above=0,
        remedy=_SMALLER,
    )
    worse: float = option(1.1, "The same for a worse system.", "X", above=0, remedy=_SMALLER)
    runs: tuple[str, ...] = option(
        (),
        "TREC runs of your own, or folders of them, ranked by ADM as well.",
        "FILE",
        file="input",
        singular="run",
    )
    qrels: str | None = option(
        None, "Judgements for --run: grades, relevance in [0, 1] or preferences.", file="input"
    )
    collection_size: int | None = option(
        None, "Number of documents in their collection.", "N", least=1, remedy="count it"
    )
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        given = (bool(self.runs), self.qrels is not None, self.collection_size is not None)
        if any(given) and not all(given):
            remedy = "give --run FILE, --qrels FILE and --collection-size N, or none of them"
            files = (*self.runs, self.qrels, self.collection_size)
            raise InputError("files", files, "be runs and qrels, with a size", remedy=remedy)
        remedy = f"with {self.queries} queries more need too much memory"
        most = _MOST_ESTIMATES // self.queries
        whole_number("documents", self.documents, least=_LEAST, most=most, remedy=remedy)
        most = _MOST_SCORES // self.queries
        whole_number("draws", self.draws, least=2, most=most, remedy=remedy)
        if self.worse <= self.error:
            rule = f"be more than error, {self.error:g}"
            raise InputError("worse", self.worse, rule, remedy=_SMALLER)


def compute(design: ThresholdsDesign, progress: Advance) -> tuple[Any, SimpleNamespace]:
    """Return the rows of all parts, on the same queries but for `power`.

    Mizzaro (2001) says of precision and recall at thresholds that small differences between systems
    can change them much and large ones not at all; that ADM, the mean distance of estimates, has
    neither fault; and that with it "there is no more need for many queries". Queries and systems
    come from the model of `prum.experiments.studies.thresholds.parts`. Parts of the study, and of
    its rows:

        jitter      a system's estimates moved at random by up to e: spread of each measure
        threshold   the thresholds moved from .3 to .7
        push        estimates moved away from the user's, none across a threshold
        variance    spread over queries, and over seven systems with .5 to 1.5 times the error
        power       queries by which a paired t-test tells two systems apart
        sample      ADM estimated from some judged documents
        runs        ADM of one's own runs, where they are given, beside AP and nDCG; and where their
                    documents lie in the plane of the user's and the system's estimates

    Besides, what the paper's tables print, what the definitions give, and the ADM of a system that
    gives 0 to all documents.
    """
    import pandas as pd

    queries, documents, draws = design.queries, design.documents, design.draws
    rng = np.random.default_rng(design.seed)
    work, done = draws * (len(JITTERS) + len(SAMPLED) * _DESIGNS), 0

    def advance(steps: int = 1) -> None:
        nonlocal done
        done += steps
        progress(done / work)

    drawn = draw_queries(queries, documents, rng)
    ure, sre = drawn.ure, drawn.system(design.error, rng)
    quantities = [
        *jittered(sre, ure, draws, rng, advance),
        *moved_thresholds(sre, ure),
        *pushed(sre, ure),
        *variances(
            np.stack([scores(drawn.system(design.error * factor, rng), ure) for factor in SYSTEMS])
        ),
    ]
    pool = draw_queries(_POOL * queries, documents, rng)
    better, worse = (
        scores(pool.system(error, rng), pool.ure) for error in (design.error, design.worse)
    )
    quantities += powers(better, worse, rng)
    quantities += estimates(sre, ure, draws, rng, lambda: advance(draws))
    quantities.append(row("variance", "0 to all", "ADM", "mean", mean_of(1 - ure.mean(axis=1))))
    own: list[Any] = []
    if design.qrels is not None and design.collection_size is not None:
        runs, names, judged = read_runs(design.runs, design.qrels)
        quantities += of_runs(runs, judged, design.collection_size, rng)
        own = list(planes(runs, names, judged, design.collection_size))
    progress(1.0)
    frame = pd.DataFrame(map(vars, quantities), dtype=object)
    return frame, SimpleNamespace(printed=recomputed(), planes=own)


def recomputed() -> list[Any]:
    """Return P, R, E, ADM of each system of the paper's tables, as printed and by definition."""
    return [
        SimpleNamespace(
            table=table,
            system=system,
            printed=printed,
            computed=(cut.precision, cut.recall, cut.e, adm(sre, ure)),
        )
        for table, system, ure, sre, printed in PRINTED
        for cut in [threshold_measures(sre, ure)]
    ]


THRESHOLDS = Study("thresholds", __doc__, ThresholdsDesign, None, compute, view)
