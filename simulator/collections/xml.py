"""XML: elements of documents, measured by their text; and INEX's runs and assessments."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath, PurePosixPath
from typing import Any

from prum.simulator.model.assessments import Assessment, assessment_of
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError, repeated
from prum.simulator.tables.files import FilePath, bare_name, opened, place, readable
from prum.simulator.tables.layout import number_of, once

# Characters of a parser's message: it may repeat a long name.
_MOST_SHOWN = 200
_NO_BLANKS = dict.fromkeys(map(ord, " \t\r\n"))
_STEP = re.compile(r"/(?:[^\s/:@*()|\[\]]+:)?([^\s/:@*()|\[\]]+)(?:\[([1-9][0-9]{0,17})\])?")
_PATH = re.compile(f"(?:{_STEP.pattern})+")
_RANK = re.compile(r"[0-9]{1,18}")


def read_xml(*paths: FilePath) -> Elements:
    """Return the elements of XML files, each file a document.

    Ids
        A document is named by its file, without folder and suffix, an element inside by the steps
        that lead to it, as in XPath: ``hamlet/ACT[1]/SCENE[2]`` is the second SCENE of the first
        ACT. Namespaces are left out of names and counting; the number is always written.
    Lengths and starts
        Characters (code points) of text that are not XML whitespace, so that indentation does not
        count. Text of the elements inside counts; attributes, comments and processing instructions
        do not. An element without text has length 0.

    Files are read in pieces, so memory grows with the number of elements, not with the text. They
    may be compressed, as `read_run` says; the encoding is that of the XML declaration. Nothing else
    is opened: no DTD, external entity or network address. XInclude is not followed. References to
    entities other than XML's own five are refused, and so are documents nested deeper than 256
    levels, or with texts of more than 10 MB.

    Raise InputError for a file that is not well-formed XML, empty, damaged or refused as above; for
    two files of the same name; without lxml. Raise OSError if a file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "play.xml"
    >>> _ = path.write_text("<play><act>one <b>two</b></act><act>six</act></play>")
    >>> for element in read_xml(path):
    ...     print(*element)
    play None 9.0 0.0
    play/act[1] play 6.0 0.0
    play/act[1]/b[1] play/act[1] 3.0 3.0
    play/act[2] play 3.0 6.0
    """
    if not paths:
        raise InputError("files", (), "be at least one", remedy="check the pattern of names")
    file_of, rows = dict[str, FilePath](), list[tuple[str, str | None, int, int]]()
    for path in paths:
        file = PurePath(readable(path)).name
        name = PurePath(bare_name(file)).stem or file
        if name in file_of:
            rule, remedy = "be given once", f"rename this file or {place(file_of[name])}"
            raise InputError("name of a document", name, rule, remedy=remedy, place=place(path))
        file_of[name] = path
        rows += _measured(path, name)
    return Elements.from_columns(*map(list, zip(*rows, strict=True)))


def _measured(path: FilePath, name: str) -> list[tuple[str, str | None, int, int]]:
    """Return (id, parent, length, start) of a document's elements in the order they begin."""
    rows = list[tuple[str, str | None, int, int]]()
    # Of each open element its row, and how many of each name are in it.
    open_elements = list[tuple[int, Counter[str]]]()
    position = 0
    for event, node in _nodes(path):
        # Text in front of a tag is its parent's, or follows the sibling before it.
        if event == "start":
            element, parent = name, None
            if open_elements:
                before = node.getprevious()
                position += _size(node.getparent().text if before is None else before.tail)
                number, counts = open_elements[-1]
                counts[_name(node)] += 1
                parent = rows[number][0]
                element = f"{parent}/{_name(node)}[{counts[_name(node)]}]"
            open_elements.append((len(rows), Counter()))
            rows.append((element, parent, 0, position))
        else:
            position += _size(node[-1].tail if len(node) else node.text)
            number, _ = open_elements.pop()
            element, parent, _, start = rows[number]
            rows[number] = element, parent, position - start, start
            node.clear(keep_tail=True)
    return rows


def _size(text: str | None) -> int:
    """Return the number of characters that are not XML whitespace."""
    return len(text.translate(_NO_BLANKS)) if text else 0


