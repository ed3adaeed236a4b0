"""How good estimators are where the true scores are known.

FOLDER is what prum generate made; without it the study makes data of its own. It grades PRUM, AP
and your estimates on the true scores: rankings by few topics, coverage of intervals, and
pooling.
"""

import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import product
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
from prum.experiments.measures import measure_of
from prum.experiments.statistics.intervals import (
    Ends,
    Interval,
    mean_interval,
    mean_intervals,
    resampled_counts,
    root_mean_square,
)
from prum.experiments.statistics.rankings import tau_b
from prum.experiments.studies.kit.quantities import check_number, quantity, wide
from prum.experiments.studies.kit.story import Story
from prum.simulator import InputError
from prum.simulator.model.arrays import Flags, Floats

Grades = Mapping[str, Mapping[str, int]]
Rows = Iterator[dict[str, Any]]
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
        paths = [named_file(text)[1] for text in self.scores]
        paths += [file for name in self.measures for file in measure_of(name).files]
        return (*super().files(*roles), *(paths if "input" in roles else ()))


def compute(design: EstimatorsDesign, progress: Advance) -> Any:
    """Return what estimators make of a folder, or of the built-in data, which are made for it.

    Groups of rows, each by a function that says its hypothesis, design and cost: `group` is what
    was measured, `subject` of what, `method` by what, `at` how many (topics, ranks of a pool),
    `quantity` which number, with the ends of its interval if it has one. True is ExactPRUM on
    complete judgements. Beside the rows: the data, each system's mean by each measure, and notes;
    `given` names the estimates that were given.

    Raise InputError as `read_dataset`, `measure_of`, `complete_scores` and `estimates_of`, and for
    fewer than two systems or topics; OSError if a file cannot be read.
    """
    if design.folder is not None:
        return _measured(read_dataset(design.folder), design, progress)
    from prum.experiments.generate import generate_dataset

    with tempfile.TemporaryDirectory(prefix="prum-") as place:
        folder = Path(place) / "made"
        text = files(__package__).joinpath("built_in.toml").read_text("utf-8")
        generate_dataset(tomllib.loads(text) | {"seed": design.seed}, folder)
        rest: Advance = lambda share: progress(_MAKING + (1 - _MAKING) * share)  # noqa: E731
        return _measured(read_dataset(folder), design, rest)


def _measured(dataset: Dataset, design: EstimatorsDesign, progress: Advance) -> Any:
    """Return the rows, and what else was learned."""
    for thing, names in (("systems", dataset.systems), ("topics", dataset.topics)):
        check_number(thing, len(names), place=str(dataset.folder))
    scores, here = complete_scores(dataset, design.measures)
    true, draws = scores[REFERENCE], design.draws
    progress(0.1)
    graded = [name for name in scores if name != REFERENCE and is_precision(name)]
    given = {
        name: estimates_of(file, name, dataset) for name, file in map(named_file, design.scores)
    }
    scores |= given
    # Every part has random numbers of its own: none depends on what is left out.
    rngs = [np.random.default_rng([design.seed, part]) for part in range(2)]
    numbers = [max(2, number) for number in numbers_of_topics(min(len(dataset.topics), 200))]
    rows = [*against_truth(scores, dataset.errors[REFERENCE], [*graded, *given])]
    rows += by_topics(scores, draws, rngs[0])
    progress(0.2)
    rows += by_coverage(true, numbers, draws, rngs[1])
    progress(0.7)
    rows += by_pool(dataset, scores, here)
    left = [name for name in scores if name not in here]
    notes = [f"No pools of {name}, known on complete judgements alone." for name in left]
    progress(1.0)
    systems = {
        system: {name: float(table[place].mean()) for name, table in scores.items()}
        for place, system in enumerate(dataset.systems)
    }
    return rows, SimpleNamespace(
        name=dataset.specification.name,
        given=[*given],
        systems=systems,
        topics=len(dataset.topics),
        elements=dataset.size,
        browsing=dataset.kind,
        pool=list(dataset.pooling),
        notes=notes,
    )


