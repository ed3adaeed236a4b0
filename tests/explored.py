"""The explorer's engine in Chromium, and settings of its dials with what Python says of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from prum.analytic import coupled_within, exact, exact_joint, exact_mixture, prum
from prum.simulator.model import ListCosts
from prum.simulator.model.arrays import Floats
from tests.browser import opened

ENGINE = Path(__file__).parent.parent / "experiments" / "explore" / "engine.js"

Setting = dict[str, Any]


@contextmanager
def engine_in(browser: Any) -> Iterator[Any]:
    """Yield an empty page that has loaded the engine."""
    with opened(browser, "about:blank") as tab:
        tab.add_script_tag(path=ENGINE)
        yield tab


def closed_forms(tab: Any, settings: list[Setting]) -> list[Any]:
    """Return what engine.prum and engine.exact say of each setting."""
    script = """settings => settings.map(given => {
      const setting = engine.setting(given);
      return { prum: engine.prum(setting), exact: engine.exact(setting) };
    })"""
    return list(tab.evaluate(script, settings))


def crowds(tab: Any, settings: list[Setting], *, users: int, seed: int) -> list[Any]:
    """Return the estimates of so many users of each setting."""
    script = """([settings, users, seed]) => settings.map(given => {
      const crowd = engine.crowd(engine.setting(given), seed);
      crowd.add(users);
      return crowd.estimates();
    })"""
    return list(tab.evaluate(script, [settings, users, seed]))


def random_setting(rng: np.random.Generator, *, lowest: float = 0, highest: float = 1) -> Setting:
    """Return a small setting of any dials, degenerate ones included; P between bounds, 0 or 1."""
    ranks, ideals = int(rng.integers(0, 9)), int(rng.integers(1, 7))
    p = lowest + (highest - lowest) * rng.random((ranks, ideals)) ** rng.integers(1, 4)
    reach = np.where(rng.random((ranks, ideals)) < rng.random(), p, 0)
    for x in range(ideals if ranks else 0):
        if rng.random() < 0.3:
            reach[rng.integers(ranks), x] = 1
    behind = ideals - int((reach == 1).any(axis=0).sum())
    return {
        "reach": reach.tolist(),
        "ideals": ideals,
        "unranked": behind + int(rng.choice([0, 0, 1, 7, 500])),
        "strength": float(rng.choice([0, 0.5, 1, 1, 2])),
        "dependence": float(rng.choice([0, 0, -1, -0.3, 0.6, 1])),
        "spread": float(rng.choice([0, 0, 0.5, 1])),
        "behind": float(rng.choice([1, 1, 0.3, 4])),
    }


def list_of(ranks: int, ideals: int, **dials: float) -> Setting:
    """Return a setting of a list that may show every ideal at every rank, and holds a few."""
    rng = np.random.default_rng([ranks, ideals])
    reach = 0.15 * rng.random((ranks, ideals))
    for x in range(ideals // 2):
        reach[rng.integers(ranks), x] = 1
    return {"reach": reach.tolist(), "unranked": 1000, **dials}


def by_python(setting: Setting) -> tuple[Any, Floats, Floats]:
    """Return PRUM, E[CL(r)] and E[C(r)] of a setting, as prum.analytic has them."""
    unranked, dependence = setting["unranked"], setting.get("dependence", 0)
    types = reaches(setting)
    costs = ListCosts(np.ones(len(types[0])), setting.get("behind", 1))
    published = prum(np.mean(types, axis=0), unranked, costs=costs)
    if dependence == 0 and len(types) == 1:
        value = exact(types[0], unranked, costs=costs)
        return published, value.leading, value.consulted
    if dependence == 0:
        value = exact_mixture(types, [0.5, 0.5], unranked, costs=costs)
        return published, value.leading, value.consulted
    joint = [exact_joint(_within(reach, dependence), unranked, costs=costs) for reach in types]
    return (
        published,
        np.mean([value.leading for value in joint], axis=0),
        np.mean([value.consulted for value in joint], axis=0),
    )


def reaches(setting: Setting) -> list[Floats]:
    """Return P(l_i -> x) of each type of users."""
    table = np.array(setting["reach"], dtype=np.float64)
    table = table.reshape(len(setting["reach"]), setting.get("ideals", table.shape[-1]))
    strength, spread = setting.get("strength", 1), setting.get("spread", 0)
    strengths = [strength * (1 + spread), strength * (1 - spread)] if spread else [strength]
    return [np.where(table == 1, 1, 1 - (1 - table) ** one) for one in strengths]


def _within(reach: Floats, dependence: float) -> Floats:
    coupling = "comonotone" if dependence > 0 else "exclusive"
    joint = abs(dependence) * coupled_within(reach, coupling)
    mixed = joint + (1 - abs(dependence)) * coupled_within(reach, "independent")
    mixed[:, -1] = 1
    return np.minimum(mixed, 1)
