"""What people see of a comparison: table, page, LaTeX, and text in notebooks."""

import html
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from prum.experiments.compare import ComparisonResult, Question, Scores
from prum.simulator import InputError
from tests.unit.experiments.compare.made_scores import made_result, table_of

HOSTILE = ("<script>alert(1)</script>", "a&b", '"x" y', "100 % $x$ \\input{z} #_^~{}", "run\n2")


def test_best_first_with_places_and_one_row_a_system() -> None:
    result = made_result(5, names=("e", "d", "c", "b", "a"), gap=-0.3)
    table = table_of(result)
    assert table.columns == ("place", "from–to", "system", "AP", "nDCG@10")
    assert [row[2] for row in table.rows] == ["a", "b", "c", "d", "e"]
    assert [row[0] for row in table.rows] == ["1", "2", "3", "4", "5"]
    assert [row[1] for row in table.rows] == [f"{n}–{n}" for n in range(1, 6)]
    assert table.marks[3].best == (True, False, False, False, False)
    assert set(table.marks[2].signs) == {""}
    mean, low, *_ = result.scores.mean(4, 0)
    assert table.rows[0][3] == f"{mean:.4f} ± {mean - low:.4f}"


def test_ties_and_the_baseline_are_marked_and_explained() -> None:
    tied = table_of(made_result(4, gap=0))
    assert set(tied.marks[2].signs) == {"≈"}
    assert "≈ tied for the first place by AP" in tied.legend
    beside = table_of(made_result(3, gap=0.5, baseline="system1"))
    assert beside.marks[2].signs == ("+", "", "−")
    assert "+ better than system1, − worse" in beside.legend


def test_values_that_are_missing() -> None:
    values = np.full((2, 3, 3), 0.5)
    values[:, 0, 1] = np.nan
    values[:, :, 2] = np.nan
    scores = Scores(("AP", "AP@r=2", "AP@r=9"), ("a", "b"), ("q", "r", "s"), values)
    view = ComparisonResult(scores=scores).view()
    assert [row[-1] for row in view.tables[0].rows] == ["–", "–"]
    assert "AP@r=2: 1 of 3 topics have no such value" in view.notes
    assert "AP@r=9: 3 of 3 topics have no such value" in view.notes
    # Nobody is best of those that are alike.
    assert not any(any(marks.best) for marks in view.tables[0].marks)


def test_ends_that_are_left_out_or_infinite_are_no_numbers() -> None:
    values = np.array([[0.9, 0.8, 0.75], [0.1, 0.2, 0.05], [0.3, 0.21, 0.1]])
    scores = Scores(("AP",), ("a", "b", "c"), ("q", "r", "s"), values[:, :, None])

    def intervals(**question: object) -> list[str]:
        result = ComparisonResult(scores=scores, question=Question(**question))  # type: ignore[arg-type]
        return [row[3] for row in result.view().tables[1].rows]

    better = intervals(method="Holm", level=0.3)
    assert all(re.fullmatch(r"above 0 to \+\d\.\d{4}", text) for text in better)
    result = made_result(3, gap=0.03, method="Holm", baseline="system0", level=0.3)
    (text, _) = (row[3] for row in result.view().tables[1].rows)
    assert re.fullmatch(r"−\d\.\d{4} to below 0", text)
    assert intervals() == ["−∞ to +∞"] * 2


def test_one_system_has_no_place() -> None:
    assert table_of(made_result(1)).columns == ("system", "AP", "nDCG@10")
    one = table_of(made_result(3, num_topics=1))
    assert one.columns[0] == "system"
    assert set(one.marks[0].signs) == {""}
    assert table_of(made_result(3, num_topics=1)).rows[0][1].count("±") == 0


@pytest.mark.parametrize("top", [0, -1])
def test_no_rows_are_refused(top: int) -> None:
    with pytest.raises(InputError, match=f"top is {top}, must be at least 1"):
        made_result(3).view(top=top)


