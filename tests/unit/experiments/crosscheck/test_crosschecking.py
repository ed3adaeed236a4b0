"""Cross-checks: which combinations of engine, store and workers there are."""

from typing import Any

import pytest

from prum.experiments.crosscheck.checking import crosscheck_campaigns
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here
from prum.simulator import InputError, simulate, web_example

WEB = web_example()


def test_another_engine_takes_no_store_and_no_workers() -> None:
    options: list[dict[str, Any]] = [{"store": Store()}, {"workers": Here()}]
    for option in options:
        with pytest.raises(InputError, match="left out with a store or workers") as error:
            crosscheck_campaigns([WEB], num_users=100, seed=1, simulate=simulate, **option)
        assert "\n" not in str(error.value)
    checked = crosscheck_campaigns([WEB], num_users=100, seed=1, simulate=simulate)
    assert checked.num_users == 100
