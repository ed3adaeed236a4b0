"""The verb `evaluate`: runs and judgements, files or data, scored by measures and compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from prum.experiments.compare.decision import Question, decide
from prum.experiments.compare.defaults import LEVEL, METHOD, SEED
from prum.experiments.evaluate.defaults import BROWSING_MEASURES, DEFAULT_MEASURES
from prum.experiments.evaluate.given import given_qrels, given_runs, is_given, place_of
from prum.experiments.evaluate.given_tables import given_costs, given_elements, given_links
from prum.experiments.evaluate.input_warnings import InputWarnings, counting
from prum.experiments.evaluate.reading import (
    links_from,
    read_judged,
    read_lists,
    subtopics_by_column,
)
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.evaluate.scoring import score_runs
from prum.experiments.evaluate.unknown_size import SizeWatch
from prum.experiments.fitting.files import given_navigation
from prum.experiments.measures.diversity import DIVERSITY
from prum.experiments.measures.judged import Taken
from prum.experiments.measures.measure import Measure, measures_of
from prum.simulator.collections.link_use import LinkWatch
from prum.simulator.collections.linking import brings_links
from prum.simulator.model import InputError


def evaluate(
    runs: Any,
    qrels: Any = None,
    *,
    chunks: Any = None,
    spans: Any = None,
    texts: Any = None,
    offsets: str | None = None,
    need: str | None = None,
    measures: str | Sequence[str | Measure] | None = None,
    links: Any = None,
    elements: Any = (),
    costs: Any = (),
    way: str | None = None,
    navigation: Any = None,
    collection_size: int | None = None,
    ideal_grade: int = 1,
    ideals: str = "strict",
    names: str = "file",
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
    alike in the mean. Each score is in the unit of its measure (docs/reference/measures.md).

    Parameters
    ----------
    runs
        Files, TREC or INEX, or folders of them, one or several; data frames or iterables of
        records of PyTerrier, ir_measures, ir_datasets (qid, docno, score or query_id, doc_id,
        score); runs of ranx; topic -> element -> score, or topic -> elements, best first; or
        name -> any of these.
    qrels
        A file of grades or assessments; a data frame or records (qid, docno, label or query_id,
        doc_id, relevance); qrels of ranx or a dataset of ir_datasets; or topic -> element -> grade
        or `Assessment`.
    chunks, spans
        In the place of qrels: the chunks that runs rank, and the gold spans of each topic. Chunks
        are a file, `ChunkTable`, a data frame (id, doc, start, end), or chunk -> (document, start,
        end); or a list of these, one for each run in order. Spans are a file, a data frame (topic,
        doc, start, end), or topic -> spans, `Span` or (document, start, end).
    texts
        The folder of the documents' texts, where spans or chunks are to be found in or checked.
    offsets
        What starts and ends of chunks and spans count: "characters", the default; "bytes" of UTF-8
        or "utf-16" (as in JavaScript), which the texts turn into characters.
    need
        What users need of a span: "share", any point of it, the default, or "whole".
    measures
        Names with commas between, or several names: "PRUM, xCG(alpha=0.5)@10"; one that is named
        twice counts once. By default AP, nDCG@10, P@10, R@100, RR and RBP; and PRUM if there are
        links or elements. Of spans Coverage@10, CharPrecision@10, IoU@10, Efficiency, ExactPRUM.
    links
        A file, `Links`, a data frame (source, target, probability), or (source, target) ->
        probability.
    elements
        A table or XML files, `Elements`, a data frame (element, parent, length, start), or element
        -> (parent, length, start): the trees that elements stand in. They make links if
        none are given; with links, users browse by these, and trees are for the other measures.
    costs
        What elements cost: a file with a column element and one for each unit, or a data frame;
        unit -> element -> number; "smucker-clarke", their seconds by lengths in words (the unit
        words, else length); or several of these. `PRUM(cost=tokens)` counts tokens. The lengths of
        `elements` are the unit length.
    way, navigation
        How elements make links or links others, and what a link's probability means, by name. Of
        chunks: what readers open, as "chunks next .5 parent .1". A navigation may also be a file
        that `prum fit` wrote, dials behind it ("fitted.json + fading .9"), what `fit` returned, or
        `Walk` and the like: these have links of their own.
    collection_size
        Number of elements in the collection; by default those of `elements`. If it is not known,
        measures such as PRUM take the collection for endless: nobody finds an ideal behind the
        list. The remarks of the result say what a smaller one could change.
    ideal_grade
        Of grades: the lowest of an ideal.
    ideals
        Of assessments: "strict", those assessed E3S3, or "best", the best of each path.
    names
        How files of runs are called: "file", by their files, or "tag", by their run tags.
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
    decisive = None if primary is None else str(measures_of([primary])[0])
    question = Question(decisive, baseline, method, level, margin, seed)
    by_spans = {
        "chunks": chunks, "spans": spans, "texts": texts, "offsets": offsets, "need": need,
    }  # fmt: skip
    if any(is_given(value) for value in by_spans.values()):
        from prum.experiments.evaluate.by_spans import check_alone, evaluate_spans

        by_qrels = {
            "qrels": qrels, "links": links, "elements": elements, "navigation": navigation,
            "collection_size": collection_size, "costs": costs,
            "ideal_grade": None if ideal_grade == 1 else ideal_grade,
            "ideals": None if ideals == "strict" else ideals,
        }  # fmt: skip
        check_alone(by_qrels, by_spans)
        return evaluate_spans(
            given_runs(runs), **by_spans, way=way, measures=measures, question=question,
            names=names, progress=progress,
        )  # fmt: skip
    if qrels is None:
        remedy = "give qrels, or chunks and spans"
        raise InputError("judgements", None, "be given", remedy=remedy)
    runs, links, elements = given_runs(runs), given_links(links), given_elements(elements)
    # A run that is a file may be a folder of more, which are counted once they are scored.
    question.check_number(len(runs))
    sources, given = given_costs(costs), given_navigation(navigation)
    if measures is None:
        browses = links is not None or elements or brings_links(given.kind)
        measures = BROWSING_MEASURES if browses else DEFAULT_MEASURES
    chosen = list(dict.fromkeys(measures_of(measures)))
    for measure in chosen:
        measure.check_of("ideals")
    question.check_measures(tuple(map(str, chosen)))
    of_subtopics = {measure.name.measure in DIVERSITY for measure in chosen}
    is_named = isinstance(qrels, Mapping)
    qrels = given_qrels(qrels, by_subtopic=True in of_subtopics)
    judged, without = read_judged(
        qrels, elements=elements, links=links, way=way, kind=given.kind,
        collection_size=collection_size, ideal_grade=ideal_grade, ideals=ideals,
        by_subtopic=True in of_subtopics, costs=sources,
        credits={measure.credits for measure in chosen},
    )  # fmt: skip
    told: tuple[str, ...] = ()
    if True in of_subtopics and not is_named:
        told = subtopics_by_column(judged, place=str(place_of(qrels) or "qrels"))
    wanted = {measure.takes for measure in chosen}
    takes: Taken = next((form for form in ("scores", "ties") if form in wanted), "ranking")
    counted = list[InputWarnings]()
    watch = LinkWatch(
        judged[0].collection.linked.links, {topic.topic: topic.ideals for topic in judged}
    )
    sizes = SizeWatch(judged, chosen)
    lists = counting(read_lists(runs, judged, takes=takes, names=names), judged, counted)
    lists = watch.through(sizes.through(lists))
    learned = given.fitted()
    doubtful = list[Measure]()
    if learned is not None:
        from prum.experiments.evaluate.uncertainty import (
            KeptLists,
            browses_by_links,
            doubtful_measures,
            uncertainty_of,
        )

        doubtful = doubtful_measures(chosen, judged, primary=decisive)
        if doubtful:
            keeping = KeptLists(judged)
            lists = keeping.through(lists)
    scored = score_runs(lists, judged, chosen, progress=progress)
    file = links_from(links, given.kind)
    use = watch.use if file is None else watch.checked(file)
    question.check_systems(scored.systems)
    arguments = {
        "runs": place_of(runs), "measures": ",".join(map(str, chosen)), **asdict(question),
        "qrels": place_of(qrels), "links": place_of(links), "elements": place_of(elements),
        "way": way, "navigation": given.name, "collection_size": collection_size,
        "ideal_grade": ideal_grade, "ideals": ideals, "names": names, "costs": place_of(sources),
    }  # fmt: skip
    uncertainty, taken_as_known = None, list[str]()
    if learned is not None and doubtful:
        uncertainty = uncertainty_of(
            learned, doubtful[0], judged, keeping.rankings, scored, decide(scored, question)
        )
    elif learned is not None:
        taken_as_known = [str(measure) for measure in chosen if browses_by_links(measure)]
    return EvaluationResult(
        scores=scored,
        uncertainty=uncertainty,
        taken_as_known=tuple(taken_as_known),
        question=question,
        without_ideals=tuple(without),
        lists=tuple(counted),
        links=use,
        size_rises=sizes.rises(scored),
        subtopics_by_column=told,
        takes_highest=judged[0].subtopics is not None and False in of_subtopics,
        arguments=arguments,
    )
