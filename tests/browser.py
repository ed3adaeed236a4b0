"""Pages in the distribution's Chromium, driven by playwright; axe-core checks them.

Tests of pages take the fixture `browser` (in conftest), which skips, with a reason, where there is
no Chromium. The variable AXE of the environment names axe-core's script; `make` fetches it and sets
it. Without it, only what needs it is skipped.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "headless_shell")
CHROMIUM = next((found for found in map(shutil.which, NAMES) if found), None)
# Without some of these a machine of a closed network waits for lookups at each start.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# Milliseconds; a first start on a busy machine is slow.
PATIENCE = 180_000
DESK, PHONE = (1280, 900), (390, 844)


@contextmanager
def started() -> Iterator[Any]:
    """Yield the browser; skip where there is none."""
    if CHROMIUM is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)}")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(FLAGS), timeout=PATIENCE
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Any,
    page: Path | str,
    *,
    size: tuple[int, int] = DESK,
    dark: bool = False,
    still: bool = True,
) -> Iterator[Any]:
    """Yield a file, or an address, as an open page, `still` for those whom motion disturbs.

    Raises
    ------
    AssertionError
        at the end, if the page complained: errors of scripts, refused policies, missing files.
    """
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce" if still else "no-preference",
    )
    context.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    try:
        tab = context.new_page()
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on(
            "console",
            lambda said: (
                complaints.append(said.text) if said.type in ("error", "warning") else None
            ),
        )
        tab.goto(page.as_uri() if isinstance(page, Path) else page)
        yield tab
    finally:
        context.close()
    assert complaints == []


def violations(tab: Any, rules: Sequence[str] = ()) -> list[str]:
    """Return what axe-core finds in an open page, a line each; skip without axe-core."""
    axe = os.environ.get("AXE", "")
    if not Path(axe).is_file():
        pytest.skip(
            "no axe-core: `make build/axe.min.js` fetches it, AXE=build/axe.min.js names it"
        )
    tab.evaluate(Path(axe).read_text("utf-8"))
    options = {"runOnly": list(rules)} if rules else {}
    found = tab.evaluate("(options) => axe.run(document, options)", options)["violations"]
    return [
        f"{rule['id']}: {rule['help']}: {node['target']}: {node.get('failureSummary', '')}"
        for rule in found
        for node in rule["nodes"]
    ]


def smallest_text(tab: Any) -> float:
    """Return the size of the smallest text seen, drawings included, in CSS pixels."""
    return float(tab.evaluate(SMALLEST))


def is_too_wide(tab: Any) -> bool:
    """Return whether one has to scroll the page sideways."""
    return bool(tab.evaluate("document.documentElement.scrollWidth > innerWidth"))


SMALLEST = """() => {
  let least = Infinity;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement;
    if (!text.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.closest("script, style, title, desc")) continue;
    let size = parseFloat(getComputedStyle(element).fontSize);
    const svg = element.closest("svg");
    if (svg) size *= Math.abs(element.getScreenCTM ? element.getScreenCTM().a : 1);
    const box = element.getBoundingClientRect();
    if (box.width > 1 && box.height > 1) least = Math.min(least, size);
  }
  return least;
}"""
