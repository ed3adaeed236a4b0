"""Numbers and names in sentences: as few digits as tell them apart; long names without middles."""

import math
from collections.abc import Iterable

Value = str | float | None
# Smaller differences come from rounding.
_ROUNDING = 1e-12
# More digits than any number has.
_MOST_DECIMALS = 320


def shown(value: Value, form: str = "") -> str:
    """Return a value as text: a typographic minus, no sign before 0, a dash for no value.

    >>> shown(-0.25, ".2f"), shown(-1e-9, "+.2f"), shown(2e-9, ".1g"), shown(None), shown("a-b")
    ('−0.25', '0.00', '2e−09', '–', 'a-b')
    >>> shown(-math.inf, ".2f")
    '−∞'
    """
    if isinstance(value, str):
        return value
    if value is None or math.isnan(value):
        return "–"
    text = format(value, form).replace("-", "−").replace("inf", "∞")
    return text if text.strip("+−0., ") else text.lstrip("+−")


def apart_from_zero(value: float, form: str) -> str:
    """Return a form of fixed decimals, or one digit where a number that is not 0 would read as 0.

    What is below 1e-12 comes from rounding, and stays 0.

    >>> [f"{x:{apart_from_zero(x, '+.3f')}}" for x in (0.0123, -0.0004, 2e-7, 1e-17)]
    ['+0.012', '-0.0004', '+2e-07', '+0.000']
    """
    is_lost = form.endswith("f") and abs(value) >= _ROUNDING and not float(f"{value:{form}}")
    return f"{'+' * form.startswith('+')}.1g" if is_lost else form


def number(x: float, *apart: float, scale: float | None = None, up: bool = False) -> str:
    """Return a number of at least 0, rounded so that it stays on its side of 0 and of `apart`.

    It has as many decimals as tell numbers of the size `scale` apart, by default of its own size,
    and more if it would cross another. With `up` it is never less than it was, nor more by a tenth.

    >>> number(0.0831), number(0.0004, scale=0.18), number(0.0499, 0.05), number(0.0201, up=True)
    ('.08', '.0004', '.0499', '.021')
    """
    places = _decimals(x if scale is None else scale)
    if up and 0 < x < math.inf:
        places = max(0, 1 - math.floor(math.log10(x)))
    for more in range(places, _MOST_DECIMALS):
        text = f"{x:.{more}f}"
        if up and float(text) < x:
            text = f"{float(text) + 10.0**-more:.{more}f}"
        if all(_side(float(text), other) == _side(x, other) for other in (0.0, *apart)):
            break
    return text.removeprefix("0") if "." in text else text


def ends(low: float, high: float, *apart: float) -> str:
    """Return an interval of positive numbers; an end that is 0, and left out, is not printed.

    >>> ends(0.03, 0.181), ends(0.0004, 0.18), ends(2.3e-308, 0.18), ends(0.0043, 0.0219, 0.02)
    ('.03 to .18', '.0004 to .18', 'up to .18', '.004 to .022')
    """
    if low < _LEAST:
        return f"up to {number(high, *apart)}"
    scale = high - low or high
    return f"{number(low, *apart, scale=scale)} to {number(high, *apart, scale=scale)}"


def probability(p: float, level: float) -> str:
    """Return how a p-value is printed after "p", on its side of the level.

    >>> probability(0.0021, 0.05), probability(0.04996, 0.05), probability(0.0004, 0.05)
    ('= .002', '= .04996', '< .001')
    >>> probability(0.0004, 0.0005), probability(0.0, 0.0005)
    ('= .0004', '< .0005')
    """
    least = min(_LEAST_P, level)
    if p < least and (p == 0 or level > _LEAST_P):
        return f"< {exactly(least)}"
    return f"= {number(p, level, scale=p if p < _LEAST_P else _LEAST_P * 5)}"


def exactly(x: float) -> str:
    """Return a number that was typed with all its digits, without a 0 before the point.

    >>> exactly(0.02), exactly(1e-3), exactly(2.0)
    ('.02', '.001', '2')
    """
    from numpy import format_float_positional

    text = format_float_positional(x, trim="-")
    return text.removeprefix("0") if "." in text else text


def about(num: float) -> str:
    """Return a whole number with two digits, rounded up.

    >>> about(187.0), about(31.0), about(1201.0)
    ('190', '31', '1,300')
    """
    unit = 10 ** max(0, len(str(int(num))) - 2)
    return f"{math.ceil(num / unit) * unit:,}"


def count(num: int, noun: str) -> str:
    """Return a number of things.

    >>> count(1, "topic"), count(1200, "topic"), count(0, "topic")
    ('1 topic', '1,200 topics', 'no topic')
    """
    return f"{num or 'no':,} {noun}{'s' * (num > 1)}" if num else f"no {noun}"


# Smaller ends of intervals stand for 0; smaller p-values are not told apart.
_LEAST, _LEAST_P = 1e-300, 0.001


def _decimals(scale: float) -> int:
    """Return how many decimals tell numbers of this size apart."""
    if not 0 < scale < math.inf:
        return 2
    size = math.floor(math.log10(scale))
    if size <= -2:
        return -size + (scale < 2 * 10.0**size)
    return max(0, 1 - size)


def _side(x: float, other: float) -> int:
    return (x > other) - (x < other)


def shortened(names: Iterable[str], width: int) -> tuple[str, ...]:
    """Return names no longer than `width`, beginnings and ends; as they are where two look alike.

    >>> shortened(("a-long-name", "short"), 7), shortened(("run-of-1-in-all", "run-of-2-in-all"), 8)
    (('a-l…ame', 'short'), ('run-of-1-in-all', 'run-of-2-in-all'))
    """
    names = tuple(names)
    head, tail = width // 2, (width - 1) // 2
    short = {
        name: name if len(name) <= width else f"{name[:head]}…{name[len(name) - tail :]}"
        for name in names
    }
    return tuple(short[name] for name in names) if len({*short.values()}) == len(short) else names
