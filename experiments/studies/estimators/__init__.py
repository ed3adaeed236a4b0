"""How good estimators are where the true scores are known.

FOLDER is what prum generate made; without it the study makes data of its own. It grades PRUM, AP
and your estimates on the true scores: rankings by few topics, coverage of intervals, power of
tests, pooling, and probabilities of navigation from logs.
"""

import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.experiments.compare import scores_of
from prum.experiments.evaluate import score_runs
from prum.experiments.frame.design import Design, FileUse, Seed, draws_of, option
from prum.experiments.frame.frames import frame_table, rows_of
from prum.experiments.frame.inputs import named_file
from prum.experiments.frame.study import Advance, Study
from prum.experiments.frame.view import Table, View
from prum.experiments.generate import Dataset, read_dataset
from prum.experiments.generate.specification import check_credited
from prum.experiments.logs import Trials, read_events, trials_of
from prum.experiments.measures import measure_of
from prum.experiments.statistics.intervals import (
    Ends,
    Interval,
    clustered_interval,
    holds,
    mean_interval,
    mean_intervals,
    proportion_intervals,
    resampled_counts,
    root_interval,
    root_mean_square,
)
from prum.experiments.statistics.rankings import tau_b
from prum.experiments.statistics.tests import p_values
from prum.experiments.studies.kit.quantities import quantity, wide
from prum.experiments.studies.kit.story import Story
from prum.simulator import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints

Grades = Mapping[str, Mapping[str, int]]
REFERENCE = "ExactPRUM"
ALL = "all"
# The share of the work that is the making of data.
_MAKING = 0.3


class EstimatorsDesign(Design):
    """Options of the study of estimators."""

    folder: str | None = option(
        None, "Made data; the study's own without.", "[FOLDER]", file="input", positional=True
    )
    measures: tuple[str, ...] = option(
        ("PRUM", "AP", "nDCG@10"),
        "An estimate of ExactPRUM, as prum evaluate names it.",
        "NAME",
        singular="measure",
    )
    scores: tuple[str, ...] = option(
        (),
        "Estimates of your own to grade: system, topic, estimate (CSV, TSV, JSONL, Parquet); "
        "named by the file unless NAME is given.",
        "[NAME=]FILE",
    )
    draws: int = option(1_000, draws_of("samples of topics, for each number of them", 100_000))
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if names are the same, and take measures by their names."""
        names = dict.fromkeys(str(measure_of(name)) for name in self.measures)
        measures = tuple(name for name in names if name != REFERENCE)
        object.__setattr__(self, "measures", measures)
        taken = {REFERENCE, *measures}
        for name, _ in map(named_file, self.scores):
            if not name.strip() or name in taken:
                rule = "differ from those of measures and of other estimates"
                remedy = "give another name, as NAME=FILE"
                raise InputError("name of an estimate", name, rule, remedy=remedy)
            taken.add(name)

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, those of estimates that are given among them."""
        own = [named_file(text)[1] for text in self.scores]
        own += [file for name in self.measures for file in measure_of(name).files]
        return (*super().files(*roles), *(own if "input" in roles else ()))


def compute(design: EstimatorsDesign, progress: Advance) -> Any:
    """Return what estimators make of a folder, or of the built-in data, which are made for it.

    Groups of rows, each by a function that says its hypothesis, design and cost. True is ExactPRUM
    on complete judgements. What a dataset lacks is left out, and said. Beside the rows: the data,
    each system's mean by each measure, and notes; `given` names the estimates that were given.

    Raise InputError as `read_dataset`, `measure_of`, `complete_scores` and `estimates_of`; OSError
    if a file cannot be read.
    """
    if design.folder is not None:
        return _measured(read_dataset(design.folder), design, progress)
    from prum.experiments.generate import generate_dataset

    with tempfile.TemporaryDirectory(prefix="prum-") as place:
        folder = Path(place) / "made"
        generate_dataset(built_in(design.seed), folder)
        progress(_MAKING)
        rest: Advance = lambda share: progress(_MAKING + (1 - _MAKING) * share)  # noqa: E731
        return _measured(read_dataset(folder), design, rest)


