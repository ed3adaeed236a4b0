"""Tables of pages in a real browser: sorted by their headings, searched by typing, downloaded."""

import csv
import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.frame.html import page
from prum.experiments.frame.view import Column, Table, View
from tests.browser import opened
from tests.small_commands import HOSTILE
from tests.tiers import slow
from tests.unit.experiments.compare.made_scores import made_result

pytest.importorskip("jinja2")
pytestmark = slow


def compared() -> str:
    result = made_result(12, gap=0.04, measures=("AP", "odd"))
    # Some differ by sign and by size; one system has none that another has.
    result.scores.values[:, :, 1] = [[10.0 ** (n % 3) * (-1) ** n] * 20 for n in range(12)]
    return result.to_html()


@pytest.fixture(scope="module")
def tab(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(compared(), encoding="utf-8")
    with opened(browser, path) as tab:
        yield tab


def column(tab: Any, heading: str) -> list[str]:
    """Return the texts that are seen in a column of the first table."""
    return list(
        tab.evaluate(
            """(heading) => {
              const table = document.querySelector("table");
              const heads = [...table.tHead.rows[0].cells];
              const at = heads.findIndex((head) => head.textContent === heading);
              return [...table.tBodies[0].rows].filter((row) => !row.hidden)
                .map((row) => row.cells[at].textContent);
            }""",
            heading,
        )
    )


def test_headings_sort(tab: Any) -> None:
    def number(text: str) -> float:
        return float(text.split()[0].split("–")[0].replace("−", "-"))

    table = tab.locator("table").first
    for heading in ("system", "AP", "place", "from–to", "odd"):
        for turn in (0, 1):
            table.get_by_role("button", name=heading, exact=True).click()
            way = table.locator("th[aria-sort]").get_attribute("aria-sort")
            assert way == ("ascending", "descending")[turn ^ (heading != "system")]
            cells = column(tab, heading)
            if heading == "system":
                names = [f"system{n}" for n in range(12)]
                assert [cell.rstrip("≈") for cell in cells] == (names[::-1] if turn else names)
            else:
                numbers = list(map(number, cells))
                assert numbers == sorted(numbers, reverse=way == "descending"), heading
    # A page without scripts lacks nothing but the buttons.
    assert "<button" not in compared()


def test_typing_picks_rows(tab: Any) -> None:
    field = tab.get_by_label("Show rows with").first
    field.fill("SYSTEM1 ")
    picked = {name.rstrip("≈") for name in column(tab, "system")}
    assert picked == {"system1", "system10", "system11"}
    assert tab.locator("output").first.text_content() == "3 of 12"
    field.fill("")
    assert len(column(tab, "system")) == 12


def downloaded(tab: Any, number: int = 0) -> list[list[str]]:
    with tab.expect_download() as waiting:
        tab.locator(".download").nth(number).click()
    assert waiting.value.suggested_filename.endswith(".csv")
    text = Path(waiting.value.path()).read_text("utf-8")
    return list(csv.reader(io.StringIO(text, newline="")))


def test_a_download_has_all_digits_and_every_row(tab: Any) -> None:
    tab.get_by_label("Show rows with").first.fill("system3")
    heads, *rows = downloaded(tab)
    tab.get_by_label("Show rows with").first.fill("")
    assert heads == ["place", "from", "to", "system", "AP", "AP ±", "odd", "odd ±"]
    scores = made_result(12, gap=0.04, measures=("AP", "odd")).scores
    means = {row[3]: float(row[4]) for row in rows}
    own = dict(zip(scores.systems, scores.of(0).mean(axis=1).tolist(), strict=True))
    assert means == pytest.approx(own, rel=1e-15)


def test_a_download_keeps_what_is_strange(browser: Any, tmp_path: Path) -> None:
    values = [(f'{HOSTILE}, "x"\n</script>', 0.1 + 0.2), ("b", math.nan), ("c", math.inf)]
    columns = [
        Column[tuple[str, float]]("name", lambda row: row[0], left=True),
        Column[tuple[str, float]]("value", lambda row: row[1], ".2f"),
    ]
    view = View("T", "Answer.", (), (Table.of("<b>", values, columns),))
    path = tmp_path / "page.html"
    path.write_text(page(view, command="", version="1", options={}), encoding="utf-8")
    with opened(browser, path) as tab:
        assert downloaded(tab) == [
            ["name", "value"],
            [values[0][0], "0.30000000000000004"],
            ["b", ""],
            ["c", "inf"],
        ]
