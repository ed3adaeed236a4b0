"""Figures of a comparison: rows and ends as decided, many systems, and names that stay text."""

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from prum.experiments.compare import ComparisonResult
from tests.unit.experiments.compare.made_scores import made_result


@pytest.fixture(scope="module")
def result() -> ComparisonResult:
    return made_result(12, gap=0.04, measures=("AP", "P@5"))


def test_rows_are_those_of_the_decision(result: ComparisonResult) -> None:
    canvas, ranked = Canvas(), result.decision.ranked
    figure = result.plot()
    figure.draw().fill(canvas)
    (axes,) = canvas.axes
    assert axes.yaxis_inverted()
    assert [text.get_text() for text in axes.get_yticklabels()] == [x.system for x in ranked]
    drawn = [np.asarray(line.get_xdata()).tolist() for line in axes.get_lines()]
    assert drawn[::2] == [[x.low, x.high] for x in ranked]
    assert drawn[1::2] == [[x.mean] for x in ranked]
    blue, grey = (axes.get_lines()[2 * at].get_color() for at in (0, -1))
    assert (blue != grey) == (not ranked[-1].is_tied_with_best)
    assert "AP" in axes.get_xlabel()
    assert "95 %" in axes.get_xlabel()
    assert "blue: tied for the first place" in figure.caption


@pytest.mark.parametrize("num", [1, 2, 41])
def test_at_most_forty_systems_are_drawn(num: int) -> None:
    # Of one topic, so that it takes no time to decide.
    figure = made_result(num, num_topics=1).plot()
    assert ("the first 40 of 41 systems" in figure.caption) == (num > 40)
    assert figure.file("out.svg").startswith(b"<?xml")
