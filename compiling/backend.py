"""The build backend that pip calls: setuptools, and a compiler where it can be had.

Clang makes the faster kernels, and the package index has it as a wheel, `ziglang`. It is asked for
unless $CC names a compiler; where the index does not have it, the system's compiler has to do.
"""

import os
import subprocess
import sys
from importlib.util import find_spec

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

from compiling.compilers import found_cc

_ZIG = "ziglang>=0.13"


def get_requires_for_build_wheel(config_settings=None):
    """Return what setuptools needs for a wheel, and a compiler."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler()]


def get_requires_for_build_editable(config_settings=None):
    """Return what setuptools needs for an editable installation, and a compiler."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *_compiler()]


def _compiler() -> list[str]:
    if os.environ.get("CC") or os.environ.get("PRUM_SANITIZE") or find_spec("ziglang"):
        return []
    return [_ZIG] if not found_cc() or _can_be_had() else []


def _can_be_had() -> bool:
    """Return whether pip finds zig's wheel; pip is asked apart from the build's environment."""
    command = [sys.executable, "-I", "-m", "pip", "install", "--dry-run", "--no-deps", "--quiet"]
    asked = subprocess.run([*command, _ZIG], stdin=subprocess.DEVNULL, capture_output=True)
    return asked.returncode == 0
