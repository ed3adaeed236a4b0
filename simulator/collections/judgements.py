"""Judgements and runs in any form: TREC's lines, INEX's XML, or tables with names."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast, get_args

from prum.simulator.collections.list_tables import (
    checked_grades,
    judgements_of_table,
    judges_of_table,
    mapping_in,
    runs_of_table,
)
from prum.simulator.collections.preferences import (
    PREFERENCE_LINES,
    Preferences,
    read_trec_preferences,
    relevance_by_preference,
)
from prum.simulator.collections.qrels import (
    QREL_LINES,
    Diverse,
    highest_of_subtopics,
    kinds_of,
    scale_of,
)
from prum.simulator.collections.trec import (
    RUN_LINES,
    ListForm,
    RankedLists,
    named_runs,
    ranked_of,
    read_run,
)
from prum.simulator.collections.xml import read_inex_assessments, read_inex_run
from prum.simulator.model.assessments import (
    Assessment,
    best_on_each_path,
    check_propagation,
    generalised,
    strict_ideals,
)
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import FilePath, Opened, looked_at, place
from prum.simulator.tables.layout import once
from prum.simulator.tables.read import form_of, is_one_table

# Which elements are ideal by assessments: those assessed E3S3, or the best of each path.
IdealChoice = Literal["strict", "best"]

Assessed = Mapping[str, Mapping[str, Assessment]]
Graded = Mapping[str, Mapping[str, float]]
# Topic -> ranking.
Lists = Mapping[str, tuple[str, ...]]


class ReadJudgements(NamedTuple):
    """The judgements of all topics: assessments, grades of subtopics, or pairs, if they were so.

    `grades` are what elements have, made of preferences by `relevance_by_preference`; none of
    assessments.
    """

    grades: Graded
    assessed: Assessed | None = None
    subtopics: Diverse | None = None
    preferences: Preferences | None = None


def judgements_from(
    qrels: FilePath | Graded | Assessed | Diverse | Preferences, *, by_subtopic: bool = False
) -> ReadJudgements:
    """Return what a file judges, or judgements that are held in Python.

    With `by_subtopic`, the second column of qrels names subtopics although no element has several.
    """
    if isinstance(qrels, Mapping):
        return judgements_of(qrels)
    with looked_at(qrels) as file:
        form = form_of(file, QREL_LINES, PREFERENCE_LINES)
        if form == ".json":
            return judgements_of(checked_grades(mapping_in(file), place(file)))
        if form == ".xml":
            return ReadJudgements({}, read_inex_assessments(file))
        if not form and PREFERENCE_LINES.columns(file.line):
            return judgements_of(read_trec_preferences(file))
        lines = None if form else QREL_LINES
        judged = judgements_of_table(
            file, place(file), by_subtopic=by_subtopic, suffix=form, lines=lines
        )
        return judgements_of(judged)


def judges_from(name: str, judges: Any) -> dict[str, ReadJudgements]:
    """Return what each judge of a file or a table says; `name` is that of one without.

    Each trial of a judge is one. Raise InputError or OSError as `judgements_from`.
    """
    if isinstance(judges, Mapping):
        return {name: judgements_from(judges)}
    if is_one_table(judges):
        tables = judges_of_table(judges, name, name)
    else:
        with looked_at(judges) as file:
            form = form_of(file, QREL_LINES, PREFERENCE_LINES)
            if form in ("", ".xml"):
                return {name: judgements_from(file)}
            if form == ".json":
                content = mapping_in(file)
                grades = [grade for by in content.values() for grade in by.values()]
                is_deep = grades and all(isinstance(grade, Mapping) for grade in grades)
                named = content if is_deep else {name: content}
                return {
                    judge: judgements_of(checked_grades(by, place(file)))
                    for judge, by in named.items()
                }
            tables = judges_of_table(file, place(file), name, suffix=form)
    return {judge: judgements_of(judged) for judge, judged in tables.items()}


def judgements_of(qrels: Graded | Assessed | Diverse | Preferences) -> ReadJudgements:
    """Return judgements of any kind as `judgements_from` does."""
    if not all(isinstance(by, Mapping) for by in qrels.values()):
        preferences = cast(Preferences, qrels)
        grades = {topic: relevance_by_preference(pairs) for topic, pairs in preferences.items()}
        return ReadJudgements(grades, preferences=preferences)
    judged: Any = qrels
    kinds = kinds_of(judged)
    if any(issubclass(kind, Mapping) for kind in kinds):
        return ReadJudgements(highest_of_subtopics(judged), subtopics=judged)
    return ReadJudgements({}, judged) if Assessment in kinds else ReadJudgements(judged)


def relevance_of(grades: Graded, assessed: Assessed | None, topic: str) -> dict[str, float]:
    """Return what judged elements of a topic are worth, in [0, 1]: `generalised`, or by grades.

    A grade is a share of the highest of all; decimals up to 1 are relevance as they are.

    >>> relevance_of({"q": {"a": 2, "b": 1, "c": -1}}, None, "q")
    {'a': 1.0, 'b': 0.5, 'c': 0.0}
    """
    if assessed is not None:
        return {element: generalised(assessment) for element, assessment in assessed[topic].items()}
    top, unsure = scale_of(grades)
    if unsure:
        rule = f"tell which is worth 1: {unsure}"
        raise InputError("grades", top, rule, remedy="write relevance in [0, 1], as decimals")
    return {element: max(grade, 0) / top for element, grade in grades[topic].items()}


def systems_in(
    name: str,
    file: Opened,
    *,
    takes: ListForm = "ranking",
    precision: str = "double",
    texts: dict[str, str] | None = None,
) -> dict[str, RankedLists]:
    """Return system -> topic -> list: of a run, which is called by its name, or of a table.

    Lists have the form that is taken, as `read_run` says.
    """
    form = form_of(file, RUN_LINES)
    if not form:
        return {name: read_run(file, texts=texts, takes=takes, precision=precision)}
    if form == ".xml":
        if takes == "scores":
            rule, remedy = "have scores of all elements", "give a TREC run"
            raise InputError("run", name, rule, remedy=remedy, place=place(file))
        return {name: RankedLists(read_inex_run(file))}
    if form == ".json":
        systems: Mapping[str, Any] = {name: mapping_in(file)}
    else:
        systems = runs_of_table(file, place(file), name, suffix=form)
    try:
        return {x: ordered(by_topic, takes, precision) for x, by_topic in systems.items()}
    except InputError as error:
        raise error.at(place(file)) from None


def ordered(
    lists: Mapping[str, Any], takes: ListForm = "ranking", precision: str = "double"
) -> RankedLists:
    """Return lists with those that have scores in the order of `read_run`, in a form."""
    made = RankedLists()
    for topic, ranked in lists.items():
        if isinstance(ranked, Mapping):
            made.add(topic, ranked_of(ranked, precision), takes)
        else:
            made[topic] = ranked
    return made


def lists_of_runs(runs: Sequence[FilePath]) -> Iterator[tuple[str, Lists, Opened]]:
    """Yield each system with its lists, and its file, named as by `named_runs`."""
    texts, run_of = dict[str, str](), dict[str, str]()
    for name, file in named_runs(runs):
        for system, lists in systems_in(name, file, texts=texts).items():
            once(run_of, system, "system", place(file))
            run_of[system] = name
            yield system, lists, file


def check_judged(lists: Collection[str], topics: Sequence[str], place: str) -> None:
    """Raise InputError for a run that has no list of any judged topic."""
    if not any(topic in lists for topic in topics):
        rule = f"be among those judged, like {topics[0]!r}"
        remedy = "check that run and judgements belong together"
        raise InputError("topics of a run", list(lists)[:3], rule, remedy=remedy, place=place)


def assessed_ideals(
    assessed: Assessed, tree: Elements | None, choice: str, *, place: str
) -> dict[str, tuple[str, ...]]:
    """Return the ideals of each topic; those of "best" by the generalised quantisation.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40)})
    >>> judged = {"1": {"a": Assessment(3, 3), "b": Assessment(3, 3)}}
    >>> [assessed_ideals(judged, tree, choice, place="") for choice in ("strict", "best")]
    [{'1': ('a', 'b')}, {'1': ('b',)}]
    """
    if choice not in get_args(IdealChoice):
        rule = f"be one of {', '.join(get_args(IdealChoice))}"
        raise InputError("ideals", choice, rule, remedy="choose one")
    if tree is None and choice == "best":
        rule = "be chosen on paths of elements"
        raise InputError("ideals", choice, rule, remedy="give --elements")
    ideals = {}
    for topic, assessments in assessed.items():
        if tree is not None:
            check_propagation(assessments, tree, place=f"{place}, topic {topic}")
        if tree is None or choice == "strict":
            ideals[topic] = strict_ideals(assessments)
        else:
            worth = {x: generalised(assessment) for x, assessment in assessments.items()}
            ideals[topic] = best_on_each_path(worth, tree)
    return ideals
