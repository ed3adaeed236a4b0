"""What thresholds cost: precision and recall beside ADM.

Systems estimate a relevance between 0 and 1. The study shows how precision, recall and their mean
at thresholds of 1/2, and the average distance measure, react to small and to large errors, and how
many queries each needs to tell two systems apart. After Mizzaro 2001.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from prum.analytic.adm import adm
from prum.analytic.ranked import average_precision, ndcg
from prum.experiments.frame.design import Design, Seed, draws_of, option
from prum.experiments.frame.frames import frame_table
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import Table, View, interval
from prum.experiments.statistics.intervals import (
    Interval,
    deviation_interval,
    mean_interval,
    percentiles,
    student_factor,
    wilson,
)
from prum.experiments.statistics.rankings import agreement
from prum.experiments.studies.kit.quantities import check_number, quantity, wide
from prum.experiments.studies.kit.story import Story
from prum.simulator import InputError
from prum.simulator.collections import named_runs, read_qrels, read_run
from prum.simulator.model.arrays import Flags, Floats

# Those of the paper's tables, and the two that it proposes in place of P and R.
MEASURES = ("P", "R", "E", "ADM", "P'", "R'")
THRESHOLD = 0.5
# How near to relevance estimates are that P' and R' count.
_BAND = 1 - 2**0.5 / 2
JITTERS = (0.01, 0.05, 0.1)
PUSHES = (0.25, 0.5, 1.0)
LEVEL, POWER = 0.05, 0.8
NUMBERS = (5, 10, 20, 50, 100)
_DOCUMENTS = 500
# The errors of two systems; the first is better, and alone in all parts but `power`.
_BETTER, _WORSE = 0.9, 1.1
# Errors of the systems whose scores are compared, in units of the first.
_SYSTEMS = tuple(np.linspace(0.5, 1.5, 7).tolist())
# Experiments are drawn from so many queries for each of the study.
_POOL = 20


class ThresholdsDesign(Design):
    """Options of the study of thresholds."""

    queries: int = option(
        200, "Simulated queries.", least=10, most=2_000, remedy="take 200 queries, say"
    )
    draws: int = option(200, draws_of("jitters", 30_000))
    runs: tuple[str, ...] = option(
        (),
        "TREC runs of your own, or folders of them, ranked by ADM as well.",
        "FILE",
        file="input",
        singular="run",
    )
    qrels: str | None = option(None, "TREC qrels for --run.", file="input")
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


def compute(design: ThresholdsDesign, progress: Advance) -> tuple[Any, SimpleNamespace]:
    """Return the rows of all parts, on the same queries but for `power`.

    Mizzaro (2001) says of precision and recall at thresholds that small differences between systems
    can change them much and large ones not at all; that ADM, the mean distance of estimates, has
    neither fault; and that with it "there is no more need for many queries".

    Queries and systems. The user's estimates (URE) of the 500 documents of query q are independent,
    Beta(3 m, 3 (1 - m)) with m = m_q uniform on (.02, .18): most near 0, some 4 % above 1/2. A
    system's estimates (SRE) are wrong on the scale of log odds, which keeps them in (0, 1):

        logit SRE(d) = logit URE(d) + s h_q i_q N(0, 1)

    s is the system's error, .9 or 1.1; h_q = exp(.4 N(0, 1)) how hard the query is, to all systems;
    i_q = exp(.2 N(0, 1)) how it suits this one. Errors of documents and of systems are independent.

    Parts of the study, and of its rows:

        jitter      a system's estimates moved at random by up to e: spread of each measure
        push        estimates moved away from the user's, none across a threshold
        variance    spread over queries, and over seven systems with .5 to 1.5 times the error
        power       queries by which a paired t-test tells two systems apart
        runs        ADM of one's own runs, where they are given, beside AP and nDCG

    And the ADM of a system that gives 0 to all documents.
    """
    rng = np.random.default_rng(design.seed)
    drawn = draw_queries(design.queries, _DOCUMENTS, rng)
    ure, sre = drawn.ure, drawn.system(_BETTER, rng)
    advance = counted(progress, design.draws * len(JITTERS))
    rows = [*jittered(sre, ure, design.draws, rng, advance), *pushed(sre, ure)]
    systems = [scores(drawn.system(_BETTER * factor, rng), ure) for factor in _SYSTEMS]
    rows += variances(np.stack(systems))
    pool = draw_queries(_POOL * design.queries, _DOCUMENTS, rng)
    better, worse = (scores(pool.system(error, rng), pool.ure) for error in (_BETTER, _WORSE))
    rows += powers(better, worse, rng)
    rows.append(_row("variance", "0 to all", "ADM", "mean", mean_of(1 - ure.mean(axis=1))))
    if design.qrels is not None and design.collection_size is not None:
        runs = [read_run(file) for _, file in named_runs(design.runs)]
        rows += of_runs(runs, judged_topics(design.qrels), design.collection_size, rng)
    progress(1.0)
    return rows, SimpleNamespace()


def _row(part: str, level: str, measure: str, name: str, value: float | Interval) -> dict[str, Any]:
    return quantity(value, part=part, level=level, measure=measure, quantity=name)


# --- queries, systems and scores -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """Some queries.

    `ure`: user relevance estimates, shape (queries, documents); `hardness`: h_q, shape (queries,).
    """

    ure: Floats
    hardness: Floats

    def system(self, error: float, rng: np.random.Generator) -> Floats:
        """Return the SREs of a system with this error, shape (queries, documents)."""
        size = error * self.hardness * np.exp(0.2 * rng.standard_normal(len(self.hardness)))
        noise = rng.standard_normal(self.ure.shape)
        # Log odds of 0 and 1 are infinite.
        odds = logit(np.clip(self.ure, 1e-6, 1 - 1e-6))
        estimates: Floats = expit(odds + size[:, None] * noise)
        return estimates


def draw_queries(number: int, documents: int, rng: np.random.Generator) -> Queries:
    """Return independent queries over as many documents each."""
    means = rng.uniform(0.02, 0.18, (number, 1))
    ure = rng.beta(3 * means, 3 * (1 - means), (number, documents))
    return Queries(ure, np.exp(0.4 * rng.standard_normal(number)))


def scores(sre: Floats, ure: Floats) -> Floats:
    """Return `MEASURES`, shape (..., measures), of estimates, shape (..., documents).

    P is nan where nothing is retrieved, R where nothing is relevant, E = (P + R) / 2 where one of
    them is. P' and R' are the shares of what is retrieved, and relevant, in the band of estimates
    less than 1 - sqrt(2) / 2 from relevance.

    >>> scores(np.array([[0.9, 0.4]]), np.array([0.6, 0.5])).round(4).tolist()
    [[1.0, 0.5, 0.75, 0.8, 0.0, 0.5]]
    """
    retrieved, relevant = sre >= THRESHOLD, ure >= THRESHOLD
    apart = np.abs(sre - ure)

    def share(part: Flags, whole: Flags) -> Floats:
        with np.errstate(invalid="ignore"):
            shares: Floats = (part & whole).sum(axis=-1) / whole.sum(axis=-1)
        return shares

    precision, recall = share(relevant, retrieved), share(retrieved, relevant)
    banded = (share(apart < _BAND, whole) for whole in (retrieved, relevant))
    distance = apart.sum(axis=-1) / sre.shape[-1]
    return np.stack([precision, recall, (precision + recall) / 2, 1 - distance, *banded], axis=-1)


def mean_of(values: Floats) -> Interval:
    """Return the mean of what is known of `values` with its interval."""
    defined = values[~np.isnan(values)]
    return mean_interval(defined) if defined.size else (math.nan, math.nan, math.nan)


# --- small errors that change much, and large ones that change nothing ---------------------------


def jittered(
    sre: Floats, ure: Floats, draws: int, rng: np.random.Generator, advance: Callable[[], object]
) -> Iterator[Any]:
    """Yield how far measures move if each SRE does by a uniform number in [-e, e].

    What leaves [0, 1] is cut. The standard deviation of a query over jitters, averaged over those
    queries that all jitters give a value.
    """
    for size in JITTERS:
        jitters = np.empty((draws, len(ure), len(MEASURES)))
        for draw in range(draws):
            moved = np.clip(sre + rng.uniform(-size, size, sre.shape), 0, 1)
            jitters[draw] = scores(moved, ure)
            advance()
        for measure, spread in zip(MEASURES, jitters.std(axis=0, ddof=1).T, strict=True):
            yield _row("jitter", f"{size:g}", measure, "sd of a query", mean_of(spread))


def pushed(sre: Floats, ure: Floats) -> Iterator[Any]:
    """Yield how measures change if SREs go away from URE, by a share of the room in a sector."""
    before = scores(sre, ure)
    for share in PUSHES:
        change = scores(pushed_estimates(sre, ure, share), ure) - before
        for measure, values in zip(MEASURES, change.T, strict=True):
            yield _row("push", f"{share:g}", measure, "change", mean_of(values))


def pushed_estimates(sre: Floats, ure: Floats, share: float) -> Floats:
    """Return SREs moved away from URE by a share of the way to the end of their side of 1/2.

    >>> pushed_estimates(np.array([0.75, 0.25]), np.array([0.5, 0.5]), 1).tolist()
    [1.0, 0.0]
    """
    above, up = sre >= THRESHOLD, sre >= ure
    # The largest number that is not retrieved.
    below_cut = np.nextafter(THRESHOLD, 0)
    end = np.where(up, np.where(above, 1.0, below_cut), np.where(above, THRESHOLD, 0.0))
    moved = sre + share * (end - sre)
    return np.where(above, np.maximum(moved, THRESHOLD), np.minimum(moved, below_cut))


# --- variation over queries, and the queries that tell which system is better --------------------

_QUANTILES = float(norm.ppf(1 - LEVEL / 2) + norm.ppf(POWER))
_RESAMPLES = 500
_MOST = 5_000


def variances(systems: Floats) -> Iterator[Any]:
    """Yield how scores vary over queries and over systems; shape (systems, queries, measures).

    Of the queries on which all systems have a value; `no value` is the share of the others.
    """
    for number, measure in enumerate(MEASURES):
        lacks = np.isnan(systems[:, :, number]).any(axis=0)
        scores = (
            systems[:, ~lacks, number] if not lacks.all() else np.full((len(systems), 1), np.nan)
        )
        middle = scores[len(scores) // 2]
        yield _row("variance", "", measure, "mean", mean_of(middle))
        deviation = deviation_interval(middle[~np.isnan(middle)])
        yield _row("variance", "", measure, "sd over queries", deviation)
        over = float(scores.mean(axis=1).std(ddof=1))
        yield _row("variance", "", measure, "sd over systems", over)
        yield _row("variance", "", measure, "no value", float(lacks.mean()))


def powers(better: Floats, worse: Floats, rng: np.random.Generator) -> Iterator[Any]:
    """Yield what a paired t-test needs and does; scores have the shape (queries, measures).

    Experiments are samples with replacement of the queries. Queries without a value are asked and
    then left out: numbers of queries count them.
    """
    for measure, apart in zip(MEASURES, (better - worse).T, strict=True):
        differences = apart[~np.isnan(apart)]
        share = len(differences) / len(apart)
        yield _row("power", "", measure, "difference", mean_of(differences))
        yield _row("power", "", measure, "sd of differences", deviation_interval(differences))
        yield _row("power", "", measure, "queries, formula", _by_formula(differences, share, rng))
        simulated = _by_simulation(differences, share, rng)
        yield _row("power", "", measure, "queries, simulated", simulated)
        for number in NUMBERS:
            power = power_of(differences, max(2, round(number * share)), rng)
            yield _row("power", f"{number}", measure, "power", power)


def needed_queries(mean: float, deviation: float) -> float:
    """Return ((z_.975 + z_.8) sd / mean)^2, the queries for power .8 of a paired test at .05.

    >>> round(needed_queries(0.1, 0.2), 1)
    31.4
    """
    return (_QUANTILES * deviation / mean) ** 2 if mean else np.inf


def power_of(apart: Floats, number: int, rng: np.random.Generator) -> Interval:
    """Return the share of samples in which a t-test finds the mean positive, with its interval.

    The test is two-sided; a significant difference in the wrong direction is no success. Wilson's
    interval.
    """
    samples = rng.choice(apart, (_RESAMPLES, number))
    error = samples.std(axis=1, ddof=1) / np.sqrt(number)
    wins = np.count_nonzero(samples.mean(axis=1) > student_factor(number - 1) * error)
    low, high = wilson(np.array(wins), np.array(_RESAMPLES))
    return wins / _RESAMPLES, float(low), float(high)


def _by_formula(apart: Floats, share: float, rng: np.random.Generator) -> Interval:
    resampled = rng.choice(apart, (_RESAMPLES, len(apart)))
    number, *numbers = (
        needed_queries(float(values.mean()), float(values.std(ddof=1))) / share
        for values in (apart, *resampled)
    )
    low, high = percentiles(np.array(numbers)) or (np.nan, np.nan)
    return number, low, high


def _by_simulation(apart: Floats, share: float, rng: np.random.Generator) -> float:
    """Return the least number of queries with simulated power .8, by halving; nan above 5,000."""
    low, high = 1, 2
    while power_of(apart, high, rng)[0] < POWER:
        low, high = high, high * 2
        if high > _MOST:
            return np.nan
    while high - low > 1:
        middle = (low + high) // 2
        if power_of(apart, middle, rng)[0] < POWER:
            low = middle
        else:
            high = middle
    return high / share


# --- ADM of one's own runs -----------------------------------------------------------------------

TAU, BEATEN = "tau-b", "runs below 0 to all"
Grades = Mapping[str, Mapping[str, float]]


def judged_topics(qrels: str) -> Grades:
    """Return the grades of topics with a relevant document.

    Raise InputError as the reader, and if there is none; OSError if a file cannot be read.
    """
    judged = {t: by for t, by in read_qrels(qrels).items() if max(by.values(), default=0) > 0}
    check_number("topics with a relevant document", len(judged), least=1, place=qrels)
    return judged


def of_runs(
    runs: Sequence[Mapping[str, Sequence[str]]],
    judged: Grades,
    size: int,
    rng: np.random.Generator,
) -> Iterator[Any]:
    """Yield how ADM orders systems beside AP and nDCG, and who gives 0 to all.

    Estimates of relevance are made from ranks, 0 for what is not listed: 1 - (rank - 1) / longest
    list ("linear"), or 1 / rank ("reciprocal"). The relevance of users is grade / highest grade, 0
    for what nobody judged. Kendall's tau-b of the rankings by mean score has its interval over
    topics, if there are two runs and topics or more; the share of runs is that of those whose mean
    ADM is below the one of a system that gives 0 to all documents.

    Raise InputError if the collection is smaller than what is listed and judged on a topic.
    """
    longest = max(len(run.get(topic, ())) for run in runs for topic in judged)
    highest = max(grade for grades in judged.values() for grade in grades.values())
    gains = {
        topic: {document: max(grade, 0) for document, grade in grades.items()}
        for topic, grades in judged.items()
    }

    def scored(score: Callable[[tuple[str, ...], Mapping[str, float]], float]) -> Floats:
        return np.array(
            [[score(tuple(run.get(topic, ())), gains[topic]) for topic in gains] for run in runs]
        )

    def by_rank(
        rule: Callable[[Floats], Floats], ranking: Sequence[str], gain: Mapping[str, float]
    ) -> float:
        estimates = rule(np.arange(1.0, len(ranking) + 1)).tolist()
        sre = dict(zip(ranking, estimates, strict=True))
        documents = {**gain, **sre}
        user = [gain.get(document, 0) / highest for document in documents]
        return adm([sre.get(document, 0.0) for document in documents], user, size=size)

    def average(ranking: tuple[str, ...], gain: Mapping[str, float]) -> float:
        return average_precision(ranking, [document for document, grade in gain.items() if grade])

    others = {"AP": scored(average), "nDCG": scored(ndcg)}
    nothing = np.mean([by_rank(lambda ranks: ranks, (), gain) for gain in gains.values()])
    rules: dict[str, Callable[[Floats], Floats]] = {
        "linear": lambda ranks: 1 - (ranks - 1) / longest,
        "reciprocal": lambda ranks: 1 / ranks,
    }
    for name, rule in rules.items():
        values = scored(partial(by_rank, rule))
        for other, scores in others.items() if min(values.shape) > 1 else ():
            correlation = agreement(values, scores, rng)
            tau = math.nan if correlation.tau_b is None else correlation.tau_b
            ends = correlation.tau_b_interval or (math.nan, math.nan)
            yield _row("runs", name, other, TAU, (tau, *ends))
        yield _row("runs", name, "ADM", BEATEN, float((values.mean(axis=1) < nothing).mean()))


# --- what is shown -------------------------------------------------------------------------------


def view(result: Any) -> View:
    """Return a table for each part, and the paper's claims beside numbers."""
    frame = result.to_frame()
    by = frame.set_index(["part", "quantity", "level", "measure"]).value.astype(float).sort_index()

    def of_measures(part: str, quantity: str, level: str = "") -> Any:
        return by[part, quantity, level]

    gap = of_measures("power", "difference").replace(0, np.nan)
    # How many gaps between two systems each measure of a query moves.
    gaps = {
        level: of_measures("jitter", "sd of a query", level) / gap
        for level in (f"{size:g}" for size in JITTERS)
    }
    level = f"{JITTERS[1]:g}"
    over = [of_measures("variance", f"sd over {of}") for of in ("queries", "systems")]
    needed = {
        row.measure: interval(row.value, row.low, row.high, ".0f")
        for row in result.rows
        if row.quantity == "queries, formula"
    }
    values = {
        "level": level,
        "spreads": of_measures("jitter", "sd of a query", level),
        "gaps": gaps[level],
        "ratios": over[0] / over[1].replace(0, np.nan),
        "needed": ", ".join(f"{name} {text}" for name, text in needed.items()),
        "adm": of_measures("variance", "mean")["ADM"],
        "pushed": of_measures("push", "change", "1")["ADM"],
        "nothing": shown(of_measures("variance", "mean", "0 to all")["ADM"], ".3f"),
    }
    tables, notes = _tables(result.rows, gaps), ("notes", "claims")
    return Story.of(__package__).view(tables, values, notes=notes)


