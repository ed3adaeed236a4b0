"""The time left between reports, from shares and from estimates; and lines where no bar is."""

import time

import pytest

from prum.experiments.commands import long_work
from prum.experiments.commands.long_work import TimeLeft


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_shares_tell_the_time_without_what_had_to_be_done_once() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    assert left.seconds is None
    for step in range(1, 20):
        # The first step compiles for a while.
        clock.now = 40 + 2.0 * step
        left.hear(step / 20)
        assert left.seconds is not None
        if step > 1:
            assert left.seconds == pytest.approx(40 - 2.0 * step)


def test_the_clock_runs_between_reports_and_what_is_late_stays_late() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    left.hear(seconds=10)
    for now, seconds in ((4, 6), (10, 0), (13, 3)):
        clock.now = now
        assert left.seconds == pytest.approx(seconds)
    left.hear(seconds=2)
    assert left.seconds == pytest.approx(2)


def test_a_share_without_news_says_nothing() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    for share in (None, 0.0):
        left.hear(share)
    assert left.seconds is None


def test_lines_come_now_and_then_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_work, "_SAY_EVERY", 0.01)
    with long_work.shown_bar("{task.completed:.0f} of {task.total:.0f} parts", total=4) as update:
        while not (silent := capsys.readouterr()).err:
            time.sleep(0.01)
        update(completed=1, left=300.0)
        capsys.readouterr()
        while "left" not in (told := capsys.readouterr()).err:
            time.sleep(0.01)
    assert silent.out == told.out == ""
    assert set(silent.err.splitlines()) == {"prum: 0 of 4 parts"}
    assert told.err.splitlines()[-1] == "prum: 1 of 4 parts, about 5 min left"


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with long_work.shown_bar("{task.completed}", total=2) as update:
        update(0.5, completed=1)
    assert capsys.readouterr() == ("", "")


def test_work_that_tells_nothing_says_nothing_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_work, "_SAY_EVERY", 0.001)
    with long_work.shown_bar(total=None):
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")
