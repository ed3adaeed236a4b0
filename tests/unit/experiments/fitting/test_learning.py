"""The verb `fit`: what its words mean where files are called the same."""

from pathlib import Path

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
