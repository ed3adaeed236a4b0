"""The verb `fit`: what its words mean where files are called the same."""

import json
from pathlib import Path
from typing import Any

import pytest

import prum

LOG = [["a", "b"], ["a", "c"], ["a", "b", "<", "c"]]
LINKS = {("a", "b"): 1.0, ("a", "c"): 1.0}


@pytest.mark.parametrize(
    ("navigation", "base"), [("walk", "targets"), ("walk", "clicked"), ("independent", "shares")]
)
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_base_is_known_by_its_name_whatever_stands_beside(
    navigation: str, base: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = prum.fit(LOG, LINKS, navigation=navigation, base=base)
    monkeypatch.chdir(tmp_path)
    if kind == "folder":
        Path(base).mkdir()
    else:
        Path(base).write_text("source,target,probability\n")
    found = prum.fit(LOG, LINKS, navigation=navigation, base=base)
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("number", [float("inf"), float("nan"), None, "\ud800", [1]])
@pytest.mark.parametrize("name", ["num_sessions", "moves"])
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
