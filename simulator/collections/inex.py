"""INEX files: runs (which elements systems returned) and assessments on two scales, as XML."""

import math
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from prum.simulator.collections.xml import check_length, nodes
from prum.simulator.model.assessments import Assessment, assessment_of
from prum.simulator.model.errors import InputError, repeated
from prum.simulator.tables.files import FilePath, place
from prum.simulator.tables.layout import number_of, once

_STEP = re.compile(r"/(?:[^\s/:@*()|\[\]]+:)?([^\s/:@*()|\[\]]+)(?:\[([1-9][0-9]{0,17})\])?")
_PATH = re.compile(f"(?:{_STEP.pattern})+")
_RANK = re.compile(r"[0-9]{1,18}")
_EXHAUSTIVITY = ("exhaustiveness", "exhaustivity")
_TOPIC = ("topic", "topic-id")
_FILE = ("file", "name")


def read_inex_run(path: FilePath) -> dict[str, tuple[str, ...]]:
    """Return the ranked list of each topic of an INEX submission: element ids, best first.

    ``inex-submission`` holds a ``topic`` for each topic, with its ``topic-id``; a topic holds a
    ``result`` for each element, with ``file``, ``path`` and optionally ``rank`` and ``rsv``, the
    score. The order is by rank if all results of the topic have one, else by score, highest first,
    if all have one (ties as written), else as written. An element that occurs twice is kept twice.

    Ids are those of `read_xml`: ``co/2000/r7108`` and ``/article[1]/bdy[1]/sec[2]`` make
    ``r7108/bdy[1]/sec[2]``. Folders, suffixes, prefixes of names and the first step, which is the
    document, are left out; a step without a number is the first of its name.

    Raise InputError as `read_xml`; for what does not stand where it should, or breaks these rules.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.xml"
    >>> first = "<result><file>r1</file><path>/article/p[2]</path><rsv>.5</rsv></result>"
    >>> second = "<result><file>co/r2.xml</file><path>/article</path><rsv>.7</rsv></result>"
    >>> topic = f'<topic topic-id="01">{first}{second}</topic>'
    >>> _ = path.write_text(f"<inex-submission>{topic}</inex-submission>")
    >>> read_inex_run(path)
    {'01': ('r2', 'r1/p[2]')}
    """
    lists: dict[str, tuple[str, ...]] = {}
    results = list[_Result]()
    topic: str | None = None
    for event, tag, node, depth in _elements(path):
        where = place(path, node.sourceline)
        if event == "start":
            if depth == 0 and tag != "inex-submission":
                raise _wrong_root(tag, "be inex-submission", where)
            if tag == "topic":
                if topic is not None:
                    raise _outside("topic", "inex-submission itself", where)
                topic = _attribute(node, ("topic-id",), where)
                once(lists, topic, "topic", where)
                lists[topic] = ()
        elif tag == "result":
            if topic is None:
                raise _outside("result", "a topic", where)
            results.append(_result(node, where))
        elif tag == "topic" and topic is not None:
            lists[topic] = _in_order(results, f"{place(path)}, topic {topic}")
            results, topic = [], None
    return lists


def read_inex_assessments(path: FilePath) -> dict[str, dict[str, Assessment]]:
    """Return the assessments of each topic of an INEX file: ``{topic: {element: assessment}}``.

    ``assessments``, with its ``topic`` (or ``topic-id``), holds a ``file`` for each document, with
    its name as attribute ``file`` (or ``name``); a file holds a ``path`` (or ``element``) for each
    element, with attributes ``path``, ``exhaustiveness`` (or ``exhaustivity``) and ``specificity``,
    0 to 3 each. One root may hold several ``assessments``. INEX 2005 and later tell how much of an
    element was highlighted: that is no scale of 0 to 3, and is refused. Ids are those of
    `read_inex_run`.

    Raise InputError as `read_inex_run`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "01.xml"
    >>> judged = '<path path="/article[1]/p[2]" exhaustiveness="3" specificity="2"/>'
    >>> _ = path.write_text(
    ...     f'<assessments topic="01"><file file="co/r1">{judged}</file></assessments>'
    ... )
    >>> read_inex_assessments(path)
    {'01': {'r1/p[2]': Assessment(exhaustivity=3, specificity=2)}}
    """
    judged: dict[str, dict[str, Assessment]] = {}
    topic: str | None = None
    file: str | None = None
    root = ""
    for event, tag, node, depth in _elements(path):
        where = place(path, node.sourceline)
        root = tag if depth == 0 else root
        if event == "end":
            topic = None if tag == "assessments" else topic
            file = None if tag == "file" else file
        elif tag == "assessments":
            topic = _attribute(node, _TOPIC, where)
            judged.setdefault(topic, {})
        elif topic is None:
            continue
        elif tag == "file":
            file = _attribute(node, _FILE, where)
        elif tag in ("path", "element"):
            if file is None:
                raise _outside(tag, "a file of assessments", where)
            if node.get("specificity") is None and node.get("rsize") is not None:
                thing = f"specificity of {tag}"
                share = f"{node.get('rsize')} of {node.get('size')} characters"
                rule = "be a grade from 0 to 3; shares of highlighted text are not read"
                remedy = "write TREC qrels with decimals, or specificity on the scale of 2004"
                raise InputError(thing, share, rule, remedy=remedy, place=where)
            element = _id(file, _attribute(node, ("path",), where), where)
            scales = (_attribute(node, names, where) for names in (_EXHAUSTIVITY, ("specificity",)))
            assessment = assessment_of("E{}S{}".format(*scales), place=where)
            once(judged[topic], element, f"element judged for topic {topic}", where)
            judged[topic][element] = assessment
    if not judged:
        raise _wrong_root(root, "be or hold assessments", place(path))
    return judged


