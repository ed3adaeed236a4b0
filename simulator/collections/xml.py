"""XML files: an element of the table for every element of the document, measured by its text."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import FilePath, bare_name, opened, place, readable

LONGEST_ID = 2000
# Characters of a parser's message: it may repeat a long name.
_MOST_SHOWN = 200


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
    levels, with ids of more than 2,000 characters, or with texts of more than 10 MB.

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
    ids, parents = list[str](), list[str | None]()
    starts, lengths = list[int](), list[int]()
    open_numbers, counts = list[int](), list[dict[str, int]]()
    position = 0
    for event, node in nodes(path):
        # Text in front of a tag is its parent's, or follows the sibling before it.
        if event == "start":
            if not open_numbers:
                element = name
            else:
                before = node.getprevious()
                position += _size(node.getparent().text if before is None else before.tail)
                tag = node.tag.rpartition("}")[2]
                count = counts[-1][tag] = counts[-1].get(tag, 0) + 1
                element = f"{ids[open_numbers[-1]]}/{tag}[{count}]"
            check_length(element, place(path, node.sourceline))
            parents.append(ids[open_numbers[-1]] if open_numbers else None)
            open_numbers.append(len(ids))
            counts.append({})
            ids.append(element)
            starts.append(position)
            lengths.append(0)
        else:
            position += _size(node[-1].tail if len(node) else node.text)
            number = open_numbers.pop()
            counts.pop()
            lengths[number] = position - starts[number]
            node.clear(keep_tail=True)
    return list(zip(ids, parents, lengths, starts, strict=True))


def check_length(element: str, where: str) -> None:
    """Raise InputError for an id that is too long."""
    if len(element) > LONGEST_ID:
        thing, rule = f"length of the id {element[:20]}…", f"be at most {LONGEST_ID} characters"
        remedy = "give a document that is less deep or has shorter names"
        raise InputError(thing, len(element), rule, remedy=remedy, place=where)


def _size(text: str | None) -> int:
    """Return the number of characters that are not XML whitespace."""
    if not text:
        return 0
    return len(text) - sum(text.count(blank) for blank in " \t\r\n")


def nodes(path: FilePath) -> Iterator[tuple[str, Any]]:
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
