"""What a file is and holds: kinds by the columns or lines that their readers take."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from prum.experiments.compare.score_files import rows_of_files, score_files
from prum.experiments.frame.numbers import count
from prum.experiments.logs import read_sessions, read_trajectories
from prum.experiments.logs.trajectories.read import is_log
from prum.experiments.measures.aliases import is_measure
from prum.simulator import collections
from prum.simulator.collections.judgements import judgements_from, systems_in
from prum.simulator.collections.links import read_pairs
from prum.simulator.collections.preferences import PREFERENCE_LINES
from prum.simulator.collections.qrels import QREL_LINES
from prum.simulator.collections.trec import RUN_LINES, named_runs
from prum.simulator.model import InputError
from prum.simulator.model.errors import printable
from prum.simulator.tables import names as roles
from prum.simulator.tables.files import looked_at
from prum.simulator.tables.forms import read_json
from prum.simulator.tables.layout import numbers_of
from prum.simulator.tables.read import form_of, tables

# The first ranks, of which judgements tell most; the highest grade, and how many are named.
TOP, _HIGHEST, _GRADES = 10, 10, 6
_SCORED = re.compile(r"\S+\s+\S+\s+([+-]?[0-9.]+([eE][+-]?[0-9]+)?|[nN]a[nN])")
_ARCHIVES, _TEXTS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz"), (".md", ".txt", ".rst")
Groups = Mapping[str, Sequence[str] | set[str]]


@dataclass(frozen=True)
class Looked:
    """What a file is and holds: topics with their elements, of links and trees under no topic.

    `first` are the elements of the first ranks of a run, or the measures of scores; `number` is
    that of systems.
    """

    holds: str
    elements: Groups = field(default_factory=dict)
    first: Groups = field(default_factory=dict)
    grades: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    number: int = 1
    path: str = ""
    kind: str = "unknown"
    fault: str = ""

    def shared(self, other: "Looked") -> list[str]:
        """Return the topics of both files; of what has none the elements."""
        if "" in self.elements or "" in other.elements:
            elements, others = (set().union(*x.elements.values()) for x in (self, other))
            return sorted(elements & others)
        return [topic for topic in self.elements if topic in other.elements]


def _counted(counts: Mapping[str, int], elements: Groups, more: str = "", **also: Any) -> Looked:
    said = ", ".join(count(number, name) for name, number in counts.items())
    return Looked(said + more, elements, **also)


def _run(path: str) -> Looked:
    runs = [
        lists
        for name, file in named_runs([path])
        for lists in systems_in(name, file, takes="ties").values()
    ]
    places = [x for by in runs for items in by.values() for x in items]
    ties = sum(len(x) for x in places if isinstance(x, tuple))
    num = sum(1 if isinstance(x, str) else len(x) for x in places)
    elements, first = dict[str, set[str]](), dict[str, set[str]]()
    for topic, items in ((topic, items) for by in runs for topic, items in by.items()):
        ranking = [x for item in items for x in ([item] if isinstance(item, str) else item)]
        elements.setdefault(topic, set()).update(ranking)
        first.setdefault(topic, set()).update(ranking[:TOP])
    mean, share = num / max(sum(map(len, runs)), 1), 100 * ties / max(num, 1)
    more = f", {mean:,.0f} elements a list, {share:.0f} % of them tied"
    counts = {"system": len(runs), "topic": len(elements)}
    return _counted(counts, elements, more, first=first, number=len(runs))


def _judgements(path: str) -> Looked:
    grades, assessed, subtopics, preferences = judgements_from(path)
    elements = {topic: set(by) for topic, by in (assessed or grades).items()}
    counts = {"topic": len(elements), "element": sum(map(len, elements.values()))}
    if assessed is not None or preferences is not None:
        scales = "two by two" if assessed is None else "on two scales"
        return _counted(counts, elements, f" judged {scales}")
    levels = sorted({grade for by in grades.values() for grade in by.values()})
    ideals = [sum(grade > 0 for grade in by.values()) for by in grades.values()]
    more = f" judged, {sum(ideals):,} ideal" + ", by subtopic" * (subtopics is not None)
    more += f", grades {', '.join(f'{x:g}' for x in levels)}" * (len(levels) <= _GRADES)
    more += f", {ideals.count(0)} of the topics without an ideal" * (0 in ideals)
    return _counted(counts, elements, more, grades=grades)


def _scores(path: str) -> Looked:
    rows = list(rows_of_files(score_files([path])))
    named = zip(*((row.system, row.topic, row.measure) for row in rows), strict=True)
    systems, topics, measures = map(dict.fromkeys, named)
    counts = {"system": len(systems), "topic": len(topics), "measure": len(measures)}
    more, first = f": {', '.join([*measures][:3])}", {"": set(measures)}
    return _counted(counts, dict.fromkeys(topics, ()), more, first=first, number=len(systems))


def _agents(path: str) -> Looked:
    made = list(read_trajectories(path))
    topics = dict.fromkeys((x.topic for x in made), ())
    counts = {"session": len(made), "system": len({x.system for x in made})}
    counts |= {"topic": len(topics), "action": sum(len(x.actions) for x in made)}
    return _counted(counts, topics)


def _log(path: str) -> Looked:
    log = read_sessions(path)
    counts = {"session": len(log), "visit": len(log.element)}
    return _counted(counts, {"": set(log.elements)})


def _links(path: str, read: Callable[[str], Any] = collections.read_links) -> Looked:
    links = read(path)
    counts = {"link": len(links), "element": len(links.elements)}
    return _counted(counts, {"": set(links.elements)})


def _elements(path: str, read: Callable[[str], Any] = collections.read_elements) -> Looked:
    tree = read(path)
    return _counted({"element": len(tree.ids)}, {"": set(tree.ids)})


def _chunks(path: str) -> Looked:
    made = collections.read_chunks(path)
    return _counted({"chunk": len(made), "document": len(made.documents)}, {"": set(made.ids)})


def _gold(path: str) -> Looked:
    spans = collections.read_gold(path).spans
    counts = {"question": len(spans), "span": sum(map(len, spans.values()))}
    return _counted(counts, dict.fromkeys(spans, ()))


def _probabilities(path: str) -> Looked:
    elements = collections.read_judgement_probabilities(path).elements
    return _counted({"topic": len(elements)}, elements)


class Kind(NamedTuple):
    """A kind of file: what it looks like, its reader, and the columns of a table by their names."""

    looks: str
    read: Callable[[str], Looked]
    columns: tuple[Sequence[str], ...] = ()


_ENDS, _LISTED = (("source",), ("target",)), (roles.TOPIC, roles.ELEMENT)
_GRADE = tuple(name for name in roles.GRADE if name not in roles.SCORE)
_ASKED = (*roles.QUESTION[:-1], *roles.WORDS)
# Of several that have the columns the first counts.
KINDS: Mapping[str, Kind] = {
    "sessions": Kind("logs of agents: ATIF, OpenTelemetry, ...", _agents),
    "preferences": Kind(
        "topic, preferred, other", _judgements, (roles.TOPIC, roles.PREFERRED, roles.OTHER)
    ),
    "judgements": Kind(
        "topic 0 element grade; topic, element, grade", _judgements, (*_LISTED, _GRADE)
    ),
    "run": Kind(
        "topic Q0 element rank score tag; topic, element, score",
        _run,
        (*_LISTED, (*roles.SCORE, *roles.RANK)),
    ),
    "links": Kind("source, target, probability", _links, (*_ENDS, ("probability", "weight"))),
    "edges": Kind("source, target", partial(_links, read=read_pairs), _ENDS),
    "elements": Kind(
        "element, parent, length; XML files",
        _elements,
        (roles.ELEMENT, roles.PARENT, ("length",)),
    ),
    "documents": Kind("XML files", partial(_elements, read=collections.read_xml)),
    "scores": Kind(
        "system, topic, measure, score; trec_eval -q",
        _scores,
        (roles.TOPIC, roles.MEASURE, roles.VALUE),
    ),
    "probabilities": Kind(
        "topic, element, probability", _probabilities, (*_LISTED, ("probability",))
    ),
    "gold spans": Kind("question, doc, start, end", _gold, (_ASKED, ("references", *roles.START))),
    "chunks": Kind("id, doc, start, end", _chunks, (roles.CHUNK, roles.START)),
    "log": Kind("session, element", _log, (roles.SESSION, roles.PAGE)),
}


def _are_grades(values: Iterable[Any]) -> bool:
    """Return whether numbers are grades, also where they are called scores, as BEIR does."""
    return all(isinstance(x, int | float) and x % 1 == 0 and -3 < x <= _HIGHEST for x in values)


def _of_table(path: str, form: str) -> tuple[list[str], str, str]:
    """Return the kind of a table; of none what it holds, and what it lacks to be of the nearest."""
    names = list[str]()

    def choice(columns: Sequence[str], _: str) -> list[str]:
        names[:] = columns
        score = roles.column_of(columns, roles.SCORE)
        return list(columns) if score is None else [score]

    first = next(tables(path, choice, suffix=form), None)
    lacks = {
        name: [x[0] for x in kind.columns if roles.column_of(names, x) is None]
        for name, kind in KINDS.items()
        if kind.columns
    }
    kinds = [name for name, lack in lacks.items() if not lack][:1]
    if kinds == ["run"] and first is not None and roles.column_of(names, roles.SYSTEM) is None:
        cells = next(iter(first.columns.values()))
        if roles.column_of(names, roles.SCORE) and _are_grades(numbers_of(list(map(str, cells)))):
            return ["judgements"], "", ""
    measured = [x for x in names if is_measure(x) and roles.plain(x) not in roles.VALUE]
    if not kinds and measured and roles.column_of(names, roles.ELEMENT) is None:
        return ["scores"], "", ""
    name = min(lacks, key=lambda x: len(lacks[x]) / len(KINDS[x].columns))
    fault = f"nearest to {name} ({KINDS[name].looks}): add {', '.join(lacks[name])}"
    held = f"columns {printable(', '.join(names[:_GRADES]))}"
    return kinds, held, f"{fault}, or call a column so"


def _of_json(content: Any) -> list[str]:
    """Return the kind of what JSON holds as a whole, by topics, or by measures."""
    outer = content if isinstance(content, dict) else {}
    by = [x for x in outer.values() if isinstance(x, dict)]
    measures = [*outer, *(name for x in by for name in x)]
    if "tests" in outer:
        return ["gold spans"]
    if {"means", "task_name"} & outer.keys() or any(map(is_measure, measures)):
        return ["scores"]
    if not by or len(by) < len(outer):
        return []
    return ["judgements" if _are_grades(x for y in by for x in y.values()) else "run"]


def _kinds_of(path: str) -> tuple[list[str], str, str]:
    """Return what a file may be; what it holds, and lacks, if that is nothing known."""
    with looked_at(path) as file:
        form, line = form_of(file, RUN_LINES, QREL_LINES), file.line
    words, text = line.split(), printable(line.decode("utf-8", "replace")[:40])
    if b"\0" in line and form != ".parquet":
        return [], "no text", ""
    if form == ".json":
        return _of_json(read_json(path)), "JSON", ""
    if form == ".xml":
        return ["judgements", "run", "documents"], "XML", ""
    if form:
        return _of_table(path, form)
    if words[:1] == [b"runid"] or (_SCORED.fullmatch(text) and not all(map(bytes.isdigit, words))):
        return ["scores"], "", ""
    if QREL_LINES.columns(line) or PREFERENCE_LINES.columns(line):
        return ["judgements"], "", ""
    return (
        ["run"] * bool(RUN_LINES.columns(line)),
        f"lines, begins {text!r}" if text else "lines",
        "",
    )


def look(path: str) -> Looked:
    """Return what a file is and holds; of one that breaks the rules of its kind, what is wrong."""
    if path.lower().endswith(_ARCHIVES):
        return Looked("an archive, to be unpacked first", path=path)
    kinds, held, fault, faults = ["sessions"], "", "", list[str]()
    try:
        if not is_log(path):
            kinds, held, fault = _kinds_of(path)
        for kind in kinds:
            try:
                made = KINDS[kind].read(path)
                return replace(made, path=path, kind="elements" if kind == "documents" else kind)
            except InputError as error:
                faults.append(str(error))
    except InputError as error:
        return Looked("", path=path, fault=str(error))
    if path.lower().endswith(_TEXTS):
        return Looked("a document, one of a folder for --texts", path=path, kind="text")
    if faults:
        return Looked("", path=path, kind=kinds[0], fault=faults[0])
    return Looked(held, path=path, fault=fault)
