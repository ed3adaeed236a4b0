"""Sweeps that charge users: cells in a unit of cost, and keys that stay without it."""

from pathlib import Path

import pytest

from prum.experiments.sweeps import sweep
from prum.experiments.sweeps.specification import SweepSpecification
from prum.simulator.generation.specifications import SpecificationError

FILES = {
    "run.txt": "t Q0 c 1 4 s\nt Q0 d 2 3 s\nt Q0 a 3 2 s\nt Q0 b 4 1 s\n",
    "qrels.txt": "t 0 a 1\nt 0 b 1\n",
    "links.csv": "source,target,probability\nc,a,.4\nc,b,.4\nd,a,.6\n",
    "costs.csv": "element,tokens,words\nc,400,90\nd,120,30\na,75,10\nb,160,20\ne,7,3\n",
}
CAMPAIGN = {
    "runs": ["run.txt"],
    "qrels": "qrels.txt",
    "links": "links.csv",
    "collection_size": 5,
    "name": "files",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _specification(**grid: object) -> SweepSpecification:
    costs = ["costs.csv", "smucker-clarke"] if grid else None
    campaign = CAMPAIGN | ({"costs": costs} if costs else {})
    content = {"campaigns": [campaign], "grid": grid, "users": {"num_users": 500}}
    return SweepSpecification.read(content)


@pytest.mark.usefixtures("folder")
def test_units_of_cost_are_an_axis() -> None:
    rows = sweep(_specification(cost=["elements", "tokens", "seconds"])).to_frame()
    plain = sweep(_specification()).to_frame()
    assert "cost" not in plain.columns
    assert set(rows["cost"].dropna()) == {"tokens", "seconds"}
    assert len(rows) == 3 * len(plain)
    counted = rows[rows["cost"].isna()]
    # What is not charged has the keys, and the numbers, of a sweep without costs.
    assert counted["key"].tolist() == plain["key"].tolist()
    assert counted["precision"].tolist() == plain["precision"].tolist()
    tokens = rows[rows["cost"] == "tokens"].set_index(["estimator", "r"])
    assert tokens.loc[("exact", 1), "consulted"] == pytest.approx(
        0.64 * 400 + 0.36 * (0.6 * 520 + 0.4 * 595)
    )
    assert tokens.loc[("no-browsing", 2), "consulted"] == 755
    assert tokens.loc[("no-browsing", 1), "leading"] == 75


@pytest.mark.usefixtures("folder")
def test_units_that_no_campaign_has() -> None:
    with pytest.raises(SpecificationError, match="unit of cost is 'token', must be one of"):
        _specification(cost=["token"]).cells()
