"""Small commands, each run once in all processes of a run of tests: what it printed and wrote."""

import hashlib
import json
import os
import re
import shlex
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict
from unittest.mock import patch

import pytest

from prum.experiments.commands import terminal_view
from prum.experiments.frame.view import View
from tests.answer_cases import ANSWERS
from tests.commands import called
from tests.small_commands import COMMANDS, Case

CASES = COMMANDS | ANSWERS
# These write no JSON.
SILENT = ("generate", "sweep")


class Answer(TypedDict):
    """The sentences that a command printed, and its JSON, None where it writes none."""

    texts: list[str]
    content: dict[str, Any] | None


def command_of(case: str) -> str:
    """Return the command of a case, without what it is a case of and without options."""
    return case.partition(":")[0].partition(" --")[0]


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of this run of tests have, and no other run."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cases"
    folder.mkdir(exist_ok=True)
    return folder


def answer(case: str, shared: Path) -> Answer:
    """Return what a case printed and wrote; it runs where no process has run it."""
    kept = shared / f"{hashlib.sha256(case.encode()).hexdigest()[:16]}.json"
    if not kept.exists():
        with TemporaryDirectory(dir=shared) as folder:
            made = Path(folder) / "made.json"
            (Path(folder) / "work").mkdir()
            made.write_text(json.dumps(run(case, CASES[case], Path(folder) / "work")), "utf-8")
            made.replace(kept)
    found: Answer = json.loads(kept.read_text("utf-8"))
    return found


def run(name: str, case: Case, folder: Path) -> Answer:
    """Run a small command: its headline and sentences, or without any its last line; its JSON.

    The name is that of the command, and what it is a case of after a colon.
    """
    words, make = case
    if make is not None:
        make(folder)
    is_silent = command_of(name) in SILENT
    options = [] if is_silent else ["--json", "out.json"]
    command = name.partition(":")[0].split()
    at = 1 + (command[0] == "study")
    given = [*command[:at], *options, *command[at:], *shlex.split(words)]
    views: list[View] = []
    with patch.object(terminal_view, "print_view", views.append):
        done = called(*given, folder=folder)
    assert done.returncode in (0, 1), done.stderr
    texts = [text for view in views for text in (view.headline, *view.sentences) if text]
    texts = texts or [done.stdout.rstrip().splitlines()[-1]]
    # What stands on a page that shows no view.
    for page in folder.glob("page.html"):
        text = page.read_text("utf-8")
        texts.append(unescape(re.findall(r'id="says">(.*?)</p>', text, re.DOTALL)[0]))
    content = None if is_silent else json.loads((folder / "out.json").read_text("utf-8"))
    return {"texts": texts, "content": content}
