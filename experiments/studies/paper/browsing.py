"""Our values for the figures and tables of users who browse: Fig. 1, 2, 4 to 7 and Table III.

A value is a number or a word, or an `OwnValue` where more stands beside it.
"""

from typing import Any

import numpy as np

from prum.analytic import (
    consulted_pmf,
    exact,
    independent_of,
    poisson_binomial,
    prum_of,
    reach_matrix,
    walk_reach,
    walk_within,
)
from prum.analytic.ranked import raghavan, standard_precision_recall
from prum.experiments.studies.paper.printed import OwnValue
from prum.simulator import Independent, Task
from prum.simulator.collections.examples import EXAMPLES, FIRST_SEEN
from prum.simulator.model import Navigation
from prum.simulator.model.arrays import Floats

# Values of no browsing that are equal but for rounding.
_ROUNDING = 1e-12


def task_of(name: str, system: str = "list", topic: str | None = None) -> tuple[Task, Navigation]:
    """Return a list of an example, and how users browse from it."""
    campaign, topic = EXAMPLES[name].load(), topic or name
    return campaign.task(system, topic), campaign.navigation_on(topic)


def reach_of(task: Task, navigation: Navigation) -> Floats:
    """Return P(rank -> ideal), shape (o, t)."""
    return np.asarray(reach_matrix(task, navigation).toarray(), dtype=np.float64)


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


def browsing() -> dict[str, Any]:
    """Return what comes of the examples."""
    return {
        **_behaviour(),
        **_observed(),
        **_led_to(),
        **_scenarios(),
        **_web(),
        **_document(),
        **_entry(),
        "nobody browses": _without_browsing(),
    }


def _behaviour() -> dict[str, Any]:
    """Fig. 1: what one user finds, and the elements that lead to something new."""
    task, navigation = task_of("fig1")
    reach = reach_of(task, navigation)
    ranks = range(task.num_ranked + 1)
    found = [float(found_law(reach, task.num_unranked, i) @ np.arange(5)) for i in ranks]
    leading = [x for x, new in zip(task.ranking, np.diff(found), strict=True) if new > 0]
    result = independent_of(task, navigation)
    return {
        **{f"fig1 found {i}": found[i] for i in ranks},
        "fig1 consulted": result.consulted[3],
        "fig1 leading": result.leading[3],
        "fig1 elements": OwnValue(", ".join(leading)),
    }


def _observed() -> dict[str, Any]:
    """Fig. 2: P(x -> y), P(x -> z) and P(both), walking and tossed."""
    _, navigation = task_of("fig2")
    links = navigation.links
    number = {element: at for at, element in enumerate(links.elements)}
    moves = np.zeros((3, 3))
    moves[links.sources, links.targets] = links.probabilities
    x, y, z = (number[element] for element in "xyz")

    def within(*kept: tuple[int, int]) -> Floats:
        """Return P(N_x subset of A) with these links alone, or all."""
        some = np.zeros_like(moves)
        for link in kept:
            some[link] = moves[link]
        return np.asarray(walk_within(some if kept else moves, [x], [y, z])[0])

    def both(of: Floats) -> float:
        return float(1 - of[1] - of[2] + of[0])

    to_y, to_z = walk_reach(moves, [x], [y, z])[0].tolist()
    return {
        "fig2 x": walk_reach(moves, [x], [x])[0, 0],
        "fig2 y": to_y,
        "fig2 z": to_z,
        "fig2 stays": within()[0],
        "fig2 y then z": both(within((x, y), (y, z))),
        "fig2 z then y": both(within((x, z), (z, y))),
        "fig2 both": both(within()),
        "fig2 both tossed": poisson_binomial([to_y, to_z])[2],
        "fig2 both direct": poisson_binomial([moves[x, y], moves[x, z]])[2],
    }


def _led_to() -> dict[str, Any]:
    """Fig. 4: P(d in S_i)."""
    task, navigation = task_of("fig4")
    reach = reach_of(task, navigation)
    return {f"fig4 {i}": found_law(reach, task.num_unranked, i)[1] for i in (1, 2, 3)}


