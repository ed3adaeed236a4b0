"""E[CL(r)] and E[C(r)] of a cross-check, in its table, as text, on its page and on the terminal."""

import json
from functools import cache

import pytest

from prum.analytic import prum_of
from prum.experiments.crosscheck import Crosscheck, crosscheck
from prum.simulator import Independent, Task, Walk, simulate

LINKS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
TASK = Task(["c", "d", "a", "b"], ["a", "b"], 4)
NAMES = ("leading", "consulted")


@cache
def paper() -> Crosscheck:
    """Return a check of Table III: E[CL] = 1, 1.7536; E[C] = 1.4464, 2.7136."""
    return crosscheck(TASK, Independent(LINKS), num_users=10_000, seed=1)


@cache
def lawless() -> Crosscheck:
    """Return a check of a walk to more ideals than its closed form takes."""
    ideals = [f"ideal{number}" for number in range(17)]
    walk = Walk({("c", ideal): 0.05 for ideal in ideals})
    return crosscheck(Task(["c", *ideals[:3]], ideals, 40), walk, num_users=2_000, seed=1)


def test_the_means_of_the_paper_stand_beside_those_of_users() -> None:
    rows = paper().comparisons
    assert rows["exact_leading"].tolist() == pytest.approx([1, 1.7536], abs=1e-12)
    assert rows["exact_consulted"].tolist() == pytest.approx([1.4464, 2.7136], abs=1e-12)
    users = simulate(TASK, Independent(LINKS), num_users=10_000, seed=1)
    published = prum_of(TASK, Independent(LINKS))
    for name in NAMES:
        assert rows[f"prum_{name}"].tolist() == getattr(published, name).tolist()
        assert rows[f"simulated_{name}"].tolist() == getattr(users, name).tolist()
        assert rows[f"{name}_error"].tolist() == getattr(users, f"{name}_error").tolist()
    for value in ("prum", "exact", "simulated"):
        ratio = rows[f"{value}_leading"] / rows[f"{value}_consulted"]
        assert ratio.tolist() == pytest.approx(rows[value].tolist(), rel=1e-12)


def test_without_an_exact_law_there_are_none() -> None:
    rows = lawless().comparisons
    assert rows[["exact_leading", "exact_consulted"]].isna().all(axis=None)
    assert (rows["simulated_consulted"] >= rows["simulated_leading"]).all()
    first = json.loads(lawless().to_json())["comparisons"][0]
    assert first["exact_consulted"] is None
    assert first["consulted_error"] > 0


def test_they_stand_below_precision_and_in_the_card_beside_it() -> None:
    _, printed = paper().view().tables
    assert printed.label == "task: E[CL] and E[C] at each recall value r"
    (table,) = paper().view().cards[0].tables
    for means in (printed, table):
        second = dict(zip(means.columns, means.rows[1], strict=True))
        assert (second["E[CL]: PRUM"], second["E[CL]: exact"]) == ("1.72480", "1.75360")
        assert (second["E[C]: PRUM"], second["E[C]: exact"]) == ("2.71360", "2.71360")
