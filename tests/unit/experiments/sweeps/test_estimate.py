"""What a sweep is said to cost before it runs."""

from dataclasses import replace

import pytest

from prum.experiments.sweeps import costs as estimating
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Axes, CellPart, Given, grid
from prum.experiments.sweeps.jobs import Job
from prum.experiments.sweeps.store import Store
from prum.simulator import Campaign, Independent

CAMPAIGN = Campaign(
    "made",
    {f"q{number}": (f"a{number}", "b") for number in range(20)},
    {"one": {f"q{number}": ("x", f"a{number}", "b") for number in range(20)}},
    Independent({}),
    10,
)
CELLS = grid([Given(CAMPAIGN)], Axes(estimators=("prum", "exact", "simulated")))


@pytest.mark.parametrize("compiling", [0.5, 60.0])
def test_what_is_compiled_once_is_not_multiplied(
    compiling: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: set[str] = set()

    def timed(job: Job) -> CellPart:
        warm_up = job.cell.estimator not in began
        began.add(job.cell.estimator)
        seconds = 0.01 + compiling * warm_up
        return replace(compute(job), seconds=seconds)

    compute = estimating.compute
    monkeypatch.setattr(estimating, "compute", timed)
    cost = estimating.estimate(CELLS, Store(), UserBudget(16_384))
    assert began == {"prum", "exact", "simulated"}
    assert (cost.num_missing, cost.num_tried) == (60, 15)
    assert cost.seconds == pytest.approx(60 * 0.01)