def _scenarios() -> dict[str, Any]:
    """Table III: how likely each scenario is, and what its users consult."""
    task, navigation = task_of("fig5")
    reach = reach_of(task, navigation)
    # By rank, each ideal alone: P(it is first seen there).
    seen = [
        [found_law(reach[:, [x]], task.num_unranked, i)[1] for i in range(task.num_ranked + 1)]
        for x in range(2)
    ]
    first = np.diff(seen, axis=1)
    values: dict[str, Any] = {}
    total = 0.0
    for number, ranks in enumerate(FIRST_SEEN, start=1):
        name = f"scenario-{number}"
        # By 2.2 the two ideals are seen independently.
        chance = first[0][ranks[0] - 1] * first[1][ranks[1] - 1]
        total += chance
        result = independent_of(*task_of("table3", topic=name))
        values[f"{name} probability"] = chance
        for r in (1, 2):
            values[f"{name} leading {r}"] = result.leading[r - 1]
            values[f"{name} consulted {r}"] = result.consulted[r - 1]
    return {**values, "scenarios total": total}


def _web() -> dict[str, Any]:
    """Section 3.2: the expectations of Table III, and precision."""
    task, navigation = task_of("fig5")
    reach = reach_of(task, navigation)
    result, published = exact(reach, task.num_unranked), prum_of(task, navigation)
    standard = standard_precision_recall(task.ranking, task.ideals)
    values: dict[str, Any] = {}
    for r in (1, 2):
        for what in ("leading", "consulted", "precision"):
            values[f"fig5 {what} {r}"] = getattr(result, what)[r - 1]
        values[f"fig5 prum {r}"] = published.precision[r - 1]
        values[f"fig5 standard {r}"] = standard.precision[r - 1]
    # The quotients as they are printed, of rounded numbers, and of those that are not.
    for r in (1, 2):
        leading, consulted = float(result.leading[r - 1]), float(result.consulted[r - 1])
        quotient = round(leading, 2) / round(consulted, 2)
        values[f"fig5 quotient {r}"] = OwnValue(quotient, mistaken=leading / consulted)
    end = found_law(reach, task.num_unranked, task.num_ranked)
    return {**values, "fig5 nothing at the end": end[0]}


def _document() -> dict[str, Any]:
    """Section 4.2.1: PRUM of the good and the bad list, by document and by video."""
    values: dict[str, Any] = {}
    for name in ("fig6", "fig6-video"):
        for system in ("good", "bad"):
            task, navigation = task_of(name, system)
            reach = reach_of(task, navigation)
            key = f"{name} {system}"
            values[f"{key} prum"] = prum_of(task, navigation).precision[0]
            laws = [found_law(reach, task.num_unranked, i) for i in range(task.num_ranked + 1)]
            for i, law in enumerate(laws):
                values[f"{key} seen {i}"] = law[1]
                values[f"{key} nothing {i}"] = law[0]
                if i and laws[i - 1][0] > 0:
                    now = 1 - law[0] / laws[i - 1][0]
                    values[f"{key} new {i}"] = now
                if i:
                    values[f"{key} reach {i}"] = reach[i - 1, 0]
            standard = standard_precision_recall(task.ranking, task.ideals)
            values[f"{key} standard"] = standard.precision[0]
    return values


def _entry() -> dict[str, Any]:
    """Section 4.2.2: PRUM of the best entry point."""
    task, navigation = task_of("fig7")
    law = found_law(reach_of(task, navigation), task.num_unranked, 1)
    return {
        **{f"fig7 found {s}": law[s] for s in range(3)},
        "fig7 new 1": 1 - law[0],
        "fig7 prum": prum_of(task, navigation).precision[1],
        "fig7 unranked": task.num_unranked,
        "fig7 irrelevant": task.num_unranked - task.num_ideals,
    }


def _without_browsing() -> str:
    """Appendix B: PRUM where nobody browses beside Raghavan's formula, over all paper's lists."""
    largest = 0.0
    for name, example in EXAMPLES.items():
        if name.startswith(("fig", "table3")):
            for _, _, task in example.load().tasks():
                published = prum_of(task, Independent({})).precision
                formula = raghavan(task.ranking, task.ideals, task.num_unranked).precision
                largest = max(largest, float(np.abs(published - formula).max()))
    return "identical" if largest <= _ROUNDING else f"off by {largest:.1g}"
