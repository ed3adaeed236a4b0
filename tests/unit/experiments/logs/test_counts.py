"""Steps counted once more, visit by visit."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum.experiments.logs import Sessions, step_counts
from prum.simulator.model import InputError, Links
from tests.tiers import examples
from tests.unit.experiments.logs.test_session_files import plain

NAMES = "abcdef"
NUMBERS = ("move", "first move", "stop", "back", "entry", "return")
LINKS = Links({("b", "a"): 0.1, ("a", "c"): 0.2, ("a", "b"): 0, ("c", "d"): 1, ("c", "a"): 0.3})


def joined(sessions: list[list[list[str]]], cuts: list[bool]) -> Sessions:
    """Return sessions of several paths each."""
    parts = [Sessions.of([path]) for session in sessions for path in session]
    code = {
        name: place for place, name in enumerate(sorted({x for p in parts for x in p.elements}))
    }
    element = [code[part.elements[k]] for part in parts for k in part.element]
    lengths = [sum(map(len, session)) for session in sessions]
    return Sessions(
        tuple(code),
        np.array(element),
        np.cumsum([0, *lengths]),
        np.concatenate([part.is_entry for part in parts]),
        np.concatenate([part.is_back for part in parts]),
        (),
        np.full(len(sessions), -1),
        np.array(cuts),
    )


def counted_by_hand(log: Sessions, links: Links, known: set[str]) -> dict[str, Counter[Any]]:
    """Return the numbers of everything, by names."""
    counts = {name: Counter[Any]() for name in NUMBERS}
    pairs = {(x, y) for x, y, _ in links}
    strays = 0
    for names, is_entry, is_back, _, is_cut in plain(log):
        depth, came = (
            0,
            list[tuple[str, str]](),
        )  # how the person came to each element, and to which
        for name, enters, returns in zip(names, is_entry, is_back, strict=True):
            last = came[-1][1] if came else ""
            how = "entry" if enters or last not in known else "back" if returns else "move"
            if name not in known or (how == "move" and (last, name) not in pairs):
                strays += 1
                how = "entry"
            if came and how == "entry":
                counts["stop"][last] += 1
            if how == "move":
                counts["move"][last, name] += 1
                counts["first move"][last] += depth <= 1
            elif how == "back":
                counts["back"][last] += 1
                counts["return"][last, name] += 1
            else:
                counts["entry"][name] += 1
            depth = 1 if how == "entry" else depth + (1 if how == "move" else -1)
            came.append((how, name))
        if not is_cut:
            counts["stop"][came[-1][1]] += 1
    for counter in counts.values():
        for key in list(counter):
            if isinstance(key, str) and key not in known:
                del counter[key]
    counts["stray"] = Counter(strays=strays)
    return counts


def by_name(counts: Any) -> dict[str, Counter[Any]]:
    """Return what `step_counts` counts by names."""
    names, links = counts.elements, [(x, y) for x, y, _ in counts.links]
    single = {
        "stop": counts.stops,
        "back": counts.backs,
        "entry": counts.entries,
        "first move": counts.first_moves,
    }
    return {
        "move": +Counter(dict(zip(links, counts.moves.tolist(), strict=True))),
        **{
            key: +Counter(dict(zip(names, values.tolist(), strict=True)))
            for key, values in single.items()
        },
        "return": Counter({(names[x], names[y]): n for x, y, n in counts.returns.tolist()}),
        "stray": +Counter(strays=counts.num_strays),
    }


@st.composite
def paths(draw: st.DrawFn) -> list[str]:
    """Return a path whose back clicks lead somewhere."""
    path, depth = [draw(st.sampled_from(NAMES))], 1
    for click in draw(st.lists(st.sampled_from(NAMES + "<<"), max_size=8)):
        if click != "<" or depth > 1:
            path.append(click)
            depth += -1 if click == "<" else 1
    return path


SESSIONS = st.lists(st.tuples(st.lists(paths(), min_size=1, max_size=3), st.booleans()), min_size=1)


@given(SESSIONS, st.sampled_from([LINKS, Links({})]))
@settings(max_examples=examples(100), deadline=None)
def test_all_is_counted(drawn: Any, links: Links) -> None:
    log = joined([session for session, _ in drawn], [cut for _, cut in drawn])
    counts = step_counts(log, links, elements="ae", skip_strays=True)
    by_hand = counted_by_hand(log, links, set(counts.elements))
    assert by_name(counts) == {name: +counter for name, counter in by_hand.items()}
    assert counts.num_sessions == len(drawn)
    assert counts.moved.sum() == counts.moves.sum()


def test_strays_are_refused_by_name() -> None:
    log = Sessions.of([["a", "b", "q", "a"], ["a", "d", "c"], ["b", "a"]])
    with pytest.raises(InputError) as caught:
        step_counts(log, LINKS)
    assert str(caught.value) == (
        "number of strays in a log of 6 moves is 3, must be 0, because people move along links: "
        "2 moves are along no link, 1 visits are of elements without links; "
        "the first is 'q'; correct the log or the links, or --skip-strays"
    )
    assert step_counts(log, LINKS, skip_strays=True).num_strays == 3


def test_an_empty_log_is_refused() -> None:
    with pytest.raises(InputError, match="log is 'empty', must hold a session"):
        step_counts(Sessions.of([]), LINKS)
