"""The paper on this software: each claim names what shows it, and that is there."""

import re
import shlex
from pathlib import Path

import click
import pytest

from prum.experiments.commands.main import prum

ROOT = Path(__file__).resolve().parents[2]
PAPER = ROOT / "docs" / "paper"
TEXT = (PAPER / "paper.md").read_text("utf-8")
CLAIMS = re.findall(r"^\| .+ \| `((?:prum|pytest) .+)` \|$", TEXT, re.MULTILINE)


def check(line: str) -> None:
    """Raise an error unless a line names tests that are there, or a command with its options."""
    program, *words = shlex.split(line)
    if program == "pytest":
        for path in words:
            assert "def test_" in (ROOT / path).read_text("utf-8"), path
        return
    command: click.Command = prum
    context = click.Context(prum)
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(context, name)
        assert found is not None, name
        command, context = found, click.Context(found)
    command.make_parser(context).parse_args(words)


def test_each_claim_has_a_command_that_is_there() -> None:
    assert len(CLAIMS) >= 10
    for line in CLAIMS:
        check(line)
    for wrong in ("prum study coins", "prum study paper --by heart", "pytest tests/none.py"):
        with pytest.raises((AssertionError, click.ClickException, OSError)):
            check(wrong)


def test_it_has_what_a_journal_of_software_asks_for_and_lists_what_it_cites() -> None:
    parts = re.findall(r"^# (.+)$", TEXT, re.MULTILINE)
    wanted = ("Summary", "Statement of need", "State of the field", "Design", "Verification")
    assert parts == [*wanted, "Limits", "References"]
    assert 750 <= len(TEXT.split()) <= 1750
    listed = re.findall(r"^@\w+\{(\w+),", (PAPER / "paper.bib").read_text("utf-8"), re.MULTILINE)
    assert sorted(set(re.findall(r"@(\w+)", TEXT.split("# Summary")[1]))) == sorted(listed)
