"""`prum --info`: what a report of a fault should say of an installation."""

import os
import platform
from collections.abc import Iterator
from importlib import metadata

from prum.simulator.model.version import own_version


def installation() -> Iterator[str]:
    """Yield a line for each thing: versions, platform, kernels, extras and their packages."""
    from prum.analytic.precision import kernels as forms
    from prum.simulator.sampling import kernels as samplers

    yield f"prum        {own_version()}"
    yield f"Python      {platform.python_version()} ({platform.python_implementation()})"
    yield f"platform    {platform.platform()}"
    yield f"processors  {os.cpu_count()}, {platform.machine()}"
    yield f"kernels     {forms.VARIANT}, {samplers.VARIANT}"
    for heading, names in _packages().items():
        found = ", ".join(f"{name} {_version(name)}" for name in names)
        yield f"{heading:<11} {found}"


def _packages() -> dict[str, list[str]]:
    """Return the packages that prum needs, and those of each extra for users."""
    packages: dict[str, list[str]] = {"needs": []}
    for line in metadata.requires("prum") or ():
        requirement, _, condition = line.partition(";")
        name = requirement.strip()
        for sign in "<>=!~[ ":
            name = name.partition(sign)[0]
        extra = condition.partition("extra ==")[2].strip(" '\"")
        if extra not in ("dev", "docs", "retrievers"):
            packages.setdefault(extra or "needs", []).append(name)
    return packages


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "is missing"