class Page(HTMLParser):
    """Cells of a page's tables, its tags, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.rows: list[list[str]] = []
        self.stack: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "input"):
            self.stack.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag != "path" and tag != "circle":
            assert self.stack[-1] == tag
        self.stack.pop()

    def handle_startendtag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.stack):
            self.rows[-1][-1] += data


@pytest.mark.parametrize("num", [1, 2, 12])
@pytest.mark.parametrize("baseline", [None, "system0"])
def test_page_is_whole(num: int, baseline: str | None) -> None:
    pytest.importorskip("jinja2")
    result = made_result(num, baseline=baseline)
    text = result.to_html()
    assert text == result.to_html()
    page = Page(text)
    assert page.stack == []
    # One that runs, and a table's data.
    assert page.tags.count("script") == 1 + page.tags.count("table")
    assert not {"img", "link", "iframe"} & set(page.tags)
    assert "http" not in re.sub(r'http-equiv="[^"]*"', "", text)
    view = result.view()
    assert html.escape(view.headline, quote=False) in text
    table = view.tables[0]
    assert page.rows[0] == list(table.columns)
    signs = table.marks[list(table.columns).index("system")].signs
    for row, read, sign in zip(table.rows, page.rows[1:], signs, strict=False):
        assert [cell.removesuffix(sign) if sign else cell for cell in read] == list(row)
    assert text.count('class="span"') == (num if num > 1 else 0)
    for sentence in (*view.sentences, *view.notes, "prum compare scores.csv"):
        assert html.escape(sentence, quote=False) in text


def test_hostile_names_stay_text() -> None:
    pytest.importorskip("jinja2")
    result = made_result(5, names=HOSTILE)
    page = Page(result.to_html())
    # One that runs, and a table's data.
    assert page.tags.count("script") == 1 + page.tags.count("table")
    cells = {cell.rstrip("≈") for row in page.rows for cell in row}
    assert set(HOSTILE) <= cells
    assert "<script>" not in result._repr_html_()


def latex_rows(text: str) -> list[list[str]]:
    """Return the cells of the rows of a table for LaTeX, if it is one."""
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    begun = re.findall(r"\\begin\{(\w+)\}", text)
    assert begun[::-1] == re.findall(r"\\end\{(\w+)\}", text)
    match = re.search(r"\\(?:begin\{tabular\}|begin\{longtable\})\{([lr]+)\}", text)
    assert match
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    lines = [line for line in body.splitlines() if line.startswith("{}")]
    assert all(line.endswith(r" \\") for line in lines)
    rows = [re.split(r"(?<!\\) & ", line[2:-3]) for line in lines]
    assert {len(row) for row in rows} == {len(match[1])}
    assert not re.search(r"(?<!\\)[#%_^~]", "".join(lines).replace("$^2$", ""))
    return rows


@pytest.mark.parametrize("num", [1, 2, 12, 60])
@pytest.mark.parametrize("intervals", [True, False])
def test_latex_is_a_table(num: int, intervals: bool) -> None:
    result = made_result(num, num_topics=3 if num > 12 else 20, gap=0.02)
    text = result.to_latex(intervals=intervals)
    rows = latex_rows(text)
    assert len(rows) == num + 1
    assert (r"$\pm$" in "".join(map("".join, rows[1:]))) == intervals
    assert text.count(r"\textbf{") == (2 if num > 1 else 0)
    assert ("longtable" in text) == (num > 45)
    assert (r"half a 95 \% interval" in text) == intervals
    assert rf"\caption{{Mean over {3 if num > 12 else 20} topics" in text
    if num > 1:
        assert text.count(r"\textsuperscript{$\approx$}") == sum(
            place.is_tied_with_best for place in result.decision.places
        )
        assert r"$\approx$ tied for the first place by AP" in text
    assert len(latex_rows(result.to_latex(top=1))) == 2


def test_latex_of_hostile_names() -> None:
    rows = latex_rows(made_result(5, names=HOSTILE, measures=("P@5", "a_b & c%")).to_latex())
    assert any(r"100 \% \$x\$ \textbackslash{}input\{z\}" in row[2] for row in rows)


def test_short_in_notebooks_and_at_the_prompt() -> None:
    result = made_result(50, num_topics=3)
    lines = repr(result).splitlines()
    assert len(lines) < 36
    assert lines[0] == result.view().headline
    assert "the first 20 of 50 systems: 30 more follow" in lines
    assert lines[-1] == "50 systems on 3 topics"
    notebook = result._repr_html_()
    assert notebook.count("<tr>") == 21
    assert html.escape(result.view().headline) in notebook


def test_one_system_that_is_left_out_follows() -> None:
    for systems, line in (
        (2, "the first of 2 systems: 1 more follows"),
        (3, "the first of 3 systems: 2 more follow"),
    ):
        legend = table_of(made_result(systems), top=1).legend
        assert line in legend
