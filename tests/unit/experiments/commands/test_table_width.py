"""Tables are as wide as the terminal: what is left out is named, and no name stands for two."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from prum.experiments.commands import terminal_view
from prum.experiments.commands.terminal_view import _Console, fitted, print_view
from prum.experiments.frame.numbers import shortened
from prum.experiments.frame.view import Column, Table
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
            is_optional=measure != measures[0],
        )
        for measure in measures
    ]
    return Table.of("means", range(num), columns)


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("num", [1, 2, 12, 143])
@pytest.mark.parametrize("measures", [("AP",), TWELVE], ids=["one", "twelve"])
@pytest.mark.parametrize("names", [(), LONG, MIDDLE, CJK], ids=["plain", "long", "middle", "CJK"])
def test_no_row_is_wider_than_the_terminal(
    width: int, num: int, measures: tuple[str, ...], names: tuple[str, ...]
) -> None:
    table = ranked(num, measures, names)
    fit = fitted(table, width)
    assert max(map(cell_len, fit.lines)) <= width
    assert len(fit.lines) == num + 2
    shown = [line.split()[2] for line in fit.lines[2:]]
    assert len(set(shown)) == num
    # Whatever is missing is named, and the primary measure never is.
    for measure in measures:
        assert (measure in fit.lines[0].split()) != (measure in fit.left_out)
    assert measures[0] not in fit.left_out
    assert all(measure in fit.note for measure in fit.left_out)
    whole = fitted(table, None)
    assert whole.note == ""
    assert all(measure in whole.lines[0].split() for measure in measures)
    for name in names[:num]:
        assert any(f" {name} " in line for line in whole.lines)


def test_half_widths_go_first_and_then_measures_from_the_right() -> None:
    table = table_of(made_result(3, measures=("AP", "P@5", "P@10", "RR")))
    whole = fitted(table, None)
    width = max(map(cell_len, whole.lines))
    assert fitted(table, width) == whole
    first = fitted(table, width - 1)
    assert first.left_out == ()
    assert first.briefer == ("P@5", "P@10", "RR")
    assert [line.count("±") for line in first.lines[2:]] == [1, 1, 1]
    assert first.note == "left out at this width: the ± of P@5, P@10 and RR"
    brief = max(map(cell_len, first.lines))
    assert fitted(table, brief) == first
    second = fitted(table, brief - 1)
    assert second.left_out == ("RR",)
    assert second.note == "left out at this width: RR and the ± of P@5 and P@10"
    least = fitted(table, 30)
    assert least.left_out == ("P@5", "P@10", "RR")
    assert not any("±" in line for line in least.lines)


def test_columns_stand_under_each_other() -> None:
    table = table_of(made_result(12, names=tuple(f"{'検' * n}x" for n in range(12))))
    lines = fitted(table, None).lines
    at = {cell_len(line[: line.index("0.")]) for line in lines[2:]}
    assert len(at) == 1
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
    assert shortened(["検索システム", "a"], 7, cell_len) == ("検…ム", "a")
    assert shortened([], 9) == ()


def printed(width: int | None, monkeypatch: pytest.MonkeyPatch, **made: object) -> str:
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
    top = made.pop("top", None)
    print_view(made_result(**made).view(top=top))  # type: ignore[arg-type]
    return re.sub("\x1b\\[[0-9;]*m", "", stream.getvalue())


def test_the_answer_comes_first_and_a_pipe_has_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = {"num_systems": 12, "measures": TWELVE}
    piped = printed(None, monkeypatch, **wide)
    assert piped.startswith("By measure0, system0 is ")
    rows = [line for line in piped.splitlines() if "  system" in line and "±" in line]
    assert len(rows) == 12
    assert all(row.count("±") == 12 for row in rows)
    assert "left out" not in piped
    narrow = printed(100, monkeypatch, **wide)
    assert narrow.startswith("By measure0, system0 is ")
    assert max(map(len, narrow.splitlines())) <= 100
    assert "left out at this width: " in narrow
    assert "--csv" in narrow


def test_the_first_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(100, monkeypatch, num_systems=12, top=3)
    assert len([line for line in text.splitlines() if "±" in line and "system" in line]) == 3
    assert "the first 3 of 12 systems: 9 more follow" in text


def test_many_systems_are_said_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(None, monkeypatch, num_systems=30)
    after = text[text.index("from–to:") :].splitlines()
    assert len(after) < 12
    assert any(line.startswith("system0 is better than ") for line in after)


def test_a_name_with_a_line_end_breaks_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("good", "line\nend", "poor")
    for gap in (0.0, 0.5):
        text = printed(None, monkeypatch, num_systems=3, names=names, gap=gap)
        assert "end" not in [line[:3] for line in text.splitlines()]
        assert text.count("line\\nend") > 1
