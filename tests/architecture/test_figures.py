"""The figures of the pages on concepts are what their code draws."""

import pytest

from tests.tiers import slow

pytest.importorskip("matplotlib")

NAMES = ("prum", "counts", "dependence", "quadrature", "walks")


@pytest.mark.parametrize(
    "name", [NAMES[0], *(pytest.param(name, marks=slow) for name in NAMES[1:])]
)
def test_a_figure_is_what_its_code_draws(name: str) -> None:
    from docs.concepts.figures import FIGURES, FOLDER, document

    assert tuple(FIGURES) == NAMES
    assert (FOLDER / f"{name}.svg").read_text("utf-8") == document(FIGURES[name]())


def test_another_drawing_would_be_seen() -> None:
    from docs.concepts.figures import FOLDER

    assert len({(FOLDER / f"{name}.svg").read_text("utf-8") for name in NAMES}) == len(NAMES)