def built_in(seed: int) -> dict[str, Any]:
    """Return the specification of the data that are made where none are given."""
    text = files(__package__).joinpath("built_in.toml").read_text("utf-8")
    return tomllib.loads(text) | {"seed": seed}


class EstimatorRows(list[Any]):
    """Numbers, each with the ends of its interval if it has one; None is no value.

    `group` is what was measured, `subject` of what, `method` by what, `at` how many (topics, ranks
    of a pool, trials), `quantity` which number.
    """

    def add(
        self,
        group: str,
        subject: str,
        method: str,
        values: Mapping[str, float | Interval],
        *,
        at: float | None = None,
    ) -> None:
        """Add numbers by quantity, each alone or with the ends of its interval."""
        what: dict[str, Any] = {"group": group, "subject": subject, "method": method, "at": at}
        self.extend(quantity(value, **what, quantity=name) for name, value in values.items())


def _measured(dataset: Dataset, design: EstimatorsDesign, progress: Advance) -> Any:
    """Return the rows, and what else was learned."""
    rows, draws = EstimatorRows(), design.draws
    scores, here, notes = complete_scores(dataset, design.measures)
    true = scores[REFERENCE]
    progress(0.1)
    graded = [name for name in scores if name != REFERENCE and is_precision(name)]
    own = {name: estimates_of(file, name, dataset) for name, file in map(named_file, design.scores)}
    scores |= own
    against_truth(rows, scores, dataset.errors[REFERENCE], [*graded, *own])
    # Every part has numbers of its own: none hangs on what is left out.
    rngs = [np.random.default_rng([design.seed, part]) for part in range(3)]
    if len(dataset.systems) < 2:
        notes.append("There is one system: nothing is ranked, and no two are told apart.")
    if len(dataset.topics) < 2:
        notes.append("There is one topic: no intervals over topics, nor tests, nor fewer topics.")
    else:
        numbers = [max(2, number) for number in numbers_of_topics(min(len(dataset.topics), 200))]
        if len(dataset.systems) > 1:
            by_topics(rows, scores, draws, rngs[0])
            progress(0.2)
        by_coverage(rows, true, numbers, draws, rngs[1])
        progress(0.5)
        if len(dataset.systems) > 1:
            by_power(rows, true, numbers, draws, rngs[2])
    progress(0.7)
    notes += by_pool(rows, dataset, scores, here)
    progress(0.9)
    notes += by_recovery(rows, dataset)
    if own:
        notes.append(
            f"{', '.join(own)}: given on complete judgements alone, so that pools "
            "and probabilities from the log are left out."
        )
    progress(1.0)
    systems = {
        system: {name: float(table[place].mean()) for name, table in scores.items()}
        for place, system in enumerate(dataset.systems)
    }
    return [vars(row) for row in rows], SimpleNamespace(
        name=dataset.specification.name,
        given=[*own],
        systems=systems,
        topics=len(dataset.topics),
        elements=dataset.size,
        browsing=dataset.kind,
        pool=list(dataset.pooling),
        notes=notes,
    )


# --- scores on complete judgements, and whether files and measures agree --------------------------

# What rounding may add to a precision of 1.
_ROUNDING = 1e-9


