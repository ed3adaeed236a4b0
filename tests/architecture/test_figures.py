"""The figures of the pages on concepts are what their code draws."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.tiers import slow

pytest.importorskip("matplotlib")

SOURCE = Path(__file__).resolve().parents[2] / "docs" / "concepts" / "figures.py"
NAMES = ("prum", "counts", "dependence", "quadrature", "walks")
NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    """Return the module, which is part of the documents and no package."""
    spec = importlib.util.spec_from_file_location("concept_figures", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parts(svg: str) -> tuple[list[str], list[float]]:
    """Return what stands between numbers, and the numbers: these may differ by rounding."""
    return NUMBER.split(svg), list(map(float, NUMBER.findall(svg)))


@pytest.mark.parametrize(
    "name", [NAMES[0], *(pytest.param(name, marks=slow) for name in NAMES[1:])]
)
def test_a_figure_is_what_its_code_draws(figures: ModuleType, name: str) -> None:
    assert tuple(figures.FIGURES) == NAMES
    kept = parts((figures.FOLDER / f"{name}.svg").read_text("utf-8"))
    drawn = parts(figures.document(figures.FIGURES[name]()))
    assert kept[0] == drawn[0]
    assert kept[1] == pytest.approx(drawn[1], abs=0.02)


def test_another_figure_would_be_seen(figures: ModuleType) -> None:
    kept = [parts((figures.FOLDER / f"{name}.svg").read_text("utf-8")) for name in NAMES]
    assert all(kept[0] != other for other in kept[1:])
