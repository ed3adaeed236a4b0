"""The pictures of the documents are what their code draws."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.tiers import slow

pytest.importorskip("matplotlib")

DOCS = Path(__file__).resolve().parents[2] / "docs"
NAMES = sorted(str(path.relative_to(DOCS)) for path in DOCS.glob("**/images/*.svg"))
QUICK = ("concepts/images/prum.svg", "images/precision.svg", "images/visits.svg")
NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """Return what draws the pictures: part of the documents, and no package."""
    return runpy.run_path(str(DOCS / "figures.py"))


def parts(svg: str) -> tuple[list[str], list[float]]:
    """Return what stands between numbers, and the numbers: these may differ by rounding."""
    return NUMBER.split(svg), list(map(float, NUMBER.findall(svg)))


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=slow) for name in NAMES]
)
def test_a_picture_is_what_its_code_draws(figures: dict[str, Any], name: str) -> None:
    kept = parts((DOCS / name).read_text("utf-8"))
    drawn = parts(figures["files"]()[name]())
    assert kept[0] == drawn[0], "say python docs/figures.py"
    assert kept[1] == pytest.approx(drawn[1], abs=0.02)


def test_every_picture_has_its_code_and_another_would_be_seen(figures: dict[str, Any]) -> None:
    assert sorted(figures["files"]()) == NAMES
    kept = [parts((DOCS / name).read_text("utf-8")) for name in NAMES]
    assert all(kept[0] != other for other in kept[1:])
