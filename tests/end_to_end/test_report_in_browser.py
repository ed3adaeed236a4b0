"""The page in a real browser: it opens without a complaint and shows its tables and curves."""

import re
import shutil
import subprocess

import pytest

from prum.experiments.crosscheck import crosscheck_campaigns
from prum.simulator import Walk
from prum.simulator.collections.built_in import web_example
from prum.simulator.collections.campaign import Campaign
from tests.tiers import slow

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

NAMES = ("chromium", "chromium-browser", "google-chrome", "headless_shell")
BROWSER = next((found for found in map(shutil.which, NAMES) if found), None)
pytestmark = [
    slow,
    pytest.mark.skipif(BROWSER is None, reason=f"no browser: none of {', '.join(NAMES)}"),
]

# Seconds; a first start on a busy machine is slow.
PATIENCE = 180


def opened(path, folder):
    """Open a page and return its document as the browser has it, and what the console said."""
    run = subprocess.run(
        [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--enable-logging=stderr",
            "--v=0",
            f"--user-data-dir={folder / 'profile'}",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=True,
    )
    return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]


def test_page_opens_without_a_complaint_and_shows_everything(tmp_path):
    from prum.experiments.crosscheck.page import write_page

    campaign = Campaign(
        'Rü<b>&"',
        {"1": ("a", "b"), "2": ("a",)},
        {"<i>one": {"1": ("c", "a"), "2": ("c",)}, "two": {"1": ("b",), "2": ("a",)}},
        Walk({("c", "a"): 0.4, ("c", "b"): 0.4}),
        9,
    )
    result = crosscheck_campaigns([web_example(), campaign], num_users=10_000, seed=1)
    write_page(result, tmp_path / "page.html")
    document, complaints = opened(tmp_path / "page.html", tmp_path)
    assert complaints == []
    # Systems and comparisons of each campaign, and the largest errors.
    assert document.count("<table>") == document.count("</table>") == 5
    assert document.count('<svg class="panel"') == 3
    # A row for each comparison, whatever tables say besides.
    verdicts = re.findall(r'</td><td class="t">(agrees|unresolved)(?:: [^<]*)?</td>', document)
    assert verdicts == list(result.comparisons["verdict"])
    assert "0.64623" in document
    assert '<bdi>Rü&lt;b&gt;&amp;"</bdi>' in document
    assert re.search(r"<strong>agrees</strong>", document)


def test_a_complaint_would_be_seen(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(
        "<!DOCTYPE html><meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">"
        "<title>x</title><script>1</script>"
    )
    _, complaints = opened(path, tmp_path)
    assert complaints
