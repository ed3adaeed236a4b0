"""The replay in a real browser: it opens at its first step, plays, and goes by keys and buttons."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prum.simulator.model import Task
from prum.simulator.sessions.session import scripted
from tests.browser import opened
from tests.samples import FIRST_FIGURE
from tests.tiers import slow

pytest.importorskip("jinja2")
pytestmark = slow


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from prum.experiments.sessions.drawing import page

    task = Task(list("abcdelm"), list("bfgh"), 12)
    session = scripted(task, {"c": ["f"], "d": ["f", "i"], "e": ["g", "h"]})
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page(task, session, structure=FIRST_FIGURE, wanted=4), encoding="utf-8")
    return path


@pytest.fixture
def tab(browser: Any, path: Path) -> Iterator[Any]:
    with opened(browser, path) as tab:
        yield tab


def told(tab: Any) -> str:
    return str(tab.locator("#now").text_content())


def step(tab: Any) -> int:
    match = re.match(r"Step (\d+) of 11\. ", told(tab))
    assert match
    return int(match[1])


def shown(tab: Any, kind: str) -> list[int]:
    """Return the steps of what is drawn of a kind and not hidden."""
    return list(
        tab.evaluate(
            """(kind) => [...document.querySelectorAll(`${kind}[data-step]:not(.later)`)]
              .map((part) => Number(part.dataset.step))""",
            kind,
        )
    )


def test_it_opens_at_its_first_step(tab: Any) -> None:
    assert told(tab).startswith("Step 1 of 11. ")
    assert shown(tab, ".move") == shown(tab, ".line.new") == []
    assert tab.locator("#now").get_attribute("aria-live") == "polite"
    assert tab.get_by_role("button", name="First").get_attribute("aria-disabled") == "true"


def test_an_address_names_a_step(browser: Any, path: Path) -> None:
    with opened(browser, f"{path.as_uri()}#step=6") as tab:
        assert told(tab) == "Step 6 of 11. From d they see f, an ideal they had seen before."
        assert shown(tab, ".move") == [4, 6]
        assert shown(tab, ".line.new") == [2, 4]
        assert tab.locator("[aria-current]").count() == 1


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["ArrowLeft"], 1),
        (["ArrowRight", "ArrowRight", "ArrowRight"], 4),
        (["End", "ArrowLeft"], 10),
        (["Home", "End", "ArrowRight"], 11),
    ],
)
def test_keys_go_step_by_step(tab: Any, keys: list[str], expected: int) -> None:
    for key in keys:
        tab.keyboard.press(key)
    assert step(tab) == expected
    assert max(shown(tab, ".node")) <= expected


def test_buttons_go_step_by_step(tab: Any) -> None:
    for name in ("Last", "First", "Next →", "Next →", "← Back"):
        tab.get_by_role("button", name=name).click()
    assert step(tab) == 2
    assert tab.locator("[aria-disabled=true]").count() == 0


def test_it_plays_to_its_end_and_can_be_paused(browser: Any, path: Path) -> None:
    with opened(browser, path) as tab:
        tab.clock.install()
        tab.reload()
        play = tab.locator("#play")
        play.click()
        assert (play.text_content(), play.get_attribute("aria-pressed")) == ("Pause", "true")
        tab.clock.run_for(5_000)
        assert 1 < (paused := step(tab)) < 11
        play.click()
        tab.clock.run_for(60_000)
        assert step(tab) == paused
        # The space key plays, too, where nothing else has the focus.
        play.blur()
        tab.keyboard.press(" ")
        tab.clock.run_for(120_000)
        assert step(tab) == 11
        assert play.text_content() == "Play"
        # From the end it begins anew; a step by hand stops it.
        play.click()
        assert step(tab) == 1
        tab.keyboard.press("ArrowRight")
        tab.clock.run_for(60_000)
        assert step(tab) == 2


def test_nothing_moves_but_by_steps(path: Path) -> None:
    """Who wants less motion has nothing to turn off: nothing glides."""
    text = path.read_text("utf-8")
    assert not re.search(r"transition|animation|@keyframes|smooth", text)


def test_without_its_script_everything_is_shown(browser: Any, path: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.html"
    text = path.read_text(encoding="utf-8")
    plain.write_text(re.sub("<script>.*</script>", "", text, flags=re.DOTALL), encoding="utf-8")
    with opened(browser, f"{plain.as_uri()}#step=2") as tab:
        assert tab.locator(".later").count() == 0
        assert tab.locator("#player").is_hidden()
        assert tab.locator(".told").count() == 11


def test_another_script_is_not_run(browser: Any, path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text(
        path.read_text("utf-8").replace("</body>", "<script>document.title = 'x'</script></body>"),
        encoding="utf-8",
    )
    titles = []
    with pytest.raises(AssertionError), opened(browser, other) as tab:
        titles.append(tab.title())
    assert titles != ["x"]