def estimates_of(file: str | Path, name: str, dataset: Dataset) -> Floats:
    """Return the estimates of a table, (systems, topics), in any form that `scores_of` reads.

    Raise InputError as `scores_of`; for other systems or topics than those of the dataset, several
    estimates of a list, and one that is no number in [0, 1]. OSError if a file cannot be read.
    """
    scores, _ = scores_of([file], missing="drop")
    for thing, names, expected in (
        ("system", scores.systems, dataset.systems),
        ("topic", scores.topics, dataset.topics),
        ("column", scores.measures, scores.measures[:1]),
    ):
        if wrong := sorted(set(names) ^ set(expected)):
            rule, remedy = "be in the folder and in the table", "give an estimate for each list"
            raise InputError(f"{thing} of {name}", wrong[0], rule, remedy=remedy, place=str(file))
    systems = [scores.systems.index(system) for system in dataset.systems]
    topics = [scores.topics.index(topic) for topic in dataset.topics]
    values = scores.values[np.ix_(systems, topics)][:, :, 0]
    outside = values[~((values >= 0) & (values <= 1 + _ROUNDING))]
    if outside.size:
        rule, remedy = "be a number in [0, 1]", "give an estimate of ExactPRUM"
        raise InputError(f"estimate of {name}", outside[0], rule, remedy=remedy, place=str(file))
    return values


def is_precision(name: str) -> bool:
    """Return whether a measure is a mean over recall, like ExactPRUM: PRUM and AP."""
    measure = measure_of(name)
    return measure.name.cutoff is None and "level" in measure.definition.cutoffs


