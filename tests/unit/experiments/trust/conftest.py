"""Results of `trust` that many tests look at."""

from dataclasses import replace

import numpy as np
import pytest

from prum.experiments.trust import TrustResult
from tests.unit.experiments.trust.made import WIDTH, campaign, trusted


@pytest.fixture(scope="session")
def simulated() -> TrustResult:
    given = campaign({"q1": 17, "q2": 20, "q3": 24}, ranks=12, seed=1)
    return trusted(WIDTH, **given, seed=3)


@pytest.fixture(scope="session")
def missing(simulated: TrustResult) -> TrustResult:
    """Return a result where users of one system are too few on one topic at one r."""
    one = simulated.lists["late", "q2"]
    value = one.values["correlated"]
    at = np.arange(20) == 2
    less = replace(
        value,
        precision=np.where(at, np.nan, value.precision),
        half=np.where(at, np.nan, value.half),
        unresolved=at,
    )
    news = {**one.values, "correlated": less}
    lists = {**simulated.lists, ("late", "q2"): replace(one, values=news)}
    return replace(simulated, lists=lists)
