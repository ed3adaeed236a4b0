"""Tables are no wider than the terminal: names are folded, columns parted, nothing is left out."""

import io
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from prum.experiments.commands import terminal_view
from prum.experiments.commands.terminal_view import _Console, print_view
from prum.experiments.frame.numbers import shortened
from prum.experiments.frame.view import Column, Table, View
from tests.unit.experiments.compare.made_scores import made_result, table_of

TWELVE = tuple(f"measure{number}" for number in range(12))
LONG = tuple(f"{'runs-of-the-first-round/' * 3}{number:04d}/bm25" for number in range(143))
MIDDLE = tuple(f"{'x' * 38}{number:04d}{'y' * 38}" for number in range(143))
CJK = tuple(f"検索システム{number}の実行" for number in range(143))


def ranked(num: int, measures: tuple[str, ...], names: tuple[str, ...]) -> Table:
    """Return a table as a comparison's."""
    names = names[:num] or tuple(f"system{number}" for number in range(num))
    columns = [
        Column[int]("place", lambda row: row + 1, "d"),
        Column[int]("from–to", lambda row: f"{max(row - 20, 1)}–{row + 40}"),
        Column[int]("system", names.__getitem__, left=True, sign=lambda row: "≈" * (row < 20)),
    ]
    columns += [
        Column[int](
            measure,
            lambda row: f"{0.9 - row / 200:.4f} ± 0.1234",
            brief=lambda row: f"{0.9 - row / 200:.4f}",
        )
        for measure in measures
    ]
    return Table.of("means", range(num), columns)


def shown(view: View, width: int | None, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a terminal of some width shows, or a pipe."""
    stream = io.StringIO()

    def console(_: int) -> _Console:
        return _Console(
            file=stream,
            highlight=False,
            width=width or 120,
            no_color=True,
            force_terminal=width is not None,
        )

    monkeypatch.setattr(terminal_view, "standard_output", console)
    print_view(view)
    return re.sub("\x1b\\[[0-9;]*m", "", stream.getvalue())


@pytest.mark.parametrize("width", [60, 80, 100, 400])
@pytest.mark.parametrize("num", [1, 2, 12, pytest.param(143, marks=pytest.mark.slow)])
@pytest.mark.parametrize("measures", [("AP",), TWELVE], ids=["one", "twelve"])
@pytest.mark.parametrize("names", [(), LONG, MIDDLE, CJK], ids=["plain", "long", "middle", "CJK"])
def test_no_row_is_wider_than_the_terminal_and_nothing_is_left_out(
    width: int,
    num: int,
    measures: tuple[str, ...],
    names: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = ranked(num, measures, names)
    view = View(title="", headline="", story=(), tables=(table,), leads=True)
    piped = shown(view, None, monkeypatch)
    for name in names[:num]:
        assert any(f" {name} " in line for line in piped.splitlines())
    wide = max(map(cell_len, piped.splitlines()))
    text = shown(view, width, monkeypatch)
    if wide <= width:
        assert text == piped
        return
    assert max(map(cell_len, text.splitlines())) <= width
    words = text.split()
    for measure in measures:
        assert words.count(measure) == 1
    assert words.count("±") == piped.split().count("±")
    # A name goes on in the lines below it.
    for name in names[:num]:
        assert name[:4] in text
    letters = Counter("".join(words)) - Counter("─")
    assert not Counter("".join(names[:num])) - letters


def test_columns_stand_under_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    result = made_result(12, names=tuple(f"{'検' * n}x" for n in range(12)))
    view = View(title="", headline="", story=(), tables=(table_of(result),), leads=True)
    lines = [line for line in shown(view, None, monkeypatch).splitlines() if "0." in line]
    assert len(lines) == 12
    assert len({cell_len(line[: line.index("0.")]) for line in lines}) == 1
    assert len({cell_len(line) for line in lines}) == 1


@given(st.lists(st.text(min_size=1), min_size=1, max_size=8, unique=True), st.integers(1, 12))
def test_shortened_names_are_never_mixed_up(names: list[str], width: int) -> None:
    short = shortened(names, width)
    assert len(set(short)) == len(names)
    for name, new in zip(names, short, strict=True):
        if len(name) <= width:
            assert new == name
        assert new == name or "…" in new
        assert len(new) <= len(name) + 1


def test_shortened_names_begin_and_end_as_they_did() -> None:
    assert shortened(["runs/2020/bm25.txt"] * 2, 9) == ("runs….txt",) * 2
    assert shortened([], 9) == ()


def printed(width: int | None, monkeypatch: pytest.MonkeyPatch, **made: object) -> str:
    top = made.pop("top", None)
    return shown(made_result(**made).view(top=top), width, monkeypatch)  # type: ignore[arg-type]


def test_the_answer_comes_first_and_a_pipe_has_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = {"num_systems": 12, "measures": TWELVE}
    piped = printed(None, monkeypatch, **wide)
    assert piped.startswith("By measure0, system0 is ")
    rows = [line for line in piped.splitlines() if "  system" in line and "±" in line]
    assert len(rows) == 12
    assert all(row.count("±") == 12 for row in rows)
    narrow = printed(100, monkeypatch, **wide)
    assert narrow.startswith("By measure0, system0 is ")
    assert max(map(len, narrow.splitlines())) <= 100
    assert narrow.count("±") == piped.count("±")


def test_a_name_with_a_line_end_breaks_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("good", "line\nend", "poor")
    for gap in (0.0, 0.5):
        text = printed(None, monkeypatch, num_systems=3, names=names, gap=gap)
        assert "end" not in [line[:3] for line in text.splitlines()]
        assert text.count("line\\nend") > 1