def scores_by(
    dataset: Dataset, names: Sequence[str], grades: Grades | None = None
) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Return the topics with an ideal by some judgements, and scores by measure, computed here.

    Raise InputError as `evaluate`.
    """
    judged = dataset.judged(grades)
    topics = tuple(topic.topic for topic in judged)
    if not topics or not names:
        return topics, {name: np.empty((len(dataset.systems), len(topics))) for name in names}
    measures = [measure_of(name) for name in names]
    for measure in measures:
        check_credited(measure, dataset.specification)
    scored = score_runs(dataset.lists(topics), judged, measures)
    return topics, {name: scored.values[:, :, k] for k, name in enumerate(names)}


def complete_scores(
    dataset: Dataset, names: Sequence[str]
) -> tuple[dict[str, Floats], tuple[str, ...], list[str]]:
    """Return scores by measure, those that can be computed here, and notes on the others.

    ExactPRUM comes first. What the file holds is taken from there; the rest is computed. What the
    file holds is computed all the same and compared: only measures that come out alike can be
    computed with other judgements.

    Raise InputError for a folder without ExactPRUM, a measure without a value on some topic, and a
    score in the file that is not that of the run, though navigation alone decides it.
    """
    if REFERENCE not in dataset.scores:
        rule, remedy = f"hold {REFERENCE}, the true scores", f"name {REFERENCE} in truth.measures"
        place = str(dataset.folder / "scores.csv")
        raise InputError("measures", tuple(dataset.scores), rule, remedy=remedy, place=place)
    scores: dict[str, Floats] = {REFERENCE: dataset.scores[REFERENCE]}
    here = list[str]()
    for name in (REFERENCE, *names):
        if name == REFERENCE and not dataset.is_plain:
            continue
        computed = scores_by(dataset, [name])[1][name]
        values = scores[name] = dataset.scores.get(name, computed)
        if np.isnan(values).any():
            system, topic = np.argwhere(np.isnan(values))[0]
            rule = f"have a value on topic {dataset.topics[topic]}"
            thing, remedy = f"{name} of {dataset.systems[system]}", "leave the measure out"
            raise InputError(thing, "none", rule, remedy=remedy)
        # Scores that are written with six digits, say, agree so far.
        slack = 1e-5 + 5 * dataset.errors[name] if name in dataset.scores else 0
        excess = np.abs(values - computed) - slack
        if (excess <= 0).all():
            here.append(name)
        elif dataset.is_plain or "navigation" not in measure_of(name).definition.options:
            system, topic = np.unravel_index(int(np.argmax(excess)), excess.shape)
            raise InputError(
                f"{name} of {dataset.systems[system]} on topic {dataset.topics[topic]}",
                float(values[system, topic]),
                f"be {computed[system, topic]:.6g}, what its run scores",
                remedy="make the folder anew with prum generate",
                place=str(dataset.folder / "scores.csv"),
            )
    others = ", ".join(name for name in scores if name not in here)
    note = (
        f"People browse by “{dataset.kind}”: {others} can't be computed from navigation alone, is "
        "taken as the folder has it, and left out where judgements are others."
    )
    return scores, tuple(here), [note] if others else []


# --- against the true scores, and the ranking by few topics --------------------------------------

_PAIRS_AT_ONCE = 2**22


def against_truth(
    rows: EstimatorRows, scores: Mapping[str, Floats], errors: Floats, measures: Sequence[str]
) -> None:
    """Add bias, root mean square and largest error of each measure over all lists.

    Hypothesis: PRUM (2.3 in place of the exact sum) errs little, and AP, whose users do not browse,
    errs by what browsing is worth. Design: every system and topic of the dataset, on complete
    judgements; intervals over topics. Cost: none, the scores are there.

    `errors`: standard errors of the true scores, where they were simulated; their mean square is
    taken off that of the differences.
    """
    for measure in measures:
        difference = scores[measure] - scores[REFERENCE]
        squares = np.sqrt((difference**2).mean(axis=0))
        values: dict[str, float | Interval] = {
            "bias": mean_interval(difference.mean(axis=0)),
            "rmse": root_mean_square(squares, float((errors**2).mean())),
            "largest": float(np.abs(difference).max()),
        }
        rows.add("truth", ALL, measure, values)


def numbers_of_topics(most: int) -> list[int]:
    """Return 5, 10, 25, 50, 100, ... up to `most`; that, if it is less.

    >>> numbers_of_topics(60), numbers_of_topics(3)
    ([5, 10, 25, 50], [3])
    """
    steps = (5, 10, 25, 50, 100, 200, 400, 800, 1600, 3200)
    return [step for step in steps if step <= most] or [most]


def by_topics(
    rows: EstimatorRows, scores: Mapping[str, Floats], draws: int, rng: np.random.Generator
) -> None:
    """Add tau-b with the true ranking, of each measure and number of topics.

    Hypothesis: by few topics the choice of topics costs more than the choice of the measure; by
    many the measure's own error remains. Design: true is the mean of ExactPRUM over all topics of
    the dataset; n of them are drawn without replacement, the same for every measure, those of fewer
    topics among those of more. As the n topics are part of the whole, ExactPRUM itself comes to 1
    at all topics. Intervals are over draws, for this dataset. Cost: some seconds for 1,000 draws of
    400 topics.
    """
    num_topics = scores[REFERENCE].shape[1]
    true = scores[REFERENCE].mean(axis=1)
    orders = rng.permuted(np.tile(np.arange(num_topics), (draws, 1)), axis=1)
    for measure, table in scores.items():
        for number in numbers_of_topics(num_topics):
            means = np.stack([row[orders[:, :number]].mean(axis=1) for row in table], axis=1)
            # Pairs of systems take memory: so many draws at once.
            parts = np.array_split(means, 1 + means.size * len(true) // _PAIRS_AT_ONCE)
            taus = np.concatenate([tau_b(part, true) for part in parts])
            # A draw by which all systems are tied has no tau-b.
            known = taus[~np.isnan(taus)]
            value = mean_interval(known) if len(known) else np.nan
            rows.add("topics", ALL, measure, {"tau-b": value}, at=number)


# --- intervals and tests: n topics, drawn with replacement, so that the true mean is known -------

RESAMPLES = 999
MEAN, DIFFERENCE = "mean of a system", "difference of two"
LEVEL = 0.05
MOST_PAIRS = 66
# How systems are made equal, to count false alarms.
SWAPPED, CENTRED = "swapped", "centred"
# Ranges of true differences.
GAPS = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 1.0)
# Draws that are held at once; in coverage they share the counts of their resamples.
_AT_ONCE = 50


def pairs_of(true: Floats) -> list[tuple[int, int]]:
    """Return pairs of systems, the better first, by rising difference; 66 at most, evenly."""
    pairs = list(combinations(np.argsort(-true, kind="stable").tolist(), 2))
    pairs.sort(key=lambda pair: true[pair[0]] - true[pair[1]])
    if len(pairs) > MOST_PAIRS:
        places = np.linspace(0, len(pairs) - 1, MOST_PAIRS).round().astype(int)
        pairs = [pairs[place] for place in places]
    return pairs


def difference_label(bin_: int) -> str:
    """Return the name of a range of true differences.

    >>> difference_label(0), difference_label(5)
    ('0 to .005', '.1 and more')
    """
    low, high = (f"{edge:g}".removeprefix("0") or "0" for edge in GAPS[bin_ : bin_ + 2])
    return f"{low} and more" if high == "1" else f"{low} to {high}"


def _share(flags: Any) -> Interval:
    """Return the mean over series, then over draws, which are independent."""
    return mean_interval(flags.mean(axis=0).astype(np.float64))


def by_coverage(
    rows: EstimatorRows,
    scores: Floats,
    numbers: Sequence[int],
    draws: int,
    rng: np.random.Generator,
) -> None:
    """Add how often 95 % intervals hold the true mean, by method.

    Hypothesis: Student's t holds what it promises for means and differences of scores, though these
    are bounded, skewed and often 0 or 1; the bootstrap's do not for few topics. Design: 23 series
    of the same draws: ExactPRUM of each system, and its difference of neighbours in the true
    ranking. Cost: a thousand resamples for each draw, some seconds for each number of topics.

    `scores`: true ones, (systems, topics).
    """
    order = np.argsort(-scores.mean(axis=1), kind="stable")
    series = np.concatenate([scores, scores[order[:-1]] - scores[order[1:]]])
    alike = {MEAN: slice(len(scores)), DIFFERENCE: slice(len(scores), None)}
    for number in numbers:
        held = covered(series, number, draws, rng)
        for (subject, part), method in product(alike.items(), held):
            if len(series[part]):
                coverage = _share(held[method][part])
                rows.add("coverage", subject, method, {"coverage": coverage}, at=number)


def covered(
    series: Floats,
    number: int,
    draws: int,
    rng: np.random.Generator,
    method: Callable[[Floats, Floats], Mapping[str, Ends]] = mean_intervals,
) -> dict[str, Flags]:
    """Return by method whether intervals hold the mean of all topics, (series, draws)."""
    true = series.mean(axis=1)[:, None]
    # What rounding makes of equal values does not miss them.
    slack = 1e-9 * np.abs(series).max(axis=1, initial=0)[:, None]
    parts: dict[str, list[Flags]] = {}
    for begin in range(0, draws, _AT_ONCE):
        chosen = rng.integers(0, series.shape[1], (min(_AT_ONCE, draws - begin), number))
        counts = resampled_counts(number, RESAMPLES, rng)
        for name, ends in method(series[:, chosen].reshape(-1, number), counts).items():
            low, high = (end.reshape(len(series), -1) for end in ends)
            parts.setdefault(name, []).append((low - slack <= true) & (true <= high + slack))
    return {name: np.concatenate(pieces, axis=1) for name, pieces in parts.items()}


def by_power(
    rows: EstimatorRows,
    scores: Floats,
    numbers: Sequence[int],
    draws: int,
    rng: np.random.Generator,
) -> None:
    """Add power by true difference, and false alarms.

    Hypothesis: the randomization test and Student's t find a difference of means equally often, the
    others less often where differences are rare and large; and all keep to 5 % where two systems
    are equal. Design: all pairs of systems (66 at most, evenly over true differences) by true
    difference of mean ExactPRUM. Equal systems are made in two ways. "swapped": each topic's two
    scores are swapped at random, so that the law of differences is symmetric. "centred": the mean
    difference is taken off each topic's, so that only the means are equal: a test of something else
    than means may reject then, and is right in its own terms. Cost: 999 randomizations of each
    sample, some seconds for each number.

    `scores`: true ones, (systems, topics).
    """
    better, other = np.array(pairs_of(scores.mean(axis=1))).T
    differences = scores[better] - scores[other]
    bins = np.digitize(differences.mean(axis=1), GAPS[1:-1])
    for number in numbers:
        found = rejected(differences, number, draws, rng)
        for bin_, test in product(np.unique(bins).tolist(), found):
            power = _share(found[test][0][bins == bin_])
            rows.add("power", difference_label(bin_), test, {"power": power}, at=number)
        for (place, kind), test in product(((1, SWAPPED), (2, CENTRED)), found):
            alarms = _share(found[test][place])
            rows.add("false alarms", kind, test, {"rejected": alarms}, at=number)


def rejected(
    differences: Floats, number: int, draws: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Return by test (3, pairs, draws): rejected rightly, swapped, centred.

    `differences` are those of better less other, (pairs, topics).
    """
    centred = differences - differences.mean(axis=1, keepdims=True)
    parts: dict[str, list[Floats]] = {}
    for begin in range(0, draws, _AT_ONCE):
        chosen = rng.integers(0, differences.shape[1], (min(_AT_ONCE, draws - begin), number))
        samples = differences[:, chosen]
        signs = rng.integers(0, 2, samples.shape) * 2.0 - 1
        three = [samples, samples * signs, centred[:, chosen]]
        p = [p_values(part.reshape(-1, number), rng) for part in three]
        for test in p[0]:
            flags = np.stack([of[test].reshape(len(differences), -1) <= LEVEL for of in p])
            flags[0] &= samples.mean(axis=2) > 0
            parts.setdefault(test, []).append(flags.astype(np.float64))
    return {test: np.concatenate(pieces, axis=2) for test, pieces in parts.items()}


