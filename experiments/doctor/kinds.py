"""What a file is and holds: kinds by the columns or lines that their readers take."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prum.experiments.compare.score_files import SCORE_LINE, rows_of_files, score_files
from prum.experiments.frame.numbers import count
from prum.experiments.logs import read_sessions, read_trajectories
from prum.experiments.logs.trajectories.read import is_log
from prum.experiments.measures.aliases import is_measure
from prum.simulator import collections
from prum.simulator.collections.judgements import judges_from, systems_in
from prum.simulator.collections.links import read_pairs
from prum.simulator.collections.preferences import PREFERENCE_LINES
from prum.simulator.collections.qrels import QREL_LINES
from prum.simulator.collections.trec import RUN_LINES, named_runs
from prum.simulator.model import InputError
from prum.simulator.tables import names as roles
from prum.simulator.tables.files import looked_at
from prum.simulator.tables.forms import read_json
from prum.simulator.tables.layout import numbers_of
from prum.simulator.tables.read import form_of, tables

# The highest grade, and how many names or grades are told.
_HIGHEST, _MOST = 10, 6
# What a file holds by its nouns: ids, which are counted, or words.
Held = Mapping[str, Collection[Any]]


@dataclass(frozen=True)
class Looked:
    """What a file is and holds, or what is wrong with it."""

    path: str
    kind: str = "unknown"
    holds: str = ""
    held: Held = field(default_factory=dict)
    fault: str = ""

    @property
    def elements(self) -> Mapping[str, Collection[str]]:
        """Topic -> elements; none of what has no elements, and all under "" without topics."""
        topics = self.held.get("topic", self.held.get("question"))
        if topics is None:
            return {"": self.held.get("element", self.held.get("chunk", ()))}
        return topics if isinstance(topics, Mapping) else dict.fromkeys(topics, ())

    def shared(self, other: "Looked") -> set[str]:
        """Return the topics of both files; of what has none the elements."""
        both = self.elements, other.elements
        if "" in both[0] or "" in both[1]:
            return set.intersection(*(set().union(*groups.values()) for groups in both))
        return both[0].keys() & both[1].keys()


def _run(path: str) -> Held:
    """Return systems, topics with their elements, and how many are tied."""
    systems = {
        system: lists
        for name, file in named_runs([path])
        for system, lists in systems_in(name, file, takes="ties").items()
    }
    elements, num, sizes = dict[str, set[str]](), 0, list[int]()
    for topic, items in (pair for lists in systems.values() for pair in lists.items()):
        for item in items:
            sizes.append(1 if isinstance(item, str) else len(item))
            elements.setdefault(topic, set()).update([item] if isinstance(item, str) else item)
        num += 1
    tied = 100 * sum(size for size in sizes if size > 1) / max(sum(sizes), 1)
    said = f"{sum(sizes) / max(num, 1):,.0f} elements a list, {tied:.0f} % of them tied"
    return {"system": systems, "topic": elements, "said": said}


def _judgements(path: str) -> Held:
    """Return topics, elements and grades; of several judges, those of the first."""
    judges = judges_from(path, path)
    grades, assessed, *_ = next(iter(judges.values()))
    judged = assessed or grades
    of_judges = {"judge": judges} if len(judges) > 1 else {}
    every = [grade for by in grades.values() for grade in by.values()]
    levels = ", ".join(f"{grade:g}" for grade in sorted(set(every))[:_MOST])
    without = sum(all(grade <= 0 for grade in by.values()) for by in grades.values())
    said = f"judged, {sum(grade > 0 for grade in every):,} ideal, grades {levels}"
    said += f", {without} of the topics without an ideal" * (without > 0)
    pairs = [(topic, element) for topic, by in judged.items() for element in by]
    return of_judges | {"topic": judged, "element": pairs, "said": said if every else "judged"}


def _rows(noun: str, read: Callable[[str], Iterable[Any]], *named: str) -> Callable[[str], Held]:
    """Return the reader of a file of rows, which name something."""

    def held(path: str) -> Held:
        rows = list(read(path))
        ids = {name: {x: () for row in rows if (x := getattr(row, name))} for name in named}
        return {noun: rows, **{name: each for name, each in ids.items() if each}}

    return held


def _read(read: Callable[[str], Any], **nouns: str) -> Callable[[str], Held]:
    """Return the reader of a file, by the attributes that hold the ids of each noun."""

    def held(path: str) -> Held:
        made = read(path)
        return {noun: getattr(made, name) if name else made for noun, name in nouns.items()}

    return held


_SCORES = _rows(
    "score", lambda path: rows_of_files(score_files([path])), "system", "topic", "measure"
)
_CHANCES = collections.read_judgement_probabilities
# What files look like, a table by its columns, those in brackets optional; and what reads them. Of
# several that have the columns the first counts.
KINDS: Mapping[str, tuple[str, Callable[[str], Held]]] = {
    "sessions": (
        "logs of agents: ATIF, OpenTelemetry, ...",
        _rows("session", read_trajectories, "system", "topic", "trial"),
    ),
    "preferences": ("topic, preferred, other", _judgements),
    "judgements": ("topic, element, grade; topic 0 element grade", _judgements),
    "run": ("topic, element, score; topic Q0 element rank score tag", _run),
    "links": (
        "source, target, probability",
        _read(collections.read_links, link="", element="elements"),
    ),
    "edges": ("source, target", _read(read_pairs, link="", element="elements")),
    "elements": ("element, parent, length", _read(collections.read_elements, element="ids")),
    "documents": ("XML files", _read(collections.read_xml, element="ids")),
    "scores": ("[system], topic, measure, value; trec_eval -q", _SCORES),
    "probabilities": ("topic, element, probability", _read(_CHANCES, topic="elements")),
    "gold spans": ("question, [doc], start, [end]", _read(collections.read_gold, question="spans")),
    "chunks": (
        "chunk, [doc], start, [end]",
        _read(collections.read_chunks, chunk="ids", document="documents"),
    ),
    "log": ("session, page", _read(read_sessions, session="", visit="element", element="elements")),
}
_NAMES: Mapping[str, Sequence[str]] = {
    **{name.lower(): names for name, names in vars(roles).items() if isinstance(names, tuple)},
    "grade": [name for name in roles.GRADE if name not in roles.SCORE],
    "score": (*roles.SCORE, *roles.RANK),
    "question": (*roles.QUESTION[:-1], *roles.WORDS),
    "start": (*roles.START, "references"),
    "probability": ("probability", "weight"),
}


def _are_grades(values: Iterable[Any]) -> bool:
    """Return whether numbers are grades, also where they are called scores, as BEIR does."""
    return all(isinstance(x, int | float) and x % 1 == 0 and -3 < x <= _HIGHEST for x in values)


def _of_table(path: str, form: str) -> list[str]:
    """Return the kind of a table; raise InputError for none, with what it lacks for the nearest."""
    names = list[str]()

    def choice(columns: Sequence[str], _: str) -> list[str]:
        names[:] = columns
        score = roles.column_of(columns, roles.SCORE)
        return list(columns) if score is None else [score]

    first = next(tables(path, choice, suffix=form), None)
    needs = {kind: looks.split(";")[0].split(", ") for kind, (looks, _) in KINDS.items()}
    lacks, shares = dict[str, list[str]](), dict[str, float]()
    for kind, each in needs.items():
        needed = [name for name in each if name[0] != "["]
        lacks[kind] = [x for x in needed if not roles.column_of(names, _NAMES.get(x, (x,)))]
        shares[kind] = len(lacks[kind]) / len(needed)
    kind = min(shares, key=shares.__getitem__)
    if kind == "run" and first is not None and roles.column_of(names, roles.SYSTEM) is None:
        cells = next(iter(first.columns.values()))
        if roles.column_of(names, roles.SCORE) and _are_grades(numbers_of(list(map(str, cells)))):
            return ["judgements"]
    measured = [x for x in names if is_measure(x) and roles.plain(x) not in roles.VALUE]
    if shares[kind] and measured and roles.column_of(names, roles.ELEMENT) is None:
        return ["scores"]
    if shares[kind]:
        rule = f"be of some kind; nearest are {kind} ({', '.join(needs[kind])})"
        remedy = f"add {', '.join(lacks[kind])}, or call a column so"
        raise InputError("columns", ", ".join(names[:_MOST]), rule, remedy=remedy)
    return [kind]


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


def _kinds_of(path: str) -> list[str]:
    """Return what a file may be; raise InputError for what is nothing known."""
    if is_log(path):
        return ["sessions"]
    with looked_at(path) as file:
        form, line = form_of(file, RUN_LINES, QREL_LINES), file.line
    text = line.decode("utf-8", "replace")
    kinds = ["run"] * bool(RUN_LINES.columns(line))
    if form in (".json", ".xml"):
        is_json = form == ".json"
        kinds = _of_json(read_json(path)) if is_json else ["judgements", "run", "documents"]
    elif form:
        return _of_table(path, form)
    elif QREL_LINES.columns(line) or PREFERENCE_LINES.columns(line):
        kinds = ["judgements"]
    # Three numbers are the run of MS MARCO.
    if not form and SCORE_LINE.fullmatch(text) and not text.replace(" ", "").isdigit():
        kinds = ["scores"]
    if not kinds and not text.startswith("runid"):
        remedy = "see prum doctor for what to bring"
        raise InputError("beginning", text[:40], "be of some kind", remedy=remedy)
    return kinds or ["scores"]


def look(path: str) -> Looked:
    """Return what a file is and holds; of one that breaks the rules of its kind, what is wrong."""
    try:
        kinds, fault = _kinds_of(path), ""
    except InputError as error:
        return Looked(path, fault=str(error))
    for kind in kinds:
        try:
            held = KINDS[kind][1](path)
        except InputError as error:
            fault = fault or str(error)
            continue
        parts = (x if noun == "said" else count(len(x), noun) for noun, x in held.items())
        holds = ", ".join(map(str, parts)).replace(", judged", " judged")
        return Looked(path, "elements" if kind == "documents" else kind, holds, held)
    return Looked(path, kinds[0], fault=fault)
