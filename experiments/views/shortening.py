"""Long names without their middles, never mixed up."""

from collections.abc import Callable, Iterable, Sequence

Ruler = Callable[[str], int]


def shortened(names: Iterable[str], width: int, ruler: Ruler = len) -> tuple[str, ...]:
    """Return names no wider than `width` by `ruler`; equal names stay equal.

    Where they would be mixed up they keep what tells them apart, or are wider.

    >>> shortened(("a-long-name", "short"), 7)
    ('a-l…ame', 'short')
    >>> shortened(("runs-of-1-in-all", "runs-of-2-in-all"), 8)
    ('run…1…ll', 'run…2…ll')
    """
    names = tuple(names)
    distinct = tuple(dict.fromkeys(names))
    for limit in range(width, widest(distinct, ruler)):
        for cut in (_with_ends, _with_insides):
            short = cut(distinct, limit, ruler)
            if len(set(short)) == len(distinct):
                return tuple(map(dict(zip(distinct, short, strict=True)).__getitem__, names))
    return names


def widest(texts: Iterable[str], ruler: Ruler = len) -> int:
    """Return the width of the widest, 0 of none."""
    return max(map(ruler, texts), default=0)


def _with_ends(names: tuple[str, ...], width: int, ruler: Ruler) -> tuple[str, ...]:
    """Return beginnings and ends, about as much of either as keeps names apart."""
    room = width - 1
    short = names
    for head in sorted(range(room + 1), key=lambda size: abs(2 * size - room - 1)):
        short = tuple(
            name
            if ruler(name) <= width
            else f"{_start(name, head, ruler)}…{_end(name, room - head, ruler)}"
            for name in names
        )
        if len(set(short)) == len(names):
            break
    return short


def _with_insides(names: tuple[str, ...], width: int, ruler: Ruler) -> tuple[str, ...]:
    """Return, of long names that begin and end alike, what is between and some of the ends."""
    long = [name for name in names if ruler(name) > width]
    begin = _common(long)
    end = _common([name[len(begin) :][::-1] for name in long])[::-1]
    inside = [name[len(begin) : len(name) - len(end)] for name in long]
    room = width - 2 - widest(inside, ruler)
    if room < 0:
        return ()
    head, tail = _start(begin, (room + 1) // 2, ruler), _end(end, room // 2, ruler)
    new = {name: f"{head}…{middle}…{tail}" for name, middle in zip(long, inside, strict=True)}
    return tuple(new.get(name, name) for name in names)


def _common(texts: Sequence[str]) -> str:
    """Return what all texts begin with."""
    if not texts:
        return ""
    first, last = min(texts), max(texts)
    return first[: next((at for at, sign in enumerate(first) if last[at : at + 1] != sign), None)]


def _start(text: str, width: int, ruler: Ruler) -> str:
    """Return as much of the beginning as fits."""
    taken = 0
    for at, sign in enumerate(text):
        taken += ruler(sign)
        if taken > width:
            return text[:at]
    return text


def _end(text: str, width: int, ruler: Ruler) -> str:
    return _start(text[::-1], width, ruler)[::-1]
