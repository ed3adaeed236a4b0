"""Signals and lack of memory end a command with a line and a status of their own."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from prum.experiments.commands.ending import end
from prum.experiments.commands.long_work import interruptible
from prum.experiments.sweeps.failures import NotComputed

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Put back how this process takes signals."""
    before = [signal.getsignal(one) for one in SIGNALS]
    yield
    for one, handler in zip(SIGNALS, before, strict=True):
        signal.signal(one, handler)


def ended(command: Callable[[], object]) -> object:
    with pytest.raises(SystemExit) as status:
        end("prum", command)
    return status.value.code


def sent(number: signal.Signals) -> None:
    """Send this process a signal, and let Python take it."""
    os.kill(os.getpid(), number)
    signal.sigtimedwait([], 0)


def wrapped(number: signal.Signals) -> None:
    """Do as libraries that make another error of an interruption."""
    try:
        sent(number)
    except KeyboardInterrupt:
        raise ValueError("C error: calling read failed") from None


def swallowed(number: signal.Signals) -> int:
    """Do as libraries that lose an interruption."""
    with suppress(KeyboardInterrupt):
        sent(number)
    return 0


def in_long_work(number: signal.Signals) -> None:
    with interruptible("a store"):
        wrapped(number)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("what", [sent, wrapped, swallowed, in_long_work])
def test_an_interruption_is_one_whatever_libraries_make_of_it(
    number: signal.Signals,
    what: Callable[[signal.Signals], object],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ended(lambda: what(number)) == 130
    if what is not in_long_work:
        # Nothing disturbs the end any more.
        assert [signal.getsignal(one) for one in SIGNALS] == [signal.SIG_IGN] * 2
    kept = "; what was computed is in a store, run again to go on" if what is in_long_work else ""
    assert capsys.readouterr().err == f"prum: interrupted{kept}\n"


def test_without_a_signal_an_error_is_told_and_handlers_are_put_back(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = [signal.getsignal(one) for one in SIGNALS]

    def fail() -> None:
        with interruptible(None):
            raise ValueError("no")

    assert ended(fail) == 70
    assert "internal error, ValueError: no" in capsys.readouterr().err
    assert [signal.getsignal(one) for one in SIGNALS] == before


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        ImportError("x.so: failed to map segment from shared object"),
    ],
)
def test_a_lack_of_memory_is_told_however_it_shows(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(partial(_raise, error)) == 2
    told = capsys.readouterr().err
    assert told.startswith("prum: out of memory")
    assert told.count("\n") == 1


def test_a_value_that_memory_does_not_allow_is_no_error_of_prum(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for reason, status in (("MemoryError: 9 GiB", 2), ("ZeroDivisionError: no", 70)):
        assert ended(partial(_raise, NotComputed(f"estimator exact: {reason}"))) == status
        assert capsys.readouterr().err == f"prum: estimator exact: {reason}\n"


def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended((tmp_path / "gone").read_text) == 2
    assert capsys.readouterr().err == f"prum: {tmp_path / 'gone'}: No such file or directory\n"
