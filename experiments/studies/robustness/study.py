"""How firmly do measures rank systems? Carterette's analysis (2011, section 4.2) on any round.

Hypotheses, of the fifteen measures in groups: utility (M1, M2) and effort (M3, M4) do not differ;
viewing probabilities (M2, M4) are firmer than stopping probabilities (M1, M3); fat tails firmer
than slim ones; static distributions firmer than dynamic ones.

Design: systems are scored by all judgements on all topics, then by less: random samples of topics,
the pool to a smaller depth, deeper judgements by others, an assessor who disagrees by a dial.
Kendall's tau-a between the two rankings of systems, by measure, and the mean of one group of
measures less that of another. Its interval comes from resampled topics, but for samples of topics:
there from the trials, which share topics, so that it is too narrow for other topics.

Cost: one reading of all runs; then .1 to .2 s for each variation of a round of 143 systems, 30
topics and 1,000 ranks.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from prum.experiments.rankings import average_precision_tau, tau_a, tied_pairs
from prum.experiments.studies.robustness.families import GROUPS, HYPOTHESES, NAMES, members
from prum.experiments.studies.robustness.rounds import Floats, read_round
from prum.experiments.studies.robustness.variations import (
    disturbed,
    pool_depths,
    pooled,
    sample_means,
)
from prum.experiments.studies.study import Advance, Study, ascending, checked_seed, command_of
from prum.simulator.model.errors import proportion, whole_number

DIALS = (0.05, 0.1, 0.2, 0.4)
_RESAMPLES = 200
_MOST_TRIALS = 10_000
_STEP = 5


def study_robustness(
    runs: Sequence[str | Path],
    qrels: str | Path,
    *,
    deeper: str | Path | None = None,
    ideal_grade: int = 1,
    trials: int = 100,
    dials: Sequence[float] = DIALS,
    seed: int = 1,
    progress: Advance = lambda _: None,
) -> Study:
    """Return the study of a round of runs.

    Parameters
    ----------
    deeper
        Other judgements of the same topics, as those of later rounds.
    trials
        Samples of topics for each size; a fifth as many disturbed assessors for each dial.

    Raises
    ------
    InputError
        as `read_round`, and for fewer than two trials or a dial outside [0, 1].
    """
    trials = whole_number(
        "trials", trials, least=2, most=_MOST_TRIALS, remedy="an interval needs two at least"
    )
    seed = checked_seed(seed)
    chosen = ascending(
        "dials", dials, lambda dial: proportion("dial", dial, remedy="give a share of ideals")
    )
    round_ = read_round(
        runs,
        qrels,
        deeper=deeper,
        ideal_grade=ideal_grade,
        progress=lambda share: progress(share * 0.3),
    )
    rng = np.random.default_rng(seed)
    table = _Table(round_.scores(round_.relevant, NAMES), rng)
    num_topics = len(round_.topics)
    for size in range(_STEP, num_topics, _STEP):
        table.add_samples(size, trials)
    progress(0.5)
    for depth in pool_depths(round_):
        table.add("pool", depth, [round_.scores(pooled(round_, depth), NAMES)])
    if round_.deeper is not None:
        table.add("judgements", 0, [round_.scores(round_.deeper, NAMES)])
    progress(0.7)
    for dial in chosen:
        others = (disturbed(round_, dial, rng) for _ in range(max(2, trials // 5)))
        table.add("assessors", dial, [round_.scores(other, NAMES) for other in others])
    progress(1.0)
    options = {
        "qrels": str(qrels),
        "deeper": None if deeper is None else str(deeper),
        "ideal_grade": ideal_grade,
        "trials": trials,
        "dials": chosen,
        "seed": seed,
    }
    given = {name: value for name, value in options.items() if value is not None}
    defaults = {"ideal_grade": 1, "trials": 100, "dials": DIALS}
    return Study(
        name="robustness",
        options={**given, "systems": len(round_.systems), "topics": num_topics},
        rows=tuple(table.rows),
        found={
            "contrasts": table.contrasts,
            "groups": {group: list(names) for group, names in GROUPS.items()},
            "systems": list(round_.systems),
            "scores": {
                name: table.original[number].mean(axis=1).tolist()
                for number, name in enumerate(NAMES)
            },
        },
        command=command_of("robustness", given, defaults, arguments=runs),
    )


class _Table:
    """Rows and contrasts of the study as they are found."""

    def __init__(self, original: Floats, rng: np.random.Generator) -> None:
        self.original, self.rng = original, rng
        self.rows: list[dict[str, Any]] = []
        self.contrasts: list[dict[str, Any]] = []

    def add_samples(self, size: int, trials: int) -> None:
        """Compare rankings by samples of topics with that by all of them."""
        true = self.original.mean(axis=2)
        means = sample_means(self.original, size, trials, self.rng)
        taus = np.array([tau_a(one, true) for one in means])
        self._add("topics", size, taus, [(one, true) for one in means], taus)

    def add(self, kind: str, level: float, trials: Sequence[Floats]) -> None:
        """Compare rankings by other judgements, each shape (measures, systems, topics)."""
        true = self.original.mean(axis=2)
        pairs = [(scores.mean(axis=2), true) for scores in trials]
        taus = np.array([tau_a(*pair) for pair in pairs])
        num_topics = self.original.shape[2]
        resampled = []
        for _ in range(_RESAMPLES):
            scores = trials[int(self.rng.integers(len(trials)))]
            chosen = self.rng.integers(0, num_topics, num_topics)
            resampled.append(
                tau_a(scores[:, :, chosen].mean(axis=2), self.original[:, :, chosen].mean(axis=2))
            )
        self._add(kind, level, taus, pairs, np.array(resampled))

    def _add(
        self,
        kind: str,
        level: float,
        taus: Floats,
        pairs: Sequence[tuple[Floats, Floats]],
        resampled: Floats,
    ) -> None:
        low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
        for number, name in enumerate(NAMES):
            tops = [average_precision_tau(one[number], two[number]) for one, two in pairs]
            self.rows.append(
                {
                    "kind": kind,
                    "level": level,
                    "measure": name,
                    "tau_a": float(taus[:, number].mean()),
                    "tau_a_low": float(low[number]),
                    "tau_a_high": float(high[number]),
                    "tau_ap": float(np.mean(tops)),
                    "tied": float(np.mean([tied_pairs(one[number]) for one, _ in pairs])),
                }
            )
        for hypothesis in HYPOTHESES:
            weights = _contrast(hypothesis.first, hypothesis.second)
            low_, high_ = np.quantile(resampled @ weights, [0.025, 0.975])
            self.contrasts.append(
                {
                    "kind": kind,
                    "level": level,
                    "hypothesis": hypothesis.name,
                    "difference": float((taus @ weights).mean()),
                    "low": float(low_),
                    "high": float(high_),
                }
            )


@cache
def _contrast(first: tuple[str, ...], second: tuple[str, ...]) -> Floats:
    """Return weights that take the mean of some groups' measures less that of others'."""
    one, two = members(first), members(second)
    return np.array([(name in one) / len(one) - (name in two) / len(two) for name in NAMES])
