"""TREC qrels: judgements by grade, of subtopics, or on INEX's two scales; and ideals."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from prum.simulator.collections.list_tables import judgements_of_table
from prum.simulator.model.assessments import Assessment
from prum.simulator.model.errors import InputError, whole_number
from prum.simulator.tables.files import FilePath, place
from prum.simulator.tables.lines import LineForm
from prum.simulator.tables.names import ELEMENT, GRADE, SUBTOPIC, TOPIC

# Lines of trec_eval; those of MS MARCO, of which each is relevant.
QREL_LINES = LineForm(
    "qrels",
    (("topic", "iteration", "element", "grade"), ("topic", "element")),
    {"topic": TOPIC, "element": ELEMENT, "grade": GRADE, "iteration": SUBTOPIC},
    lacking={"iteration": "0", "grade": "1"},
)
# Grades below the highest are looked for up to this one.
_LONGEST_SCALE = 1_000
# Topic -> element -> subtopic -> grade.
Diverse = Mapping[str, Mapping[str, Mapping[str, float]]]


def read_qrels(path: FilePath) -> dict[str, dict[str, float]]:
    """Return the grades of each topic of a TREC qrels file: ``{topic: {element: grade}}``.

    A line has four columns, ``topic iteration element grade``, separated by blanks or tabs; or two,
    ``topic element``, as MS MARCO has them: what stands there has grade 1. A first line may name
    the columns. Blank lines and those that begin with # are skipped. The iteration is ignored, but
    where an element is judged again for a topic with another one: then the column names subtopics,
    and the highest of the element's grades counts. Grades are whole numbers, or decimals such as
    relevance in [0, 1]; -1 and -2 are TREC's marks for elements that were pooled but not judged,
    and for junk.

    Plain or compressed as `read_run` says.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 a 2\\nq1 0.5 b -1\\nq2 0 a 0.8\\n")
    >>> read_qrels(path)
    {'q1': {'a': 2, 'b': -1}, 'q2': {'a': 0.8}}
    """
    judged = judgements_of_table(path, "", by_subtopic=False, lines=QREL_LINES)
    if dict in kinds_of(judged):
        judged = highest_of_subtopics(judged)
    if Assessment in kinds_of(judged):
        rule, remedy = "be a number", "give assessments like E3S2 to a campaign, or evaluate"
        raise InputError("grades", "assessments", rule, remedy=remedy, place=place(path))
    return judged


def kinds_of(judged: Mapping[str, Mapping[str, Any]]) -> set[type]:
    """Return the types of all judgements."""
    return set(map(type, chain.from_iterable(by.values() for by in judged.values())))


def highest_of_subtopics(qrels: Diverse) -> dict[str, dict[str, float]]:
    """Return each element's highest grade for any subtopic: topic -> element -> grade.

    >>> highest_of_subtopics({"1": {"a": {"x": 0, "y": 2}}})
    {'1': {'a': 2}}
    """
    highest: dict[str, dict[str, float]] = {}
    for topic, by in qrels.items():
        highest[topic] = {}
        for element, grades in by.items():
            if not isinstance(grades, Mapping) or not grades:
                rule = "be a mapping from subtopics to grades, as others are"
                remedy, where = "give its grade for each subtopic", f"qrels, topic {topic}"
                thing = f"judgement of {element!r}"
                raise InputError(thing, grades, rule, remedy=remedy, place=where)
            highest[topic][element] = max(grades.values())
    return highest


def ideals_of(
    qrels: Mapping[str, Mapping[str, float]], *, ideal_grade: int = 1
) -> dict[str, tuple[str, ...]]:
    """Return the ideal elements of each topic, sorted: those that reach `ideal_grade`.

    A topic none of whose elements is ideal has an empty tuple.

    >>> ideals_of({"q1": {"b": 2, "a": 1, "c": -1}, "q2": {"a": 0}})
    {'q1': ('a', 'b'), 'q2': ()}
    >>> ideals_of({"q": {"b": 0.8, "a": 0.5, "c": 0.4}})
    {'q': ('a', 'b')}
    """
    least = whole_number(
        "ideal_grade", ideal_grade, least=1, remedy="give the lowest grade that counts as ideal"
    )
    return {
        topic: tuple(sorted(element for element, grade in grades.items() if reaches(grade, least)))
        for topic, grades in qrels.items()
    }


def reaches(grade: float, least: int) -> bool:
    """Return whether a grade counts as `least` or more, decimals as they stand.

    But relevance in [0, 1] reaches 1 from 1/2, the threshold of Mizzaro (2001).

    >>> reaches(2, 2), reaches(0.5, 1), reaches(0.49, 1), reaches(1.5, 2)
    (True, True, False, False)
    """
    return grade >= (0.5 if least == 1 else least)


def scale_of(judgements: Mapping[str, Mapping[str, float]]) -> tuple[float, str]:
    """Return the grade that is worth 1, and why judgements do not tell it, if they don't.

    It is the highest; of decimals in [0, 1] it is 1. Decimals above 1 do not tell where their scale
    ends, nor do whole grades of which some below the highest were never given.

    >>> scale_of({"q": {"a": 2, "b": 1, "c": 0}}), scale_of({"q": {"a": 0.8, "b": 0.1}})
    ((2, ''), (1, ''))
    >>> scale_of({"q": {"a": 4, "b": 2, "c": 1}})
    (4, 'no element has grade 3, so that the scale may go on beyond 4')
    """
    given = {grade for grades in judgements.values() for grade in grades.values()}
    top = max(given, default=1)
    if all(float(grade).is_integer() for grade in given):
        missing = set(range(1, min(int(top), _LONGEST_SCALE))) - given
        if not missing:
            return top, ""
        rest = f"the scale may go on beyond {top:g}"
        return top, f"no element has grade {min(missing)}, so that {rest}"
    if top <= 1:
        return 1, ""
    return top, f"grades are decimals, up to {top:g}, and do not tell the highest of the scale"
