"""What a file is and holds: kinds by their columns or first lines, as their readers have them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from prum.experiments.compare.score_files import rows_of_files, score_files
from prum.experiments.evaluate.inputs import read_lists
from prum.experiments.frame.numbers import count
from prum.experiments.logs import read_sessions, read_trajectories
from prum.experiments.logs.trajectories.read import is_log
from prum.experiments.measures.aliases import is_measure
from prum.experiments.measures.judged import Collection, Judged
from prum.simulator import collections
from prum.simulator.collections.clicks import read_click_log, read_click_totals
from prum.simulator.collections.judgements import judgements_in, lists_of_runs
from prum.simulator.collections.links import read_pairs
from prum.simulator.model import InputError
from prum.simulator.model.errors import printable
from prum.simulator.model.json_text import json_value
from prum.simulator.tables import names as known
from prum.simulator.tables.files import looked_at
from prum.simulator.tables.json_files import read_json
from prum.simulator.tables.layout import numbers_of
from prum.simulator.tables.read import read, suffix_of
from prum.simulator.tables.schemas import SCHEMAS

# The first ranks, of which judgements tell most; the highest grade, and how many are named.
TOP, _HIGHEST, _GRADES = 10, 10, 6
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?|[nN]a[nN]|E\dS\d")
# What a column may be called: prose is longer.
_NAME = re.compile(r"[\w.:/@()-]{1,40}( [\w.:/@()-]{1,40}){0,2}")
_ARCHIVES, _TEXTS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz"), (".md", ".txt", ".rst")
_XML = (".xml", ".page", ".xhtml")
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
            own, others = (set().union(*x.elements.values()) for x in (self, other))
            return sorted(own & others)
        return [topic for topic in self.elements if topic in other.elements]


def _run(path: str) -> Looked:
    runs = [by for _, by, _ in lists_of_runs([path])]
    listed: dict[str, list[tuple[str, ...]]] = {}
    for topic, ranking in ((topic, x) for by in runs for topic, x in by.items()):
        listed.setdefault(topic, []).append(ranking)
    stub = Judged(min(listed, default=""), (), {}, None, Collection())
    tied = [by.values() for _, by in read_lists([path], [stub], takes="ties")]
    items = [x for by in tied for ranking in by for x in ranking]
    num = sum(len(x) for by in runs for x in by.values())
    ties = 100 * sum(len(x) for x in items if isinstance(x, tuple)) / max(num, 1)
    said = f"{count(len(runs), 'system')}, {count(len(listed), 'topic')}, "
    said += f"{num / max(sum(map(len, runs)), 1):,.0f} elements a list, {ties:.0f} % of them tied"
    elements = {topic: {x for own in by for x in own} for topic, by in listed.items()}
    first = {topic: {x for own in by for x in own[:TOP]} for topic, by in listed.items()}
    return Looked(said, elements, first, number=len(runs))


def _judgements(path: str) -> Looked:
    with looked_at(path) as file:
        grades, assessed, subtopics, preferences = judgements_in(file)
    elements = {topic: set(by) for topic, by in (assessed or grades).items()}
    num_judged = sum(map(len, elements.values()))
    said = f"{count(len(elements), 'topic')}, {count(num_judged, 'element')} judged"
    if assessed is not None or preferences is not None:
        return Looked(f"{said} {'two by two' if assessed is None else 'on two scales'}", elements)
    levels = sorted({grade for by in grades.values() for grade in by.values()})
    ideals = [sum(grade > 0 for grade in by.values()) for by in grades.values()]
    said += f", {sum(ideals):,} ideal" + ", by subtopic" * (subtopics is not None)
    said += f", grades {', '.join(f'{x:g}' for x in levels)}" * (len(levels) <= _GRADES)
    said += f", {ideals.count(0)} of the topics without an ideal" * (0 in ideals)
    return Looked(said, elements, grades=grades)


def _scores(path: str) -> Looked:
    rows = list(rows_of_files(score_files([path])))
    named = zip(*((row.system, row.topic, row.measure) for row in rows), strict=True)
    systems, topics, measures = map(dict.fromkeys, named)
    said = f"{count(len(systems), 'system')}, {count(len(topics), 'topic')}, "
    said += f"{count(len(measures), 'measure')}: {', '.join([*measures][:3])}"
    first = {"": set(measures)}
    return Looked(said, dict.fromkeys(topics, ()), first, number=len(systems))


def _agents(path: str) -> Looked:
    made = list(read_trajectories(path))
    topics, systems = {x.topic for x in made}, {x.system for x in made}
    said = f"{count(len(made), 'session')} of {count(len(systems), 'system')}, "
    said += f"{count(len(topics), 'topic')}, {count(sum(len(x.actions) for x in made), 'action')}"
    return Looked(said, dict.fromkeys(topics, ()))


def _log(path: str) -> Looked:
    log = read_sessions(path)
    said = f"{count(len(log), 'session')}, {count(len(log.element), 'visit')}"
    return Looked(said, {"": set(log.elements)})


def _links(path: str, read: Callable[[str], Any] = collections.read_links) -> Looked:
    links = read(path)
    said = f"{count(len(links), 'link')} between {count(len(links.elements), 'element')}"
    return Looked(said, {"": set(links.elements)})


def _elements(path: str) -> Looked:
    is_xml = path.lower().endswith(_XML)
    tree = collections.read_xml(path) if is_xml else collections.read_elements(path)
    return Looked(count(len(tree.ids), "element"), {"": set(tree.ids)})


def _chunks(path: str) -> Looked:
    made = collections.read_chunks(path)
    said = f"{count(len(made), 'chunk')} of {count(len(made.documents), 'document')}"
    return Looked(said, {"": set(made.ids)})


def _gold(path: str) -> Looked:
    spans = collections.read_gold(path).spans
    said = f"{count(len(spans), 'question')}, {count(sum(map(len, spans.values())), 'span')}"
    return Looked(said, dict.fromkeys(spans, ()))


def _probabilities(path: str) -> Looked:
    elements = collections.read_judgement_probabilities(path).elements
    return Looked(count(len(elements), "topic"), elements)


def _clicks(path: str) -> Looked:
    made = read_click_log(path)
    return Looked(f"{count(made.num_sessions, 'session')}, {made.num_searches:,} searches")


def _totals(path: str) -> Looked:
    counts = read_click_totals(path).counts
    return Looked(f"{count(int(counts.sum()), 'click')} on {count(len(counts), 'rank')}")


class Kind(NamedTuple):
    """A kind of file: what it looks like, columns by their names, its reader, other beginnings."""

    looks: str
    columns: tuple[Sequence[str], ...]
    read: Callable[[str], Looked]
    begins: "Callable[[_Seen], bool]" = lambda _: False


@dataclass(frozen=True)
class _Seen:
    """The beginning of a file: columns of a table, words of a line, or the whole of its JSON."""

    form: str
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    content: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""

    def lacks(self, columns: Sequence[Sequence[str]]) -> list[str]:
        """Return which columns are not there."""
        return [names[0] for names in columns if known.column_of(self.names, names) is None]

    def ends(self, *sizes: int) -> bool:
        """Return whether the first line has so many words, a number or an assessment at its end."""
        return len(self.words) in sizes and _NUMBER.fullmatch(self.words[-1]) is not None

    def counts(self, size: int) -> bool:
        """Return whether the first line is so many whole numbers, as MS MARCO has them."""
        return len(self.words) == size and all(map(str.isdigit, self.words))

    @property
    def is_run(self) -> bool:
        """Whether the first line has a rank and a score, and perhaps a tag of several words."""
        return len(self.words) > 5 and all(map(_NUMBER.fullmatch, self.words[3:5]))

    def maps(self, *, judged: bool) -> bool:
        """Return whether JSON maps topics to elements with grades, or with scores."""
        inner = [by for by in self.content.values() if isinstance(by, dict)]
        values = [x for by in inner for x in by.values()]
        if not values or len(inner) < len(self.content) or self.is_scored:
            return False
        return all(isinstance(x, int | float) for x in values) and _are_grades(values) == judged

    @property
    def is_scored(self) -> bool:
        """Whether JSON, or columns, are named by measures."""
        inner = [name for by in self.content.values() if isinstance(by, dict) for name in by]
        names = [*self.content, *inner[:TOP]]
        if self.lacks((known.ELEMENT,)):
            names += [name for name in self.names if known.plain(name) not in known.VALUE]
        return bool({"means", "task_name"} & self.content.keys()) or any(map(is_measure, names))

    @property
    def is_judged(self) -> bool:
        """Whether numbers called scores are grades: BEIR calls both so."""
        if self.lacks((known.TOPIC, known.ELEMENT)) or not self.lacks((known.SYSTEM,)):
            return False
        if (column := known.column_of(self.names, known.SCORE)) is None:
            return False
        cells = list(map(str, read(self.path, SCHEMAS["scores"]).others[column]))
        return _are_grades(numbers_of(cells).tolist())


def _are_grades(values: Sequence[float]) -> bool:
    return all(x % 1 == 0 and -3 < x <= _HIGHEST for x in values)


_ENDS, _CHANCE = (("source",), ("target",)), ("probability", "weight")
_GRADE = tuple(name for name in known.GRADE if name not in known.SCORE)
_LOOKED_FOR = known.TOPIC, known.ELEMENT
KINDS: Mapping[str, Kind] = {
    "sessions": Kind("logs of agents: ATIF, OpenTelemetry, ...", (), _agents),
    "preferences": Kind(
        "topic, preferred, other", (known.TOPIC, known.PREFERRED, known.OTHER), _judgements
    ),
    "click log": Kind(
        "session time Q query region url ...",
        (),
        _clicks,
        lambda x: len(x.words) > TOP // 2 and x.words[2] == "Q",
    ),
    "judgements": Kind(
        "topic 0 element grade; topic, element, grade",
        (*_LOOKED_FOR, _GRADE),
        _judgements,
        lambda x: x.ends(4, 5) or x.counts(2) or x.maps(judged=True) or x.is_judged,
    ),
    "run": Kind(
        "topic Q0 element rank score tag; topic, element, score",
        (*_LOOKED_FOR, (*known.SCORE, *known.RANK)),
        _run,
        lambda x: x.is_run or x.counts(3) or x.maps(judged=False),
    ),
    "links": Kind("source, target, probability", (*_ENDS, _CHANCE), _links),
    "edges": Kind("source, target", _ENDS, partial(_links, read=read_pairs)),
    "elements": Kind(
        "element, parent, length; XML files", (known.ELEMENT, known.PARENT, ("length",)), _elements
    ),
    "scores": Kind(
        "system, topic, measure, score; trec_eval -q",
        (known.TOPIC, known.MEASURE, known.VALUE),
        _scores,
        lambda x: x.is_scored or x.words[:1] == ("runid",) or (x.ends(3) and not x.counts(3)),
    ),
    "probabilities": Kind(
        "topic, element, probability", (*_LOOKED_FOR, ("probability",)), _probabilities
    ),
    "gold spans": Kind(
        "question, doc, start, end",
        ((*known.QUESTION[:-1], *known.WORDS), ("references", *known.START)),
        _gold,
        lambda x: "tests" in x.content,
    ),
    "chunks": Kind("id, doc, start, end", (known.CHUNK, known.START), _chunks),
    "log": Kind("session, element", (known.SESSION, known.PAGE), _log),
    "click totals": Kind("rank, clicks", (known.RANK, ("clicks",)), _totals),
}


def _seen(path: str) -> _Seen:
    if path.lower().endswith(_ARCHIVES):
        return _Seen("an archive, to be unpacked first")
    with looked_at(path) as file:
        text, is_parquet = file.line.decode("utf-8", "replace"), file.line.startswith(b"PAR1")
    if is_parquet:
        return _Seen("a table", tuple(read(path, SCHEMAS["scores"]).others), path=path)
    if "\0" in text:
        return _Seen("no text")
    if text.startswith("<") and (path.lower().endswith(_XML) or text.startswith(("<?xml", "<!"))):
        return _Seen("XML")
    if text.startswith(("{", "[")):
        try:
            row = json_value(text)
        except ValueError:
            row = None
        if isinstance(row, dict) and suffix_of(path):
            return _Seen("a table", tuple(row), path=path)
        content = read_json(path)
        return _Seen("JSON", content=content if isinstance(content, dict) else {})
    words = text.split("\t" if "\t" in text else ",")
    words = [word.strip().strip('"') for word in words]
    if (
        len(words) > 1
        and words[0] != "runid"
        and all(_NAME.fullmatch(x) and not _NUMBER.fullmatch(x) for x in words)
    ):
        return _Seen("a table", tuple(words), path=path)
    return _Seen("lines", words=tuple(text.split()))


def _is_log(path: str) -> bool:
    try:
        return is_log(path)
    except InputError:  # of JSON that is damaged
        return False


def look(path: str) -> Looked:
    """Return what a file is and holds; of one that breaks the rules of its kind, what is wrong."""
    seen, names = _Seen("no text"), ["sessions"]
    try:
        if not _is_log(path):
            seen = _seen(path)
            names = [
                name
                for name, kind in KINDS.items()
                if kind.begins(seen) or (kind.columns and not seen.lacks(kind.columns))
            ][:1]
            names = ["judgements", "run", "elements"] if seen.form == "XML" else names
        faults = []
        for name in names:
            try:
                return replace(KINDS[name].read(path), kind=name, path=path)
            except InputError as error:
                faults.append(str(error))
        if faults:
            return Looked("", path=path, kind=names[0], fault=faults[0])
    except InputError as error:
        return Looked("", path=path, fault=str(error))
    if path.lower().endswith(_TEXTS):
        return Looked("a document, one of a folder for --texts", path=path, kind="text")
    if not seen.names:
        begins = printable(" ".join(seen.words)[:40])
        return Looked(f"{seen.form}, begins {begins!r}" if begins else seen.form, path=path)
    lacking = {x: (seen.lacks(kind.columns), kind) for x, kind in KINDS.items() if kind.columns}
    name, (lack, kind) = min(lacking.items(), key=lambda x: len(x[1][0]) / len(x[1][1].columns))
    said = f"columns {printable(', '.join(seen.names[:_GRADES]))}"
    fault = f"nearest to {name} ({kind.looks}): add {', '.join(lack)}, or call a column so"
    return Looked(said, path=path, fault=fault)