# --- pools ---------------------------------------------------------------------------------------

DEPTHS = (1, 5, 10, 20, 50)
IN, OUT = "in the pool", "left out of it"


def pooled(dataset: Dataset, depth: int) -> dict[str, dict[str, int]]:
    """Return the judgements of what the pool's systems have down to a rank; others are not there.

    Elements that no complete judgement names are not relevant: 0.
    """
    return {
        topic: {
            element: grades.get(element, 0)
            for system in dataset.pooling
            for element in dataset.runs[system].get(topic, ())[:depth]
        }
        for topic, grades in dataset.grades.items()
    }


def by_pool(
    rows: EstimatorRows,
    dataset: Dataset,
    scores: Mapping[str, Floats],
    measures: Sequence[str],
) -> list[str]:
    """Add bias at each depth; return notes.

    Hypothesis: what nobody judged counts as not relevant, so that scores change with the pool's
    depth, those of systems left out of it more than those of systems in it. Design: the first ranks
    of the pool's systems are judged, to 1, 5, 10, 20 and 50 ranks and as the dataset was; what is
    not in the pool is not relevant, and a topic without an ideal in it is left out. Lists, number
    of elements and navigation stay as they are. Bias is pooled less complete scores on the topics
    that are left; intervals are over topics. Cost: all lists are scored anew for each depth, some
    seconds.

    `scores`: by measure on complete judgements; `measures`: those that can be computed with others.
    """
    is_in = np.array([system in dataset.pooling for system in dataset.systems])
    pool, own = dataset.specification.pool, dataset.other_grades("pooled")
    made = {pool.depth: own} if own is not None and pool is not None else {}
    for depth in sorted({*DEPTHS, *made}):
        topics, again = scores_by(dataset, measures, made.get(depth) or pooled(dataset, depth))
        kept = np.isin(dataset.topics, topics)
        for measure, table in again.items():
            difference = table - scores[measure][:, kept]
            for subject, part in ((IN, is_in), (OUT, ~is_in)):
                if part.any() and len(topics):
                    bias = mean_interval(difference[part].mean(axis=0))
                    rows.add("pooling", subject, measure, {"bias": bias}, at=depth)
        rows.add("pooling", "", "", {"topics": len(topics)}, at=depth)
    return ["All systems make the pool: none is left out of it."] if is_in.all() else []


