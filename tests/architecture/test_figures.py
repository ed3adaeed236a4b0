"""The pictures of the documents are what their code draws."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.tiers import slow

pytest.importorskip("matplotlib")

DOCS = Path(__file__).resolve().parents[2] / "docs"
NAMES = sorted(str(path.relative_to(DOCS)) for path in DOCS.glob("**/images/*.svg"))
QUICK = ("concepts/images/prum.svg", "images/precision.svg", "images/visits.svg")
NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    """Return the module, which is part of the documents and no package."""
    spec = importlib.util.spec_from_file_location("figures_of_documents", DOCS / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parts(svg: str) -> tuple[list[str], list[float]]:
    """Return what stands between numbers, and the numbers: these may differ by rounding."""
    return NUMBER.split(svg), list(map(float, NUMBER.findall(svg)))


def test_every_picture_has_its_code(figures: ModuleType) -> None:
    assert sorted(figures.files()) == NAMES


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=slow) for name in NAMES]
)
def test_a_picture_is_what_its_code_draws(figures: ModuleType, name: str) -> None:
    kept = parts((DOCS / name).read_text("utf-8"))
    drawn = parts(figures.files()[name]())
    assert kept[0] == drawn[0], "say python docs/figures.py"
    assert kept[1] == pytest.approx(drawn[1], abs=0.02)


def test_another_picture_would_be_seen() -> None:
    kept = [parts((DOCS / name).read_text("utf-8")) for name in NAMES]
    assert all(kept[0] != other for other in kept[1:])
