"""Judge made collections by a judge that errs, and count how often what is said of it is false.

    python -m tests.reliability.judged [--worlds 1000] [--seed 1]

A world has topics of 100 elements whose share of ideals is Beta(3, 7). A judge labels them all; a
topic's hits and false alarms have rates of their own, Beta laws whose means and pseudo-counts are
drawn for the world. People judge 12 of 18 topics. Of the others, `judges` tells how likely
elements are ideal, `evaluate` what two systems score; of the judge it is said whether it orders ten
systems, in three kinds of worlds: careful judges, fair ones and poor ones.
"""

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from prum.experiments.evaluate import evaluate
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.judges import judges
from prum.experiments.judges.labels import Dependence, labels_of
from prum.experiments.statistics.intervals import wilson
from prum.simulator.model.arrays import Flags, Floats

ELEMENTS = [f"e{number:03d}" for number in range(100)]
MEASURES = ("AP", "P@10")
CASES, KNOWN, TOPICS = 40, 12, 18
# How much more an ideal weighs in a system's scores, whose noise is standard normal.
STRENGTHS = (1.0, 0.5)
# Ends of the means of hits and false alarms, and of pseudo-counts.
KINDS = {
    "careful": ((0.9, 0.99), (0.001, 0.02), (40, 400)),
    "fair": ((0.7, 0.95), (0.01, 0.1), (10, 100)),
    "poor": ((0.3, 0.8), (0.05, 0.35), (3, 12)),
}
Grades = dict[str, dict[str, int]]


class World:
    """Topics, what is ideal in truth, and a judge whose rates differ between topics."""

    def __init__(self, kind: str, num_topics: int, rng: np.random.Generator) -> None:
        hits, alarms, sizes = KINDS[kind]
        self.means = np.array([rng.uniform(*alarms), rng.uniform(*hits)])
        self.size = np.exp(rng.uniform(*np.log(sizes)))
        self._fill(num_topics, rng)

    @classmethod
    def like(cls, world: "World", num_topics: int, rng: np.random.Generator) -> "World":
        """Return a world of other topics with the same judge."""
        made = cls.__new__(cls)
        made.means, made.size = world.means, world.size
        made._fill(num_topics, rng)
        return made

    def _fill(self, num_topics: int, rng: np.random.Generator) -> None:
        share = rng.beta(3, 7, (num_topics, 1))
        self.ideals: Flags = rng.random((num_topics, len(ELEMENTS))) < share

    def labels(self, rng: np.random.Generator) -> Flags:
        """Return what the judge calls ideal, shape (topics, elements)."""
        a, b = self.means * self.size, (1 - self.means) * self.size
        rates = rng.beta(a, b, (len(self.ideals), 2))
        chance = np.where(self.ideals, rates[:, 1:], rates[:, :1])
        return np.asarray(rng.random(chance.shape) < chance)


def ranked(ideals: Flags, strength: float, rng: np.random.Generator) -> Any:
    """Return a system's list of each topic, row numbers, best first."""
    return np.argsort(-(strength * ideals + rng.normal(size=ideals.shape)), axis=1)


def true_scores(ideals: Flags, order: Any) -> Floats:
    """Return AP and P@10 of each topic, 0 without ideals, shape (topics, measures)."""
    hits = np.take_along_axis(ideals, order, axis=1)
    ranks = np.arange(1, len(ELEMENTS) + 1)
    num = np.maximum(ideals.sum(axis=1), 1)
    precision = (hits * np.cumsum(hits, axis=1) / ranks).sum(axis=1) / num
    return np.stack([precision, hits[:, :10].mean(axis=1)], axis=1)


def lists_of(world: World, labels: Flags, knows: str, rng: np.random.Generator) -> list[Any]:
    """Return two systems' lists, which know what the judge says, or more: what is ideal."""
    told = labels if knows == "labels" else world.ideals
    return [ranked(told, strength, rng) for strength in STRENGTHS]


def population(world: World, knows: str, rng: np.random.Generator, num: int = 4_000) -> Floats:
    """Return the mean AP of both systems over topics that there might be."""
    many = World.like(world, num, rng)
    orders = lists_of(many, many.labels(rng), knows, rng)
    return np.array([true_scores(many.ideals, order)[:, 0].mean() for order in orders])


def graded(flags: Flags, topics: Any) -> Grades:
    """Return the grades of some topics."""
    return {
        f"t{topic}": dict(zip(ELEMENTS, flags[topic].astype(int).tolist(), strict=True))
        for topic in topics
    }