# --- probabilities of navigation from a log ------------------------------------------------------


def by_recovery(rows: EstimatorRows, dataset: Dataset) -> list[str]:
    """Add what the log tells of each pair; return notes.

    Hypothesis: the share of consultations of x in which y was seen is too low where users stop in
    the middle of an element, and unbiased where only those are counted in which the turn of y came.
    The intervals of Wilson and Jeffreys then hold what they promise, but for the coarseness of few
    trials. Design: the log of the dataset, every pair x -> y of positive probability that was
    tried; intervals over topics, for pairs of one topic share users. Cost: some seconds for a
    million events.
    """
    if dataset.log is None:
        return ["There is no log: probabilities are not recovered."]
    if not any(len(links) for links in dataset.navigation.values()):
        return ["Nobody browses: there are no probabilities to recover from the log."]
    trials = logged(dataset, dataset.log)
    true = trials.pairs["probability"].to_numpy() * dataset.mean_factor
    for way in trials.ways:
        add_pairs(rows, way, *trials.counts(way), true, trials.pairs["topic"].to_numpy())
    return [*_notes_on_log(dataset, trials)]


def logged(dataset: Dataset, log: Path) -> Trials:
    """Return the trials of a log of a folder.

    Ideals are looked at in the order of ids, or on a walk in none.

    Raise InputError or OSError as `read_events`.
    """
    ideals = {judged.topic: judged.ideals for judged in dataset.judged()}
    return trials_of(
        read_events(log),
        dataset.navigation,
        dict(dataset.lists()),
        ideals,
        orders=[ideals] if dataset.is_plain else [],
    )


