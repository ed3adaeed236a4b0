"""Views: numbers as people read them, LaTeX of hostile text, tables as wide as the terminal."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.experiments.commands.terminal_view import print_view
from prum.experiments.frame.html import escaped, latex
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.view import Column, Table, View

# What LaTeX takes for itself, once its commands and paired signs are gone.
ACTIVE = re.compile(r"[\\{}$&#_%~^]")
COMMANDS = re.compile(
    r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textquotedbl"
    r"|dots)\{\}|\\[&%$#_{}]|\$(?:\\[A-Za-z]+(?:12)?|[A-Zo]|-|\^2)\$"
)


def is_inert(text: str) -> bool:
    """Whether LaTeX prints a text and runs nothing in it."""
    return not ACTIVE.search(COMMANDS.sub("", text)) and len(text.splitlines()) <= 1


@given(st.text())
def test_hostile_text_is_inert_in_latex(text: str) -> None:
    assert is_inert(escaped(text))
    escaped(text).encode("utf-8")


@pytest.mark.parametrize("text", [r"\input{/etc/passwd}", "$x$", "a%b", "}{", "a & b", "x\n\n~^_#"])
def test_hostile_text_would_be_seen(text: str) -> None:
    """Negative control: each is active as it stands, and inert when escaped."""
    assert not is_inert(text)
    assert is_inert(escaped(text))


def test_tables_of_latex_are_whole() -> None:
    columns: list[Column[float]] = [
        Column("x_1", lambda x: x, "g", left=True),
        Column("[y]", lambda x: -x, ".1f"),
    ]
    table = Table.of("50 %", [1.0, 2.0], columns, parts=lambda x: x)
    assert latex(table).splitlines() == [
        r"\begin{table}",
        r"\caption{50 \%}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"{}x\_1 & [y] \\",
        r"\midrule",
        r"{}1 & $-$1.0 \\",
        r"\addlinespace",
        r"{}2 & $-$2.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 6))
def test_numbers_keep_their_value(value: float, digits: int) -> None:
    text = shown(value, f".{digits}f")
    assert float(text.replace("−", "-")) == float(f"{value:.{digits}f}")
    assert not text.startswith("−0.000000") or text.strip("−0.")


def view_of(num_columns: int, *, detail: bool = False) -> View:
    columns: list[Column[int]] = [Column("name", lambda n: f"[b]row {n}[/b]", left=True)]
    columns += [Column(f"column {at}", lambda n: n, "05d") for at in range(num_columns)]
    table = Table.of("A [label]", [7], columns, detail=detail)
    return View("T", "The [answer]", (), (table,), notes=("A note.",))


def test_wide_tables_are_parted_and_nothing_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    print_view(view_of(20))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["The [answer]", "", "A [label]"]
    assert lines[-1] == "A note."
    text = "\n".join(lines)
    assert text.count("[b]row 7[/b]") == 3
    assert all(f"column {at}" in text for at in range(20))
    assert text.count("00007") == 20
    assert "…" not in text
    assert max(map(len, lines)) <= 120


def test_details_are_left_to_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    print_view(view_of(2, detail=True))
    assert capsys.readouterr().out == "The [answer]\n\nA note.\n"


def test_a_table_as_lines() -> None:
    columns = [
        Column[int]("name", "abcd".__getitem__, left=True, sign=lambda n: "≈" * (n == 0)),
        Column[int]("value", lambda n: 10**n, ",d"),
    ]
    table = Table.of("", [0, 3], columns)
    assert table.lines() == ["name    value", "a    ≈      1", "d       1,000"]
    assert table.lines(ruled=True)[1] == "─" * 13