def _tables(rows: Sequence[Any], gaps: Mapping[str, Any]) -> Iterator[Table]:
    """Yield a table for each part of the study."""

    def part(name: str, lines: Sequence[str], across: str = "quantity") -> dict[str, list[Any]]:
        # What has a level of its own stands in the text, and in files.
        is_line = {"level"} & {*lines, across}
        chosen = (row for row in rows if row.part == name and (is_line or not row.level))
        return wide([*chosen], lines, across)

    if any(row.part == "runs" for row in rows):
        columns = part("runs", ["level"], "measure")
        forms = {"level": ""} | {f"{name} to": ".2f" for name in ("AP", "nDCG") if name in columns}
        label = "Your runs: tau-b of their order by ADM with others, and how many 0 to all beats"
        names = {"level": "estimates", "ADM": BEATEN}
        yield frame_table(label, columns, forms | {"ADM": ".0%"}, names=names)
    jitter = part("jitter", ["measure", "level"])
    lines = zip(jitter["measure"], jitter["level"], strict=True)
    jitter["sd in gaps"] = [float(gaps[level][measure]) for measure, level in lines]
    yield frame_table(
        "Estimates moved by up to e: standard deviation, and the same in gaps between two systems",
        jitter,
        {"measure": "", "level": "", "sd of a query to": ".4f", "sd in gaps": ".2f"},
        names={"level": "e"},
        parts="level",
    )
    yield frame_table(
        "Estimates pushed away from the user's by a share of the way to the next threshold: change",
        part("push", ["measure"], "level"),
        {"measure": ""} | {f"{share:g} to": ".4f" for share in PUSHES},
    )
    forms = {"measure": "", "mean to": ".3f", "sd over queries to": ".3f"}
    yield frame_table(
        "Spread over queries, and over seven systems",
        part("variance", ["measure"]),
        forms | {"sd over systems": ".3f", "no value": ".3f"},
    )
    forms = {"measure": "", "difference to": ".4f", "sd of differences": ".3f"}
    yield frame_table(
        "Queries for power .8 at level .05, paired t-test of a better and a worse system",
        part("power", ["measure"]),
        forms | {"queries, formula to": ".0f", "queries, simulated": ".0f"},
    )


THRESHOLDS = Study("thresholds", __doc__, ThresholdsDesign, compute, view)
