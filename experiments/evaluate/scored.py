"""Runs scored by judgements: from what is given to judged topics, scores, and a result."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from prum.experiments.compare.question import Question
from prum.experiments.compare.scores import folded
from prum.experiments.evaluate.campaigns import task_as_runs
from prum.experiments.evaluate.given import (
    given_costs,
    given_elements,
    given_example,
    given_links,
    given_qrels,
    given_runs,
    is_given,
    place_of,
    refuse,
)
from prum.experiments.evaluate.inputs import (
    CostsGiven,
    links_used,
    read_inputs,
    read_lists,
    with_intents,
)
from prum.experiments.evaluate.remarks import browsing, counting_measures, remarks
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.evaluate.scores import scored_runs
from prum.experiments.evaluate.verb import (
    BROWSING_MEASURES,
    DEFAULT_MEASURES,
    EVALUATE,
    EvaluateDesign,
)
from prum.experiments.measures.diversity import DIVERSITY
from prum.experiments.measures.judged import Taken
from prum.experiments.measures.measure import measures_of
from prum.simulator.collections.expanded import read_expanded
from prum.simulator.collections.fitted_files import file_of
from prum.simulator.collections.linking import brings_links
from prum.simulator.model import InputError
from prum.simulator.model.grammar import parse
from prum.simulator.model.kinds import NAVIGATIONS

if TYPE_CHECKING:
    from prum.experiments.evaluate.session_result import SessionsEvaluation

_OF_SPANS = ("chunks", "spans", "texts", "offsets", "need")


def _ways(navigation: Any) -> dict[str, str]:
    """Return ways to browse by name, where there are several: words with commas between."""
    if isinstance(navigation, Mapping):
        if not all(isinstance(kind, str) for kind in navigation.values()):
            rule, remedy = "be ways to browse, by their names", 'give {"once": "expansion 1"}'
            raise InputError("navigation", navigation, rule, remedy=remedy)
        ways = {str(name): kind for name, kind in navigation.items()}
    elif isinstance(navigation, str) and "," in navigation and file_of(navigation) is None:

        def refused(fault: str) -> InputError:
            rule, remedy = f"name ways to browse: {fault}", "see prum list navigations"
            return InputError("navigation", navigation, rule, remedy=remedy)

        kinds = [" + ".join(map(str, name)) for name in parse(navigation, refused)]
        ways = dict(zip(kinds, kinds, strict=True))
    else:
        return {}
    read = {name: NAVIGATIONS.read(kind) for name, kind in ways.items()}
    written = {name: NAVIGATIONS.write((form.head, x) for form, x in read[name]) for name in read}
    is_named = isinstance(navigation, Mapping)
    return {name if is_named else kind: kind for name, kind in written.items()}


@EVALUATE.function
def evaluate(design: EvaluateDesign) -> "EvaluationResult | SessionsEvaluation":
    """Score runs by PRUM and the measures it is compared with, as `prum evaluate` does.

    A topic that a run lacks is an empty list; topics without ideals are left out, but of measures
    by grades, as nDCG; all others count alike in the mean. Each score is in the unit of its measure
    (docs/reference/measures.md).

    Raises
    ------
    InputError
        for a measure that is none or lacks what it needs, files or data that break a rule or do
        not belong together, a baseline that is no run.
    OSError
        if a file cannot be read.

    >>> runs = {"good": {"q": ["a", "x", "b"]}, "poor": {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}}
    >>> result = evaluate(runs, {"q": {"a": 1, "b": 1, "x": 0}}, measures="AP, P@2")
    >>> result.to_frame()["score"].round(4).tolist()
    [0.8333, 0.5, 0.5833, 0.5]
    """
    if design.example is not None:
        design = replace(design, example=None, **given_example(design.example))
    design = task_as_runs(design)
    if not is_given(design.judgements) and _may_be_sessions(design):
        from prum.experiments.evaluate.sessions import evaluate_sessions

        of_sessions = evaluate_sessions(design)
        if of_sessions is not None:
            return of_sessions
    question = Question.of(design)
    if any(is_given(getattr(design, name)) for name in _OF_SPANS):
        from prum.experiments.evaluate.by_spans import evaluate_spans

        return evaluate_spans(design, question)
    return by_judgements(design, question)


def _may_be_sessions(design: EvaluateDesign) -> bool:
    """Return whether something may be a log of sessions, whose readers take time to load."""
    if any(is_given(getattr(design, name)) for name in ("cost", "budget", "lists")):
        return True
    runs = design.runs if isinstance(design.runs, list | tuple) else [design.runs]
    return not runs or not all(isinstance(run, Mapping) or _is_trec_run(run) for run in runs)


def _is_trec_run(run: Any) -> bool:
    if not (isinstance(run, str | os.PathLike) and os.path.isfile(run)):
        return False
    from prum.simulator.collections.trec import RUN_LINES
    from prum.simulator.tables.files import looked_at

    with looked_at(run) as file:
        return bool(RUN_LINES.columns(file.line))


def by_judgements(design: EvaluateDesign, question: Question) -> EvaluationResult:
    """Return runs scored by judgements: grades, assessments, preferences, or probabilities."""
    qrels, source = design.qrels, None
    if is_given(design.judgements):
        from prum.experiments.evaluate.uncertain import possible_ideals, read_uncertain

        source = read_uncertain(design)
        qrels = possible_ideals(source)
    elif design.unjudged is not None:
        rule, remedy = "be used with judgements that are probabilities", "give judgements"
        raise InputError("unjudged", design.unjudged, rule, remedy=remedy)
    if qrels is None:
        remedy = "give qrels, or chunks and spans"
        raise InputError("judgements", None, "be given", remedy=remedy)
    runs, links = given_runs(design.runs), given_links(design.links, design.way)
    elements, kind, learned = given_elements(design.elements), None, None
    ways = _ways(design.navigation)
    if design.navigation is not None:
        from prum.experiments.fitting.fitted import fitted_of, navigation_kind

        first = next(iter(ways.values()), design.navigation)
        learned = fitted_of(first)
        kind = navigation_kind(first, learned)
    units: CostsGiven = {}
    if design.expanded is not None:
        rule = "go without expanded, which says what was read"
        refuse(design, ("links", "elements", "way", "navigation"), rule)
        links, units = read_expanded(design.expanded)
    # A run that is a file may be a folder of more, which are counted once they are scored.
    question.check_number(len(runs))
    costs = (units, *given_costs(design.costs))
    measures = design.measures
    if measures is None:
        browses = links is not None or elements or brings_links(kind)
        measures = BROWSING_MEASURES if browses else DEFAULT_MEASURES
    chosen = list(dict.fromkeys(measures_of(measures)))
    of_subtopics = {measure.name.measure in DIVERSITY for measure in chosen}
    for measure in chosen:
        measure.check_of("ideals")
        if source is not None and measure.name.measure in DIVERSITY:
            rule, remedy = "be of ideals, not of subtopics", "leave it out, or give qrels"
            raise InputError("measure", str(measure), rule, remedy=remedy)
    question.check_measures(tuple(map(str, chosen)), len(runs))
    if source is None:
        qrels = given_qrels(qrels, by_subtopic=True in of_subtopics)
    judged, without, watch = read_inputs(
        design,
        qrels,
        elements,
        links,
        kind,
        by_subtopic=True in of_subtopics,
        costs=costs,
        credits={measure.credits for measure in chosen},
        by_grade=source is None and not all(measure.needs_ideals for measure in chosen),
    )
    if design.intents is not None:
        if True not in of_subtopics:
            rule = "be used with measures of subtopics"
            remedy = f"add one of {', '.join(DIVERSITY)}"
            raise InputError("intents", place_of(design.intents), rule, remedy=remedy)
        judged = with_intents(judged, design.intents)
    forms = {measure.takes for measure in chosen}
    takes: Taken = next((form for form in ("scores", "ties") if form in forms), "ranking")
    # What looks at all lists of a run at once: trees, links, what was learned.
    collection = judged[0].collection
    by_topic = takes == "ranking" and source is None and design.navigation is None
    by_topic &= collection.elements is None and not watch.use.num_links
    lists = watch.through(
        read_lists(runs, judged, takes=takes, by_topic=by_topic, precision=design.precision)
    )
    # Each way to score returns scores, and what else the result has of them.
    if source is not None:
        from prum.experiments.evaluate.uncertain import expected

        made = expected(design, source, judged, lists, chosen)
    elif learned is not None:
        from prum.experiments.evaluate.uncertainty import scored_by_learned

        made = scored_by_learned(learned, judged, lists, chosen, design.progress)
    else:
        judged_by_way = {
            name: [replace(x, collection=replace(x.collection, kind=kind)) for x in judged]
            for name, kind in ways.items()
        } or {"": judged}
        runs_judged = (
            (f"{system}, {name}" if name else system, ranked, topics)
            for system, ranked in lists
            for name, topics in judged_by_way.items()
        )
        made = scored_runs(runs_judged, chosen, progress=design.progress)
        made["scores"] = folded(made["scores"])
    use = links_used(watch, links, kind)
    question.check_systems(made["scores"].systems)
    top = collection.highest_grade
    is_taken = top > 1 and any(x.is_by_scale and x.settings["highest"] is None for x in chosen)
    lines = remarks(
        made["lists"],
        num_topics=len(judged),
        without_ideals=without,
        by_grade=[topic.topic for topic in judged if not topic.ideals],
        takes_highest=judged[0].subtopics is not None and False in of_subtopics,
        scale=top if is_taken and judged[0].grades is not None else None,
        unsized=counting_measures(chosen) if collection.size is None and source is None else None,
    )
    return EvaluationResult(
        question=question,
        input_remarks=tuple(lines),
        without_ideals=tuple(without),
        links=use,
        read=f"; {browsing(use)}",
        **made,
    )
