"""A cluster is left even if Dask never lets go of it."""

from threading import Event
from types import SimpleNamespace

import pytest

from prum.experiments.sweeps import workers


def test_a_client_that_never_closes_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    closing, released, closed = Event(), Event(), Event()

    def close() -> None:
        closing.set()
        released.wait(5)
        closed.set()

    left = workers.Cluster.__new__(workers.Cluster)
    left._client = SimpleNamespace(close=close)
    monkeypatch.setattr(workers, "_PATIENCE", 0.01)
    left.close()
    assert closing.wait(5)
    assert not closed.is_set()
    released.set()
