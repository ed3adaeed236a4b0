"""What a sweep shows of its results."""

import pandas as pd
import pytest

from prum.experiments.sweeps import sweep
from prum.experiments.sweeps.view import sweep_view

GRID = {
    "campaigns": [{"example": "campaign"}],
    "grid": {
        "topics": ["topic01", "topic02"],
        "systems": ["poor", "gateway"],
        "navigation": ["independent", "walk"],
        "estimators": ["prum", "exact", "no-browsing"],
    },
}


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return sweep(GRID).to_frame()


def test_means_are_over_recall_values_then_topics(rows: pd.DataFrame) -> None:
    view = sweep_view("grid", rows)
    (table,) = view.tables
    assert table.columns == ("system", "navigation", "no-browsing", "prum", "exact")
    assert len(table.values) == 2 * 3
    for system, navigation, *values in table.values:
        for estimator, value in zip(table.columns[2:], values, strict=True):
            own = rows[
                (rows["system"] == system)
                & (rows["navigation"] == navigation)
                & (rows["estimator"] == estimator)
            ]
            topics = [part["precision"].mean() for _, part in own.groupby("topic")]
            if topics:
                assert value == pytest.approx(sum(topics) / 2)
            else:
                assert pd.isna(value)
    assert view.notes == ("2 topics, 20 distinct cells.",)


def test_a_value_that_lacks_on_a_topic_makes_no_mean(rows: pd.DataFrame) -> None:
    lacks = (rows["topic"] == "topic01") & (rows["estimator"] == "exact")
    view = sweep_view("grid", rows.assign(precision=rows["precision"].mask(lacks)))
    assert all(pd.isna(row[-1]) for row in view.tables[0].values)


def test_a_page_of_a_sweep() -> None:
    pytest.importorskip("jinja2")
    page = sweep(GRID).to_html()
    assert "<h1>Sweep sweep</h1>" in page
    assert "gateway" in page
