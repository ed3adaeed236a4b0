"""The study of thresholds on runs and judgements of one's own (Mizzaro 2001, section 5)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from prum.experiments.statistics.multiplicity import LEVEL, holm
from prum.experiments.statistics.tests import mean_and_error, p_of_means
from prum.experiments.studies.thresholds.model import MEASURES, THRESHOLD, scores
from prum.experiments.studies.thresholds.power import difference_of, needs
from prum.experiments.studies.thresholds.rows import (
    Quantity,
    RunRow,
    Valued,
    deviation_of,
    mean_of,
    row,
    with_values,
)
from prum.experiments.studies.thresholds.runs import Estimates, RunDocuments
from prum.experiments.studies.thresholds.spreads import (
    JITTERS,
    cut_scores,
    jittered,
    means_at_thresholds,
    moved_thresholds,
    pushed,
)
from prum.simulator.model.arrays import Flags, Floats

MEASURES_OF_RUNS = (*MEASURES, "F1")
# Regions of figure 4 (b) by whether a document is retrieved and whether it is relevant.
SECTORS = {"A": (True, False), "B": (True, True), "C": (False, False), "D": (False, True)}
BINS = 20
# All pairs of so many runs are told apart; of more the first from each other.
MOST_PAIRED = 12


@dataclass(frozen=True, slots=True)
class TopicScores:
    """What a run scores on a topic, at thresholds of 1/2; None is no value."""

    run: str
    topic: str
    documents: int
    relevant: int
    scores: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Changed:
    """Two runs that two measures order differently: the mean differences, run less other.

    Both differences are significant.
    """

    run: str
    other: str
    measure: str
    difference: float
    against: str
    difference_against: float


@dataclass(frozen=True, slots=True)
class PlaneCell:
    """How many documents have such a URE, and an SRE in the twentieth with this centre."""

    run: str
    ure: float
    sre: float
    documents: int


@dataclass(frozen=True, slots=True)
class RunFindings:
    """Beside the rows: documents, scores by topic, pairs in another order, the URE-SRE plane.

    `ahead` is the run whose ADM is significantly higher than that of every other, if there is one.
    """

    topics: tuple[str, ...]
    documents: tuple[RunDocuments, ...]
    scores: list[TopicScores]
    changed: list[Changed]
    ahead: str | None
    cells: list[PlaneCell]


def of_runs(
    estimates: Estimates, draws: int, seed: int, progress: Callable[[float], object]
) -> tuple[list[RunRow], RunFindings]:
    """Return rows and findings of each run, of pairs of runs, and of all of them."""
    rng = np.random.default_rng(seed)
    names, ure = estimates.runs, estimates.ure
    rows, cells, tables = list[RunRow](), list[PlaneCell](), list[Floats]()
    pairs = list(_pairs(len(names)))
    steps = len(names) * draws * len(JITTERS) + len(pairs) * draws
    done = 0

    def advance(number: int = 1) -> None:
        nonlocal done
        done += number
        progress(done / steps)

    for run, (name, documents) in enumerate(zip(names, estimates.documents, strict=True)):
        sre, own = estimates.of(run)
        by_topic = scores(sre, ure, measures=MEASURES_OF_RUNS)
        by_cut = cut_scores(sre, ure, MEASURES_OF_RUNS)
        tables.append(by_topic)
        quantities = (
            *_counts(documents),
            *_sectors(sre, ure),
            *_spread(by_topic),
            *jittered(sre, ure, draws, rng, advance, measures=MEASURES_OF_RUNS, moves=own),
            *moved_thresholds(by_cut, MEASURES_OF_RUNS),
            *means_at_thresholds(by_cut, MEASURES_OF_RUNS),
            *pushed(sre, ure, measures=MEASURES_OF_RUNS, moves=own),
        )
        rows += _rows(quantities, name)
        cells += _cells(name, sre, ure)
    table = np.stack(tables)
    rows += _rows(_over_runs(table))
    for one, two in pairs:
        rows += _rows(_apart(table[one], table[two], rng), names[one], names[two])
        advance(draws)
    means, decided = _differences(table)
    rows += _rows(_orders(np.where(decided, means, 0)))
    progress(1.0)
    findings = RunFindings(
        estimates.topics,
        estimates.documents,
        list(_scores(estimates, table)),
        list(_changed(names, means, decided)),
        _ahead(names, means, decided),
        cells,
    )
    return rows, findings


def _pairs(number: int) -> Iterable[tuple[int, int]]:
    if number <= MOST_PAIRED:
        return combinations(range(number), 2)
    return ((0, other) for other in range(1, number))


def _rows(quantities: Iterable[Quantity], run: str = "", other: str = "") -> Iterator[RunRow]:
    for quantity in quantities:
        yield RunRow(*quantity[:-1], run=run, other=other, topics=quantity.queries)


def _counts(documents: RunDocuments) -> Iterator[Quantity]:
    for name in ("listed", "unjudged", "unlisted"):
        yield row("documents", "", "", name, Valued(getattr(documents, name)))
    yield row("documents", "", "", "topics without a list", Valued(len(documents.lacks)))


def _sectors(sre: Floats, ure: Floats) -> Iterator[Quantity]:
    """Yield the shares of documents in the regions of figure 4 (b), in the mean over topics."""
    shown, wanted, there = sre >= THRESHOLD, ure >= THRESHOLD, ~np.isnan(ure)
    for sector, (is_shown, is_wanted) in SECTORS.items():
        inside = (shown == is_shown) & (wanted == is_wanted) & there
        shares = inside.sum(axis=1) / there.sum(axis=1)
        yield row("sector", sector, "", "share of documents", mean_of(shares))


def _spread(by_topic: Floats) -> Iterator[Quantity]:
    for number, measure in enumerate(MEASURES_OF_RUNS):
        values = by_topic[:, number]
        missing = Valued(float(np.isnan(values).mean()), queries=len(values))
        yield row("variance", "", measure, "mean", mean_of(values))
        yield row("variance", "", measure, "sd over queries", deviation_of(values))
        yield row("variance", "", measure, "no value", missing)


def _over_runs(table: Floats) -> Iterator[Quantity]:
    """Yield how much means vary over runs, on the topics that have a value of all."""
    if len(table) > 1:
        for number, measure in enumerate(MEASURES_OF_RUNS):
            known = with_values(table[:, :, number])
            over = Valued(float(known.mean(axis=1).std(ddof=1)), queries=known.shape[1])
            yield row("variance", "", measure, "sd over systems", over)


def _apart(one: Floats, two: Floats, rng: np.random.Generator) -> Iterator[Quantity]:
    """Yield what it takes to tell which of two runs is better, by each measure.

    Which one is better is taken from the same topics; a difference is still that of the first less
    the second. Where no two scores differ, no number of topics is enough; where fewer than two
    topics have a value, none is known.
    """
    for number, measure in enumerate(MEASURES_OF_RUNS):
        apart = one[:, number] - two[:, number]
        known = apart[~np.isnan(apart)]
        yield from difference_of(measure, known)
        if len(known) > 1 and known.any():
            share = len(known) / len(apart)
            yield from needs(measure, known if known.mean() >= 0 else -known, share, rng)


def _differences(table: Floats) -> tuple[Floats, Flags]:
    """Return mean differences of each two runs, (runs, runs, measures), and which are significant.

    On the topics on which both have a value; nan if there is none. Student's paired t, by Holm's
    method over all pairs and measures.
    """
    num_runs, _, num_measures = table.shape
    differences = np.zeros((num_runs, num_runs, num_measures))
    decided = np.zeros(differences.shape, dtype=np.bool_)
    places, p = list[tuple[int, int, int]](), list[float | None]()
    for one, two in combinations(range(num_runs), 2):
        for measure in range(num_measures):
            apart = table[one, :, measure] - table[two, :, measure]
            known = apart[~np.isnan(apart)]
            mean, error = mean_and_error(known)
            differences[one, two, measure], differences[two, one, measure] = mean, -mean
            if len(known) > 1:
                places.append((one, two, measure))
                p.append(float(p_of_means(mean, error, np.array(float(len(known))))))
    for (one, two, measure), adjusted in zip(places, holm(p), strict=True):
        is_decided = adjusted is not None and adjusted <= LEVEL
        decided[one, two, measure] = decided[two, one, measure] = is_decided
    return differences, decided


def _orders(differences: Floats) -> Iterator[Quantity]:
    """Yield how many pairs of runs measures tell apart, both of two, and in another order."""
    first, second = np.triu_indices(len(differences), 1)
    if not first.size:
        return
    signs = np.sign(differences[first, second])
    for number, measure in enumerate(MEASURES_OF_RUNS):
        told_apart = Valued(int(np.count_nonzero(signs[:, number])))
        yield row("order", "", measure, "pairs told apart", told_apart)
    for one, two in combinations(range(len(MEASURES_OF_RUNS)), 2):
        agree = signs[:, one] * signs[:, two]
        values = {
            "pairs": len(first),
            "pairs both tell apart": int(np.count_nonzero(agree)),
            "pairs in another order": int((agree < 0).sum()),
        }
        for name, value in values.items():
            yield row("order", MEASURES_OF_RUNS[two], MEASURES_OF_RUNS[one], name, Valued(value))


def _changed(names: tuple[str, ...], differences: Floats, decided: Flags) -> Iterator[Changed]:
    """Yield the pairs that another measure orders differently than ADM."""
    last = MEASURES_OF_RUNS.index("ADM")
    for one, two in combinations(range(len(names)), 2):
        apart, known = differences[one, two].tolist(), decided[one, two].tolist()
        for measure, difference, is_known in zip(MEASURES_OF_RUNS, apart, known, strict=True):
            if is_known and known[last] and difference * apart[last] < 0:
                yield Changed(names[one], names[two], measure, difference, "ADM", apart[last])


def _ahead(names: tuple[str, ...], differences: Floats, decided: Flags) -> str | None:
    """Return the run whose ADM is significantly higher than that of every other run."""
    adm = MEASURES_OF_RUNS.index("ADM")
    above = (differences[..., adm] > 0) & decided[..., adm]
    first = [name for name, row in zip(names, above, strict=True) if row.sum() == len(names) - 1]
    return first[0] if first and len(names) > 1 else None


def _scores(estimates: Estimates, table: Floats) -> Iterator[TopicScores]:
    documents = (~np.isnan(estimates.ure)).sum(axis=1).tolist()
    relevant = (estimates.ure >= THRESHOLD).sum(axis=1).tolist()
    for run, by_topic in zip(estimates.runs, table, strict=True):
        for place, topic in enumerate(estimates.topics):
            values = (None if np.isnan(x) else x for x in by_topic[place].tolist())
            named = dict(zip(MEASURES_OF_RUNS, values, strict=True))
            yield TopicScores(run, topic, documents[place], relevant[place], named)


def _cells(run: str, sre: Floats, ure: Floats) -> Iterator[PlaneCell]:
    there = ~np.isnan(ure)
    bins = np.minimum((sre[there] * BINS).astype(np.int64), BINS - 1)
    levels, graded = np.unique(ure[there], return_inverse=True)
    counts = np.bincount(graded * BINS + bins).tolist()
    for place, count in enumerate(counts):
        if count:
            level, twentieth = divmod(place, BINS)
            yield PlaneCell(run, float(levels[level]), (twentieth + 0.5) / BINS, count)
