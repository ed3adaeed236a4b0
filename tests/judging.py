"""Verdicts on closed forms beside simulations, for tests that make both themselves."""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from prum.analytic import PrecisionRecall
from prum.experiments.crosscheck.verdicts import TESTS, Ends, Judgement, law_of
from prum.simulator import Simulation


class Quantities(NamedTuple):
    """What is compared on one list."""

    exact: PrecisionRecall | None
    simulated: Simulation
    ends: Ends

    @property
    def num_tests(self) -> int:
        """How many tests it takes."""
        known = law_of(self.exact, self.ends) is not None
        return TESTS * self.simulated.num_ideals * known


def quantities(exact: PrecisionRecall | None, simulated: Simulation) -> Quantities:
    """Return what is compared, with the range of what C can be by the list's length alone."""
    task: Any = SimpleNamespace(
        num_ideals=simulated.num_ideals,
        num_ranked=simulated.num_ranked,
        num_unranked=simulated.num_unranked,
    )
    browsing: Any = SimpleNamespace(reading=None, is_tied=True)
    return Quantities(exact, simulated, Ends.of(task, browsing, simulated.costs))


def judge(cases: Sequence[Quantities], level: float) -> tuple[list[Judgement], int]:
    """Return the judgement of every list under one level, unresolved by none, and the tests."""
    number = sum(case.num_tests for case in cases)
    each = level / max(number, 1)
    judged = [
        Judgement.of(case.exact, case.simulated, case.ends, level=each, share=math.inf)
        for case in cases
    ]
    return judged, number
