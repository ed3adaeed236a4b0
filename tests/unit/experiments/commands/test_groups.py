"""Groups of commands: what they say when called alone, or by a name that they don't have."""

from pathlib import Path

import pytest

import prum
from tests.commands import called


@pytest.mark.parametrize("words", [(), ("study",)])
def test_alone_they_show_their_help(words: tuple[str, ...], tmp_path: Path) -> None:
    alone, asked = called(*words, folder=tmp_path), called(*words, "--help", folder=tmp_path)
    assert (alone.returncode, alone.stderr) == (0, "")
    assert alone.stdout == asked.stdout
    assert alone.stdout.startswith(f"Usage: {' '.join(('prum', *words))} [OPTIONS] COMMAND")
    assert alone.stdout.count("\n") > 10


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("crosscheckk",), "no command 'crosscheckk'; did you mean 'crosscheck'?"),
        (("study", "noisyor"), "no command 'noisyor'; did you mean 'noisy-or'?"),
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
    with pytest.raises(prum.InputError, match="did you mean noisy-or"):
        prum.study("noisyor")
