"""What is seen in a context drawn from tables: subsets and cells alike, certain or all but."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.analytic import closed_form
from prum.simulator import Copula, Coupled, Independent, Task, simulate
from prum.simulator.model.navigation import Coupling
from prum.simulator.sampling.ways import coupled
from prum.simulator.sampling.ways.coupled import ContextSampler
from tests.judging import judge, quantities
from tests.samples import random_task
from tests.tiers import DRAWS_ALL, slow, spread
from tests.twins.drawing import drawn
from tests.twins.independent import reference_users

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
RHO = [0.01, 0.5, 0.9, 0.99]


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no subsets from tables."""
    monkeypatch.setattr(coupled, "_MOST_IDEALS", 0)


def small(coupling: Coupling, number: int) -> list[tuple[Task, Coupled]]:
    made = []
    for seed in range(number):
        task, navigation = random_task(np.random.default_rng([seed, 8]), walk=False)
        assert isinstance(navigation, Independent)
        made.append((task, Coupled(navigation, coupling)))
    return made


def users_of(task: Task, navigation: Coupled, num_users: int) -> tuple[NDArray[np.int64], ...]:
    block = ContextSampler(task, navigation).block(3, 0, sampled=True)
    return drawn(block, [num_users], task.num_ideals)


@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize("rho", spread(3, [*RHO, 1 - 1e-9]))
def test_cells_are_drawn_as_the_twin_draws_them(rho: float) -> None:
    for task, navigation in small(Copula(rho), 25 if DRAWS_ALL else 8):
        twin = reference_users(task, navigation, num_users=300, seed=3)
        users = users_of(task, navigation, 300)
        assert [column.tolist() for column in users] == [column.tolist() for column in twin]


@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize("rho", spread(5, RHO[::-1]))
def test_cells_agree_with_closed_forms(rho: float) -> None:
    cases = [
        quantities(closed_form(*case), simulate(*case, num_users=200_000, seed=36))
        for case in small(Copula(rho), 25 if DRAWS_ALL else 8)
    ]
    judged, num_tested = judge(cases, FAMILY_WISE)
    assert {verdict for one in judged for verdict in one.verdicts} == {"agrees"}
    assert num_tested > 2 * len(cases)


@pytest.mark.parametrize("rho", RHO)
def test_subsets_have_the_margins(rho: float) -> None:
    rng = np.random.default_rng(5)
    sizes = [1, 2, 5, 9, 10]
    margins = np.concatenate([rng.random(size) ** 6 for size in sizes])
    margins[:3] = 1, 1, 1e-9
    starts = np.cumsum([0, *sizes])
    law = coupled._subsets(margins, starts, rho)
    ends = np.cumsum(law.counts)
    for context, (begin, end) in enumerate(itertools.pairwise(starts.tolist())):
        outcomes = slice(ends[context] - law.counts[context], ends[context])
        masses = np.diff(law.shares[outcomes], prepend=0)
        found = np.zeros(end - begin)
        for mass, what in zip(masses, law.seen[outcomes], strict=True):
            found[law.places[slice(*law.lists[what])]] += mass
        assert masses.min() >= -1e-15
        assert found == pytest.approx(margins[begin:end], rel=1e-7, abs=1e-14)


@slow
@pytest.mark.parametrize("coupling", spread(3, [Copula(0.5), "exclusive", "comonotone"]), ids=str)
def test_long_lists_that_show_nearly_everything(coupling: Coupling) -> None:
    """P(nothing seen so far) falls below the smallest double; the count begins anew before."""
    ranking = [f"p{number}" for number in range(400)]
    links = {(x, "a"): 0.999 for x in ranking} | {(x, "b"): 1e-3 for x in ranking[300:]}
    links |= {(x, "c"): 5e-4 for x in ranking}
    task, navigation = Task(ranking, ["a", "b", "c"], 500), Coupled(Independent(links), coupling)
    assert np.count_nonzero(ContextSampler(task, navigation).below == 0) > 1
    twin = reference_users(task, navigation, num_users=300, seed=3)
    users = users_of(task, navigation, 300)
    assert [column.tolist() for column in users] == [column.tolist() for column in twin]
    case = quantities(
        closed_form(task, navigation), simulate(task, navigation, num_users=400_000, seed=5)
    )
    (judged,), _ = judge([case], FAMILY_WISE)
    assert set(judged.verdicts) == {"agrees"}
