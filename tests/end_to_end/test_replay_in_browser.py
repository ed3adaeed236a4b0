"""The replay in a real browser: it opens without a complaint and goes by keys, step by step."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from prum.simulator.model import Task
from prum.simulator.sessions.session import scripted
from tests.end_to_end.test_report_in_browser import BROWSER, NAMES, opened
from tests.samples import FIRST_FIGURE
from tests.tiers import slow

pytestmark = [
    slow,
    pytest.mark.skipif(BROWSER is None, reason=f"no browser: none of {', '.join(NAMES)}"),
]


@dataclass(frozen=True)
class Address:
    """A page and where in it."""

    path: Path
    fragment: str

    def as_uri(self):
        return f"{self.path.as_uri()}#{self.fragment}"


@pytest.fixture
def path(tmp_path):
    from prum.experiments.replay.page import page

    task = Task(list("abcdelm"), list("bfgh"), 12)
    session = scripted(task, {"c": ["f"], "d": ["f", "i"], "e": ["g", "h"]})
    path = tmp_path / "page.html"
    path.write_text(page(task, session, structure=FIRST_FIGURE, wanted=4), encoding="utf-8")
    return path


def told(document):
    return re.search(r'<p id="now"[^>]*>(.*?)</p>', document).group(1)


def shown(document, kind):
    """Return the steps of what is drawn of a kind and not hidden."""
    found = re.findall(rf'class="({kind}[^"]*)" data-step="(\d+)"', document)
    return [int(step) for names, step in found if "later" not in names]


def pressed(path, keys):
    """Write the page with keys being pressed; return where."""
    script = f"""for (const key of {json.dumps(keys)})
      document.body.dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true }}));"""
    return with_script(path, script)


def with_script(path, script):
    """Write the page with a script after its own; return where."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    text = path.read_text(encoding="utf-8")
    text = text.replace("script-src ", f"script-src 'sha256-{digest}' ")
    text = text.replace("</body>", f"<script>{script}</script></body>")
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_is_shown_at_first(path, tmp_path):
    document, complaints = opened(path, tmp_path)
    assert complaints == []
    assert told(document).startswith(
        "Step 11 of 11. The user stops: they have found what they wanted"
    )
    assert shown(document, "move") == [4, 6, 7, 9, 10]
    assert shown(document, "line new") == [2, 4, 9]


def test_an_address_names_a_step(path, tmp_path):
    document, complaints = opened(Address(path, "step=6"), tmp_path)
    assert complaints == []
    assert told(document) == "Step 6 of 11. From d they see f, an ideal they had seen before."
    assert shown(document, "move") == [4, 6]
    assert shown(document, "line new") == [2, 4]
    assert document.count('aria-current="step"') == 1


@pytest.mark.parametrize(
    ("keys", "step"),
    [
        (["Home"], 1),
        (["Home", "ArrowLeft"], 1),
        (["Home", "ArrowRight", "ArrowRight", "ArrowRight"], 4),
        (["ArrowLeft"], 10),
        (["Home", "End", "ArrowRight"], 11),
    ],
)
def test_keys_go_step_by_step(path, tmp_path, keys, step):
    document, complaints = opened(pressed(path, keys), tmp_path)
    assert complaints == []
    assert told(document).startswith(f"Step {step} of 11. ")
    assert max(shown(document, "node")) <= step


def test_buttons_go_step_by_step(path, tmp_path):
    script = """for (const go of ["first", "next", "next", "back"])
      document.querySelector(`button[data-go=${go}]`).click();"""
    document, complaints = opened(with_script(path, script), tmp_path)
    assert complaints == []
    assert told(document).startswith("Step 2 of 11. ")
    assert document.count('aria-disabled="true"') == 0


def test_without_its_script_everything_is_shown(path, tmp_path):
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub("<script>.*</script>", "", text, flags=re.DOTALL), encoding="utf-8")
    document, _ = opened(Address(path, "step=2"), tmp_path)
    assert "later" not in re.sub("<style>.*</style>", "", document, flags=re.DOTALL)
    assert re.search(r'<div[^>]* id="player"[^>]* hidden=""', document)
    assert document.count('class="told"') == 11


def test_another_script_is_not_run(path, tmp_path):
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("</body>", "<script>document.title = 'changed'</script></body>"),
        encoding="utf-8",
    )
    document, complaints = opened(path, tmp_path)
    assert complaints
    assert "<title>changed" not in document
