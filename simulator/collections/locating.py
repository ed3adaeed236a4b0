"""Places of texts in documents: looked up, or checked against the offsets that are given."""

import re
from collections.abc import Iterator, Mapping

from prum.simulator.collections.texts import Texts
from prum.simulator.model import InputError, Span
from prum.simulator.model.errors import shown

# A text is looked for with other white space up to so many words.
_MOST_WORDS = 2000


def located(
    text: str,
    texts: Mapping[str, str],
    document: str | None = None,
    *,
    first: bool = False,
    thing: str = "text",
    place: str = "",
) -> Span:
    """Return where a text stands: in a document, or in any if none is named.

    Parameters
    ----------
    first
        Whether the first place is taken of a text that stands at several.
    thing, place
        What messages call it, and where it comes from.

    Raises
    ------
    InputError
        for a text that is empty, is found nowhere, or twice (places may overlap); for a document
        whose text is not known.

    >>> located("is two", {"a": "one is one", "b": "two is two"})
    Span(document='b', start=4, end=10)
    """
    if not text:
        remedy = "give start and end, or the words"
        raise InputError(thing, text, "hold characters", remedy=remedy, place=place)
    if document is not None:
        document = canonical(document, texts, thing=f"document of {thing}", place=place)
    spots = _places(text, texts if document is None else {document: texts[document]})
    span = next(spots, None)
    where = "a document" if document is None else f"document {document!r}"
    if span is None:
        raise InputError(
            thing, text, f"stand in {where}", remedy=_nearest(text, texts, document), place=place
        )
    if not first and (second := next(spots, None)) is not None:
        remedy = f"give start and end ({span.place} or {second.place}), or take the first of them"
        raise InputError(thing, text, f"stand in {where} once", remedy=remedy, place=place)
    return span


def canonical(
    document: str, texts: Mapping[str, str], *, thing: str = "document", place: str = ""
) -> str:
    """Return the document of `texts` that is named so: `Texts.canonical`.

    Raises
    ------
    InputError
        if there is none.
    """
    if document in texts:
        return document
    known = texts if isinstance(texts, Texts) else Texts(texts)
    return known.canonical(document, thing=thing, place=place)


def check_shown(
    document: str, start: int, end: int, text: str, written: str, *, thing: str, place: str = ""
) -> None:
    """Raise unless characters `start` to `end` of a document's text are what is `written`.

    Raises
    ------
    InputError
        then.
    """
    there = text[start:end]
    if there == written:
        return
    at = text.find(written)
    remedy = f"there stands {shown(there)}"
    remedy += f", and this from {at} to {at + len(written)}" * (at >= 0)
    remedy += ": correct the offsets, or leave them or the text out"
    rule = f"be the characters {start} to {end} of document {document!r}"
    raise InputError(f"text of {thing}", written, rule, remedy=remedy, place=place)


def _places(text: str, texts: Mapping[str, str]) -> Iterator[Span]:
    for document, content in texts.items():
        at = content.find(text)
        while at >= 0:
            yield Span(document, at, at + len(text))
            at = content.find(text, at + 1)


def _nearest(text: str, texts: Mapping[str, str], document: str | None) -> str:
    """Return what to do with a text that is found nowhere."""
    words = text.split()
    if 0 < len(words) <= _MOST_WORDS:
        spaced = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
        for name in texts if document is None else (document,):
            if match := spaced.search(texts[name]):
                span = Span(name, match.start(), match.end())
                how = "capitals" if match[0].split() != words else "white space"
                return f"it differs in {how} from {span.place}: copy that, or give start and end"
    return "copy it from the document, or give start and end"
