"""Views: numbers as people read them, LaTeX of hostile text, tables as wide as the terminal."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.experiments.commands.terminal_view import print_view
from prum.experiments.frame.frames import frame_table
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
    table = frame_table(
        "50 %",
        {"x_1": [1.0, 2.0], "[y]": [-1.0, -2.0]},
        {"x_1": "<g", "[y]": ".1f"},
        names={"x_1": "x_1"},
        parts="x_1",
    )
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


def test_details_are_left_to_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("A [label]", (Column.of("n", [7]),), detail=True)
    print_view(View("T", "The [answer]", (), (table,), notes=("A note.",)))
    assert capsys.readouterr().out == "The [answer]\n\nA note.\n"


def test_a_table_as_lines() -> None:
    names = Column.of("name", "ad", left=True, signs=("≈", ""))
    table = Table("", (names, Column.of("value", [1, 1000], ",d")))
    assert table.lines() == ["name    value", "a    ≈      1", "d       1,000"]
    assert table.lines(ruled=True)[1] == "─" * 13
