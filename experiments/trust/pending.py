"""Stand-ins until closed forms have them."""

from types import SimpleNamespace
import numpy as np
from prum.analytic.precision import bounds as _b, gradient as _g, independent as _i, of_task as _o
from prum.simulator.model import InputError


class NoWalkError(InputError):
    pass


def walk_of(task, nav):
    from prum import Walk

    if isinstance(nav, Walk):
        return nav
    raise NoWalkError("walk", 1, "exist", remedy="none")


def consulted_quantiles(task, nav, shares):
    if task.num_ideals > 20:
        return np.ones((2, task.num_ideals), int)
    R = _o.reach_matrix(task, nav)
    return np.array(
        [
            [
                _i.consulted_quantile(R, task.num_unranked, r, s)
                for r in range(1, task.num_ideals + 1)
            ]
            for s in shares
        ]
    )


class _G:
    def __init__(s, task, nav):
        R = _o.reach_matrix(task, nav).toarray()
        g = _g.precision_gradient(R, task.num_unranked).mean(axis=0)
        s.rows = [
            (task.ranking[i], task.ideals[x], float(R[i, x]), float(g[i, x]))
            for i in range(g.shape[0])
            for x in range(g.shape[1])
            if task.ranking[i] != task.ideals[x]
        ]

    def best(s, n):
        return sorted(s.rows, key=lambda r: -r[3])[:n]


def link_gradient(task, nav):
    return _G(task, nav)
