"""Every page: readable on any width, light and dark, by anybody; its command repeats it."""

import html
import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from prum.experiments.commands.main import prum
from prum.experiments.studies.kit.registry import studies
from tests.browser import DESK, PHONE, is_too_wide, opened, smallest_text, violations
from tests.small_commands import COMMANDS, HOSTILE, STUDIES
from tests.tiers import slow

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

# Their page and its repetition are fast; that they are shown is looked at in the slow tier.
QUICK = ("study approximations", "compare")
HEADINGS = "[...document.querySelectorAll('h1, h2, h3, h4')].map((head) => Number(head.tagName[1]))"
# Addresses of what a page loads.
LOADED = "performance.getEntriesByType('resource').map((entry) => entry.name)"


class Made(NamedTuple):
    """A command, the folder it ran in, its page and its JSON."""

    name: str
    folder: Path
    page: Path
    content: str


def run(words: list[str], folder: Path) -> tuple[str, str]:
    """Run a command in a folder; return its page and its JSON."""
    outputs = ["--json", "o.json", "--html", "o.html"]
    at = 1 + (words[0] == "study")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = CliRunner().invoke(
            prum, [*words[:at], *outputs, *words[at:]], catch_exceptions=False
        )
    assert done.exit_code == 0, done.output
    return (folder / "o.html").read_text("utf-8"), (folder / "o.json").read_text("utf-8")


@pytest.fixture(
    scope="module",
    params=[pytest.param(n, marks=[] if n in QUICK else [slow]) for n in COMMANDS],
)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    name: str = request.param
    folder = tmp_path_factory.mktemp("made")
    words, make = COMMANDS[name]
    if make is not None:
        make(folder)
    text, content = run([*name.split(), *shlex.split(words)], folder)
    # The command is run again in the same folder.
    page = folder / "kept.html"
    page.write_text(text, encoding="utf-8")
    return Made(name, folder, page, content)


def test_every_study_is_here() -> None:
    assert set(STUDIES) == set(studies()), "give each a small run in tests/small_commands.py"


@slow
def test_the_printed_command_repeats_the_page(made: Made) -> None:
    text = made.page.read_text("utf-8")
    (command,) = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", text, re.DOTALL)
    first, *words = shlex.split(html.unescape(command))
    assert first == "prum"
    for store in made.folder.glob("hypotheses-*"):
        store.unlink()
    assert run(words, made.folder) == (text, made.content)


def test_hostile_names_stay_text(made: Made) -> None:
    text = made.page.read_text("utf-8")
    assert "<img" not in text
    # What is learned of so few sessions names none of their elements.
    if COMMANDS[made.name][1] is COMMANDS["compare"][1] and made.name != "fit":
        assert html.escape(HOSTILE[:4]) in text


@slow
def test_it_reads_well_on_a_phone(browser: Any, made: Made) -> None:
    with opened(browser, made.page, size=PHONE) as tab:
        assert smallest_text(tab) >= 11
        assert not is_too_wide(tab)
        levels = tab.evaluate(HEADINGS)
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(low - high <= 1 for high, low in pairwise(levels))
        assert tab.evaluate(LOADED) == []
        assert violations(tab) == []


@slow
def test_it_reads_well_on_a_desk_in_the_dark(browser: Any, made: Made) -> None:
    with opened(browser, made.page, size=DESK, dark=True) as tab:
        assert smallest_text(tab) >= 11
        assert not is_too_wide(tab)
        assert violations(tab) == []


@slow
def test_what_is_wrong_would_be_seen(browser: Any, tmp_path: Path) -> None:
    """Negative control: small text, a wide page, a lost heading, a script nobody allowed."""
    page = tmp_path / "page.html"
    page.write_text(
        "<!DOCTYPE html><meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\"><title>x</title><body style='background: #fff'><h3>x</h3>"
        "<p style='font-size: 9px; width: 900px'>x</p><p style='color: #ccc'>pale</p>"
    )
    with opened(browser, page, size=PHONE) as tab:
        assert smallest_text(tab) == 9
        assert is_too_wide(tab)
        assert tab.evaluate(HEADINGS) == [3]
        assert {line.split(":")[0] for line in violations(tab)} >= {"color-contrast"}
    page.write_text(page.read_text() + "<script>1</script>")
    with pytest.raises(AssertionError), opened(browser, page):
        pass
