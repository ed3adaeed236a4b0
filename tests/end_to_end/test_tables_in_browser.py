"""Tables of pages in a real browser: sorted by their headings."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import opened
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
