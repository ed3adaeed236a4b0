"""Lines now and then where no bar is."""

import time

import pytest

from prum.experiments.commands import long_work


def test_lines_come_now_and_then_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_work, "_SAY_EVERY", 0.01)
    with long_work.shown_bar("{task.completed:.0f} of {task.total:.0f} parts", total=4) as update:
        while not (silent := capsys.readouterr()).err:
            time.sleep(0.01)
        for part in (1, 2):
            update(completed=part)
            time.sleep(0.02)
        capsys.readouterr()
        while "left" not in (told := capsys.readouterr()).err:
            time.sleep(0.01)
    assert silent.out == told.out == ""
    assert set(silent.err.splitlines()) == {"prum: 0 of 4 parts"}
    assert told.err.splitlines()[-1] == "prum: 2 of 4 parts, about 1 s left"


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with long_work.shown_bar("{task.completed}", total=2) as update:
        update(completed=1)
    assert capsys.readouterr() == ("", "")


def test_work_that_tells_nothing_says_nothing_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_work, "_SAY_EVERY", 0.001)
    with long_work.shown_bar(total=None):
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")
