"""Groups of commands: what they say when called alone, or by a name that they don't have."""

from importlib.metadata import version
from pathlib import Path

import click
import pytest

import prum
from prum.experiments.commands.main import COMMANDS
from prum.experiments.commands.main import prum as group
from prum.simulator.model.process import own_version
from tests.architecture.reference import leaves
from tests.commands import called


@pytest.mark.parametrize("words", [(), ("study",)])
def test_alone_they_show_their_help(words: tuple[str, ...], tmp_path: Path) -> None:
    alone, asked = called(*words, folder=tmp_path), called(*words, "--help", folder=tmp_path)
    assert (alone.returncode, alone.stderr) == (0, "")
    assert alone.stdout == asked.stdout
    assert alone.stdout.startswith(f"Usage: {' '.join(('prum', *words))} [OPTIONS] COMMAND")
    assert alone.stdout.count("\n") > 10


def test_every_command_is_listed_under_its_heading_and_can_be_called(tmp_path: Path) -> None:
    listed = called("--help", folder=tmp_path).stdout.split("\n\n")
    for heading, some in COMMANDS.items():
        (section,) = (part for part in listed if part.startswith(f"{heading}:"))
        for name, (_, summary) in some.items():
            assert f"\n  {name:10}  {summary}" in section
            command = group.get_command(click.Context(group), name)
            assert command is not None
            assert command.name == name


def test_what_is_installed_is_told(tmp_path: Path) -> None:
    ended = called("--info", folder=tmp_path)
    told = dict(line.split(maxsplit=1) for line in ended.stdout.splitlines())
    assert (ended.returncode, told["prum"]) == (0, prum.__version__)
    assert set(told) == {"prum", "Python", "platform", "processors", "kernels", "packages"}
    assert f"numpy {version('numpy')}" in told["packages"]
    assert "lxml " in told["packages"]
    assert "pytest" not in told["packages"]
    assert called("--version", folder=tmp_path).stdout == f"prum, version {own_version()}\n"
    assert own_version() == prum.__version__


LEAVES = list(leaves(click.Context(group, info_name="prum", terminal_width=80)))


@pytest.mark.parametrize("context", LEAVES, ids=[context.command_path for context in LEAVES])
def test_a_help_says_in_a_sentence_what_for_and_has_every_option(context: click.Context) -> None:
    told = context.get_help()
    assert max(map(len, told.splitlines())) <= 80
    paragraphs = told.split("\n\n")
    assert len(paragraphs[1]) < 160
    assert paragraphs[1].endswith(".")
    headings = [line for line in told.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings[0] == "Options:"
    assert "Output:" not in headings[:-1]
    options = [one for one in context.command.get_params(context) if isinstance(one, click.Option)]
    assert all(any(f"{name}" in told.split() for name in one.opts) for one in options)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("crosscheckk",), "no command 'crosscheckk'; did you mean 'crosscheck'?"),
        (("study", "approximation"), "no command 'approximation'; did you mean 'approximations'?"),
        (("study", "Paper"), "no command 'Paper'; did you mean 'paper'?"),
        (("study", "xyz"), "no command 'xyz'; prum study --help lists all"),
    ],
)
def test_a_name_that_is_none_is_told_with_the_nearest(
    words: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    ended = called(*words, folder=tmp_path)
    assert (ended.returncode, ended.stderr) == (2, f"prum: {told}\n")


def test_an_option_that_is_none_is_no_command(tmp_path: Path) -> None:
    for words in (("--vresion",), ("study", "--halp")):
        assert "No such option" in called(*words, folder=tmp_path).stderr


def test_a_study_that_is_none_is_told_with_the_nearest() -> None:
    with pytest.raises(prum.InputError, match="did you mean 'approximations'"):
        prum.study("approximation")


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("generate", "--preset", "smal"), "small"),
        (("trust", "--method", "boot"), "bootstrap"),
        (("study", "hypotheses", "--example", "fig66"), "fig6"),
    ],
)
def test_a_choice_that_is_none_is_told_with_the_nearest(
    words: tuple[str, ...], near: str, tmp_path: Path
) -> None:
    ended = called(*words, folder=tmp_path)
    assert ended.returncode == 2
    assert f"did you mean '{near}'" in ended.stderr
