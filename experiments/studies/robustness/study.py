"""How firmly do measures rank systems? Carterette's analysis (2011, section 4.2) on any round.

Hypotheses, of the fifteen measures in groups: utility (M1, M2) and effort (M3, M4) do not differ;
viewing probabilities (M2, M4) are firmer than stopping probabilities (M1, M3); fat tails firmer
than slim ones; static distributions firmer than dynamic ones.

Design: systems are scored by all judgements on all topics, then by less: random samples of topics,
the pool to a smaller depth, second judgements by others, an assessor who disagrees by a dial. Of
tables of scores, which hold no judgements, only samples of topics are taken; measures of other
names stand outside the groups.
Kendall's tau-a between the two rankings of systems, by measure, and the mean of one group of
measures less that of another. Means over samples of topics have Student's interval over the
samples: it is of these topics, whatever sample of them. All others have an interval over topics:
the standard error comes from resampled topics, and from assessors.

Cost: one reading of all runs; then .1 to .2 s for each variation of a round of 143 systems, 30
topics and 1,000 ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated

import numpy as np

from prum.analytic.utility.measures import MEASURES
from prum.experiments.compare.score_files import rows_of_files, score_files
from prum.experiments.compare.scores import ScoreRow, Scores, gathered
from prum.experiments.frame.design import Design, FileUse, Option, Seed
from prum.experiments.frame.study import Advance
from prum.experiments.statistics.intervals import student_factor
from prum.experiments.statistics.rankings import average_precision_tau, tau_a, tied_pairs
from prum.experiments.studies.estimators.given import named_file
from prum.experiments.studies.robustness.rounds import (
    at_least_two,
    disturbed,
    pool_depths,
    pooled,
    read_round,
    sample_means,
)
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError

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
_RESAMPLES = 200
_STEP = 5
_TRIALS = "Samples of topics for each size, and five times the assessors for each dial."
_DIALS = "Share of relevant elements that another assessor rejects."


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The paper's expectation of the first groups beside the second: firmer, or no difference."""

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    expected: str


HYPOTHESES = (
    Hypothesis("utility against effort", ("M1", "M2"), ("M3", "M4"), "no difference"),
    Hypothesis("viewing against stopping", ("M2", "M4"), ("M1", "M3"), "firmer"),
    Hypothesis("fat against slim tails", ("fat tail",), ("slim tail",), "firmer"),
    Hypothesis("static against dynamic", ("static",), ("dynamic",), "firmer"),
)


