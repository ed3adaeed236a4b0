"""Tables are no wider than the terminal: columns are parted, nothing is left out."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from prum.experiments.commands.terminal_view import print_view
from prum.experiments.frame.numbers import shortened
from prum.experiments.frame.view import Column, Table, View
from tests.unit.experiments.compare.made_scores import made_result, table_of

TWELVE = tuple(f"measure{number}" for number in range(12))
LONG = tuple(f"{'runs/' * 5}{number:04d}/bm25" for number in range(12))
CJK = tuple(f"検索システム{number}の実行" for number in range(12))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(view: View, width: int | None, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a terminal of some width shows, or a pipe."""
    stream = Terminal() if width else io.StringIO()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout", stream)
    print_view(view)
    return stream.getvalue()


@pytest.mark.parametrize("width", [60, 80, 400])
@pytest.mark.parametrize("num", [1, 12])
@pytest.mark.parametrize("measures", [("AP",), TWELVE], ids=["one", "twelve"])
@pytest.mark.parametrize("names", [LONG, CJK], ids=["long", "CJK"])
def test_no_row_is_wider_than_the_terminal_and_nothing_is_left_out(
    width: int,
    num: int,
    measures: tuple[str, ...],
    names: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signs = tuple("≈" * (row < 2) for row in range(num))
    cells = [Column.of("system", names[:num], left=True, signs=signs)]
    cells += [Column.of(name, [f"{row / 20:.4f} ± 0.1" for row in range(num)]) for name in measures]
    view = View(title="", headline="", story=(), tables=(Table("means", tuple(cells)),))
    piped = shown(view, None, monkeypatch)
    text = shown(view, width, monkeypatch)
    if max(map(cell_len, piped.splitlines())) <= width:
        assert text == piped
        return
    assert max(map(cell_len, text.splitlines())) <= width
    words = text.split()
    assert all(words.count(measure) == 1 for measure in measures)
    assert words.count("±") == piped.split().count("±") == num * len(measures)
    # Each part has all names, and their signs.
    num_parts = words.count("system")
    assert num_parts > 1
    assert all(words.count(name) == num_parts for name in names[:num])
    assert words.count("≈") == num_parts * min(num, 2)


def test_columns_stand_under_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    result = made_result(12, names=tuple(f"{'検' * n}x" for n in range(12)))
    view = View(title="", headline="", story=(), tables=(table_of(result),))
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