def _row(
    group: str,
    subject: str,
    method: str,
    name: str,
    value: float | Interval,
    number: float | None = None,
) -> dict[str, Any]:
    return quantity(value, group=group, subject=subject, method=method, at=number, quantity=name)


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
) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Return scores by measure, ExactPRUM first, and which can be computed with other judgements.

    What the file holds is taken from there, but computed all the same: only measures that come out
    alike can be computed again, which those of users who differ, say, do not.

    Raise InputError for a folder without ExactPRUM, and a measure without a value on some topic.
    """
    place = str(dataset.folder / "scores.csv")
    if REFERENCE not in dataset.scores:
        rule, remedy = f"hold {REFERENCE}, the true scores", f"name {REFERENCE} in truth.measures"
        raise InputError("measures", tuple(dataset.scores), rule, remedy=remedy, place=place)
    scores: dict[str, Floats] = {REFERENCE: dataset.scores[REFERENCE]}
    here = list[str]()
    for name in (REFERENCE, *names) if dataset.is_plain else names:
        computed = scores_by(dataset, [name])[1][name]
        values = scores[name] = dataset.scores.get(name, computed)
        if np.isnan(values).any():
            rule, remedy = "have a value for every list", "leave the measure out"
            raise InputError("measure", name, rule, remedy=remedy, place=place)
        # Scores that are written with six digits, say, agree so far.
        slack = 1e-5 + 5 * dataset.errors[name] if name in dataset.scores else 0
        if (np.abs(values - computed) <= slack).all():
            here.append(name)
    return scores, tuple(here)


# --- against the true scores, and the ranking by few topics --------------------------------------

_PAIRS_AT_ONCE = 2**22


def against_truth(scores: Mapping[str, Floats], errors: Floats, measures: Sequence[str]) -> Rows:
    """Yield bias, root mean square and largest error of each measure over all lists.

    Hypothesis: PRUM (2.3 in place of the exact sum) errs little, and AP, whose users do not browse,
    errs by what browsing is worth. Design: every system and topic of the dataset, on complete
    judgements; intervals over topics. Cost: none, the scores are there.

    `errors`: standard errors of the true scores, where they were simulated; their mean square is
    taken off that of the differences.
    """
    for measure in measures:
        difference = scores[measure] - scores[REFERENCE]
        squares = np.sqrt((difference**2).mean(axis=0))
        noise = float((errors**2).mean())
        yield _row("truth", ALL, measure, "bias", mean_interval(difference.mean(axis=0)))
        yield _row("truth", ALL, measure, "rmse", root_mean_square(squares, noise))
        yield _row("truth", ALL, measure, "largest", float(np.abs(difference).max()))


def numbers_of_topics(most: int) -> list[int]:
    """Return 5, 10, 25, 50, 100, ... up to `most`; that, if it is less.

    >>> numbers_of_topics(60), numbers_of_topics(3)
    ([5, 10, 25, 50], [3])
    """
    steps = (5, 10, 25, 50, 100, 200, 400, 800, 1600, 3200)
    return [step for step in steps if step <= most] or [most]


def by_topics(scores: Mapping[str, Floats], draws: int, rng: np.random.Generator) -> Rows:
    """Yield tau-b with the true ranking, of each measure and number of topics.

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
            defined = taus[~np.isnan(taus)]
            value = mean_interval(defined) if len(defined) else np.nan
            yield _row("topics", ALL, measure, "tau-b", value, number)


# --- intervals: n topics, drawn with replacement, so that the true mean is known -------

RESAMPLES = 999
MEAN, DIFFERENCE = "mean of a system", "difference of two"
# Draws that are held at once, which share the counts of their resamples.
_AT_ONCE = 50


def by_coverage(
    scores: Floats, numbers: Sequence[int], draws: int, rng: np.random.Generator
) -> Rows:
    """Yield how often 95 % intervals hold the true mean, by method.

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
            # Draws are independent, series of the same draws are not.
            share = mean_interval(held[method][part].mean(axis=0).astype(np.float64))
            yield _row("coverage", subject, method, "coverage", share, number)


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


def by_pool(dataset: Dataset, scores: Mapping[str, Floats], measures: Sequence[str]) -> Rows:
    """Yield bias at each depth.

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
    pool = dataset.specification.pool
    for depth in sorted({*DEPTHS, *([pool.depth] if pool else ())}):
        topics, again = scores_by(dataset, measures, pooled(dataset, depth))
        kept = np.isin(dataset.topics, topics)
        for measure, table in again.items():
            difference = table - scores[measure][:, kept]
            for subject, part in ((IN, is_in), (OUT, ~is_in)):
                if part.any() and len(topics):
                    bias = mean_interval(difference[part].mean(axis=0))
                    yield _row("pooling", subject, measure, "bias", bias, depth)
        yield _row("pooling", "", "", "topics", len(topics), depth)


# --- what is shown -------------------------------------------------------------------------------

# What is printed as 0 to four decimals.
_PRINTED = 0.5e-4
# Tables by numbers of topics, of what was measured: format, label, and headings of lines.
_BY_TOPICS: dict[str, tuple[str, str, dict[str, str]]] = {
    "topics": (
        ".3f",
        "Kendall's tau-b of rankings by n topics with the true one",
        {"method": "measure"},
    ),
    "coverage": (
        ".4f",
        "Coverage of 95 % intervals by n topics",
        {"subject": "of", "method": "interval"},
    ),
}


def view(result: Any) -> View:
    """Return how far estimates are from the true scores, those given first, part by part."""
    findings, story = result.found, Story.of(__package__)
    groups: dict[str, list[Any]] = {}
    for row in result.rows:
        groups.setdefault(row.group, []).append(row)
    errors = rows_of(wide(groups.get("truth", []), ["method"], "quantity"))
    parts = [
        story.line(
            "exact" if row.rmse is not None and row.rmse < _PRINTED else "off",
            measure=row.method,
            rmse=row.rmse,
            bias=row.bias,
        )
        for row in sorted(errors, key=lambda row: row.method not in findings.given)
    ]
    values = {"found": findings, "num_systems": len(findings.systems)}
    headline = f"{'; '.join(parts)}." if parts else story.line("none")
    return story.view(
        _tables(groups),
        values,
        headline=headline,
        notes=("data",),
        more=(*findings.notes, *story.paragraphs("notes")),
    )


def _tables(groups: Mapping[str, Sequence[Any]]) -> Iterator[Table]:
    """Yield a table for each part."""
    if "truth" in groups:
        yield frame_table(
            "Error per list",
            wide(groups["truth"], ["method"], "quantity"),
            {"method": "", "bias and ±": "+.5f", "rmse and ±": ".5f", "largest": ".4f"},
            names={"method": "estimate", "rmse": "root mean square"},
        )
    for group, (form, label, headings) in _BY_TOPICS.items():
        levels = dict.fromkeys(f"n = {row.at:g}" for row in groups[group])
        columns = wide(groups[group], [*headings], lambda row: f"n = {row.at:g}")
        # Half of each line's widest interval.
        columns["±"] = [
            max((high - low for low, high in line if high is not None), default=0) / 2 or None
            for line in zip(
                *(zip(columns[f"{n}_low"], columns[f"{n}_high"], strict=True) for n in levels),
                strict=True,
            )
        ]
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


ESTIMATORS = Study("estimators", __doc__, EstimatorsDesign, compute, view)
