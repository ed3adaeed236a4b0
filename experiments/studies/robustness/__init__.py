"""How robust the rankings of the fifteen measures are.

With fewer topics, shallower pools, second judgements, or assessors who disagree, the study gives
Kendall's tau-a with the ranking by all data, by measure, model and tail, and tests the hypotheses
of Carterette 2011. --scores AP=FILE takes fewer topics of a table of scores instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.analytic.utility.measures import MEASURES
from prum.experiments.compare.score_files import rows_of_files, score_files
from prum.experiments.compare.scores import ScoreRow, Scores, gathered
from prum.experiments.frame import drawing as d
from prum.experiments.frame.design import Design, FileUse, Seed, option
from prum.experiments.frame.frames import columns_of, frame_table
from prum.experiments.frame.study import Advance, Study
from prum.experiments.frame.view import Table, View
from prum.experiments.statistics.intervals import student_factor
from prum.experiments.statistics.rankings import average_precision_tau, tau_a, tied_pairs
from prum.experiments.studies.estimators.given import named_file
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.robustness.rounds import (
    at_least_two,
    disturbed,
    pool_depths,
    pooled,
    read_round,
    sample_means,
)
from prum.simulator import InputError
from prum.simulator.model.arrays import Floats

NAMES = tuple(MEASURES)
_TAILS = {"RBP": "slim", "ERR": "slim", "RR": "medium", "RRR": "medium", "DCG": "fat", "AP": "fat"}
_DYNAMIC = ("ERR", "AP", "RRR")
# Measure -> its groups: model, tail, and whether it is static or dynamic.
_GROUPS_OF = {
    name: (model, f"{_TAILS[stops]} tail", "dynamic" if stops in _DYNAMIC else "static")
    for name, (stops, model) in MEASURES.items()
}
_NAMES_OF_GROUPS = (
    *("M1", "M2", "M3", "M4"),
    *("slim tail", "medium tail", "fat tail"),
    *("static", "dynamic"),
)
GROUPS = {
    group: tuple(name for name, own in _GROUPS_OF.items() if group in own)
    for group in _NAMES_OF_GROUPS
}
# The paper's expectation of the first groups beside the second.
HYPOTHESES = tuple(
    SimpleNamespace(name=name, first=first, second=second, expected=expected)
    for name, first, second, expected in (
        ("utility against effort", ("M1", "M2"), ("M3", "M4"), "no difference"),
        ("viewing against stopping", ("M2", "M4"), ("M1", "M3"), "firmer"),
        ("fat against slim tails", ("fat tail",), ("slim tail",), "firmer"),
        ("static against dynamic", ("static",), ("dynamic",), "firmer"),
    )
)
_RESAMPLES = 200
_STEP = 5


def members(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures of some groups."""
    return tuple(name for group in groups for name in GROUPS[group])


