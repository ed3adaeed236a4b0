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


def test_zig_finds_what_python_was_configured_with(include: Path, tmp_path: Path) -> None:
    (include / "Python.h").write_text("")
    split = include.parent / "x86_64-linux-gnu" / "python3.14" / "pyconfig.h"
    split.parent.mkdir(parents=True)
    split.write_text("#define SIZEOF_LONG 8")
    made = tmp_path / "made"
    made.mkdir()
    assert Compiler(("cc",), "x86_64", False).headers(made) == [f"-I{include}", f"-I{made}"]
    assert list(made.iterdir()) == []
    assert ZIG.headers(made) == [f"-I{include}", f"-I{made}"]
    copy = made / "aarch64-linux-gnu" / "python3.14" / "pyconfig.h"
    assert copy.read_text() == "#define SIZEOF_LONG 8"
