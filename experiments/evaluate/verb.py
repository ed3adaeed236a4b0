"""The verb `evaluate`: runs and judgements, files or data, scored by measures and compared."""

from collections.abc import Mapping
from dataclasses import replace

from prum.experiments.compare.decision import decide
from prum.experiments.compare.question import Question
from prum.experiments.evaluate.design import (
    BROWSING_MEASURES,
    DEFAULT_MEASURES,
    EVALUATE,
    EvaluateDesign,
)
from prum.experiments.evaluate.given import (
    given_costs,
    given_elements,
    given_links,
    given_qrels,
    given_runs,
    is_given,
    place_of,
)
from prum.experiments.evaluate.inputs import (
    links_from,
    read_judged,
    read_lists,
    subtopics_by_column,
    with_intents,
)
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.evaluate.scores import scored_runs
from prum.experiments.evaluate.session_result import SessionsEvaluation
from prum.experiments.fitting.fitted import given_navigation
from prum.experiments.measures.diversity import DIVERSITY
from prum.experiments.measures.judged import Taken
from prum.experiments.measures.measure import Measure, measures_of
from prum.simulator.collections.linking import LinkWatch, brings_links
from prum.simulator.model import InputError

_OF_SPANS = ("chunks", "spans", "texts", "offsets", "need")
_OF_QRELS = (
    "qrels",
    "judgements",
    "unjudged",
    "intents",
    "links",
    "elements",
    "navigation",
    "collection_size",
    "costs",
)


@EVALUATE.function
def evaluate(design: EvaluateDesign) -> EvaluationResult | SessionsEvaluation:
    """Score runs by PRUM and the measures it is compared with, as `prum evaluate` does.

    A topic that a run lacks is an empty list; topics without ideals are left out; all others count
    alike in the mean. Each score is in the unit of its measure (docs/reference/measures.md).

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
    if design.example is not None:
        from prum.experiments.evaluate.given import given_example

        given = {"example": None, **given_example(design.example)}
        result = _evaluated(replace(design, **given))
        return replace(result, arguments={**result.arguments, **design.options()})
    return _evaluated(design)


def _evaluated(design: EvaluateDesign) -> EvaluationResult | SessionsEvaluation:
    if not (is_given(design.judgements) or design.example is not None):
        from prum.experiments.evaluate.by_sessions import evaluate_sessions

        of_sessions = evaluate_sessions(design)
        if of_sessions is not None:
            return of_sessions
    decisive = None if design.primary is None else str(measures_of([design.primary])[0])
    question = Question.of(design, decisive)
    by_spans = {name: getattr(design, name) for name in _OF_SPANS}
    if any(is_given(value) for value in by_spans.values()):
        from prum.experiments.evaluate.by_spans import check_alone, evaluate_spans

        by_qrels = {name: getattr(design, name) for name in _OF_QRELS}
        usual = {"ideal_grade": 1, "ideals": "strict"}
        for name, value in usual.items():
            by_qrels[name] = None if getattr(design, name) == value else getattr(design, name)
        check_alone(by_qrels, by_spans)
        return evaluate_spans(
            given_runs(design.runs),
            **by_spans,
            way=design.way,
            measures=design.measures,
            question=question,
            names=design.names,
            progress=design.progress,
        )
    if design.judgements is not None:
        from prum.experiments.evaluate.uncertain import evaluate_uncertain

        return evaluate_uncertain(design, question)
    if design.unjudged is not None:
        rule, remedy = "be used with judgements that are probabilities", "give judgements"
        raise InputError("unjudged", design.unjudged, rule, remedy=remedy)
    qrels, measures = design.qrels, design.measures
    if qrels is None:
        remedy = "give qrels, or chunks and spans"
        raise InputError("judgements", None, "be given", remedy=remedy)
    runs, links = given_runs(design.runs), given_links(design.links)
    elements = given_elements(design.elements)
    # A run that is a file may be a folder of more, which are counted once they are scored.
    question.check_number(len(runs))
    sources, given = given_costs(design.costs), given_navigation(design.navigation)
    if measures is None:
        browses = links is not None or elements or brings_links(given.kind)
        measures = BROWSING_MEASURES if browses else DEFAULT_MEASURES
    chosen = list(dict.fromkeys(measures_of(measures)))
    for measure in chosen:
        measure.check_of("ideals")
    question.check_measures(tuple(map(str, chosen)), len(runs))
    of_subtopics = {measure.name.measure in DIVERSITY for measure in chosen}
    is_named = isinstance(qrels, Mapping)
    qrels = given_qrels(qrels, by_subtopic=True in of_subtopics)
    judged, without = read_judged(
        qrels,
        elements=elements,
        links=links,
        way=design.way,
        kind=given.kind,
        collection_size=design.collection_size,
        ideal_grade=design.ideal_grade,
        ideals=design.ideals,
        by_subtopic=True in of_subtopics,
        costs=sources,
        credits={measure.credits for measure in chosen},
    )
    if design.intents is not None:
        if True not in of_subtopics:
            rule, remedy = (
                "be used with measures of subtopics",
                f"add one of {', '.join(DIVERSITY)}",
            )
            raise InputError("intents", place_of(design.intents), rule, remedy=remedy)
        judged = with_intents(judged, design.intents)
    told: tuple[str, ...] = ()
    if True in of_subtopics and not is_named:
        told = subtopics_by_column(judged, place=str(place_of(qrels) or "qrels"))
    wanted = {measure.takes for measure in chosen}
    takes: Taken = next((form for form in ("scores", "ties") if form in wanted), "ranking")
    watch = LinkWatch(
        judged[0].collection.linked.links, {topic.topic: topic.ideals for topic in judged}
    )
    lists = watch.through(read_lists(runs, judged, takes=takes, names=design.names))
    learned = given.fitted()
    doubtful = list[Measure]()
    if learned is not None:
        from prum.experiments.evaluate.uncertainty import (
            browses_by_links,
            doubtful_measures,
            uncertainty_of,
        )

        doubtful = doubtful_measures(chosen, judged, primary=decisive)
        if doubtful:  # lists are read again, topic by topic
            kept = list(lists)
            lists = iter(kept)
    made = scored_runs(
        ((system, by_topic, judged) for system, by_topic in lists), chosen, progress=design.progress
    )
    scored = made.scores
    file = links_from(links, given.kind)
    use = watch.use if file is None else watch.checked(file)
    question.check_systems(scored.systems)
    uncertainty, taken_as_known = None, list[str]()
    if learned is not None and doubtful:
        uncertainty = uncertainty_of(
            learned,
            doubtful[0],
            judged,
            [by_topic for _, by_topic in kept],
            scored,
            decide(scored, question),
        )
    elif learned is not None:
        taken_as_known = [str(measure) for measure in chosen if browses_by_links(measure)]
    top = judged[0].collection.highest_grade
    is_taken = top > 1 and any(x.is_by_scale and x.settings["highest"] is None for x in chosen)
    return EvaluationResult(
        scores=scored,
        uncertainty=uncertainty,
        taken_as_known=tuple(taken_as_known),
        question=question,
        without_ideals=tuple(without),
        lists=made.lists,
        links=use,
        size_rises=made.size_rises,
        subtopics_by_column=told,
        scale=top if is_taken and judged[0].grades is not None else None,
        takes_highest=judged[0].subtopics is not None and False in of_subtopics,
    )
