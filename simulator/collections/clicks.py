"""Clicks that search engines log: a log of searches, and totals by rank."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import FilePath, no_lines, place, text_lines
from prum.simulator.tables.layout import number_of

_FORM = "session time Q query region url ..., or session time C url"
_BEFORE_URLS = 5
# Rows of a table of totals that are not ranks.
_LATER, _NO_CLICK, _PAGE = "later", "no_click", "page"


@dataclass(frozen=True, slots=True, eq=False)
class ClickLog:
    """Clicks by session and rank, and how much of the log they are.

    A click belongs to the search of its session that was logged last before it. It has the rank of
    its url on the list of that search, the first if the url is there twice.

    `every` counts clicks by rank of each session with a click on a list, shape (sessions, ranks),
    `last` those that are the last in time on their search's list. The log has `num_sessions`,
    `num_searches`, and `num_clicked` searches with a click, on the list or outside; `num_outside`
    clicks are on urls that are not on the list of their search, `num_last_outside` of them the last
    of their search, and `num_early` come before the first search of their session.
    """

    every: Ints
    last: Ints
    num_sessions: int
    num_searches: int
    num_clicked: int
    num_outside: int
    num_last_outside: int
    num_early: int


@dataclass(frozen=True, slots=True, eq=False)
class ClickTotals:
    """Clicks by rank, shape (ranks,), and on all later ranks together if they are known."""

    counts: Ints
    beyond: int | None


def read_click_log(path: FilePath) -> ClickLog:
    """Read a log of searches, in the form of NAVER's CLARA2: columns between tabs, no names.

    Lines are `session time Q query region url ...`, best first, or `session time C url`. All lists
    must be equally long. Empty columns at the end of a line are ignored.
    """
    lists, clicks = list[list[str]](), list[list[tuple[float, int]]]()  # of each search
    owners, sessions, latest = list[int](), dict[str, int](), dict[str, int]()
    num_early = 0
    for where, row in _rows(path):
        kind, length = row[2] if len(row) > 2 else "", len(row)
        is_search, is_click = kind == "Q" and length > _BEFORE_URLS, kind == "C" and length == 4
        session, time = row[0], number_of(row[1] if length > 1 else "")
        if not (is_search or is_click) or not all(row) or np.isnan(time):
            rule, remedy = f"be {_FORM}", "separate by tabs, leave none empty; a time is a number"
            raise InputError("line", "\t".join(row), rule, remedy=remedy, place=where)
        number = sessions.setdefault(session, len(sessions))
        if is_search:
            urls = row[_BEFORE_URLS:]
            if lists and len(urls) != len(lists[0]):
                rule = f"be {len(lists[0])}, as in the first list"
                remedy = "leave out lists of another length: a page's end cuts stops off"
                raise InputError("number of urls", len(urls), rule, remedy=remedy, place=where)
            latest[session] = len(lists)
            owners.append(number)
            lists.append(urls)
            clicks.append([])
        elif session in latest:
            urls = lists[latest[session]]
            clicks[latest[session]].append((time, urls.index(row[3]) if row[3] in urls else -1))
        else:
            num_early += 1
    if not lists:
        rule, remedy = "be at least 1", f"write {_FORM}"
        raise InputError("number of searches (Q)", 0, rule, remedy=remedy, place=place(path))
    every = np.zeros((len(sessions), len(lists[0])), dtype=np.int64)
    last = np.zeros_like(every)
    num_clicked = num_outside = num_last_outside = 0
    for owner, clicked in zip(owners, clicks, strict=True):
        # Clicks at the same time stay in the order of the log; -1 is outside of the list.
        ranks = [rank for _, rank in sorted(clicked, key=lambda click: click[0])]
        on_list = [rank for rank in ranks if rank >= 0]
        num_clicked += bool(ranks)
        num_outside += len(ranks) - len(on_list)
        num_last_outside += ranks[-1:] == [-1]
        np.add.at(every[owner], on_list, 1)
        np.add.at(last[owner], on_list[-1:], 1)
    some = every.any(axis=1)
    counts = (num_clicked, num_outside, num_last_outside, num_early)
    return ClickLog(every[some], last[some], len(sessions), len(lists), *counts)


def read_click_totals(path: FilePath) -> ClickTotals:
    """Read a table of clicks by rank: rank and clicks between tabs, ranks 1, 2, ... in order.

    A line of names, `rank` and `clicks`, and lines that begin with # are ignored. Rows may follow
    that give totals of pages in place of a rank, `page1`, `page2`, ..., `later`; together they are
    all clicks, so that those behind the last rank are known. `no_click`, the number of searches
    without a click, is ignored.
    """
    counts, pages = list[int](), dict[str, int]()
    for where, row in _rows(path):
        if row[0].startswith("#") or row == ["rank", "clicks"]:
            continue
        name, *written = row
        # Counts are added up in 64 bits.
        if len(written) != 1 or not _is_digits(written[0]) or len(written[0]) > 15:
            rule = "be a rank, a tab and its clicks, a whole number of at most 15 digits"
            raise InputError("line", "\t".join(row), rule, remedy="correct it", place=where)
        is_page = name in (_LATER, _NO_CLICK) or _is_digits(name.removeprefix(_PAGE))
        if name == f"{len(counts) + 1}" and not pages:
            counts.append(int(written[0]))
        elif is_page and not name.isdigit() and name not in pages:
            pages[name] = int(written[0])
        else:
            rule = f"be {len(counts) + 1}, or page1, page2, ..., later or no_click, each once"
            remedy = "write every rank, in order, a rank without clicks too"
            raise InputError("rank", name, rule, remedy=remedy, place=where)
    if not counts:
        remedy = "write a rank and its clicks"
        raise InputError("number of ranks", 0, "be at least 1", remedy=remedy, place=place(path))
    pages.pop(_NO_CLICK, None)
    beyond = sum(pages.values()) - sum(counts) if pages else None
    if beyond is not None and beyond < 0:
        thing = "clicks of all pages"
        rule = f"be at least the {sum(counts)} of the ranks"
        remedy = "write every page, and later for the rest"
        raise InputError(thing, sum(pages.values()), rule, remedy=remedy, place=place(path))
    return ClickTotals(np.array(counts, dtype=np.int64), beyond)


def _rows(path: FilePath) -> Iterator[tuple[str, list[str]]]:
    """Yield (place, words between tabs) of lines that are not blank; raise if there is none."""
    empty = True
    for line, text in enumerate(text_lines(path), start=1):
        if written := text.rstrip("\t\r\n"):
            empty = False
            yield place(path, line), written.split("\t")
    if empty:
        raise no_lines(path)


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()
