"""`prum report` over a sweep and what other commands wrote, and its page in a real browser."""

from pathlib import Path
from typing import Any

import pytest

import prum
from prum.experiments.commands.main import prum as command
from tests.browser import DESK, PHONE, is_too_wide, opened, smallest_text, violations
from tests.tiers import slow

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytestmark = slow

GRID = """
[[campaigns]]
example = "campaign"
[grid]
topics = ["topic01", "topic02"]
navigation = ["independent", "independent + fading 0.5"]
[users]
num_users = 1000
"""


def ran(*arguments: str | Path) -> None:
    command.main([str(argument) for argument in arguments], "prum", standalone_mode=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of results, with a page over them."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "<b>.toml").write_text(GRID)
    ran("sweep", folder / "<b>.toml", "--workers", "1")
    ran("crosscheck", "--example", "web", "--users", "1000", "--json", folder / "check.json")
    ran("study", "approximations", "--draws", "2", "--tasks", "2", "--json", folder / "study.json")
    scores = ["system,topic,measure,score"]
    for system, quality in (("one", 0.2), ("two", 0.5), ("three", 0.4)):
        scores += [f"{system},{topic},PRUM,{quality + topic % 3 / 10}" for topic in range(8)]
        scores += [f"{system},{topic},AP,{(quality - 0.4) ** 2}" for topic in range(8)]
    (folder / "scores.csv").write_text("\n".join(scores))
    ran("compare", folder / "scores.csv", "--json", folder / "compared.json")
    ran("report", folder, "-o", folder / "report.html", "--latex", folder / "tables.tex")
    return folder


def test_a_page_over_a_folder_is_one_that_everybody_can_read(folder: Path, browser: Any) -> None:
    for size, dark in ((DESK, False), (DESK, True), (PHONE, False), (PHONE, True)):
        with opened(browser, folder / "report.html", size=size, dark=dark) as tab:
            assert violations(tab) == []
            assert not is_too_wide(tab)
            assert smallest_text(tab) >= 11
            # All tables, and both maps.
            assert tab.locator(".download").count() == tab.locator(".scroll > table").count()
    with opened(browser, folder / "report.html") as tab:
        headings = tab.locator("h2").all_inner_texts()
        assert headings == [
            "Precision by PRUM, exactly and by simulated users",
            "Verdicts and largest errors",
            "What errors depend on",
            "Rankings by PRUM beside the true ones",
            "The true order between settings",
            "Orders of systems by other measures",
            "Largest error of PRUM by system and file",
            "Largest error of PRUM by file and fading",
            "compared.json: Mean over 8 topics ± half a 95 % interval",
            "study.json: The worst task, by r",
            "Files of results",
            "How to get this again",
        ]
        assert tab.locator("table:has(td.s8)").count() == 2
        assert tab.locator("svg.panel").count() == 3
        text = tab.inner_text("body")
        assert tab.inner_text(".verdict").startswith(
            "Over 17 lists under 2 ways of browsing PRUM is off by ."
        )
        assert "left out: <b>.toml, scores.csv." in text
        assert "prum study approximations --" in text
        assert "compared.json" in text


def test_the_command_repeats_the_page_byte_by_byte(folder: Path) -> None:
    before = (folder / "report.html").read_bytes()
    ran("report", folder, "-o", folder / "report.html", "--latex", folder / "tables.tex")
    assert (folder / "report.html").read_bytes() == before
    outputs = folder / "report.html", folder / "tables.tex"
    assert prum.report(folder, without=outputs).to_html().encode() == before
