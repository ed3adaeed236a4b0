"""Our values for PRUM's paper: its figures, Tables III and IV, and appendices A.1, B and C.

A value is a number or a word, or an `OwnValue` where more stands beside it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import norm

from prum.analytic import (
    consulted_pmf,
    exact,
    independent_of,
    poisson_binomial,
    prum_of,
    walk_reach,
    walk_within,
)
from prum.analytic.ranked import raghavan, standard_precision_recall
from prum.analytic.structured import grp, grp_ng, xcg
from prum.experiments.studies.paper import OwnValue, apart
from prum.experiments.studies.paper.table_four import reach_of, table_four
from prum.simulator import Elements, Independent, Task
from prum.simulator.collections.examples import EXAMPLES, FIRST_SEEN
from prum.simulator.model import Assessment, Navigation
from prum.simulator.model.arrays import Floats
from prum.simulator.model.assessments import assessment_of, generalised, on_unit_scale

Values = Iterator[tuple[str, Any]]
# Example, and its list.
_LISTS = (
    *(("fig1", "list"), ("fig4", "list"), ("fig5", "list"), ("fig7", "list")),
    *((f"fig6{kind}", system) for kind in ("", "-video") for system in ("good", "bad")),
)


def task_of(name: str, system: str = "list", topic: str | None = None) -> tuple[Task, Navigation]:
    """Return a list of an example, and how users browse from it."""
    campaign, topic = EXAMPLES[name].load(), topic or name
    return campaign.task(system, topic), campaign.navigation_on(topic)


def found_law(reach: Any, unranked: int, rank: int) -> Floats:
    """Return P(F_rank = s) for s = 0 .. t: fewer than r ideals are found where C(r) is larger.

    >>> found_law([[0.5], [1.0]], 0, 1).tolist()
    [0.5, 0.5]
    """
    reach = np.asarray(reach, dtype=np.float64)
    at_least = [
        consulted_pmf(reach, unranked, r)[: rank + 1].sum() for r in range(1, reach.shape[1] + 1)
    ]
    return -np.diff([1.0, *at_least, 0.0])


def values(seed: int) -> dict[str, Any]:
    """Return what comes of the examples, of Table IV, and of the appendices."""
    return {
        **{name: value for example, system in _LISTS for name, value in _of_list(example, system)},
        **dict(_observed()),
        **dict(_scenarios()),
        **dict(_quotients()),
        **dict(_near_misses()),
        **dict(_good()),
        **dict(_bad()),
        **table_four(),
        **dict(_appendices(seed)),
    }


def _of_list(example: str, system: str) -> Values:
    """Fig. 1 and 4 to 7: what users of a list find and consult, and what other measures say of it.

    "law i s" is P(F_i = s), "found i" E[F_i], "new i" the probability that rank i shows the first
    ideal to those who have seen none.
    """
    task, navigation = task_of(example, system)
    key = example if system == "list" else f"{example} {system}"
    reach, unranked = reach_of(task, navigation), task.num_unranked
    laws = [found_law(reach, unranked, i) for i in range(task.num_ranked + 1)]
    for i, law in enumerate(laws):
        yield f"{key} found {i}", float(law @ np.arange(len(law)))
        yield from ((f"{key} law {i} {s}", p) for s, p in enumerate(law))
    for i, (before, law) in enumerate(pairwise(laws), start=1):
        yield f"{key} reach {i}", reach[i - 1, 0]
        yield f"{key} new {i}", 1 - law[0] / before[0] if before[0] > 0 else np.nan
    result, published = exact(reach, unranked), prum_of(task, navigation)
    standard = standard_precision_recall(task.ranking, task.ideals)
    for r in range(1, task.num_ideals + 1):
        for what in ("leading", "consulted", "precision"):
            yield f"{key} {what} {r}", getattr(result, what)[r - 1]
        yield f"{key} prum {r}", published.precision[r - 1]
        yield f"{key} standard {r}", standard.precision[r - 1]
    means = [law @ np.arange(len(law)) for law in laws]
    news = zip(task.ranking, np.diff(means), strict=True)
    yield f"{key} elements", OwnValue(", ".join(x for x, new in news if new > 0))
    yield f"{key} unranked", unranked
    yield f"{key} irrelevant", unranked - task.num_ideals
    if EXAMPLES[example].assessments:
        assessed, worth, tree = _assessed(example)
        general, new = grp(task.ranking, worth, unranked), grp_ng(task.ranking, assessed, tree)
        gained = xcg(task.ranking, worth, tree, ideals=task.ideals)
        yield f"{key} recall value", general.total
        yield f"{key} grp", general.precision(general.total)
        yield f"{key} precision", new.precision[-1]
        yield f"{key} recall", new.recall[-1]
        yield f"{key} full recall", new.at_levels(1)
        yield f"{key} normalised", gained.normalised_at(task.num_ideals)
        yield from ((f"{key} gain {n}", gain) for n, gain in enumerate(gained.cumulated, start=1))


def _observed() -> Values:
    """Fig. 2: P(x -> y), P(x -> z) and P(both), walking and tossed."""
    _, navigation = task_of("fig2")
    links = navigation.links
    moves = np.zeros((3, 3))
    moves[links.sources, links.targets] = links.probabilities
    x, y, z = (links.elements.index(element) for element in "xyz")

    def both(*kept: tuple[int, int]) -> float:
        """Return P(y and z) with these links alone."""
        some = np.zeros_like(moves)
        for link in kept:
            some[link] = moves[link]
        within = walk_within(some, [x], [y, z])[0]
        return float(1 - within[1] - within[2] + within[0])

    to_y, to_z = walk_reach(moves, [x], [y, z])[0].tolist()
    yield "fig2 x", walk_reach(moves, [x], [x])[0, 0]
    yield "fig2 y", to_y
    yield "fig2 z", to_z
    yield "fig2 stays", walk_within(moves, [x], [y, z])[0][0]
    yield "fig2 y then z", both((x, y), (y, z))
    yield "fig2 z then y", both((x, z), (z, y))
    yield "fig2 both", both(*zip(links.sources, links.targets, strict=True))
    yield "fig2 both tossed", poisson_binomial([to_y, to_z])[2]
    yield "fig2 both direct", poisson_binomial([moves[x, y], moves[x, z]])[2]


def _scenarios() -> Values:
    """Table III: how likely each scenario is, and what its users consult."""
    task, navigation = task_of("fig5")
    reach = reach_of(task, navigation)
    # By rank, each ideal alone: P(it is first seen there).
    first = np.diff(
        [
            [found_law(reach[:, [x]], task.num_unranked, i)[1] for i in range(task.num_ranked + 1)]
            for x in range(2)
        ],
        axis=1,
    )
    total = 0.0
    for number, ranks in enumerate(FIRST_SEEN, start=1):
        name = f"scenario-{number}"
        # By 2.2 the two ideals are seen independently.
        chance = first[0][ranks[0] - 1] * first[1][ranks[1] - 1]
        total += chance
        result = independent_of(*task_of("table3", topic=name))
        yield f"{name} probability", chance
        for r in (1, 2):
            yield f"{name} leading {r}", result.leading[r - 1]
            yield f"{name} consulted {r}", result.consulted[r - 1]
    yield "scenarios total", total


def _quotients() -> Values:
    """Section 3.2: quotients as they are printed, of rounded numbers, and of those that are not."""
    task, navigation = task_of("fig5")
    result = exact(reach_of(task, navigation), task.num_unranked)
    for r, (leading, consulted) in enumerate(zip(result.leading, result.consulted, strict=True), 1):
        quotient = round(float(leading), 2) / round(float(consulted), 2)
        yield f"fig5 quotient {r}", OwnValue(quotient, mistaken=leading / consulted)


def _assessed(name: str) -> tuple[Any, dict[str, float], Elements]:
    """Return the assessments of an example, what each element is worth, and the tree."""
    example = EXAMPLES[name]
    worth = {element: generalised(marks) for element, marks in example.assessments.items()}
    return example.assessments, worth, example.elements or Elements({})


def _near_misses() -> Values:
    """Section 4.1.1, Fig. 3: an overpopulated recall base, and one that is not stable."""
    assessed, worth, tree = _assessed("fig3")
    # As the paper supposes it: a is rewarded by 2/3, although f in it is E3.
    supposed = {**assessed, "a": Assessment(2, 3)}
    b_a, a_b = (grp_ng(list(order), supposed, tree) for order in ("ba", "ab"))
    again = float(a_b.found[-1])
    yield "fig3 perfect", worth["f"] / grp(["f"], worth, len(tree) - 1).total
    yield "fig3 elements", sum(value > 0 for value in worth.values())
    yield "fig3 a after b", b_a.found[1] - b_a.found[0]
    yield "fig3 b then a", b_a.found[-1]
    yield "fig3 a first", a_b.found[0]
    yield "fig3 b after a", a_b.found[1] - a_b.found[0]
    yield "fig3 a then b", OwnValue(again, mistaken=int(100 * again) / 100)
    yield "fig3 recall b then a", b_a.recall[-1]
    yield "fig3 recall a then b", a_b.recall[-1]
    yield "fig3 b then a by the scale", grp_ng(["b", "a"], assessed, tree).found[-1]


def _good() -> Values:
    """Section 4.2.1, list c, b, a."""
    task, _ = task_of("fig6", "good")
    assessed, _, tree = _assessed("fig6")
    new = grp_ng(task.ranking, assessed, tree)
    lengths = [float(tree.lengths[tree.number(element)]) for element in task.ranking]
    # With all assessed alike, what is found of each is its unseen share.
    alike = dict.fromkeys(task.ranking, Assessment(3, 3))
    shares = np.diff(grp_ng(task.ranking, alike, tree).found, prepend=0)
    words = shares * lengths
    # In the place of q(spec) the unseen share.
    mistaken = float(words @ shares / words.sum())
    yield "fig6 good precision", OwnValue(float(new.precision[-1]), mistaken=mistaken)
    yield "fig6 good recall", OwnValue(float(new.recall[-1]), mistaken=mistaken)
    for element, length, share in zip(task.ranking, lengths, shares, strict=True):
        yield f"fig6 good words {element}", share * length
        yield f"fig6 good share {element}", share
        yield f"fig6 length {element}", length


def _bad() -> Values:
    """Section 4.2.1, list a, b, c; xCG by the two parts of its vector, with alpha and without."""
    task, _ = task_of("fig6", "bad")
    _, worth, tree = _assessed("fig6")

    def parts(order: Sequence[str]) -> list[tuple[float, float]]:
        """Return at each rank the gain at alpha = 1, and what (1 - alpha) stands before."""
        ends = [xcg(order, worth, tree, alpha=alpha, ideals=task.ideals) for alpha in (0.0, 1.0)]
        return [
            (float(strict), float(lenient - strict))
            for lenient, strict in zip(*(end.cumulated for end in ends), strict=True)
        ]

    def below(part: tuple[float, float]) -> float:
        """Return the alpha below which the gain exceeds 1."""
        return 1 - (1 - part[0]) / part[1]

    vector = parts(task.ranking)
    # The two bounds are exchanged, and that of rank 3 is taken without b.
    without_b = parts([x for x in task.ranking if x != "b"])[-1]
    for n, (gain, slope) in enumerate(vector, start=1):
        yield f"fig6 bad gain {n}", gain
        yield f"fig6 bad slope {n}", slope
    yield "fig6 bad alpha 2", OwnValue(below(vector[1]), mistaken=below(without_b))
    yield "fig6 bad alpha 3", OwnValue(below(vector[2]), mistaken=below(vector[1]))


def _appendices(seed: int) -> Values:
    """A.1: the mean largest error of the normal law; B: nobody browses; C: worths of assessments.

    A.1 over 10,000 draws of ten ideals: of the text, which has averages over the ideals for the
    mean and deviation of F, and as meant. B over all lists of the paper, beside Raghavan's formula.
    """
    m, s = 10, np.arange(11)
    p = np.random.default_rng([seed, m]).random((10_000, m))
    law = np.array([poisson_binomial(row) for row in p])
    mean, deviation = p.sum(axis=1)[:, None], np.sqrt((p * (1 - p)).sum(axis=1))[:, None]
    averages = (mean / m, deviation / m**0.5)
    for name, moments in (("normal error", (mean, deviation)), ("averages error", averages)):
        ends = [norm.cdf(s + side, *moments) for side in (-0.5, 0.5)]
        yield name, float(np.abs(ends[1] - ends[0] - law).max(axis=1).mean())
    largest = 0.0
    for name, example in EXAMPLES.items():
        if name.startswith(("fig", "table3")):
            for _, _, task in example.load().tasks():
                formula = raghavan(task.ranking, task.ideals, task.num_unranked).precision
                errors = prum_of(task, Independent({})).precision - formula
                largest = max(largest, float(np.abs(errors).max()))
    yield "nobody browses", apart(largest)
    for text in ("E3S3", "E2S3", "E3S2", "E3S1", "E1S3", "E2S2", "E2S1", "E1S1", "E1S2", "E0S0"):
        yield f"worth {text}", generalised(assessment_of(text))
    yield from ((f"q {level}", on_unit_scale(level)) for level in range(4))
