"""What people see of a comparison: table, page, LaTeX, and text in notebooks."""

import html
import re

import numpy as np
import pytest

from prum.experiments.compare import ComparisonResult, Scores
from tests.unit.experiments.compare.made_scores import made_result, table_of


def test_best_first_with_places_and_one_row_a_system() -> None:
    result = made_result(5, names=("e", "d", "c", "b", "a"), gap=-0.3)
    table = table_of(result)
    assert table.columns == ("place", "from–to", "system", "AP", "nDCG@10")
    assert [row[2] for row in table.rows] == ["a", "b", "c", "d", "e"]
    assert [row[0] for row in table.rows] == ["1", "2", "3", "4", "5"]
    assert [row[1] for row in table.rows] == [f"{n}–{n}" for n in range(1, 6)]
    assert table.cells[3].best == (True, False, False, False, False)
    assert set(table.cells[2].signs) == {""}
    mean, low, *_ = result.scores.mean(4, 0)
    assert table.rows[0][3] == f"{mean:.4f} ± {mean - low:.4f}"


def test_ties_and_the_baseline_are_marked_and_explained() -> None:
    tied = table_of(made_result(4, gap=0))
    assert set(tied.cells[2].signs) == {"≈"}
    assert "≈ tied for the first place by AP" in tied.legend
    beside = table_of(made_result(3, gap=0.5, baseline="system1"))
    assert beside.cells[2].signs == ("+", "", "−")
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
    assert not any(any(column.best) for column in view.tables[0].cells)


def test_one_system_has_no_place() -> None:
    assert table_of(made_result(1)).columns == ("system", "AP", "nDCG@10")
    one = table_of(made_result(3, num_topics=1))
    assert one.columns[0] == "system"
    assert set(one.cells[0].signs) == {""}
    assert table_of(made_result(3, num_topics=1)).rows[0][1].count("±") == 0


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


@pytest.mark.parametrize(("num", "baseline"), [(1, None), (12, "system0")])
def test_the_page_has_all_that_is_seen(num: int, baseline: str | None) -> None:
    pytest.importorskip("jinja2")
    result = made_result(num, baseline=baseline, names=("a & <b>",) * (num == 1))
    text, view = result.to_html(), result.view()
    assert text == result.to_html()
    for told in (view.headline, *view.sentences, *view.notes):
        assert html.escape(told, quote=False) in text
