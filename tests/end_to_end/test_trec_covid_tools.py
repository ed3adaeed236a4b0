"""Measures that come from other programs, beside these programs on runs as they were submitted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.judged import Judged
from prum.experiments.measures.measure import measure_of
from tests.tiers import slow
from tests.tool_measures import OF_NDEVAL, OF_OTHERS, OF_TREC_EVAL

pytestmark = [slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def submitted(shared_data: Path) -> tuple[list[Path], Path]:
    """Return eight runs as they were submitted, two full of single-precision ties, and qrels."""
    folder = shared_data / "trec_covid"
    files = sorted((folder / "runs-as-submitted").glob("*.gz"))
    if not files:
        pytest.skip(f"no TREC-COVID: {folder} is missing")
    return files, folder / "qrels-rnd1.txt.gz"


def by_the_tool(
    names: Mapping[str, str], qrels: list[Any], run: list[Any], topics: list[str]
) -> np.ndarray[Any, Any]:
    """Return values by topic and measure, (topics, measures); 0 for a topic that a run lacks."""
    import ir_measures

    measures = {ir_measures.parse_measure(name): place for place, name in enumerate(names.values())}
    values = np.zeros((len(topics), len(measures)))
    for metric in ir_measures.iter_calc(list(measures), qrels, run):
        if metric.query_id in topics:
            values[topics.index(metric.query_id), measures[metric.measure]] = metric.value
    return values


def ranked(lists: Mapping[str, Any], topics: list[str]) -> list[Any]:
    """Return lists as a run without ties, and without negative scores, which Compat mistakes."""
    import ir_measures

    return [
        ir_measures.ScoredDoc(topic, element, 1e4 - place)
        for topic in topics
        for place, element in enumerate(lists.get(topic, ()))
    ]


def test_measures_of_trec_eval_ir_measures_and_cwl_eval(submitted: tuple[list[Path], Path]) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    files, path = submitted
    qrels = list(ir_measures.read_trec_qrels(str(path)))
    judged, _ = read_judged(path)
    topics = [topic.topic for topic in judged]
    names = {**OF_TREC_EVAL, **OF_OTHERS}
    measures = [measure_of(name) for name in names]
    runs = list(read_lists(files, judged, takes="ranking", precision="single"))
    values = score_runs(runs, judged, measures).values
    for file, ours in zip(files, values, strict=True):
        # As it stands, ties and all.
        run = list(ir_measures.read_trec_run(str(file)))
        theirs = by_the_tool(OF_TREC_EVAL, qrels, run, topics)
        assert ours[:, : len(OF_TREC_EVAL)] == pytest.approx(theirs, abs=1e-12)
    # The others order ties in other ways, and take their time.
    for (_, lists), ours in list(zip(runs, values, strict=True))[::5]:
        theirs = by_the_tool(OF_OTHERS, qrels, ranked(lists, topics), topics)
        assert ours[:, len(OF_TREC_EVAL) :] == pytest.approx(theirs, abs=1e-12)


def test_measures_of_ndeval(submitted: tuple[list[Path], Path]) -> None:
    """The rounds of judging stand for subtopics."""
    ir_measures = pytest.importorskip("ir_measures")
    files, path = submitted
    qrels = list(ir_measures.read_trec_qrels(str(path)))
    diverse: dict[str, dict[str, dict[str, int]]] = {}
    for line in qrels:
        by = diverse.setdefault(line.query_id, {}).setdefault(line.doc_id, {})
        by[line.iteration] = line.relevance
    judged, _ = read_judged(diverse)
    assert all(num_subtopics(topic) == 2 for topic in judged)
    topics = [topic.topic for topic in judged]
    (run,) = read_lists(files[:1], judged, takes="ranking")
    ours = score_runs([run], judged, [measure_of(name) for name in OF_NDEVAL]).values[0]
    for place, (name, written) in enumerate(OF_NDEVAL.items()):
        theirs = by_the_tool({name: written}, qrels, ranked(run[1], topics), topics)
        assert ours[:, [place]] == pytest.approx(theirs, abs=1e-12), name


def num_subtopics(topic: Judged) -> int:
    return len({subtopic for by in (topic.subtopics or {}).values() for subtopic in by})