def covered(
    seed: int,
    dependence: Dependence | None = None,
    knows: str = "labels",
    by_rank: bool = False,
) -> Flags:
    """Return what intervals of a world hold, shape (4, measures).

    Of judges alone, the mean of these topics of a system, and of the difference of two; of judges
    and topics, the mean of topics there might be, as printed; and the printed one of the pair of
    the decision, which is by AP. The dependence is chosen by evidence unless it is given.
    """
    rng = np.random.default_rng([seed, 7])
    world = World("poor", TOPICS, rng)
    known, asked = range(KNOWN), range(KNOWN, TOPICS)
    labels = world.labels(rng)
    orders = lists_of(world, labels, knows, rng)
    lists = [
        {f"t{topic}": [ELEMENTS[x] for x in own] for topic, own in enumerate(order)}
        for order in orders
    ]
    of = labels_of(
        {"judge": graded(labels, range(TOPICS))},
        graded(world.ideals, known),
        ideal_grade=1,
        runs=lists if by_rank else (),
    )
    chance = of.probabilities(CASES, rng, dependence)
    rows = [
        (topic, element, p, str(case))
        for topic in (f"t{number}" for number in asked)
        for case, given in enumerate(chance[topic].tolist())
        for element, p in zip(ELEMENTS, given, strict=True)
    ]
    runs = {
        f"s{system}": {f"t{topic}": own[f"t{topic}"] for topic in asked}
        for system, own in enumerate(lists)
    }
    names = ("topic", "element", "probability", "case")
    records = [dict(zip(names, row, strict=True)) for row in rows]
    result = evaluate(runs, judgements=records, measures=",".join(MEASURES))
    truth = np.stack([true_scores(world.ideals, order)[asked].mean(axis=0) for order in orders])
    assert isinstance(result, EvaluationResult)
    assert result.uncertainty is not None
    assert result.uncertainty.covariance is not None
    found, judged = result.scores.means(), result.uncertainty.covariance
    own = np.sqrt(judged[:, 0, 0])
    both = np.sqrt(judged[:, 0, 0] + judged[:, 1, 1] - 2 * judged[:, 0, 1])
    place = next(one for one in result.decision.ranked if one.system == "s0")
    pair = result.decision.pairs[0]
    sign = 1 if pair.system == "s0" else -1
    means = population(world, knows, rng)
    difference = sign * (means[0] - means[1])
    return np.array(
        [
            np.abs(found[0] - truth[0]) < 1.96 * own,
            np.abs((found - truth)[0] - (found - truth)[1]) < 1.96 * both,
            np.full(len(MEASURES), place.low < means[0] < place.high),
            np.full(len(MEASURES), pair.low < difference < pair.high),
        ]
    )


def ordered(seed: int, kind: str, num_topics: int = 16, draws: int = 100) -> tuple[bool, ...]:
    """Return whether a judge is called good, and what tau of new labels is: in the printed
    interval, at least .9.

    Systems are ten, from useless to good; the judge is asked for their order on its own topics.
    """
    rng = np.random.default_rng([seed, 8])
    world = World(kind, num_topics, rng)
    topics = range(num_topics)
    orders = [ranked(world.ideals, strength, rng) for strength in np.linspace(0, 3, 10)]
    runs: Mapping[str, Any] = {
        f"s{system}": {f"t{topic}": [ELEMENTS[x] for x in order[topic]] for topic in topics}
        for system, order in enumerate(orders)
    }
    people = graded(world.ideals, topics)
    result = judges(
        {"judge": graded(world.labels(rng), topics)},
        people,
        run=runs,
        draws=draws,
        cases=2,
        seed=seed,
    )
    (one,) = result.rows()
    # A topic without ideals by people orders nothing.
    there = world.ideals.any(axis=1)
    by_people = [true_scores(world.ideals, order)[there, 0].mean() for order in orders]
    labels = world.labels(rng)
    by_judge = [true_scores(labels, order)[there, 0].mean() for order in orders]
    upper = np.triu_indices(len(orders), 1)
    signs = [np.sign(np.subtract.outer(x, x))[upper] for x in (by_people, by_judge)]
    tied = [float((one_ != 0).sum()) for one_ in signs]
    tau = float(signs[0] @ signs[1] / max(tied[0] * tied[1], 1) ** 0.5)
    return one.is_good, one.tau_low - 1e-9 <= tau <= one.tau_high + 1e-9, tau >= 0.9 - 1e-9


def share(held: int, num: int) -> str:
    """Return a share of 100 %, with its 95 % interval (Wilson)."""
    if not num:
        return f"{'–':>20}"
    low, high = (100 * float(end[0]) for end in wilson(np.array([held]), np.array([num])))
    return f"{100 * held / num:.1f} ({low:.1f} to {high:.1f})"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Count which intervals of judged scores hold.")
    parser.add_argument("--worlds", type=int, default=1_000, help="of each row (1,000)")
    parser.add_argument("--control", type=int, default=200, help="with errors independent (200)")
    parser.add_argument("--more", type=int, default=60, help="of lists that know more (60)")
    parser.add_argument("--ranks", type=int, default=250, help="with ranks as evidence (250)")
    parser.add_argument("--orders", type=int, default=200, help="of each kind of judge (200)")
    parser.add_argument("--seed", type=int, default=1, help="of the first world (1)")
    options = parser.parse_args()
    wanted = ("mean, judges", "difference, judges", "mean, printed", "difference, printed")
    print(f"errors       lists know  ranks  {'interval':<20} measure  worlds  that hold, %")
    for name, kind, knows, by_rank, num in (
        ("by evidence", None, "labels", False, options.worlds),
        ("independent", "independent", "labels", False, options.control),
        ("by evidence", None, "more", False, options.more),
        ("by evidence", None, "more", True, options.ranks),
        ("by evidence", None, "labels", True, options.ranks),
    ):
        seeds = range(options.seed, options.seed + num)
        held = np.sum([covered(seed, kind, knows, by_rank) for seed in seeds], axis=0)  # type: ignore[arg-type]
        for row, (what, counts) in enumerate(zip(wanted, held.tolist(), strict=True)):
            for measure, count in list(zip(MEASURES, counts, strict=True))[: 1 if row > 1 else 2]:
                start = f"{name:<12} {knows:<11} {'yes' if by_rank else 'no':<6} {what:<20}"
                print(f"{start} {measure:<8} {num:>5,}  {share(count, num)}", flush=True)
    print("\njudges   worlds  tau in its interval, %   called good  of these tau < .9, %")
    for kind in KINDS:
        seeds = range(options.seed, options.seed + options.orders)
        good, inside, same = np.array([ordered(seed, kind) for seed in seeds]).T
        row = f"{share(int(inside.sum()), len(good)):<24} {int(good.sum()):>11}"
        wrong = share(int((good & ~same).sum()), int(good.sum()))
        print(f"{kind:<8} {len(good):>6,}  {row}  {wrong}", flush=True)


if __name__ == "__main__":
    main()
