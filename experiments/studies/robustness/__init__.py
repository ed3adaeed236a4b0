"""How robust the rankings of the fifteen measures are.

With fewer topics, shallower pools, second judgements, or assessors who disagree, the study gives
Kendall's tau-a with the ranking by all data, by measure, model and tail, and tests the hypotheses
of Carterette 2011. --scores AP=FILE takes fewer topics of a table of scores instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.analytic.utility import MEASURES, utilities
from prum.experiments.compare import Scores, scores_of
from prum.experiments.frame.design import Design, FileUse, Seed, option
from prum.experiments.frame.frames import columns_of, frame_table, rows_of, turned
from prum.experiments.frame.inputs import named_file
from prum.experiments.frame.study import Advance, Study
from prum.experiments.frame.view import Table, View
from prum.experiments.statistics.intervals import student_factor
from prum.experiments.statistics.rankings import tau_a
from prum.experiments.studies.kit.quantities import check_number
from prum.experiments.studies.kit.story import Story
from prum.simulator import InputError
from prum.simulator.collections import ideals_of, named_runs, read_qrels, read_run
from prum.simulator.model.arrays import Counts, Flags, Floats, Ints

NAMES = tuple(MEASURES)
_TAILS = {
    "slim tail": ("RBP", "ERR"),
    "medium tail": ("RR", "RRR"),
    "fat tail": ("DCG", "AP"),
}
_KINDS_OF_LAWS = _TAILS | {"static": ("RBP", "RR", "DCG"), "dynamic": ("ERR", "RRR", "AP")}
# Measures by model, by tail, and whether their stopping law is static or dynamic.
GROUPS = {
    model: tuple(name for name, definition in MEASURES.items() if definition[1] == model)
    for model in ("M1", "M2", "M3", "M4")
} | {
    kind: tuple(name for name, definition in MEASURES.items() if definition[0] in laws)
    for kind, laws in _KINDS_OF_LAWS.items()
}
# Hypothesis -> the first groups, the second, and what the paper expects of the first beside them.
HYPOTHESES = {
    "utility against effort": (("M1", "M2"), ("M3", "M4"), "no difference"),
    "viewing against stopping": (("M2", "M4"), ("M1", "M3"), "firmer"),
    "fat against slim tails": (("fat tail",), ("slim tail",), "firmer"),
    "static against dynamic": (("static",), ("dynamic",), "firmer"),
}
# Shares of relevant elements that another assessor rejects.
DIALS = (0.05, 0.1, 0.2, 0.4)
_RESAMPLES = 200
_STEP = 5


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
    trials: int = option(
        100,
        "Samples of topics for each size, and five times the assessors for each dial.",
        least=2,
        most=10_000,
        remedy="an interval needs two at least",
    )
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        if bool(self.scores) == bool(self.runs and self.qrels) or (self.scores and self.others):
            remedy = "give runs with --qrels FILE, or --scores FILE"
            files = (*self.runs, *self.scores)
            raise InputError("files", files, "be runs and qrels, or scores", remedy=remedy)
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

    Cost: .1 to .2 s for each variation of a round of 143 systems, 30 topics and 1,000 ranks.

    Raise InputError or OSError as `read_round` and `read_scores`.

    Returns
    -------
    frame
        A measure's ranking of systems by less beside that by everything. `kind` and `level` say
        what is less: so many topics, a pool of such depth, second judgements of such a name,
        assessors with such a dial. `tau_a` is the mean over trials, with the ends of its interval.
    found
        `contrasts`, the mean tau-a of a hypothesis' first groups less that of its second, with its
        interval; measures by group, and what was read.
    """
    rng = np.random.default_rng(design.seed)
    if design.qrels is None:
        round_, scored = None, read_scores(design.scores)
        systems, topics = scored.systems, scored.topics
        table = Comparisons(scored.values.transpose(2, 0, 1), rng, scored.measures)
    else:
        others = dict(map(named_file, design.others))
        round_ = read_round(design.runs, design.qrels, others)
        systems, topics = round_.systems, round_.topics
        table = Comparisons(round_.scores(round_.relevant), rng)
    for size in range(_STEP, len(topics), _STEP):
        table.add_samples(size, design.trials)
    progress(0.5)
    if round_ is not None:
        for depth in pool_depths(round_):
            table.add("pool", depth, [round_.scores(pooled(round_, depth))])
        for name, relevant in round_.others.items():
            table.add("judgements", name, [round_.scores(relevant)])
        progress(0.7)
        for dial in DIALS:
            number = max(2, design.trials // 5)
            disagreeing = (disturbed(round_, dial, rng) for _ in range(number))
            table.add("assessors", dial, [round_.scores(relevant) for relevant in disagreeing])
    progress(1.0)
    groups = {group: tuple(n for n in names if n in table.names) for group, names in GROUPS.items()}
    return table.rows, SimpleNamespace(
        contrasts=rows_of(turned(table.contrasts)),
        groups={group: names for group, names in groups.items() if names},
        systems=systems,
        topics=topics,
    )


def read_scores(files: Sequence[str]) -> Scores:
    """Return the scores of files, NAME=FILE or FILE, of several measures.

    Raise InputError as `prum compare`, for scores that are missing, one system, and five topics or
    fewer.
    """
    import pandas as pd

    frames = []
    for text in files:
        name, path = named_file(text)
        frame = scores_of([path])[0].frame()
        frames.append(frame if text == path else frame.assign(measure=name))
    scores, _ = scores_of(pd.concat(frames, ignore_index=True))
    check_number("systems", len(scores.systems))
    # More than the smallest sample has.
    check_number("topics", len(scores.topics), least=_STEP + 1)
    return scores


# --- a round of runs as arrays ------------------------------------------------------------------

# The paper normalises total utility and what does not lie in [0, 1] by itself.
NORMALISED = ("RBTR", "DCG", "SumRR", "ARR")


@dataclass(frozen=True, slots=True)
class Round:
    """Runs of several systems on judged topics: which judged element stands where in which list.

    `codes`, (systems, topics, ranks), has the judged element at each rank, counted over all topics,
    -1 for none; `lengths`, (systems, topics), how many ranks each list has. `topic_of` is the topic
    of each judged element, `judged` whether the original judgements name it, `relevant` whether it
    is relevant by them, and `others` by second ones, by name.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    codes: Counts
    lengths: Ints
    topic_of: Ints
    judged: Flags
    relevant: Flags
    others: Mapping[str, Flags]

    @property
    def depths(self) -> Ints:
        """The least rank (from 1) at which a system has each judged element; none: beyond all."""
        depths = np.full(len(self.topic_of) + 1, self.codes.shape[2] + 1)
        ranks = np.broadcast_to(np.arange(self.codes.shape[2]) + 1, self.codes.shape)
        np.minimum.at(depths, self.codes, ranks)  # -1 is the last
        return depths[:-1]

    def num_relevant(self, relevant: Flags) -> Ints:
        """Return R of each topic."""
        return np.bincount(self.topic_of[relevant], minlength=len(self.topics))

    def scores(self, relevant: Flags, names: Sequence[str] = NAMES) -> Floats:
        """Return scores by these judgements, shape (measures, systems, topics).

        Topics without a relevant element score 0 throughout.
        """
        by_code, num_relevant = np.append(relevant, False), self.num_relevant(relevant)
        kept = np.flatnonzero(num_relevant)
        out = np.zeros((len(names), len(self.systems), len(self.topics)))
        for is_normalised in (False, True):
            rows = [row for row, name in enumerate(names) if (name in NORMALISED) == is_normalised]
            for system, codes in enumerate(self.codes[:, kept]):
                values = utilities(
                    [names[row] for row in rows],
                    by_code[codes],
                    num_relevant[kept],
                    lengths=self.lengths[system, kept],
                    normalised=is_normalised,
                )
                out[np.array(rows)[:, None], system, kept] = values.T
        return out


def read_round(
    runs: Sequence[str | Path], qrels: str | Path, others: Mapping[str, str | Path] = {}
) -> Round:
    """Return a round from TREC runs and qrels, and second qrels of the same topics by name.

    Topics are those with a relevant element in the qrels. A topic that a run lacks is an empty
    list, and a folder stands for the runs in it.

    Raises InputError as the readers, for fewer than two runs or topics, two runs of one name, and
    second judgements that share no topic; OSError if a file cannot be read.
    """
    judged = read_qrels(qrels)
    more = {name: read_qrels(path) for name, path in others.items()}
    topics = tuple(topic for topic, ideals in ideals_of(judged).items() if ideals)
    check_number("topics with a relevant element", len(topics), place=str(qrels))
    for name, by in more.items():
        if not set(topics) & set(by):
            thing, rule = f"topics of {name}", f"be those of {qrels!s}"
            remedy = f"check that {others[name]!s} belongs to it"
            raise InputError(thing, list(by)[:3], rule, remedy=remedy)
    lists = {name: read_run(file) for name, file in named_runs(runs)}
    check_number("runs", len(lists))
    pairs = [
        (number, topic, element)
        for number, topic in enumerate(topics)
        for element in dict.fromkeys(
            x for by in (judged, *more.values()) for x in by.get(topic, ())
        )
    ]
    code_of = {(topic, element): code for code, (_, topic, element) in enumerate(pairs)}

    def relevant(by: Mapping[str, Mapping[str, float]]) -> Flags:
        ideals = {topic: {*elements} for topic, elements in ideals_of(by).items()}
        return np.array([x in ideals.get(topic, ()) for _, topic, x in pairs], dtype=np.bool_)

    rankings = [[run.get(topic, ()) for topic in topics] for run in lists.values()]
    lengths = np.array([[len(ranking) for ranking in by_topic] for by_topic in rankings])
    codes = np.full((*lengths.shape, max(1, int(lengths.max()))), -1, dtype=np.int32)
    for system, number in np.ndindex(lengths.shape):
        ranked = reversed([*enumerate(rankings[system][number])])
        # A repeated element finds nothing the second time.
        for element, rank in {element: rank for rank, element in ranked}.items():
            codes[system, number, rank] = code_of.get((topics[number], element), -1)
    return Round(
        tuple(lists),
        topics,
        codes,
        lengths,
        np.array([number for number, *_ in pairs], dtype=np.int64),
        np.array([element in judged[topic] for _, topic, element in pairs], dtype=np.bool_),
        relevant(judged),
        {name: relevant(grades) for name, grades in more.items()},
    )


# --- shallower pools, other assessors, fewer topics ----------------------------------------------


def pooled(round_: Round, depth: int) -> Flags:
    """Return what is relevant of the elements that some system has down to a rank.

    The pool that the same systems would have given; what is not in it counts as not relevant.
    """
    return round_.relevant & (round_.depths <= depth)


def pool_depths(round_: Round) -> list[int]:
    """Return depths 1, 2, 5, 10, 20, ... below the first that holds all relevant elements."""
    depths = round_.depths
    within = round_.relevant & (depths <= round_.codes.shape[2])
    deepest = int(depths[within].max(initial=1))
    steps = (step * 10**power for power in range(7) for step in (1, 2, 5))
    return [depth for depth in steps if depth < deepest]


def disturbed(round_: Round, dial: float, rng: np.random.Generator) -> Flags:
    """Return what another assessor finds relevant, who differs from the first by a dial.

    They reject each relevant element with probability `dial`, and accept each other judged element
    with a probability of its topic that keeps the expected number of relevant elements. So of what
    either takes for relevant, both do for some (1 - dial) / (1 + dial): .8 at dial .11, .43 at .4,
    as much as assessors of TREC were seen to share.
    """
    relevant, others = round_.relevant, round_.judged & ~round_.relevant
    lost = round_.num_relevant(relevant) * dial
    candidates = np.bincount(round_.topic_of[others], minlength=len(round_.topics))
    share = np.divide(lost, candidates, out=np.zeros(len(lost)), where=candidates > 0).clip(max=1)
    chance = np.where(relevant, 1 - dial, np.where(others, share[round_.topic_of], 0))
    accepted: Flags = rng.random(len(relevant)) < chance
    return accepted


# --- what is compared ---------------------------------------------------------------------------


class Comparisons:
    """Rows and contrasts, as they are added, beside original scores (measures, systems, topics)."""

    def __init__(
        self, original: Floats, rng: np.random.Generator, names: tuple[str, ...] = NAMES
    ) -> None:
        self.original, self.rng, self.names = original, rng, names
        self.rows, self.contrasts = list[dict[str, Any]](), list[dict[str, Any]]()
        # What takes tau of all measures to the mean of some groups' less that of others'.
        self._weights: dict[str, Floats] = {}
        for hypothesis, (first, second, _) in HYPOTHESES.items():
            plus, minus = (
                {name for group in groups for name in GROUPS[group]} & {*names}
                for groups in (first, second)
            )
            if plus and minus:
                self._weights[hypothesis] = np.array(
                    [(name in plus) / len(plus) - (name in minus) / len(minus) for name in names]
                )

    def add_samples(self, size: int, trials: int) -> None:
        """Compare rankings by samples of topics, none twice in one, with that by all of them."""
        num_topics = self.original.shape[2]
        samples = (self.rng.permutation(num_topics)[:size] for _ in range(trials))
        means = [self.original[:, :, sample].mean(axis=2) for sample in samples]
        self._add("topics", size, means, None)

    def add(self, kind: str, level: float | str, trials: Sequence[Floats]) -> None:
        """Compare rankings by other judgements, each shape (measures, systems, topics)."""
        num_topics = self.original.shape[2]
        resampled = []
        for _ in range(_RESAMPLES):
            first = int(self.rng.integers(len(trials)))
            chosen = self.rng.integers(0, num_topics, num_topics)
            by_all = self.original[:, :, chosen].mean(axis=2)
            two = (trials[first], trials[(first + 1) % len(trials)])
            resampled.append([tau_a(less[:, :, chosen].mean(axis=2), by_all) for less in two])
        means = [scores.mean(axis=2) for scores in trials]
        self._add(kind, level, means, np.array(resampled))

    def _add(
        self, kind: str, level: float | str, means: Sequence[Floats], resampled: Floats | None
    ) -> None:
        """Add rows of mean scores, (measures, systems), by less.

        Without `resampled`, (resamples, 2, measures), trials are samples of these topics. Else the
        variance over topics, the covariance of two trials (or of one with itself) on the same
        resampled ones, adds to that of the trials.
        """
        true = self.original.mean(axis=2)
        taus = np.array([tau_a(less, true) for less in means])
        factor = student_factor((len(means) if resampled is None else self.original.shape[2]) - 1)

        def estimate(weights: Floats) -> tuple[float, float]:
            """Return the mean of a weighted sum of measures' taus, and half its interval."""
            values = taus @ weights
            variance = float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0
            if resampled is not None:
                of_topics = float(np.cov(resampled @ weights, rowvar=False)[0, 1])
                variance += max(of_topics, 0.0)
            return float(values.mean()), factor * variance**0.5

        what = {"kind": kind, "level": level}
        for name, weights in zip(self.names, np.eye(len(self.names)), strict=True):
            tau, half = estimate(weights)
            ends = (tau, max(tau - half, -1.0), min(tau + half, 1.0))
            self.rows.append(what | {"measure": name} | columns_of(tau_a=ends))
        for hypothesis, weights in self._weights.items():
            apart, half = estimate(weights)
            difference = {"difference": apart, "low": apart - half, "high": apart + half}
            self.contrasts.append(what | {"hypothesis": hypothesis} | difference)


# --- what is shown: Figures 3 and 4 of the paper, and what it expects -----------------------------

# Of each kind of less its name, and a level.
_KINDS = {
    "topics": ("samples of topics", "{:g} topics"),
    "pool": ("pools of smaller depth", "depth {:g}"),
    "judgements": ("second judgements", "{}"),
    "assessors": ("assessors who disagree", "dial {:g}"),
}
_OPEN = "no difference seen"
# A difference of means that are equal may be so large.
_ROUNDING = 1e-12


def view(result: Any) -> View:
    """Return tau-a by measure and group for each kind of variation, and what the paper expects."""
    import pandas as pd

    contrasts, frame = result.found.contrasts, result.to_frame()
    # Means of groups stand beside those of their measures.
    means = [
        frame[frame.measure.isin(names)]
        .groupby(["kind", "level"], sort=False, as_index=False)
        .tau_a.mean()
        .assign(measure=group)
        for group, names in result.found.groups.items()
    ]
    both = pd.concat([frame, *means]).assign(is_group=lambda rows: rows.tau_a_low.isna())
    least = frame[(frame.kind == frame.kind[0]) & (frame.level == frame.level[0])]
    least = least.sort_values("tau_a", kind="stable")
    fat = next((row for row in contrasts if row.hypothesis == "fat against slim tails"), None)
    values = {
        "less": _KINDS[frame.kind[0]][1].format(frame.level[0]),
        "least": least.iloc[0],
        "most": least.iloc[-1],
        "num_systems": len(result.found.systems),
        "num_topics": len(result.found.topics),
        "direction": "more" if fat is not None and fat.difference > 0 else "less",
        "fat": fat,
        "over": "samples of these topics" if frame.kind[0] == "topics" else "topics",
    }
    headline = "plain" if fat is None else "open" if verdict(fat) == _OPEN else "headline"
    tables = [_taus(kind, rows) for kind, rows in both.groupby("kind", sort=False)]
    if contrasts:
        tables.append(_expected(contrasts))
    notes = ("scores" if result.design.scores else "notes", "intervals")
    return Story.of(__package__).view(tables, values, headline=(headline,), notes=notes)


def _taus(kind: str, rows: Any) -> Table:
    """Return tau-a by measure, then by group, a column for each level."""
    levels = rows.level.unique().tolist()
    names = {f"level {place}": _KINDS[kind][1].format(level) for place, level in enumerate(levels)}
    columns = rows[rows.level == levels[0]][["measure", "is_group"]].to_dict("list")
    columns |= {
        column: rows[rows.level == level].tau_a for column, level in zip(names, levels, strict=True)
    }
    forms = {"measure": ""} | dict.fromkeys(names, ".3f")
    label = f"Tau-a by {_KINDS[kind][0]}"
    return frame_table(label, columns, forms, names=names, parts="is_group")


def _expected(contrasts: Sequence[Any]) -> Table:
    """Return each hypothesis, what the paper expects, and what came out by kind and level."""
    rows = sorted(contrasts, key=lambda row: [*HYPOTHESES].index(row.hypothesis))
    columns = {
        "hypothesis": [row.hypothesis for row in rows],
        "expected": [HYPOTHESES[row.hypothesis][2] for row in rows],
        "variation": [_KINDS[row.kind][1].format(row.level) for row in rows],
        **{end: [getattr(row, end) for row in rows] for end in ("difference", "low", "high")},
        "here": list(map(verdict, rows)),
    }
    forms = dict.fromkeys(columns, "") | dict.fromkeys(("difference", "low", "high"), "+.3f")
    label = "What the paper expects of the first against the second, as a difference of mean tau-a"
    return frame_table(label, columns, forms, parts="hypothesis")


def verdict(contrast: Any) -> str:
    """Return what an interval says of the first beside the second."""
    is_firm, is_less = contrast.low > _ROUNDING, contrast.high < -_ROUNDING
    return "firmer" if is_firm else "less firm" if is_less else _OPEN


ROBUSTNESS = Study("robustness", __doc__, RobustnessDesign, compute, view)
