"""Clicks that search engines log: a log of searches, and totals by rank."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError, shown
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

    Parameters
    ----------
    every
        Clicks by rank of each session with a click on a list, shape (sessions, ranks).
    last
        The same for clicks that are the last in time on their search's list.
    num_sessions, num_searches
        All sessions and searches of the log.
    num_clicked
        Searches with a click, on the list or outside.
    num_outside
        Clicks on urls that are not on the list of their search.
    num_last_outside
        Searches whose last click is one of these.
    num_early
        Clicks before the first search of their session.
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


@dataclass(slots=True)
class _Search:
    session: int
    urls: Sequence[str]
    clicks: list[tuple[float, int]]  # time, and rank from 0; -1 outside


def read_click_log(path: FilePath) -> ClickLog:
    """Read a log of searches, in the form of NAVER's CLARA2: columns between tabs, no names.

    Lines are `session time Q query region url ...`, best first, or `session time C url`. All lists
    must be equally long. Empty columns at the end of a line are ignored.
    """
    searches, sessions = list[_Search](), dict[str, int]()
    latest = dict[str, _Search]()
    num_early = 0
    for where, row in _rows(path):
        kind, length = row[2] if len(row) > 2 else "", len(row)
        is_search, is_click = kind == "Q" and length > _BEFORE_URLS, kind == "C" and length == 4
        if not (is_search or is_click) or not all(row):
            remedy = "separate the columns by tabs, and leave none empty"
            raise InputError("line", "\t".join(row), f"be {_FORM}", remedy=remedy, place=where)
        session, time = row[0], number_of(row[1])
        if np.isnan(time):
            rule, remedy = "be a finite number", "give seconds, or another unit"
            raise InputError("time", row[1], rule, remedy=remedy, place=where)
        number = sessions.setdefault(session, len(sessions))
        if is_search:
            urls = row[_BEFORE_URLS:]
            size = len(searches[0].urls) if searches else len(urls)
            if len(urls) != size:
                rule = f"be {size}, as in the first list"
                remedy = "leave out lists of another length: a page's end cuts stops off"
                raise InputError("number of urls", len(urls), rule, remedy=remedy, place=where)
            latest[session] = _Search(number, urls, [])
            searches.append(latest[session])
        elif (search := latest.get(session)) is None:
            num_early += 1
        else:
            rank = search.urls.index(row[3]) if row[3] in search.urls else -1
            search.clicks.append((time, rank))
    if not searches:
        rule, remedy = "be at least 1", f"write {_FORM}"
        raise InputError("number of searches (Q)", 0, rule, remedy=remedy, place=place(path))
    return _counted(searches, len(sessions), num_early)


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
        if len(row) != 2:
            thing = f"number of columns of {shown(chr(9).join(row))}"
            remedy = "separate the columns by a tab"
            raise InputError(thing, len(row), "be 2 (rank clicks)", remedy=remedy, place=where)
        name, written = row
        # Counts are added up in 64 bits.
        if not _is_digits(written) or len(written) > 15:
            rule = "be a whole number from 0 to 999999999999999"
            raise InputError("clicks", written, rule, remedy="give a count", place=where)
        clicks = int(written)
        if name in pages:
            raise InputError("row", name, "be given once", remedy="leave one out", place=where)
        if name == f"{len(counts) + 1}" and not pages:
            counts.append(clicks)
        elif name in (_LATER, _NO_CLICK) or (
            name.startswith(_PAGE) and _is_digits(name.removeprefix(_PAGE))
        ):
            pages[name] = clicks
        else:
            rule = f"be {len(counts) + 1}, or page1, page2, ..., later or no_click"
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


def _counted(searches: list[_Search], num_sessions: int, num_early: int) -> ClickLog:
    """Return the clicks of searches by session and rank."""
    every = np.zeros((num_sessions, len(searches[0].urls)), dtype=np.int64)
    last = np.zeros_like(every)
    num_clicked = num_outside = num_last_outside = 0
    for search in searches:
        # Clicks at the same time stay in the order of the log.
        ranks = [rank for _, rank in sorted(search.clicks, key=lambda click: click[0])]
        on_list = [rank for rank in ranks if rank >= 0]
        num_clicked += bool(ranks)
        num_outside += len(ranks) - len(on_list)
        num_last_outside += bool(ranks) and ranks[-1] < 0
        for rank in on_list:
            every[search.session, rank] += 1
        if on_list:
            last[search.session, on_list[-1]] += 1
    some = every.any(axis=1)
    counts = (num_clicked, num_outside, num_last_outside, num_early)
    return ClickLog(every[some], last[some], num_sessions, len(searches), *counts)


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()
