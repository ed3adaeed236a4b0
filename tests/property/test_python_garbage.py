"""What a verb of Python is given for an option it takes, or says in a line what is wrong."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import prum
from prum.simulator.model import InputError
from tests.tiers import spread_rows

RUNS, LINKS = {"s": {"q": ["a", "b", "c"]}}, {("b", "d"): 0.5}
QRELS = {"q": {"a": 1, "c": 1, "d": 1}}
CHUNKS = {"a": ("d", 0, 10), "b": ("d", 10, 20), "c": ("d", 20, 30)}
LABELS = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}}
VISITS = pd.DataFrame([(n // 2, "pab"[(n % 2) * (1 + n // 9)]) for n in range(18)])
VISITS.columns = ["session", "element"]
TASK = prum.Task(("a", "b", "c"), ("a", "d"), 9)
PAIRS = [("p", "a"), ("p", "b")]
# What is done, and options with which it works.
VERBS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "evaluate": (prum.evaluate, {"runs": RUNS, "qrels": QRELS, "measures": "AP"}),
    "evaluate by links": (
        prum.evaluate,
        {"runs": RUNS, "qrels": QRELS, "links": LINKS, "measures": "PRUM"},
    ),
    "evaluate by spans": (
        prum.evaluate,
        {"runs": RUNS, "chunks": CHUNKS, "spans": {"q": {"g": ("d", 5, 15)}}},
    ),
    "evaluate by judgements": (
        prum.evaluate,
        {"runs": RUNS, "judgements": {"q": {"a": 0.5, "b": 0.2}}, "measures": "AP"},
    ),
    "trust": (
        prum.trust,
        {"runs": RUNS, "qrels": QRELS, "links": LINKS, "collection_size": 9, "most_users": 1000},
    ),
    "crosscheck": (
        prum.crosscheck,
        {"given": TASK, "navigation": LINKS, "num_users": 500},
    ),
    "fit": (prum.fit, {"log": VISITS, "links": PAIRS, "base": "uniform"}),
    "judges": (prum.judges, {"judges": {"j": LABELS}, "human": LABELS, "cases": 2, "draws": 2}),
    "compare": (prum.compare, {"scores": {"x": {"1": 0.1, "2": 0.3}, "y": {"1": 0.2, "2": 0.1}}}),
    "precision": (
        prum.precision,
        {"task": TASK, "browsing": LINKS},
    ),
    "simulate": (
        prum.simulate,
        {"task": TASK, "navigation": prum.Independent(LINKS), "num_users": 100, "seed": 1},
    ),
    "sweep": (
        prum.sweep,
        {"specification": {"campaigns": [{"example": "web"}], "users": {"num_users": 100}}},
    ),
    "spans": (
        prum.spans.evaluate,
        {"retrieved": {"q": [("d", 0, 10)]}, "gold": {"q": [("d", 5, 15)]}, "chunks": 5},
    ),
}
OPTIONS = [
    (verb, option)
    for verb, (call, _) in VERBS.items()
    for option in inspect.signature(call).parameters
    if option not in ("notice", "progress", "seconds", "threads", "workers", "of_runs")
]


def garbage() -> Iterator[Any]:
    """Yield what somebody may give by mistake: of another type, empty, of other columns, nested."""
    yield from (None, 5, -1, float("nan"), True, "nonexistent", "", "\0", b"bytes", object())
    yield from ([], {}, (), [[]], [{}], [None], [1, 2], [("a",)], iter([]), (x for x in [1]))
    yield from ({"a": 1}, {1: {2: 3}}, {None: {}}, {("a",): 1}, {("a", "b"): "x"})
    yield from ({"q": x} for x in (None, {"a": None}, {"a": float("nan")}, {"a": [1, 2]}))
    yield from ({"s": {"q": 5}}, {"a": ("d", 5)}, np.array([1.0, 2.0]), np.zeros((2, 2)))
    yield from (pd.DataFrame(), pd.DataFrame({"x": [1]}), pd.Series([1, 2]))
    yield pd.DataFrame({"topic": ["q"], "element": ["a"]})


def refusal(verb: str, option: str, value: Any) -> Exception | None:
    """Return the error of a verb with such an option; any but what people expect is raised."""
    call, usual = VERBS[verb]
    try:
        call(**{**usual, option: value})
    except (InputError, OSError) as error:
        return error
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("verb", "option"), spread_rows(5, OPTIONS))
def test_garbage_is_taken_or_refused_in_a_line(
    verb: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some of it is a name of a file that is written
    for value in garbage():
        error = refusal(verb, option, value)
        # All that is wrong with a specification is told.
        if isinstance(error, InputError) and option != "specification":
            assert len(str(error).splitlines()) == 1, value


@pytest.mark.parametrize("verb", VERBS)
def test_usual_options_are_taken(verb: str) -> None:
    option, value = next(iter(VERBS[verb][1].items()))
    assert refusal(verb, option, value) is None