def _name(node: Any) -> str:
    """Return an element's name without a prefix; "" for none."""
    return "" if node is None else str(node.tag).rpartition("}")[2]


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
    within = {"topic": "inex-submission", "result": "topic"}
    for topic in _parts(path, "topic", within):
        where = place(path, topic.sourceline)
        name = _attribute(topic, ("topic-id",), where)
        once(lists, name, "topic", where)
        nodes = topic.iterfind("{*}result")
        results = [_result(node, place(path, node.sourceline)) for node in nodes]
        lists[name] = _in_order(results, f"{place(path)}, topic {name}")
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
    within = {"file": "assessments", "path": "file", "element": "file"}
    for node in _parts(path, "assessments", within):
        topic = _attribute(node, ("topic", "topic-id"), place(path, node.sourceline))
        judged.setdefault(topic, {})
        for file in node.iterfind("{*}file"):
            document = _attribute(file, ("file", "name"), place(path, file.sourceline))
            for marks in (*file.iterfind("{*}path"), *file.iterfind("{*}element")):
                where = place(path, marks.sourceline)
                if marks.get("specificity") is None and marks.get("rsize") is not None:
                    thing = f"specificity of {_name(marks)}"
                    share = f"{marks.get('rsize')} of {marks.get('size')} characters"
                    rule = "be a grade from 0 to 3; shares of highlighted text are not read"
                    remedy = "write TREC qrels with decimals, or specificity on the scale of 2004"
                    raise InputError(thing, share, rule, remedy=remedy, place=where)
                element = _id(document, _attribute(marks, ("path",), where), where)
                scales = (("exhaustiveness", "exhaustivity"), ("specificity",))
                grades = [_attribute(marks, names, where) for names in scales]
                once(judged[topic], element, f"element judged for topic {topic}", where)
                judged[topic][element] = assessment_of("E{}S{}".format(*grades), place=where)
    return judged


def _parts(path: FilePath, tag: str, within: Mapping[str, str]) -> Iterator[Any]:
    """Yield the elements of a name as they end, and forget them.

    Raise InputError if there is none, and for an element that is not in its parent, `within`.
    """
    number = 0
    for event, node in _nodes(path):
        name, parent = _name(node), within.get(_name(node))
        where = place(path, node.sourceline)
        if event == "start":
            if parent not in (None, _name(node.getparent())):
                remedy = "check where the tags before it end"
                raise InputError(
                    name, "elsewhere", f"stand in {parent}", remedy=remedy, place=where
                )
        elif name == tag:
            number += 1
            yield node
            node.clear(keep_tail=True)
    if not number:
        remedy = "check what kind of file this is"
        raise InputError(f"number of {tag}", 0, "be at least 1", remedy=remedy, place=place(path))


# An element, its rank and its score, if it has them.
_Result = tuple[str, int | None, float | None]


def _result(node: Any, where: str) -> _Result:
    texts = dict[str, str]()
    for child in node:
        once(texts, _name(child), "part of a result", where)
        texts[_name(child)] = (child.text or "").strip()
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
    return "/".join([document, *(f"{name}[{number}]" for name, number in steps[1:])])


def _attribute(node: Any, names: tuple[str, ...], where: str) -> str:
    """Return the one attribute that has one of these names."""
    values = [str(value) for name in names if (value := node.get(name))]
    if len(values) != 1:
        tag = _name(node)
        thing = f"attribute {' or '.join(names)} of {tag}"
        rule, remedy = "be given once and not be empty", f'write <{tag} {names[0]}="...">'
        value = values[1] if values else node.get(names[0])
        raise InputError(thing, value, rule, remedy=remedy, place=where)
    return values[0]


def _nodes(path: FilePath) -> Iterator[tuple[str, Any]]:
    """Yield ("start" or "end", lxml's node) in turn; see `read_xml` for what is refused."""
    try:
        from lxml import etree
    except ImportError:
        rule, remedy = "be installed to read XML", 'pip install "prum[xml]"'
        raise InputError("lxml", None, rule, remedy=remedy, place=place(path)) from None
    refused = dict.fromkeys(
        ("resolve_entities", "load_dtd", "dtd_validation", "attribute_defaults", "huge_tree"), False
    )
    kept_out = dict.fromkeys(("no_network", "remove_comments", "remove_pis"), True)
    try:
        with opened(path) as stream:
            parser = etree.iterparse(stream, events=("start", "end"), **kept_out, **refused)
            for event, node in parser:
                for entity in node.iterchildren(etree.Entity) if event == "end" else ():
                    rule = "be one of &lt; &gt; &amp; &apos; &quot; (others are not expanded)"
                    remedy = "write the text itself, or expand it with xmllint --noent"
                    thing, line = "reference to an entity", place(path, entity.sourceline)
                    raise InputError(thing, entity.text, rule, remedy=remedy, place=line)
                yield event, node
    except etree.XMLSyntaxError as error:
        # At the end of the file lxml may name no line, but its log does.
        fatal = [entry for entry in parser.error_log if entry.level_name in ("ERROR", "FATAL")]
        line = fatal[0].line if fatal else error.lineno
        text = " ".join(str(fatal[0].message if fatal else error.msg).split())[:_MOST_SHOWN]
        malformed = InputError(
            "content",
            PurePath(readable(path)).name,
            f"be well-formed XML ({text})",
            remedy="correct the file; xmllint --noout shows more",
            place=place(path, line or None),
        )
    else:
        return
    # Not raised above: what lxml raised would come along, and cannot go from process to process.
    raise malformed
