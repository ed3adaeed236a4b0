"""Which tools of an agent search and open, and how ids stand in what they are given and say."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from prum.simulator.model import InputError
from prum.simulator.model.json_text import json_value

_SEARCHES = ("search", "retriev", "query")
_OPENS = ("open", "get", "fetch", "visit", "browse", "read", "view", "click")
_IDS = ("docid", "doc_id", "docno", "document_id", "id", "url")


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of an agent that matter, by their names.

    Parameters
    ----------
    search
        The tool that returns a ranked list; by default each whose name speaks of searching.
    open
        The tool that opens an element; by default each whose name speaks of opening or reading.
    id
        The field that holds the id of an element; by default docid, doc_id, docno, document_id,
        id or url, the first of them that there is.

    >>> Tools.of("search=bm25,id=pid")
    Tools(search='bm25', open=None, id='pid')
    """

    search: str | None = None
    open: str | None = None
    id: str | None = None

    @classmethod
    def of(cls, words: "str | Tools | None") -> "Tools":
        """Return the tools that a text names, as ``search=NAME,open=NAME,id=FIELD``.

        Raises
        ------
        InputError
            for any other text.
        """
        if isinstance(words, Tools):
            return words
        named = dict[str, str]()
        for word in words.split(",") if words else ():
            name, _, value = word.partition("=")
            if name.strip() not in ("search", "open", "id") or not value.strip():
                rule = "be search=NAME, open=NAME and id=FIELD, or some of them"
                raise InputError("tools", words, rule, remedy="write search=bm25,id=docid, say")
            named[name.strip()] = value.strip()
        return cls(**named)

    def kind(self, name: str) -> str:
        """Return "list" for a tool that searches, "open" for one that opens, else ""."""
        if name in (self.search, self.open):
            return "list" if name == self.search else "open"
        plain = name.lower()
        if self.search is None and any(word in plain for word in _SEARCHES):
            return "list"
        opens = self.open is None and any(word in plain for word in _OPENS)
        return "open" if opens else ""

    def ids(self, content: Any) -> tuple[str, ...]:
        """Return the ids of elements in what a tool was given or said, each once, in its order.

        Of a text that is no JSON, what stands behind the field's name.

        >>> Tools().ids('[{"docid": 7, "text": "tea"}, {"docid": "b"}]')
        ('7', 'b')
        >>> Tools(id="page").ids("page: home (see also page: tea)")
        ('home', 'tea')
        """
        return tuple(dict.fromkeys(self.all_ids(content)))

    def all_ids(self, content: Any) -> list[str]:
        """Return the same, those that come again as often as they do."""
        data = content
        if isinstance(content, str):
            try:
                data = json_value(content)
            except (ValueError, RecursionError):
                return self._in_text(content)
        found = list(_objects(data))
        names = (self.id,) if self.id else _IDS
        name = next((name for name in names if any(name in one for one in found)), None)
        own = (_id(one.get(name)) for one in found) if name else ()
        return [text for text in own if text]

    def opened(self, arguments: Any) -> str:
        """Return the id of the element that a tool was asked to open, "" if it can't be told."""
        ids = self.ids(arguments)
        if ids:
            return ids[0]
        try:
            data = json_value(arguments) if isinstance(arguments, str) else arguments
        except (ValueError, RecursionError):
            return ""
        values = list(data.values()) if isinstance(data, dict) else [data]
        return _id(values[0]) if len(values) == 1 else ""

    def _in_text(self, text: str) -> list[str]:
        for name in (self.id,) if self.id else _IDS:
            pattern = rf"(?<![\w.]){re.escape(name)}[\"']?\s*[:=]\s*[\"']?([^\s\"',;)\]}}]+)"
            if found := re.findall(pattern, text):
                return found
        return []


def _objects(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON, those of an object after it; what is nested deep was refused."""
    left = [data]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield one
            left += list(one.values())[::-1]
        elif isinstance(one, list):
            left += one[::-1]


def _id(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30:
        return str(value)
    return value if isinstance(value, str) else ""


def text_of(content: Any) -> Any:
    """Return what a tool said: a text, or the texts of a list of parts put together."""
    if isinstance(content, list) and all(isinstance(one, dict) for one in content):
        texts = [one["text"] for one in content if isinstance(one.get("text"), str)]
        if texts and len(texts) == len(content):
            return "\n".join(texts) if len(texts) > 1 else texts[0]
    if isinstance(content, float):
        return json.dumps(content)
    return content
