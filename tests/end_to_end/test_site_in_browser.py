"""The site that `make docs` makes, as people see and hear it; skipped where it was not made."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.browser import DESK, PHONE, is_too_wide, opened, smallest_text, violations
from tests.tiers import slow

pytestmark = slow

SITE = Path(__file__).resolve().parents[2] / "build" / "docs"
PAGES = (
    "index.html",
    "howto/chunks.html",
    "reference/rooms/prum.analytic.stopping.html",
    "reference/commands/prum-crosscheck.html",
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of each file."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Yield where the site is served: read from files, axe-core could not load its styles."""
    if not (SITE / "index.html").is_file():
        pytest.skip("no site: `make docs` makes it")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)], ids=["desk", "phone"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_read_by_all(
    browser: Any, address: str, page: str, size: tuple[int, int], dark: bool
) -> None:
    with opened(browser, f"{address}/{page}", size=size, dark=dark) as tab:
        assert not is_too_wide(tab)
        assert smallest_text(tab) >= 11
        assert violations(tab) == []


def test_the_front_page_shows_the_explorer(browser: Any, address: str) -> None:
    with opened(browser, f"{address}/index.html") as tab:
        assert tab.frame_locator("iframe.explorer").locator("h1").inner_text()
        assert not tab.locator("iframe.explorer").evaluate(
            "(frame) => frame.contentDocument.documentElement.scrollWidth > frame.clientWidth"
        )


def test_what_is_too_wide_is_reached_by_the_keyboard(browser: Any, address: str) -> None:
    with opened(browser, f"{address}/howto/chunks.html", size=PHONE) as tab:
        tab.wait_for_selector(".highlight pre[tabindex='0']")
        wide = tab.eval_on_selector_all(
            ".highlight pre", "all => all.map(x => [x.scrollWidth > x.clientWidth, x.tabIndex])"
        )
        assert any(overflows for overflows, _ in wide)
        assert all(overflows == (index == 0) for overflows, index in wide)
