"""What long work says of itself on a terminal or in a notebook, and nowhere else."""

import io
import threading
from types import SimpleNamespace
from typing import Any

import pytest

import prum
from prum.experiments.frame import verb as module
from prum.experiments.frame.verb import shown_otherwise, watched


class Terminal(io.StringIO):
    """A standard error that somebody sees; `written` is set when something is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    # pytest sets sys.stderr anew for each test.
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=made, modules={}))
    monkeypatch.setattr(module, "AFTER", 0.0)
    monkeypatch.setattr(module, "EVERY", 0.001)
    return made


def test_long_work_has_a_line_which_is_wiped(terminal: Terminal) -> None:
    with watched("fit") as tell:
        assert terminal.written.wait(10)
        tell(0.25)
        terminal.written.clear()
        assert terminal.written.wait(10)
        terminal.written.clear()
        assert terminal.written.wait(10)
    shown = terminal.getvalue().split("\r")
    assert shown[1].startswith("prum: fit, 0 s")
    assert any(line.startswith("prum: fit, 25%, ") for line in shown)
    assert (shown[-2].strip(), shown[-1]) == ("", "")


def test_short_work_says_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AFTER", 60.0)
    with watched("fit"):
        pass
    assert terminal.getvalue() == ""


def test_work_within_work_and_beside_a_bar_says_nothing(terminal: Terminal) -> None:
    with shown_otherwise(), watched("fit") as tell:
        tell(0.5)
        assert not terminal.written.wait(0.05)
    with watched("outer"), watched("inner"):
        assert terminal.written.wait(10)
    assert "inner" not in terminal.getvalue()


def test_nobody_who_looks_sees_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    with watched("fit"):
        assert not terminal.written.wait(0.05)


def fail(terminal: Terminal) -> None:
    terminal.written.clear()
    with watched("fit"):
        assert terminal.written.wait(10)
        raise KeyError


def test_an_error_ends_the_line_and_frees_the_next(terminal: Terminal) -> None:
    for _ in range(2):
        with pytest.raises(KeyError):
            fail(terminal)
    assert terminal.getvalue().endswith("\r")


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "call",
    [
        lambda: prum.crosscheck(TASK, LINKS, num_users=1_000),
        lambda: prum.precision(TASK, LINKS, by="simulated", num_users=1_000),
        lambda: prum.evaluate({"q": ["x", "y"]}, {"q": {"y": 1}}),
        lambda: prum.trust({"s": {"q": ["x", "y"]}}, {"q": {"y": 1}}, links=LINKS, workers=1),
        lambda: prum.study("approximations", draws=2, tasks=2, ideals=[2], ranks=2),
        lambda: prum.sweep({"campaigns": [{"example": "web"}], "users": {"num_users": 100}}),
    ],
    ids=["crosscheck", "precision", "evaluate", "trust", "study", "sweep"],
)
def test_verbs_are_watched(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Lock:
        def acquire(self, blocking: bool) -> bool:
            seen.append(blocking)
            return True

        def release(self) -> None:
            seen.append("ended")

    monkeypatch.setattr(module, "_busy", Lock())
    call()
    assert (seen[0], seen[-1]) == (False, "ended")


TASK = prum.Task(["x", "y"], ["y"], 3)
LINKS = {("x", "y"): 0.5}
