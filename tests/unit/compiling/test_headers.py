"""Python's headers: said where they are missing, and found by zig where Debian splits them."""

import sys
import sysconfig
from pathlib import Path

import pytest

from compiling.compilers import Compiler

ZIG = Compiler(("zig", "cc"), "aarch64", True)


@pytest.fixture
def include(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where Python says that its headers are."""
    folder = tmp_path / "include" / "python3.14"
    folder.mkdir(parents=True)
    monkeypatch.setattr(sysconfig, "get_path", {"include": str(folder)}.__getitem__)
    monkeypatch.setattr(sys.implementation, "_multiarch", "x86_64-linux-gnu", raising=False)
    return folder


def test_missing_headers_are_said_with_a_remedy(include: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        ZIG.headers(tmp_path)
    assert str(include) in str(ended.value)
    assert "install python3-dev" in str(ended.value)