def _elements(path: FilePath) -> Iterator[tuple[str, str, Any, int]]:
    """Yield ("start" or "end", name without prefix, lxml's node, depth), and forget what ended.

    When an element ends, its children are still there, but not their children.
    """
    depth = 0
    for event, node in nodes(path):
        depth -= event == "end"
        yield event, node.tag.rpartition("}")[2], node, depth
        depth += event == "start"
        if event == "end" and len(node):
            node.clear(keep_tail=True)


# An element, its rank and its score, if it has them.
_Result = tuple[str, int | None, float | None]


def _result(node: Any, where: str) -> _Result:
    texts = dict[str, str]()
    for child in node:
        tag = child.tag.rpartition("}")[2]
        once(texts, tag, "part of a result", where)
        texts[tag] = (child.text or "").strip()
    for tag in ("file", "path"):
        if not texts.get(tag):
            rule, remedy = "be given", f"write <{tag}> in each result"
            raise InputError(f"{tag} of a result", texts.get(tag), rule, remedy=remedy, place=where)
    rank, score = texts.get("rank"), texts.get("rsv")
    if rank is not None and not (_RANK.fullmatch(rank) and int(rank)):
        rule, remedy = "be a whole number of at least 1", "count from 1, or leave all ranks out"
        raise InputError("rank", rank, rule, remedy=remedy, place=where)
    number = None if score is None else number_of(score)
    if number is not None and math.isnan(number):
        remedy = "correct the score"
        raise InputError("rsv", score, "be a finite number", remedy=remedy, place=where)
    element = _id(texts["file"], texts["path"], where)
    return element, None if rank is None else int(rank), number


def _in_order(results: list[_Result], where: str) -> tuple[str, ...]:
    """Return the elements by rank if all results have one, else by score, else as they come."""
    ranks = [rank for _, rank, _ in results if rank is not None]
    if (twice := repeated(ranks)) is not None:
        raise InputError("rank", twice, "be given once", remedy="correct it", place=where)
    if len(ranks) == len(results):
        results = sorted(results, key=lambda x: x[1] or 0)
    elif all(score is not None for *_, score in results):
        results = sorted(results, key=lambda x: -(x[2] or 0))
    return tuple(element for element, *_ in results)


def _id(file: str, path: str, where: str) -> str:
    """Return the id that `read_xml` gives the element at an XPath of a file."""
    document = PurePosixPath(file).name
    for suffix in (".gz", ".xml"):
        if document.lower().endswith(suffix):
            document = document[: -len(suffix)]
    if not document:
        rule = "be the name of a document"
        raise InputError("file", file, rule, remedy="write co/2000/r7108, say", place=where)
    steps = [(name, number or "1") for name, number in _STEP.findall(path)]
    if not _PATH.fullmatch(path) or steps[0][1] != "1":
        rule = "be steps of names with numbers, from the document's one root down"
        remedy = "write /article[1]/bdy[1]/sec[2], say"
        raise InputError("path", path, rule, remedy=remedy, place=where)
    element = "/".join([document, *(f"{name}[{number}]" for name, number in steps[1:])])
    check_length(element, where)
    return element


def _attribute(node: Any, names: tuple[str, ...], where: str) -> str:
    """Return the one attribute that has one of these names."""
    values = [str(value) for name in names if (value := node.get(name))]
    if len(values) != 1:
        tag = node.tag.rpartition("}")[2]
        thing = f"attribute {' or '.join(names)} of {tag}"
        rule, remedy = "be given once and not be empty", f'write <{tag} {names[0]}="...">'
        value = values[1] if values else node.get(names[0])
        raise InputError(thing, value, rule, remedy=remedy, place=where)
    return values[0]


def _wrong_root(tag: str, rule: str, where: str) -> InputError:
    remedy = "check what kind of file this is"
    return InputError("root element", tag, rule, remedy=remedy, place=where)


def _outside(tag: str, within: str, where: str) -> InputError:
    remedy = "check where the tags before it end"
    return InputError(tag, "elsewhere", f"stand in {within}", remedy=remedy, place=where)
