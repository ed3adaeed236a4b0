"""What stands in ids reaches the terminal as text, and nothing of it as a command."""

import pytest

from prum.experiments.commands.terminal_view import print_view
from prum.experiments.frame.view import Column, Table, View
from prum.simulator.model import InputError
from prum.simulator.model.errors import printable

# Clear the screen, ring, write from right to left, C1's CSI, rich's marks, an emoji's name.
BAD = "a\x1b[2J\x07\u202e\x9b31m[red]b[/red][/x]:dog:"
SHOWN = r"a\x1b[2J\x07\u202e\x9b31m[red]b[/red][/x]:dog:"


def test_printable():
    assert printable(BAD) == SHOWN
    assert printable("é – 漢 [1]") == "é – 漢 [1]"
    assert printable("\ud800\n\u2066") == r"\ud800\n\u2066"


def test_a_view_holds_no_commands(capsys):
    table = Table(f"topic {BAD}", (Column.of(BAD, [BAD]),), legend=(BAD,))
    print_view(View("", BAD, (), (table,), sentences=(f"worst: {BAD}\nnext",), notes=(BAD,)))
    out = capsys.readouterr().out
    assert out.replace(SHOWN, "").replace("\n", "").isprintable()
    assert f"topic {SHOWN}" in out
    assert f"\nworst: {SHOWN}\\nnext\n" in out
    assert out.count(SHOWN) == 7


def test_every_part_of_a_message_is_shown_safely():
    error = InputError(f"ideal of {BAD}", BAD, f"not be {BAD}", remedy=BAD, place=BAD)
    assert str(error).isprintable()
    assert str(error.at("here")).startswith("here: ideal of a")


@pytest.mark.parametrize("part", ["thing", "value", "rule", "remedy", "place"])
def test_messages_are_shorter_than_a_screen(part):
    parts = {"thing": "x", "value": 1, "rule": "be 2", "remedy": "correct it", "place": "a.run"}
    error = InputError(**parts | {part: "start" + "x\x1b" * 100_000 + "end"})
    assert len(str(error)) < 1_920
    assert "start" in str(error)
    assert ("end" in str(error)) == (part != "value")
