"""What CITATION.cff lacks, or says otherwise than pyproject.toml and CHANGELOG.md do."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def citation() -> dict[str, Any]:
    """Return what CITATION.cff says."""
    said: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    return said


def problems(cited: dict[str, Any]) -> Iterator[str]:
    """Yield what of a citation is missing, or said otherwise elsewhere."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    # The version that the changelog begins with, released or not.
    (version, *_) = re.findall(r"^## .*?(\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    same = {key: project[key] for key in ("license", "authors", "keywords")}
    fixed = {"cff-version": "1.2.0", "type": "software", "title": project["name"]}
    for key, value in {**fixed, **same, "version": version}.items():
        if cited.get(key) != value:
            yield f"{key} is {cited.get(key)!r}, must be {value!r}"
    yield from (f"{key} is missing" for key in ("message", "abstract") if not cited.get(key))
    for work in cited.get("references", ()):
        for key in ("type", "title", "authors", "year", "notes"):
            if not work.get(key):
                yield f"{key} of {work.get('title')!r} is missing"
