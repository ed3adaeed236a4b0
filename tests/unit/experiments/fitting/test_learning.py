"""The verb `fit`: what a file of it that was changed gives."""

import json
from pathlib import Path
from typing import Any

import pytest

import prum
from tests.tiers import slow

LOG = [["a", "b"], ["a", "c"], ["a", "b", "<", "c"]]
LINKS = {("a", "b"): 1.0, ("a", "c"): 1.0}


@pytest.mark.parametrize("number", [float("inf"), float("nan"), None, "\ud800", [1]])
@pytest.mark.parametrize("name", ["num_sessions", "moves"])
@slow
def test_counts_that_are_none_are_told_in_a_line(name: str, number: Any, tmp_path: Path) -> None:
    file = tmp_path / "fitted.json"
    file.write_text(prum.fit(LOG, LINKS).to_file())
    content = json.loads(file.read_text())
    if name == "num_sessions":
        content["counts"][name] = number
    else:
        content["counts"][name][0] = number
    file.write_text(json.dumps(content))
    with pytest.raises(prum.InputError, match=r"fitted.json: "):
        prum.read_fitted(file)
