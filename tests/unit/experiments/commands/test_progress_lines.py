"""Lines now and then where no bar is."""

import time

import pytest

from prum.experiments.commands import long_work
from tests.deadline import SOON


def test_lines_come_now_and_then_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_work, "_SAY_EVERY", 0.01)
    lines: list[str] = []

    def wait_for(words: str) -> None:
        until = time.monotonic() + SOON / 10
        while not (lines and words in lines[-1]):
            assert time.monotonic() < until, lines
            time.sleep(0.01)
            out, told = capsys.readouterr()
            assert out == ""
            lines.extend(told.splitlines())

    with long_work.shown_bar("{task.completed:.0f} of {task.total:.0f} parts", total=4) as update:
        wait_for("parts")
        assert set(lines) == {"prum: 0 of 4 parts"}
        for part in (1, 2):
            update(completed=part)
            time.sleep(0.02)
        wait_for("left")
    assert lines[-1] == "prum: 2 of 4 parts, about 1 s left"


@pytest.mark.parametrize(("every", "total"), [(30.0, 2), (0.001, None)])
def test_short_work_and_work_that_tells_nothing_say_nothing(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    every: float,
    total: float | None,
) -> None:
    monkeypatch.setattr(long_work, "_SAY_EVERY", every)
    with long_work.shown_bar("{task.completed}" if total else "", total=total) as update:
        update(completed=1)
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")
