"""Tables of pages in a real browser: sorted by their headings, searched by typing."""

import json
import re
from pathlib import Path

import pytest

from tests.end_to_end.test_report_in_browser import BROWSER, NAMES, opened
from tests.tiers import slow
from tests.unit.experiments.compare.made_scores import made_result

pytest.importorskip("jinja2")
pytestmark = [
    slow,
    pytest.mark.skipif(BROWSER is None, reason=f"no browser: none of {', '.join(NAMES)}"),
]

# Presses headings and types, and leaves what is then seen in the page.
READER = """
const seen = {};
const table = document.querySelector("table");
const heads = [...table.tHead.rows[0].cells];
const at = (name) => heads.findIndex((head) => head.textContent === name);
const column = (name) => [...table.tBodies[0].rows].filter((row) => !row.hidden)
  .map((row) => row.cells[at(name)].textContent);
const press = (name) => heads[at(name)].querySelector("button").click();
seen.first = column("system");
for (const step of ["system", "system", "AP", "AP", "place", "place", "from–to", "odd", "odd"]) {
  press(step);
  (seen[step] ??= []).push([heads[at(step)].getAttribute("aria-sort"), column(step)]);
}
seen.sorted = heads.filter((head) => head.hasAttribute("aria-sort")).length;
const field = document.querySelector("input[type=search]");
seen.label = document.querySelector(`label[for="${field.id}"]`).textContent;
field.value = "SYSTEM1 ";
field.dispatchEvent(new Event("input"));
seen.picked = column("system");
seen.count = document.querySelector("output").textContent;
field.value = "";
field.dispatchEvent(new Event("input"));
seen.all = column("system").length;
seen.buttons = heads.every((head) => head.firstElementChild.type === "button");
seen.wide = document.documentElement.scrollWidth <= innerWidth;
seen.smallest = Math.min(...[...document.querySelectorAll("td, th, p, .half, sup, button")]
  .map((element) => parseFloat(getComputedStyle(element).fontSize)));
const answer = document.createElement("pre");
answer.id = "answer";
answer.textContent = JSON.stringify(seen);
document.body.append(answer);
"""


def page() -> str:
    result = made_result(12, gap=0.04, measures=("AP", "odd"))
    # Some differ by sign and by size; one system has none that another has.
    result.scores.values[:, :, 1] = [[10.0 ** (n % 3) * (-1) ** n] * 20 for n in range(12)]
    return result.to_html()


def test_page_opens_without_a_complaint(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page())
    document, complaints = opened(path, tmp_path)
    assert complaints == []
    # The script was allowed to run, and is nothing that a page without scripts lacks.
    assert document.count("<button") > 5
    assert "<button" not in page()


def test_tables_are_sorted_and_searched(tmp_path: Path) -> None:
    policy = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
    path = tmp_path / "page.html"
    path.write_text(policy.sub("", page()).replace("</body>", f"<script>{READER}</script></body>"))
    document, complaints = opened(path, tmp_path)
    assert complaints == []
    match = re.search(r'<pre id="answer">(.*?)</pre>', document)
    assert match
    seen = json.loads(match[1])

    def number(text: str) -> float:
        return float(text.split()[0].split("–")[0].replace("−", "-"))

    names = [name.rstrip("≈") for name in seen["first"]]
    assert [(way, [x.rstrip("≈") for x in cells]) for way, cells in seen["system"]] == [
        ("ascending", [f"system{n}" for n in range(12)]),
        ("descending", [f"system{n}" for n in range(11, -1, -1)]),
    ]
    for heading in ("AP", "place", "odd", "from–to"):
        for way, cells in seen[heading]:
            numbers = list(map(number, cells))
            assert numbers == sorted(numbers, reverse=way == "descending"), heading
        assert [way for way, _ in seen[heading]] == ["descending", "ascending"][
            : len(seen[heading])
        ]
    assert seen["sorted"] == 1
    assert seen["label"] == "Show rows with"
    assert {name.rstrip("≈") for name in seen["picked"]} == {"system1", "system10", "system11"}
    assert seen["count"] == "3 of 12"
    assert seen["all"] == len(names) == 12
    assert seen["buttons"]
    assert seen["wide"]
    assert seen["smallest"] >= 11