class RobustnessDesign(Design):
    """Options of the study of robustness."""

    runs: tuple[str, ...] = option(
        (), "TREC runs, or folders of them.", "RUNS...", file="input", positional=True
    )
    qrels: str | None = option(None, "TREC qrels.", file="input")
    others: tuple[str, ...] = option(
        (),
        "Second judgements of the same topics, TREC qrels, deeper or by other assessors; named "
        "by the file unless NAME is given.",
        "[NAME=]FILE",
        singular="other",
    )
    scores: tuple[str, ...] = option(
        (),
        "Instead of runs: scores by system and topic, in any form prum compare reads; with "
        "NAME all of that measure. AP, DCG and others of the fifteen are compared by group.",
        "[NAME=]FILE",
    )
    ideal_grade: int = option(1, "Lowest grade of a relevant element.")
    trials: int = option(
        100,
        "Samples of topics for each size, and five times the assessors for each dial.",
        least=2,
        most=10_000,
        remedy="an interval needs two at least",
    )
    dials: tuple[float, ...] = option(
        (0.05, 0.1, 0.2, 0.4),
        "Share of relevant elements that another assessor rejects.",
        singular="dial",
        least=0,
        most=1,
        remedy="give a share of ideals",
    )
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        if self.scores:
            for name in ("runs", "qrels", "others"):
                if given := getattr(self, name):
                    rule, remedy = "be left out beside scores", "give runs or scores, not both"
                    raise InputError(name, given, rule, remedy=remedy)
        elif not self.runs or self.qrels is None:
            remedy = "give runs with --qrels FILE, or --scores FILE"
            raise InputError("files", (*self.runs,), "be runs and qrels, or scores", remedy=remedy)
        names = [name for name, _ in map(named_file, self.others)]
        if len({*names, ""}) <= len(names):
            rule = "be one for each file"
            raise InputError("names of judgements", names, rule, remedy="write NAME=FILE")

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, named ones among them."""
        named = [named_file(text)[1] for text in (*self.others, *self.scores)]
        return (*super().files(*roles), *(named if "input" in roles else ()))


def compute(design: RobustnessDesign, progress: Advance) -> tuple[Any, SimpleNamespace]:
    """Return how systems are ranked by less: Carterette's analysis (2011, section 4.2).

    Hypotheses, of the fifteen measures in groups: utility (M1, M2) and effort (M3, M4) do not
    differ; viewing probabilities (M2, M4) are firmer than stopping probabilities (M1, M3); fat
    tails firmer than slim ones; static distributions firmer than dynamic ones.

    Design: systems are scored by all judgements on all topics, then by less: random samples of
    topics, the pool to a smaller depth, second judgements by others, an assessor who disagrees by a
    dial. Of tables of scores, which hold no judgements, only samples of topics are taken; measures
    of other names stand outside the groups. Kendall's tau-a between the two rankings of systems, by
    measure, and the mean of one group of measures less that of another. Means over samples of
    topics have Student's interval over the samples: it is of these topics, whatever sample of them.
    All others have an interval over topics: the standard error comes from resampled topics, and
    from assessors.

    Cost: one reading of all runs; then .1 to .2 s for each variation of a round of 143 systems, 30
    topics and 1,000 ranks.

    Raise InputError or OSError as `read_round` and `read_scores`.

    Returns
    -------
    frame
        A measure's ranking of systems by less beside that by everything. `kind` and `level` say
        what is less: so many topics, a pool of such depth, second judgements of such a name,
        assessors with such a dial. `tau_a` with the ends of its interval, `tau_ap` and `tied`, the
        share of pairs of systems with equal scores, are means over trials; the interval is of the
        mean.
    found
        `contrasts`, the mean tau-a of a hypothesis' first groups less that of its second, with its
        interval; measures by group, what was read, and each measure's mean score by system.
    """
    rng = np.random.default_rng(design.seed)
    if design.scores or design.qrels is None:
        given = read_scores(design.scores)
        table = Comparisons(given.values.transpose(2, 0, 1), rng, given.measures)
        table.add_all_samples(design.trials)
        return _computed(table, given.systems, given.topics)
    round_ = read_round(
        design.runs,
        design.qrels,
        others=dict(map(named_file, design.others)),
        ideal_grade=design.ideal_grade,
        progress=lambda share: progress(share * 0.3),
    )
    table = Comparisons(round_.scores(round_.relevant, NAMES), rng)
    table.add_all_samples(design.trials)
    progress(0.5)
    for depth in pool_depths(round_):
        table.add("pool", depth, [round_.scores(pooled(round_, depth), NAMES)])
    for name, relevant in round_.others.items():
        table.add("judgements", name, [round_.scores(relevant, NAMES)])
    progress(0.7)
    for dial in design.dials:
        others = (disturbed(round_, dial, rng) for _ in range(max(2, design.trials // 5)))
        table.add("assessors", dial, [round_.scores(other, NAMES) for other in others])
    progress(1.0)
    return _computed(table, round_.systems, round_.topics)


def read_scores(files: Sequence[str]) -> Scores:
    """Return the scores of files, NAME=FILE or FILE, of several measures.

    Raise InputError as `prum compare`, for scores that are missing, one system, and five topics or
    fewer.
    """
    rows: list[ScoreRow] = []
    for text in files:
        name, path = named_file(text)
        own = rows_of_files(score_files([path]))
        rows += own if text == path else (row._replace(measure=name) for row in own)
    scores, _ = gathered(rows)
    at_least_two("systems", len(scores.systems), "")
    if len(scores.topics) <= _STEP:
        rule = f"be more than {_STEP}, the smallest sample"
        raise InputError("number of topics", len(scores.topics), rule, remedy="give more")
    if np.isnan(scores.values).any():
        rule, remedy = "be a number everywhere", "leave out topics without a value"
        raise InputError("score", float("nan"), rule, remedy=remedy)
    return scores


def _computed(
    table: "Comparisons", systems: tuple[str, ...], topics: tuple[str, ...]
) -> tuple[Any, SimpleNamespace]:
    """Return the rows, and what else was found."""
    import pandas as pd

    some = {group: tuple(n for n in own if n in table.names) for group, own in GROUPS.items()}
    means = table.original.mean(axis=2).tolist()
    return pd.DataFrame(map(vars, table.rows), dtype=object), SimpleNamespace(
        contrasts=table.contrasts,
        groups={group: own for group, own in some.items() if own},
        systems=systems,
        topics=topics,
        scores=dict(zip(table.names, means, strict=True)),
    )


@dataclass(frozen=True)
class Comparisons:
    """Rows and contrasts, as they are added, beside the original scores."""

    original: Floats
    rng: np.random.Generator
    names: tuple[str, ...] = NAMES
    rows: list[Any] = field(default_factory=list)
    contrasts: list[Any] = field(default_factory=list)

    def add_all_samples(self, trials: int) -> None:
        """Compare rankings by samples of each size with that by all topics."""
        for size in range(_STEP, self.original.shape[2], _STEP):
            self.add_samples(size, trials)

    def add_samples(self, size: int, trials: int) -> None:
        """Compare rankings by samples of topics with that by all of them."""
        true = self.original.mean(axis=2)
        means = sample_means(self.original, size, trials, self.rng)
        self._add("topics", size, [(sample, true) for sample in means], None)

    def add(self, kind: str, level: float | str, trials: Sequence[Floats]) -> None:
        """Compare rankings by other judgements, each shape (measures, systems, topics)."""
        true = self.original.mean(axis=2)
        pairs = [(scores.mean(axis=2), true) for scores in trials]
        num_topics = self.original.shape[2]
        resampled = []
        for _ in range(_RESAMPLES):
            first = int(self.rng.integers(len(trials)))
            chosen = self.rng.integers(0, num_topics, num_topics)
            by_all = self.original[:, :, chosen].mean(axis=2)
            two = (trials[first], trials[(first + 1) % len(trials)])
            resampled.append([tau_a(less[:, :, chosen].mean(axis=2), by_all) for less in two])
        self._add(kind, level, pairs, np.array(resampled))

    def _add(
        self,
        kind: str,
        level: float | str,
        pairs: Sequence[tuple[Floats, Floats]],
        resampled: Floats | None,
    ) -> None:
        taus = np.array([tau_a(less, true) for less, true in pairs])
        freedom = (len(pairs) if resampled is None else self.original.shape[2]) - 1
        factor = student_factor(freedom)
        row: dict[str, Any]
        for number, name in enumerate(self.names):
            tops = [average_precision_tau(less[number], true[number]) for less, true in pairs]
            tied = [tied_pairs(less[number]) for less, _ in pairs]
            own = None if resampled is None else resampled[..., number]
            tau, half = float(taus[:, number].mean()), factor * _error(taus[:, number], own)
            row = {"kind": kind, "level": level, "measure": name}
            row |= columns_of(tau_a=(tau, max(tau - half, -1.0), min(tau + half, 1.0)))
            row |= {"tau_ap": float(np.mean(tops)), "tied": float(np.mean(tied))}
            self.rows.append(SimpleNamespace(**row))
        for hypothesis in HYPOTHESES:
            weights = _contrast(hypothesis.first, hypothesis.second, self.names)
            if weights is None:
                continue
            own = None if resampled is None else resampled @ weights
            difference = float((taus @ weights).mean())
            half = factor * _error(taus @ weights, own)
            row = {"kind": kind, "level": level, "hypothesis": hypothesis.name}
            row |= {"difference": difference, "low": difference - half, "high": difference + half}
            self.contrasts.append(SimpleNamespace(**row))


def _error(values: Floats, resampled: Floats | None) -> float:
    """Return the standard error of the mean of a value over trials.

    Without `resampled`, (resamples, 2), trials are samples of these topics. Else the variance over
    topics, the covariance of two trials (or of one with itself) on the same resampled ones, adds to
    that of the trials.
    """
    of_trials = float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0
    if resampled is None:
        return float(np.sqrt(of_trials))
    of_topics = float(np.cov(resampled, rowvar=False)[0, 1])
    return float(np.sqrt(max(of_topics, 0.0) + of_trials))


@cache
def _contrast(
    first: tuple[str, ...], second: tuple[str, ...], names: tuple[str, ...]
) -> Floats | None:
    """Return weights that take the mean of some groups' measures less that of others'.

    None if one of the two has no measure.
    """
    plus, minus = (set(members(groups)) & set(names) for groups in (first, second))
    if not plus or not minus:
        return None
    return np.array([(name in plus) / len(plus) - (name in minus) / len(minus) for name in names])


# --- what is shown: Figures 3 and 4 of the paper, and what it expects -----------------------------

# Of each kind of less its name, a level as a heading and in a sentence, and its axis.
_KINDS = {
    "topics": ("samples of topics", "{:g} topics", "{0:g} of {1} topics", "topics"),
    "pool": ("pools of smaller depth", "depth {:g}", "a pool of depth {0:g}", "pool depth"),
    "judgements": ("second judgements", "{}", "the judgements {0}", ""),
    "assessors": (
        "assessors who disagree",
        "dial {:g}",
        "an assessor who rejects {0:g} of what is relevant",
        "share rejected",
    ),
}
_PANELS = (("M1", "M2", "M3", "M4"), ("slim tail", "medium tail", "fat tail"))
# Kinds that are drawn, and lines where no measure has a group.
_MOST_DRAWN, _MOST_LINES = 2, 4
_OPEN = "no difference seen"
# A difference of means that are equal may be so large.
_ROUNDING = 1e-12


def view(result: Any) -> View:
    """Return tau-a by measure and group for each kind of variation, and what the paper expects."""
    found, num_topics = result.found, len(result.found.topics)
    # Means of groups stand beside those of their measures.
    taus = {(row.kind, row.level, row.measure): row.tau_a for row in result.rows}
    levels: dict[str, list[float | str]] = {}
    for kind, level in dict.fromkeys((row.kind, row.level) for row in result.rows):
        levels.setdefault(kind, []).append(level)
        for group, names in found.groups.items():
            taus[kind, level, group] = float(np.mean([taus[kind, level, name] for name in names]))
    first = result.rows[0]
    rows = [row for row in result.rows if (row.kind, row.level) == (first.kind, first.level)]
    contrasts = (row for row in found.contrasts if row.hypothesis == "fat against slim tails")
    fat = next(contrasts, None)
    figured = dict(islice(levels.items(), _MOST_DRAWN))
    kinds = [_KINDS[kind][0] for kind in figured]
    values = {
        "less": _KINDS[first.kind][2].format(first.level, num_topics),
        "least": min(rows, key=lambda row: row.tau_a),
        "most": max(rows, key=lambda row: row.tau_a),
        "num_systems": len(found.systems),
        "num_topics": num_topics,
        "direction": "more" if fat is not None and fat.difference > 0 else "less",
        "fat": fat,
        "over": "samples of these topics" if first.kind == "topics" else "topics",
        "kinds": ", then by ".join(kinds),
    }
    headline = "plain" if fat is None else "open" if verdict(fat) == _OPEN else "headline"
    names = [*found.scores, *found.groups]
    known = [[group for group in groups if group in found.groups] for groups in _PANELS]
    lines = [groups for groups in known if groups] or [list(found.scores)[:_MOST_LINES]]
    panels = [
        partial(_panel, taus, kind, levels[kind], groups) for kind in figured for groups in lines
    ]
    return Story.beside(__package__).view(
        (
            *(_taus(taus, kind, of_kind, names, found.groups) for kind, of_kind in levels.items()),
            *([_expected(found.contrasts)] if found.contrasts else []),
        ),
        values,
        headline=(headline,),
        figure=(
            f"Kendall's tau-a by {' and by '.join(kinds)}",
            lambda: d.paneled(panels, columns=len(lines), tall=270),
        ),
        notes=("scores" if result.design.scores else "notes", "intervals"),
    )


def _taus(taus: Any, kind: str, levels: Sequence[Any], names: Sequence[str], groups: Any) -> Table:
    """Return tau-a by measure, then by group, a column for each level."""
    name, heading, *_ = _KINDS[kind]
    headings = {f"level {at}": heading.format(level) for at, level in enumerate(levels)}
    columns: dict[str, Any] = {"measure": names, "group": [name in groups for name in names]}
    for column, level in zip(headings, levels, strict=True):
        columns[column] = [taus[kind, level, name] for name in names]
    forms = {"measure": ""} | dict.fromkeys(headings, ".3f")
    return frame_table(f"Tau-a by {name}", columns, forms, names=headings, parts="group")


def _expected(contrasts: Sequence[Any]) -> Table:
    import pandas as pd

    expected = {hypothesis.name: hypothesis.expected for hypothesis in HYPOTHESES}
    rows = sorted(contrasts, key=lambda row: list(expected).index(row.hypothesis))
    frame = pd.DataFrame(map(vars, rows))
    frame["expected"] = frame.hypothesis.map(expected)
    frame["variation"] = [_KINDS[row.kind][1].format(row.level) for row in rows]
    frame["here"] = list(map(verdict, rows))
    forms = dict.fromkeys(("hypothesis", "expected", "variation"), "")
    forms |= dict.fromkeys(("difference", "low", "high"), "+.3f") | {"here": ""}
    label = "What the paper expects of the first against the second, as a difference of mean tau-a"
    return frame_table(label, frame, forms, parts="hypothesis")


def verdict(contrast: Any) -> str:
    """Return what an interval says of the first beside the second."""
    if contrast.low > _ROUNDING:
        return "firmer"
    return "less firm" if contrast.high < -_ROUNDING else _OPEN


def _panel(taus: Any, kind: str, levels: Sequence[Any], names: Sequence[str], axes: Any) -> None:
    """Draw a line for each group, or measure, over levels."""
    d.curves(axes, {name: {level: taus[kind, level, name] for level in levels} for name in names})
    if kind == "pool":
        axes.set_xscale("log")
    axes.set_title("Kendall’s tau-a")
    axes.set_xlabel(_KINDS[kind][3])
    axes.legend()


ROBUSTNESS = Study("robustness", __doc__, RobustnessDesign, None, compute, view)
