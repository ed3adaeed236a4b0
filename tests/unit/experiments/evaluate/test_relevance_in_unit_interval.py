"""Relevance in [0, 1] from files, tables and Python, and scales of grades: Mizzaro's table 1."""

from pathlib import Path

import pandas as pd
import pytest

from prum.experiments.evaluate.scored import evaluate
from prum.simulator.model import InputError

DOCUMENTS = ("d1", "d2", "d3", "d4", "d5")
URE = dict(zip(DOCUMENTS, (0.8, 0.6, 0.4, 0.2, 0.1), strict=True))
OF_TEN = {"q": {element: round(10 * value) for element, value in URE.items()}}
RUNS = {
    name: {"q": dict(zip(DOCUMENTS, sre, strict=True))}
    for name, sre in {
        "IRS1": (0.9, 0.5, 0.5, 0.1, 0.2),
        "IRS2": (1.0, 0.4, 0.6, 0.0, 0.3),
        "IRS3": (0.8, 0.6, 0.4, 0.2, 1.0),
    }.items()
}
# IRS3 is printed .8, the one figure of the row that was cut off.
PRINTED = [0.9, 0.8, 0.82]


def scored(qrels: object, measure: str = "ADM") -> list[float]:
    """Return the score of each system."""
    result = evaluate(RUNS, qrels, measures=measure, collection_size=5)
    return [float(value) for value in result.scores.values[:, 0, 0]]


def test_table_1_comes_out_of_files_tables_and_python(tmp_path: Path) -> None:
    qrels = tmp_path / "ure.txt"
    qrels.write_text("".join(f"q 0 {element} {value}\n" for element, value in URE.items()))
    table = tmp_path / "ure.csv"
    rows = [{"topic": "q", "element": x, "relevance": value} for x, value in URE.items()]
    pd.DataFrame(rows).to_csv(table, index=False)
    for given in (qrels, table, pd.DataFrame(rows), rows, {"q": URE}):
        assert scored(given) == pytest.approx(PRINTED)


def test_a_scale_to_ten_says_so_and_is_refused_otherwise() -> None:
    assert scored(OF_TEN, "ADM(highest=10)") == pytest.approx(PRINTED)
    assert scored(OF_TEN, "ADM(highest=8)") == pytest.approx([0.885, 0.825, 0.725])
    with pytest.raises(InputError, match=r"no element has grade 3, so that .* beyond 8"):
        scored(OF_TEN)
    with pytest.raises(InputError, match=r"highest of ADM is 7\.0, must be at least 8"):
        scored(OF_TEN, "ADM(highest=7)")
    halves = {"q": {element: 10 * value + 0.5 for element, value in URE.items()}}
    with pytest.raises(InputError, match=r"grades are decimals, up to 8\.5"):
        scored(halves)
    assert scored(halves, "ADM(highest=10)")[0] == pytest.approx(1 - (0.05 + 0.15 * 3 - 0.05) / 5)


@pytest.mark.parametrize("measure", ["GR(quantisation=generalised)@1", "GradedPRUM", "nxCG@2"])
def test_measures_of_shares_need_no_scale(measure: str) -> None:
    at = measure.find("@")
    head, cutoff = (measure, "") if at < 0 else (measure[:at], measure[at:])
    settings = f"{head[:-1]}," if head.endswith(")") else f"{head}("
    free = scored(OF_TEN, measure)
    assert free == pytest.approx(scored(OF_TEN, f"{settings}highest=10){cutoff}"))
    assert free == pytest.approx(scored({"q": URE}, measure))


def test_gains_follow_the_scale() -> None:
    """IRS1 ranks d1 first, of 8 in 10; GRP has q = 1 only at the end of the scale."""
    assert scored(OF_TEN, "xCG(highest=10)@1")[0] == pytest.approx(0.8)
    assert scored(OF_TEN, "xCG(highest=16)@1")[0] == pytest.approx(0.5)
    assert scored({"q": URE}, "xCG@1")[0] == pytest.approx(0.8)
    wide, narrow = (scored(OF_TEN, f"GRP(highest={top})@0.1")[0] for top in (16, 8))
    assert wide < narrow == 1


@pytest.mark.parametrize(
    ("measure", "fault"),
    [
        ("GR(highest=10)", r"highest of GR is 10\.0, must be used with quantisation"),
        ("EPRUM(highest=10)", "must be used with quantisation"),
        ("ADM(highest=0)", "be a number, more than 0"),
    ],
)
def test_scales_that_say_nothing_are_refused(measure: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        scored(OF_TEN, measure)


def test_a_scale_that_is_assumed_is_told() -> None:
    graded = {"q": {"d1": 2, "d2": 1, "d3": 0}}
    told = evaluate(RUNS, graded, measures="ADM", collection_size=5).remarks
    assert any("relevance 1 is grade 2, the highest judged" in line for line in told)
    for measure, qrels in (("ADM(highest=2)", graded), ("AP", graded), ("ADM", {"q": URE})):
        told = evaluate(RUNS, qrels, measures=measure, collection_size=5).remarks
        assert not any("relevance 1" in line for line in told)