def add_pairs(
    rows: EstimatorRows, way: str, happened: Ints, trials: Ints, true: Floats, topic_of: Ints
) -> None:
    """Add bias, rmse and coverage of the shares of all pairs that were tried."""
    tried = trials > 0
    happened, trials, topic_of = (column[tried] for column in (happened, trials, topic_of))
    if not len(trials):
        return
    error = happened / trials - true[tried]
    values: dict[str, float | Interval] = {
        "pairs": float(len(trials)),
        "bias": clustered_interval(error, topic_of),
        "rmse": root_interval(clustered_interval(error**2, topic_of)),
    }
    for method, ends in proportion_intervals(happened, trials).items():
        held = holds(ends, true[tried]).astype(np.float64)
        values[method] = clustered_interval(held, topic_of)
    rows.add("links", way, "", values)


def _notes_on_log(dataset: Dataset, trials: Trials) -> Iterator[str]:
    """Yield what is to be held against the numbers."""
    yield (
        f"The log: {trials.num_users:,} users of {', '.join(trials.systems)} consulted "
        f"{trials.num_consultations:,} elements within their lists, of which "
        f"{trials.broken_off:,} were broken off."
    )
    if "its turn came" not in trials.ways:
        yield (
            "Whose turn came can't be told where visits hang together or users differ, or no order "
            "of ideals fits the log."
        )
    if dataset.mean_factor < 1:
        yield (
            "Users differ: those who find much stop early, so that those who get to x browse less "
            "than most. P(x → y) is told times the mean factor of all, "
            f"{dataset.mean_factor:.3g}."
        )


# --- what is shown -------------------------------------------------------------------------------

# What is printed as 0 to four decimals.
_PRINTED = 0.5e-4
_ERRORS = ("bias", "rmse", "pairs")
# Tables by numbers of topics: group, format, label, and headings of what lines are of.
_BY_TOPICS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    (
        "topics",
        ".3f",
        "Kendall's tau-b of rankings by n topics with the true one",
        {"method": "measure"},
    ),
    (
        "coverage",
        ".4f",
        "Coverage of 95 % intervals by n topics",
        {"subject": "of", "method": "interval"},
    ),
    (
        "power",
        ".3f",
        "Power at 5 % by true difference and n topics",
        {"subject": "true difference", "method": "test"},
    ),
    (
        "false alarms",
        ".4f",
        "False alarms at 5 % of equal systems",
        {"subject": "made equal by", "method": "test"},
    ),
)


