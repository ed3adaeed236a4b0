"""Rows of a sweep: columns, formats, and the page of means."""

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from prum.experiments.sweeps import sweep
from prum.experiments.sweeps.cells import Given, grid
from prum.experiments.sweeps.engine import UserBudget, run
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.verb import COLUMNS, csv_bytes, sweep_view, table
from prum.experiments.sweeps.workers import Here
from prum.simulator import Campaign, Walk, simulate
from prum.simulator.collections.examples import example_campaign
from prum.simulator.sampling.streams import BLOCK

WEB = example_campaign("web")
AXES: dict[str, Any] = {
    "navigation": ("independent", "walk"),
    "seeds": (1, 2**53),
    "unranked": ("sampled", "expected"),
}


def frame_of(
    campaign: Campaign = WEB, budget: UserBudget | None = None, **axes: Any
) -> pd.DataFrame:
    budget = budget or UserBudget(500)
    cells, store = grid([Given(campaign)], **axes), Store()
    assert not run(cells, store, Here(), budget).failures
    return table(cells, store.result, budget)


def read_csv(content: bytes) -> pd.DataFrame:
    """Return the table in a CSV file; only what is empty is missing."""
    types = {name: "string" if kind == "float64" else kind for name, kind in COLUMNS.items()}
    frame = pd.read_csv(io.BytesIO(content), dtype=types, keep_default_na=False, na_values=[""])  # type: ignore[arg-type]
    # As Python reads a number: pandas may be off by the last bit.
    return frame.astype(
        {name: "Float64" for name, kind in COLUMNS.items() if kind == "float64"}
    ).astype(COLUMNS)


# --- columns ----------------------------------------------------------------------------------


def test_numbers_are_those_of_the_simulation() -> None:
    frame = frame_of(**AXES)
    task = WEB.task("list", "web")
    for navigation in ("independent", "walk"):
        for unranked in ("sampled", "expected"):
            rows = frame[
                (frame["navigation"] == navigation)
                & (frame["unranked"] == unranked)
                & (frame["seed"] == 1)
            ]
            alone = simulate(
                task,
                WEB.browsed(navigation).navigation,
                num_users=500,
                seed=1,
                unranked=unranked,
            ).to_frame()
            for name in alone.columns:
                assert np.array_equal(rows[name], alone[name], equal_nan=True), name
            assert rows["mean_ratio"].isna().all() == (unranked == "expected")
            assert rows["num_users"].tolist() == [500, 500]
            assert rows["users"].tolist() == ["0-499"] * 2
            assert rows["stopped"].tolist() == ["users"] * 2


def test_a_formula_has_no_users_and_no_errors() -> None:
    frame = frame_of(**AXES)
    formulas = frame[frame["estimator"] != "simulated"]
    assert len(formulas) == 2 * (1 + 2 * 2)
    empty = [
        "seed",
        "unranked",
        "leading_error",
        "consulted_error",
        "precision_error",
        "low",
        "high",
        "mean_ratio",
        "num_users",
        "users",
        "stopped",
    ]
    assert formulas[empty].isna().all(axis=None)
    full = [name for name in COLUMNS if name not in empty]
    assert formulas[full].notna().all(axis=None)
    prum_rows = formulas[(formulas["estimator"] == "prum")].head(2)
    assert prum_rows["precision"].tolist() == pytest.approx([0.69137, 0.63561], abs=1e-5)


def test_without_a_closed_form_an_exact_value_is_empty() -> None:
    ideals = tuple(f"i{number:02}" for number in range(17))
    links = {("hub", ideal): 0.05 for ideal in ideals}
    walk = Campaign("many", {"q": ideals}, {"list": {"q": ("hub",)}}, Walk(links), 100)
    frame = frame_of(walk)
    assert frame["estimator"].value_counts().to_dict() == {
        "no-browsing": 17,
        "prum": 17,
        "exact": 17,
        "simulated": 17,
    }
    values = frame[["leading", "consulted", "precision"]].isna().all(axis=1)
    assert values.tolist() == (frame["estimator"] == "exact").tolist()
    # One ideal less, and there is one.
    fewer = replace(walk, ideals={"q": ideals[:16]})
    assert frame_of(fewer)["precision"].notna().all()


@pytest.mark.parametrize(
    ("budget", "stopped"),
    [
        (UserBudget(half_width=0.5), "half-width"),
        (UserBudget(half_width=1e-9, max_users=BLOCK), "budget"),
        (UserBudget(1), "users"),
    ],
)
def test_why_it_stopped(budget: UserBudget, stopped: str) -> None:
    frame = frame_of(estimators=("simulated",), budget=budget)
    assert frame["stopped"].tolist() == [stopped] * 2
    assert frame["num_users"].tolist() == [budget.num_users or BLOCK] * 2


def test_intervals_have_the_budgets_confidence() -> None:
    def width(confidence: float) -> float:
        budget = UserBudget(500, confidence=confidence)
        frame = frame_of(estimators=("simulated",), budget=budget)
        return float((frame["high"] - frame["low"])[0] / frame["precision_error"][0])

    assert width(0.95) == pytest.approx(2 * 1.9647, abs=1e-3)
    assert width(0.5) == pytest.approx(2 * 0.6750, abs=1e-3)


# --- formats ----------------------------------------------------------------------------------


def test_csv_keeps_everything() -> None:
    campaign = replace(WEB, name='"quoted", 日本', ideals={"a\tb": ("a", "b")})
    campaign = replace(campaign, runs={"NA": {"a\tb": WEB.runs["list"]["web"]}})
    frame = frame_of(campaign, **{**AXES, "seeds": (1,)})
    pd.testing.assert_frame_equal(read_csv(csv_bytes(frame)), frame, check_exact=True)


# --- the page -----------------------------------------------------------------------------------

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

    # A value that lacks on a topic makes no mean.
    lacks = (rows["topic"] == "topic01") & (rows["estimator"] == "exact")
    view = sweep_view("grid", rows.assign(precision=rows["precision"].mask(lacks)))
    assert all(pd.isna(row[-1]) for row in view.tables[0].values)
