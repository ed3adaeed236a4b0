"""The build backend that pip calls: setuptools, and a compiler where the system has none.

The package index has clang as a wheel, `ziglang`. With `PRUM_ZIG` it is asked for in any case: it
makes wheels that run on older systems.
"""

import os

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

from compiling.compilers import found_cc


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    """Return what setuptools needs for a wheel, and a compiler."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler()]


def get_requires_for_build_editable(config_settings: object = None) -> list[str]:
    """Return what setuptools needs for an editable installation, and a compiler."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *_compiler()]


def _compiler() -> list[str]:
    has_own = os.environ.get("CC") or found_cc()
    return ["ziglang>=0.13"] if os.environ.get("PRUM_ZIG") or not has_own else []
