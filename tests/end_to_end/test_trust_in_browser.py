"""The page of `prum trust` in a real browser: it opens without a complaint, on any width."""

from pathlib import Path

import pytest

import prum
from tests.end_to_end.test_report_in_browser import BROWSER, NAMES, opened
from tests.tiers import slow

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytestmark = [
    slow,
    pytest.mark.skipif(BROWSER is None, reason=f"no browser: none of {', '.join(NAMES)}"),
]


def test_page_opens_without_a_complaint_and_shows_everything(tmp_path: Path) -> None:
    links = {("gate", "a"): 0.5, ("gate", "b"): 0.5}
    lists = {"<i>hub": ["gate", "n", "a", "b"], "direct": ["n", "a", "b", "gate"]}
    runs = {name: {f"q{n}": ranking for n in range(3)} for name, ranking in lists.items()}
    qrels = {f"q{n}": {"a": 1, "b": 1} for n in range(3)}
    result = prum.trust(runs, qrels, links=links, collection_size=6)
    (tmp_path / "page.html").write_text(result.to_html(), encoding="utf-8")
    document, complaints = opened(tmp_path / "page.html", tmp_path)
    assert complaints == []
    assert document.count('<svg class="panel"') == 1
    assert document.count("</table>") == len(result.view().tables)
    assert "&lt;i&gt;hub" in document
    assert "what is known of people" in document
