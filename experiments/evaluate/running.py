"""The verb `evaluate`: runs and judgements, files or data, scored by measures and compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from prum.experiments.compare.decision import Question
from prum.experiments.compare.defaults import LEVEL, METHOD, SEED
from prum.experiments.evaluate.defaults import DEFAULT_MEASURES
from prum.experiments.evaluate.oddities import Oddities, counting
from prum.experiments.evaluate.reading import QrelsGiven, RunsGiven, read_judged, read_lists
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.evaluate.scoring import score_runs
from prum.experiments.measures.judged import Taken
from prum.experiments.measures.measure import Measure, measure_of
from prum.experiments.measures.names import Name, names_of
from prum.simulator.collections.files import readable
from prum.simulator.collections.link_use import LinkWatch
from prum.simulator.model import Elements, Links

File = str | Path


def evaluate(
    runs: File | RunsGiven,
    qrels: QrelsGiven,
    *,
    measures: str | Sequence[str | Measure] = DEFAULT_MEASURES,
    links: File | Links | Mapping[tuple[str, str], float] | None = None,
    elements: File | Sequence[File] | Elements = (),
    way: str | None = None,
    navigation: str | None = None,
    collection_size: int | None = None,
    ideal_grade: int = 1,
    ideals: str = "strict",
    primary: str | Measure | None = None,
    baseline: str | None = None,
    method: str = METHOD,
    level: float = LEVEL,
    margin: float | None = None,
    seed: int = SEED,
    progress: Callable[[int], object] | None = None,
) -> EvaluationResult:
    """Score runs by PRUM and the measures it is compared with, as `prum evaluate` does.

    A topic that a run lacks is an empty list; topics without ideals are left out; all others count
    alike in the mean. Each score is in the unit of its measure (docs/measures.md).

    Parameters
    ----------
    runs
        A file or several, TREC or INEX; or system -> topic -> list: elements, best first, or
        element -> score.
    qrels
        A file of grades or assessments; or topic -> element -> grade or `Assessment`.
    measures
        Names with commas between, or several names: "PRUM, xCG(alpha=0.5)@10".
    links
        A file, `Links`, or (source, target) -> probability.
    elements
        A table or XML files, or `Elements`: the trees that elements stand in.
    way, navigation
        How elements make links or links others, and what a link's probability means, by name.
    collection_size
        Number of elements in the collection; by default those of `elements`.
    ideal_grade
        Of grades: the lowest of an ideal.
    ideals
        Of assessments: "strict", those assessed E3S3, or "best", the best of each path.
    primary, baseline, method, level, margin, seed
        What is decided, and how, as `compare` has them: the measure that decides, by default the
        first; the run that all others are compared with, by default all pairs.
    progress
        Called with the number of runs done.

    Raises
    ------
    InputError
        for a measure that is none or lacks what it needs, files or data that break a rule or do
        not belong together, a baseline that is no run, a primary measure that is none of them.
    OSError
        if a file cannot be read.

    >>> runs = {"good": {"q": ["a", "x", "b"]}, "poor": {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}}
    >>> result = evaluate(runs, {"q": {"a": 1, "b": 1, "x": 0}}, measures="AP, P@2")
    >>> result.to_frame()["score"].round(4).tolist()
    [0.8333, 0.5, 0.5833, 0.5]
    """
    runs = [runs] if isinstance(runs, File) else runs
    elements = [elements] if isinstance(elements, File) else elements
    links = Links(links) if isinstance(links, Mapping) else links
    listed = names_of(measures) if isinstance(measures, str) else measures
    chosen = list(map(_measure, listed))
    named = primary if primary is None else str(_measure(primary))
    question = Question(named, baseline, method, level, margin, seed)
    question.check_measures(tuple(map(str, chosen)))
    judged, without = read_judged(
        qrels, elements=elements, links=links, way=way, kind=navigation,
        collection_size=collection_size, ideal_grade=ideal_grade, ideals=ideals,
    )  # fmt: skip
    wanted = {measure.takes for measure in chosen}
    takes: Taken = next((form for form in ("scores", "ties") if form in wanted), "ranking")
    counted = list[Oddities]()
    watch = LinkWatch(
        judged[0].collection.linked.links, {topic.topic: topic.ideals for topic in judged}
    )
    lists = counting(read_lists(runs, judged, takes=takes), judged, counted)
    scored = score_runs(watch.through(lists), judged, chosen, progress=progress)
    if links is None:
        use = watch.use
    else:
        use = watch.checked("links" if isinstance(links, Links) else links)
    question.check_systems(scored.systems)
    arguments = {
        "runs": _place(runs), "measures": ",".join(map(str, chosen)), **asdict(question),
        "qrels": _place(qrels), "links": _place(links), "elements": _place(elements), "way": way,
        "navigation": navigation, "collection_size": collection_size, "ideal_grade": ideal_grade,
        "ideals": ideals,
    }  # fmt: skip
    return EvaluationResult(
        scores=scored,
        question=question,
        without_ideals=tuple(without),
        lists=tuple(counted),
        links=use,
        arguments=arguments,
    )


def _measure(name: str | Name | Measure) -> Measure:
    return name if isinstance(name, Measure) else measure_of(name)


def _place(source: Any) -> Any:
    """Return files by their names, and data as nothing that could be named."""
    if isinstance(source, File):
        return readable(source)
    return [readable(path) for path in source] if isinstance(source, list | tuple) else None
