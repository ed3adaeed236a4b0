"""`evaluate` with costs: units from files, data and lengths of elements."""

from typing import Any

import pandas as pd
import pytest

from prum.analytic import closed_form
from prum.experiments.evaluate.scored import evaluate
from prum.experiments.measures.judged import Collection, Judged
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import (
    ChunkTable,
    Covering,
    Elements,
    Independent,
    InputError,
    ListCosts,
    Span,
    Task,
)

RUNS = {"long": {"q": ["x", "a", "b"]}, "short": {"q": ["y", "b", "z"]}}
QRELS = {"q": {"a": 1, "b": 1, "x": 0}}
LINKS = {("x", "a"): 0.5, ("y", "b"): 0.25, ("y", "a"): 0.5}
TOKENS = {"x": 400, "y": 50, "z": 30, "a": 200, "b": 100, "c": 60}
MEASURES = "ExactPRUM(cost=tokens),PRUM(cost=tokens)@r=2,ExactPRUM(cost=tokens)@r=2,ExactPRUM"


def _scores(**options: Any) -> dict[tuple[str, str], float]:
    given = {"measures": MEASURES, "links": LINKS, "collection_size": 8, **options}
    frame = evaluate(RUNS, QRELS, **given).to_frame()
    return {(row.system, row.measure): row.score for row in frame.itertuples()}


def test_scores_are_those_of_the_closed_form() -> None:
    scores = _scores(costs={"tokens": TOKENS})
    for system, lists in RUNS.items():
        task = Task(lists["q"], ["a", "b"], 8)
        behind = [cost for element, cost in TOKENS.items() if element not in lists["q"]]
        along = [TOKENS[element] for element in lists["q"]]
        costs = ListCosts(along, sum(behind) / len(behind), unit="tokens")
        wanted = closed_form(task, Independent(LINKS), costs=costs)
        assert wanted is not None
        assert scores[system, 'ExactPRUM(cost="tokens")'] == pytest.approx(wanted.average)
        assert scores[system, 'ExactPRUM(cost="tokens")@r=2'] == pytest.approx(wanted.precision[1])
        assert scores[system, 'PRUM(cost="tokens")@r=2'] <= wanted.precision[1] + 1e-12
        assert scores[system, "ExactPRUM"] != scores[system, 'ExactPRUM(cost="tokens")']


def test_elements_give_length_and_seconds() -> None:
    tree = Elements({element: (None, float(words)) for element, words in TOKENS.items()})
    measures = "PRUM(cost=length),PRUM(cost=seconds),PRUM(cost=tokens)"
    scores = _scores(costs=["smucker-clarke", {"tokens": TOKENS}], elements=tree, measures=measures)
    seconds = {element: 12.2 + 0.018 * words for element, words in TOKENS.items()}
    timed = _scores(costs={"seconds": seconds}, measures="PRUM(cost=seconds)")
    for system in RUNS:
        assert scores[system, 'PRUM(cost="length")'] == scores[system, 'PRUM(cost="tokens")']
        name = 'PRUM(cost="seconds")'
        assert scores[system, name] == pytest.approx(timed[system, name], rel=1e-12)


def test_chunks_cost_what_their_table_says() -> None:
    chunks = ChunkTable.from_columns(
        ["one", "two"], ["report"] * 2, [0, 80], [100, 180], amounts={"tokens": [25, 30]}
    )
    covering = Covering(chunks, {"gold": Span("report", 90, 110)})
    collection = Collection(3, browsed={"spans": {"q": covering}}, kind="spans")
    topic = Judged("q", ("gold",), None, None, collection)
    task = Task(["one", "two"], covering.spans, 3)
    for unit in ("tokens", "characters"):
        wanted = closed_form(task, covering, costs=covering.costs_along(task, unit))
        found = measure_of(f"ExactPRUM(cost={unit})").curve(topic, ("one", "two")).read(None)
        assert wanted is not None
        assert found == wanted.average
    with pytest.raises(InputError, match="unit of cost is 'words', must be one of"):
        measure_of("PRUM(cost=words)").curve(topic, ("one", "two"))


def test_time_biased_gain_takes_words_of_costs() -> None:
    scores = _scores(measures="TBG,TBG(words=100)", costs={"words": dict.fromkeys(TOKENS, 100)})
    for system in RUNS:
        assert scores[system, "TBG"] == scores[system, "TBG(words=100.0)"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "unit of cost is 'tokens', must be given, and none is; give --costs, a file with"),
        ({"costs": {"words": TOKENS}}, "unit of cost is 'tokens', must be one of: words; give --c"),
        ({"costs": {"tokens": {"x": 1, "a": 1}}}, "tokens of 'b' is None, must be positive; give"),
        ({"costs": {"tokens": {**TOKENS, "a": 0}}}, "tokens of element 'a' is 0.0, must be a"),
        ({"costs": {"tokens": {**TOKENS, "a": "9"}}}, "tokens"),
        ({"costs": {"tokens": 3}}, "costs in tokens is 'int', must be a mapping; give {unit"),
        ({"costs": 3}, "costs is 'int', must be a file, a table, a mapping or a data frame"),
        ({"costs": pd.DataFrame({"tokens": [1]})}, "'tokens', must be element or docno"),
        ({"costs": "smucker-clarke"}, "costs is 'smucker-clarke', must have lengths of elements"),
        ({"costs": {"tokens": {x: TOKENS[x] for x in "xab"}}}, "tokens of an element behind"),
        ({"measures": "TBG"}, "words of TBG must be given where elements with lengths ar"),
        ({"measures": "TBG", "costs": {"words": {"x": 1}}}, "words of 'a' must be given"),
        ({"measures": "AP(cost=tokens)"}, "setting of AP is 'cost', must be one of"),
        ({"measures": "PRUM(cost=3)"}, "cost of PRUM(cost=3) is 3, must be a text"),
    ],
)
def test_bad_costs_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        _scores(**options)
    assert message in str(error.value)
