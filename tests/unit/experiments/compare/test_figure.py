"""Figures of a comparison: every kind, from two systems to 143, the same bytes each time."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from prum.experiments.compare import ComparisonResult
from prum.experiments.compare.figure import KINDS
from prum.experiments.frame.drawing import SUFFIXES
from prum.simulator import InputError
from tests.tiers import slow
from tests.unit.experiments.compare.made_scores import made_result

mpl = pytest.importorskip("matplotlib")
mpl.use("agg")

HOSTILE = ("$x$ y$", "a\x1b[2Jb", "検索", "x" * 80, r"\frac{1}{2}")


@pytest.fixture(scope="module")
def result() -> ComparisonResult:
    return made_result(12, gap=0.04, measures=("AP", "P@5"))


def texts(svg: bytes) -> list[str]:
    return re.findall(r"<text[^>]*>(.*?)</text>", svg.decode(), flags=re.DOTALL)


@pytest.mark.parametrize("kind", KINDS)
def test_figures_name_systems_and_measures(result: ComparisonResult, kind: str) -> None:
    svg = result.to_figure("out.svg", kind)
    said = texts(svg)
    assert set(result.scores.systems) <= set(said)
    assert any("AP" in text for text in said)
    assert any("tied for the first place" in text for text in said)


@slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_are_the_same_each_time(result: ComparisonResult, suffix: str) -> None:
    first = result.to_figure(f"a{suffix}", "ranks")
    with mpl.rc_context({"font.size": 20, "svg.hashsalt": None}):
        assert result.to_figure(Path(f"b{suffix.upper()}"), "ranks") == first
    assert {".pdf": b"%PDF", ".png": b"\x89PNG", ".svg": b"<?xml"}[suffix] == first[:5].rstrip(
        b"-\r"
    )
    assert not re.search(rb"CreationDate|dc:date", first)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num", [1, 2, 50, pytest.param(143, marks=slow)])
def test_sizes_follow_the_number_of_systems(kind: str, num: int) -> None:
    # Of one topic, so that it takes no time to decide.
    svg = made_result(num, num_topics=1).to_figure("out.svg", kind).decode()
    match = re.search(r'height="([\d.]+)pt"', svg)
    assert match
    height = float(match[1])
    assert 70 < height < 1500
    assert height >= 9 * num


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_stay_text(kind: str) -> None:
    said = "".join(texts(made_result(5, names=HOSTILE, gap=0.3).to_figure("out.svg", kind)))
    assert "$x$ y$" in said
    assert "検索" in said
    assert r"\frac{1}{2}" in said
    assert "\x1b" not in said


def test_axes_are_those_that_are_given(result: ComparisonResult) -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert result.plot("ranks", axes) is axes
    assert axes.yaxis_inverted()
    left, right = axes.get_xlim()
    assert left < 1 < 12 < right
    assert [text.get_text() for text in axes.get_yticklabels()] == [
        place.system for place in result.decision.ranked
    ]
    # Intervals are those of the decision, the best at the top.
    ends = [line.get_xdata() for line in axes.get_lines() if len(line.get_xdata()) == 2]
    wanted = [(place.first, place.last) for place in result.decision.ranked]
    assert [tuple(np.asarray(x).tolist()) for x in ends] == wanted


def test_axes_are_made(result: ComparisonResult) -> None:
    from matplotlib import pyplot

    axes = result.plot()
    try:
        assert axes.get_xlabel() == "mean AP over 20 topics, 95 % intervals"
    finally:
        pyplot.close("all")


def test_mistakes(result: ComparisonResult, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"figure is 'pie', must be one of intervals, ranks"):
        result.plot("pie")
    with pytest.raises(InputError, match=r"out\.gif', must end in \.pdf, \.svg or \.png"):
        result.to_figure("out.gif", "ranks")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r'matplotlib .*pip install "prum\[report\]"'):
        result.plot()