def groups_of(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the groups with the measures that there are, without those that have none."""
    some = {group: tuple(n for n in own if n in names) for group, own in GROUPS.items()}
    return {group: own for group, own in some.items() if own}


def members(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures of some groups."""
    return tuple(name for group in groups for name in GROUPS[group])


class RobustnessDesign(Design):
    """Options of the study of robustness."""

    runs: Annotated[
        tuple[str, ...],
        Option("TREC runs, or folders of them.", metavar="RUNS...", file="input", positional=True),
    ] = ()
    qrels: Annotated[str | None, Option("TREC qrels.", file="input")] = None
    others: Annotated[
        tuple[str, ...],
        Option(
            "Second judgements of the same topics, TREC qrels, deeper or by other assessors; named "
            "by the file unless NAME is given.",
            metavar="[NAME=]FILE",
            singular="other",
        ),
    ] = ()
    scores: Annotated[
        tuple[str, ...],
        Option(
            "Instead of runs: scores by system and topic, in any form prum compare reads; with "
            "NAME all of that measure. AP, DCG and others of the fifteen are compared by group.",
            metavar="[NAME=]FILE",
        ),
    ] = ()
    ideal_grade: Annotated[int, Option("Lowest grade of a relevant element.")] = 1
    trials: Annotated[
        int, Option(_TRIALS, least=2, most=10_000, remedy="an interval needs two at least")
    ] = 100
    dials: Annotated[
        tuple[float, ...],
        Option(_DIALS, singular="dial", least=0, most=1, remedy="give a share of ideals"),
    ] = (0.05, 0.1, 0.2, 0.4)
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


@dataclass(frozen=True, slots=True)
class RobustnessRow:
    """A measure's ranking of systems by less beside that by everything.

    `kind` and `level` say what is less: so many topics, a pool of such depth, second judgements
    of such a name, assessors with such a dial. `tau_a` with the ends of its interval, `tau_ap` and
    `tied`, the share of pairs of systems with equal scores, are means over trials; the interval is
    of the mean.
    """

    kind: str
    level: float | str
    measure: str
    tau_a: float
    tau_a_low: float
    tau_a_high: float
    tau_ap: float
    tied: float


@dataclass(frozen=True, slots=True)
class Contrast:
    """The mean tau-a of a hypothesis' first groups less that of its second, with its interval."""

    kind: str
    level: float | str
    hypothesis: str
    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RobustnessFindings:
    """Contrasts, measures by group, what was read, and each measure's mean score by system."""

    contrasts: list[Contrast]
    groups: dict[str, tuple[str, ...]]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    scores: dict[str, list[float]]


def compute(
    design: RobustnessDesign, progress: Advance
) -> tuple[list[RobustnessRow], RobustnessFindings]:
    """Return how systems are ranked by less.

    Raise InputError or OSError as `read_round` and `read_scores`.
    """
    rng = np.random.default_rng(design.seed)
    if design.scores or design.qrels is None:
        given = read_scores(design.scores)
        table = _Comparisons(given.values.transpose(2, 0, 1), rng, given.measures)
        return _found(table, design, given.systems, given.topics)
    round_ = read_round(
        design.runs,
        design.qrels,
        others=dict(map(named_file, design.others)),
        ideal_grade=design.ideal_grade,
        progress=lambda share: progress(share * 0.3),
    )
    table = _Comparisons(round_.scores(round_.relevant, NAMES), rng)
    found = _found(table, design, round_.systems, round_.topics)
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
    return found


def read_scores(files: Sequence[str]) -> Scores:
    """Return the scores of files, NAME=FILE or FILE, of several measures.

    Raise InputError as `prum compare`, for scores that are missing, one system, and five topics or
    fewer.
    """
    rows: list[ScoreRow] = []
    for text in files:
        name, path = named_file(text)
        own = rows_of_files(score_files([path]), {})
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


def _found(
    table: "_Comparisons",
    design: RobustnessDesign,
    systems: tuple[str, ...],
    topics: tuple[str, ...],
) -> tuple[list[RobustnessRow], RobustnessFindings]:
    """Return rankings by samples of topics; rows and contrasts that are added later join them."""
    for size in range(_STEP, len(topics), _STEP):
        table.add_samples(size, design.trials)
    means = table.original.mean(axis=2).tolist()
    scores = dict(zip(table.names, means, strict=True))
    return table.rows, RobustnessFindings(
        table.contrasts, groups_of(table.names), systems, topics, scores
    )


@dataclass(frozen=True)
class _Comparisons:
    """Rows and contrasts, as they are added, beside the original scores."""

    original: Floats
    rng: np.random.Generator
    names: tuple[str, ...] = NAMES
    rows: list[RobustnessRow] = field(default_factory=list)
    contrasts: list[Contrast] = field(default_factory=list)

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
        for number, name in enumerate(self.names):
            tops = [average_precision_tau(less[number], true[number]) for less, true in pairs]
            tied = [tied_pairs(less[number]) for less, _ in pairs]
            own = None if resampled is None else resampled[..., number]
            tau, half = float(taus[:, number].mean()), factor * _error(taus[:, number], own)
            interval = tau, max(tau - half, -1.0), min(tau + half, 1.0)
            means = float(np.mean(tops)), float(np.mean(tied))
            self.rows.append(RobustnessRow(kind, level, name, *interval, *means))
        for hypothesis in HYPOTHESES:
            weights = _contrast(hypothesis.first, hypothesis.second, self.names)
            if weights is None:
                continue
            own = None if resampled is None else resampled @ weights
            difference = float((taus @ weights).mean())
            half = factor * _error(taus @ weights, own)
            ends = difference - half, difference + half
            self.contrasts.append(Contrast(kind, level, hypothesis.name, difference, *ends))


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
