"""Spoiled logs of agents and simulators: sessions that hold together, or one line of refusal."""

import tempfile
from pathlib import Path

import numpy as np
import pytest

from prum.experiments.logs import read_sessions, read_trajectories
from prum.simulator.model import InputError
from tests.reliability.fuzz import spoiled
from tests.tiers import drawn, examples
from tests.unit.experiments.logs.test_trajectories import EACH

pytestmark = drawn


def read(path: Path) -> str:
    """Return a file's refusal, "" if it was read; whatever was read is checked."""
    try:
        for one in (found := list(read_trajectories(path))):
            assert one.session.encode()
            for action in one.actions:
                assert (len(action.elements) == 1) == (action.kind in ("open", "follow")) or (
                    action.kind == "list"
                )
                assert len(set(action.elements)) == len(action.elements)
                assert all(name and name.encode() for name in action.elements)
                assert all(np.isfinite(cost) for cost in action.costs.values())
            assert all(number > 0 for number in one.lost.values())
        if all(len(one.actions) < 4 for one in found):
            return ""
        for batch in read_sessions(path):
            assert batch.starts[-1] == len(batch.element) == len(batch.is_back)
            assert (np.diff(batch.starts) > 0).all()
            assert (batch.element >= 0).all()
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", EACH)
def test_garbage_is_refused_in_a_line(name: str) -> None:
    rng = np.random.default_rng(5)
    content, refused = EACH[name].encode(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        for _ in range(examples(300)):
            path.write_bytes(spoiled(content, rng))
            message = read(path)
            refused += bool(message)
            assert len(message.splitlines()) <= 1
            assert message.startswith(str(path) if message else "")
    assert 0 < refused < examples(300)
