"""Our values for the measures that PRUM is compared with, and for Mizzaro (2001).

Sections 4.1 and 4.2 and Table IV of PRUM's paper; Table 1, the sectors of Fig. 4 and the band of
Fig. 6 of Mizzaro's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from prum.analytic.adm import adm, adm_categories, sector_measures, threshold_measures
from prum.analytic.structured import grp, grp_ng, xcg
from prum.experiments.studies.paper.browsing import task_of
from prum.experiments.studies.paper.printed import OwnValue, apart
from prum.experiments.studies.paper.table_four import table_four
from prum.simulator import Elements
from prum.simulator.collections.examples import EXAMPLES
from prum.simulator.model import Assessment
from prum.simulator.model.assessments import assessment_of, generalised, on_unit_scale


def metrics() -> dict[str, Any]:
    """Return GRP, GRPng and xCG of the examples, Table IV, and the scales of appendix C."""
    return {**_near_misses(), **_good(), **_bad(), **_entry(), **table_four(), **_scales()}


def _of(name: str) -> tuple[Mapping[str, Assessment], dict[str, float], Elements]:
    """Return the assessments of an example, what each element is worth, and the tree."""
    example = EXAMPLES[name]
    worth = {element: generalised(marks) for element, marks in example.assessments.items()}
    return example.assessments, worth, example.elements or Elements({})


def _near_misses() -> dict[str, Any]:
    """Section 4.1.1, Fig. 3: an overpopulated recall base, and one that is not stable."""
    assessed, worth, tree = _of("fig3")
    base = grp(["f"], worth, len(tree) - 1).total
    # As the paper supposes it: a is rewarded by 2/3, although f in it is E3.
    supposed = {**assessed, "a": Assessment(2, 3)}
    b_a, a_b = (grp_ng(list(order), supposed, tree) for order in ("ba", "ab"))
    by_scale = grp_ng(["b", "a"], assessed, tree)
    again = float(a_b.found[-1])
    return {
        "fig3 perfect": worth["f"] / base,
        "fig3 elements": sum(value > 0 for value in worth.values()),
        "fig3 a after b": b_a.found[1] - b_a.found[0],
        "fig3 b then a": b_a.found[-1],
        "fig3 a first": a_b.found[0],
        "fig3 b after a": a_b.found[1] - a_b.found[0],
        "fig3 a then b": OwnValue(again, mistaken=int(100 * again) / 100),
        "fig3 recall b then a": b_a.recall[-1],
        "fig3 recall a then b": a_b.recall[-1],
        "fig3 b then a by the scale": by_scale.found[-1],
    }


def _good() -> dict[str, Any]:
    """Section 4.2.1, list c, b, a."""
    task, _ = task_of("fig6", "good")
    assessed, worth, tree = _of("fig6")
    general = grp(task.ranking, worth, task.num_unranked)
    new = grp_ng(task.ranking, assessed, tree)
    gains = xcg(task.ranking, worth, tree, ideals=task.ideals).cumulated
    lengths = [float(tree.lengths[tree.number(element)]) for element in task.ranking]
    # With all assessed alike, what is found of each is its unseen share.
    alike = dict.fromkeys(task.ranking, Assessment(3, 3))
    shares = np.diff(grp_ng(task.ranking, alike, tree).found, prepend=0).tolist()
    words = [share * length for share, length in zip(shares, lengths, strict=True)]
    # In the place of q(spec) the unseen share.
    mistaken = sum(n * share for n, share in zip(words, shares, strict=True)) / sum(words)
    precision, recall = float(new.precision[-1]), float(new.recall[-1])
    values = {
        "fig6 good recall value": general.total,
        "fig6 good grp": general.precision(general.total),
        "fig6 good precision": OwnValue(precision, mistaken=mistaken),
        "fig6 good recall": OwnValue(recall, mistaken=mistaken),
        "fig6 good full recall": new.at_levels(1),
    }
    for rank, element in enumerate(task.ranking):
        values[f"fig6 good words {element}"] = words[rank]
        values[f"fig6 good share {element}"] = shares[rank]
        values[f"fig6 good gain {rank + 1}"] = gains[rank]
        values[f"fig6 length {element}"] = lengths[rank]
    return values


def _bad() -> dict[str, Any]:
    """Section 4.2.1, list a, b, c; xCG by the two parts of its vector, with alpha and without."""
    task, _ = task_of("fig6", "bad")
    assessed, worth, tree = _of("fig6")
    general = grp(task.ranking, worth, task.num_unranked)
    new = grp_ng(task.ranking, assessed, tree)

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
    return {
        "fig6 bad grp": general.precision(general.total),
        "fig6 bad precision": new.precision[-1],
        "fig6 bad recall": new.recall[-1],
        **{f"fig6 bad gain {n}": gain for n, (gain, _) in enumerate(vector, start=1)},
        **{f"fig6 bad slope {n}": slope for n, (_, slope) in enumerate(vector, start=1)},
        "fig6 bad alpha 2": OwnValue(below(vector[1]), mistaken=below(without_b)),
        "fig6 bad alpha 3": OwnValue(below(vector[2]), mistaken=below(vector[1])),
    }


def _entry() -> dict[str, Any]:
    """Section 4.2.2: the best entry point."""
    task, _ = task_of("fig7")
    assessed, worth, tree = _of("fig7")
    general = grp(task.ranking, worth, task.num_unranked)
    new = grp_ng(task.ranking, assessed, tree)
    gained = xcg(task.ranking, worth, tree, ideals=task.ideals)
    return {
        "fig7 recall value": general.total,
        "fig7 grp": general.precision(general.total),
        "fig7 precision": new.precision[-1],
        "fig7 recall": new.recall[-1],
        "fig7 gain": gained.at(1),
        "fig7 normalised": gained.normalised_at(task.num_ideals),
    }


def _scales() -> dict[str, Any]:
    """Appendices C.1 and C.2: what assessments are worth."""
    texts = ["E3S3", "E2S3", "E3S2", "E3S1", "E1S3", "E2S2", "E2S1", "E1S1", "E1S2", "E0S0"]
    return {
        **{f"worth {text}": generalised(assessment_of(text)) for text in texts},
        **{f"q {level}": on_unit_scale(level) for level in range(4)},
    }


# Table 1: what users and three systems estimate of five documents.
_URE = np.array([0.8, 0.6, 0.4, 0.2, 0.1])
_SRE = {
    "irs1": np.array([0.9, 0.5, 0.5, 0.1, 0.2]),
    "irs2": np.array([1.0, 0.4, 0.6, 0.0, 0.3]),
    "irs3": np.array([0.8, 0.6, 0.4, 0.2, 1.0]),
}


def mizzaro() -> dict[str, Any]:
    """Return our values."""
    values: dict[str, Any] = {}
    for name, sre in _SRE.items():
        own = threshold_measures(sre, _URE)
        values |= {
            f"{name} P": own.precision,
            f"{name} R": own.recall,
            # Of P and R as they are printed.
            f"{name} E": OwnValue(own.e, mistaken=(round(own.precision, 2) + own.recall) / 2),
            f"{name} ADM": adm(sre, _URE),
        }
    errors = {name: np.abs(sre - _URE) for name, sre in _SRE.items()}
    one_of_two = threshold_measures([0.9, 0.1], [0.9, 0.9])
    return {
        **values,
        "closer": int((errors["irs1"] < errors["irs2"]).sum()),
        "closer but one": int((errors["irs3"] < errors["irs1"]).sum()),
        "points E": one_of_two.e,
        "perfect E": threshold_measures(_URE, _URE).e,
        **_plane(),
    }


def _plane() -> dict[str, Any]:
    """Return what is said of the plane of URE and SRE, of points at random and on a grid."""
    sre, ure = np.random.default_rng(5).random((2, 500))
    own = threshold_measures(sre, ure)
    shown, relevant = sre >= 0.5, ure >= 0.5
    a, b, c, d = (
        int((one & other).sum())
        for one, other in (
            (shown, ~relevant),
            (shown, relevant),
            (~shown, ~relevant),
            (~shown, relevant),
        )
    )
    printed = (b / (a + b), b / (b + d), a / (a + c), (b + d) / (a + b + c + d))
    ours = (own.precision, own.recall, own.fallout, own.generality)
    more = np.random.default_rng(6).random((2, 1000)) / 2
    added = threshold_measures(np.append(sre, more[0]), np.append(ure, more[1]))
    corners = {1 - adm_categories([x], [y], 2, 2) for x, y in zip(sre, ure, strict=True)}
    # The middles of a grid's cells, of which none lies on the band's edge.
    middle = (np.arange(400) + 0.5) / 400
    grid = np.repeat(middle, 400), np.tile(middle, 400)
    near = sector_measures(*grid).counts
    within = sum(near[number - 1] for number in (3, 4, 7, 8)) / len(grid[0])
    looked_at = threshold_measures(*grid)
    # Of one that is retrieved, nearer to the diagonal than this or not: P' is 1 or 0.
    edge = 1 - 2**0.5 / 2
    sides = [sector_measures([1.0], [1 - edge + side]).precision for side in (1e-9, -1e-9)]
    return {
        "sectors": apart(max(abs(x - y) for x, y in zip(printed, ours, strict=True))),
        "share seen": 1 - looked_at.c / len(grid[0]),
        "added to C": apart(abs(added.precision - own.precision) + abs(added.recall - own.recall)),
        "distances": " and ".join(f"{value:g}" for value in sorted(corners)),
        "band": "1 − √2/2" if sides == [1, 0] else "another",
        # To the grid's own precision.
        "area": round(within, 2),
    }