def view(result: Any) -> View:
    """Return how far estimates are from the true scores, part by part."""
    found, story = result.found, Story.beside(__package__)
    groups: dict[str, list[Any]] = {}
    for row in result.rows:
        groups.setdefault(row.group, []).append(row)
    return View(
        title=story.title,
        headline=_headline(story, groups.get("truth", []), found.given),
        story=story.paragraphs("story"),
        tables=tuple(_tables(groups)),
        notes=(
            *story.paragraphs("data", found=found, num_systems=len(found.systems)),
            *found.notes,
            *story.paragraphs("notes"),
        ),
        leads=True,
    )


def _headline(story: Story, rows: Sequence[Any], given: Sequence[str]) -> str:
    """Return how far each estimate is from the true scores, those that were given first."""
    errors = rows_of(wide(rows, ["method"], "quantity"))
    parts = [
        story.line(
            "exact" if row.rmse is not None and row.rmse < _PRINTED else "off",
            measure=row.method,
            rmse=row.rmse,
            bias=row.bias,
        )
        for row in sorted(errors, key=lambda row: row.method not in given)
    ]
    return f"{'; '.join(parts)}." if parts else story.line("none")


def _tables(groups: Mapping[str, Sequence[Any]]) -> Iterator[Table]:
    """Yield a table for each part that the data allow."""
    if "truth" in groups:
        yield frame_table(
            "Error per list",
            wide(groups["truth"], ["method"], "quantity"),
            {"method": "", "bias and ±": "+.5f", "rmse and ±": ".5f", "largest": ".4f"},
            names={"method": "estimate", "rmse": "root mean square"},
        )
    for group, form, label, headings in _BY_TOPICS:
        if group in groups:
            levels = dict.fromkeys(f"n = {row.at:g}" for row in groups[group])
            columns = wide(groups[group], [*headings], lambda row: f"n = {row.at:g}")
            columns["±"] = _widest(columns, levels)
            forms = dict.fromkeys(headings, "") | dict.fromkeys((*levels, "±"), form)
            yield frame_table(label, columns, forms, names=headings, parts=next(iter(headings)))
    columns = wide(groups["pooling"], ["method", "subject"], lambda row: f"{row.at:g}")
    columns["method"] = [method or "topics left" for method in columns["method"]]
    forms_of_lines = ["+.4f" if subject else ".0f" for subject in columns["subject"]]
    depths = dict.fromkeys(f"{row.at:g} and ±" for row in groups["pooling"])
    yield frame_table(
        "Pools by depth: bias",
        columns,
        {"method": "", "subject": ""} | dict.fromkeys(depths, forms_of_lines),
        names={"method": "measure", "subject": "systems"},
    )
    if "links" in groups:
        columns = wide(groups["links"], ["subject"], "quantity")
        forms = {"subject": "", "pairs": ",.0f", "bias and ±": "+.4f", "rmse and ±": ".4f"}
        coverages = [name for name in columns if f"{name}_low" in columns and name not in _ERRORS]
        yield frame_table(
            "P(x → y) from the log",
            columns,
            forms | dict.fromkeys(coverages, ".3f"),
            names={"subject": "counted"},
        )


def _widest(columns: Mapping[str, Sequence[Any]], names: Iterable[str]) -> list[float | None]:
    """Return half the width of each line's widest interval."""
    ends = [zip(columns[f"{name}_low"], columns[f"{name}_high"], strict=True) for name in names]
    return [
        max((high - low for low, high in line if high is not None), default=0) / 2 or None
        for line in zip(*ends, strict=True)
    ]


ESTIMATORS = Study("estimators", __doc__, EstimatorsDesign, compute, view)
