"""The study of realism as a whole."""

from pathlib import Path

import pytest

from prum.experiments.studies.realism import REALISM
from prum.simulator.model import InputError


def test_a_collection_is_not_compared_with_itself(tmp_path: Path) -> None:
    sides = [tmp_path / f"{seed}.toml" for seed in (2, 3)]
    for side, seed in zip(sides, (2, 3), strict=True):
        side.write_text(f"seed = {seed}\n[collection]\npages = 100\n")
    with pytest.raises(InputError, match=r"B is .* in more than its seed, .* with a seed each"):
        REALISM(a=str(sides[0]), b=str(sides[1]))
