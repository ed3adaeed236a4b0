"""What is raised when input breaks a rule: a line with thing, value, rule, place and remedy.

ValueError
└── InputError      a parameter, a file or a combination of them breaks a rule
"""

import math
import numbers
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Flags, Floats

# Characters of a value in a message, and of the other parts, which may hold values too.
_LONGEST = 60
_LONGEST_PART = 400
# How rules begin that only ask for a thing to be there.
_TO_BE_THERE = (
    "be given",
    "be installed",
    "be known",
    "be named",
    "be set",
    "be there",
    "have",
)
# Names there are, of which a message says the first.
_MOST_NAMES = 5


class InputError(ValueError):
    """Input that breaks a rule of the model.

    The message is one line: ``[place: ]thing is value, must rule; remedy``, with a value of at most
    60 characters and other parts of at most 400, shown as by `printable`. A thing that is None, and
    only has to be there, is told without its value.

    >>> str(InputError("collection_size", 0, "be at least 1", remedy="count the elements"))
    'collection_size is 0, must be at least 1; count the elements'
    >>> str(InputError("collection_size", None, "be given", remedy="count the elements"))
    'collection_size must be given; count the elements'
    """

    def __init__(
        self, thing: str, value: object, rule: str, *, remedy: str, place: str = ""
    ) -> None:
        self.thing, self.value, self.rule = thing, value, rule
        self.remedy, self.place = remedy, place
        thing, rule, remedy, place = map(_short, (thing, rule, remedy, place))
        where = f"{place}: " if place else ""
        value_shown = (
            "" if value is None and rule.startswith(_TO_BE_THERE) else f" is {shown(value)},"
        )
        super().__init__(f"{where}{thing}{value_shown} must {rule}; {remedy}")

    def at(self, place: str) -> "InputError":
        """Return the same error at another place.

        >>> str(InputError("r", 0, "be at least 1", remedy="give more").at("topic 7"))
        'topic 7: r is 0, must be at least 1; give more'
        """
        return InputError(self.thing, self.value, self.rule, remedy=self.remedy, place=place)

    def __reduce__(self) -> tuple[object, ...]:
        rebuilt = partial(InputError, remedy=self.remedy, place=self.place)
        return rebuilt, (self.thing, self.value, self.rule)


def nearest(word: str, names: Iterable[str]) -> list[str]:
    """Return the known names most like a word, the nearest first.

    >>> nearest("Chunk", ["chunks", "walk"]), nearest("sim", ["prum", "simulated"])
    (['chunks'], ['simulated'])
    >>> nearest("wbe", ["web", "walks"])
    ['web']
    """
    from difflib import get_close_matches

    by_case, word = {name.lower(): name for name in names}, word[:50].lower()
    near = get_close_matches(word, by_case, n=2, cutoff=0.7)
    near = near or [name for name in by_case if sorted(name) == sorted(word)]
    begun = [name for name in by_case if len(word) > 2 and name.startswith(word)]
    return [by_case[name] for name in near or begun[:2]]


def did_you_mean(word: object, names: Iterable[str], otherwise: str = "choose one of them") -> str:
    """Return the remedy for a name that is none: the nearest ones, or else another.

    >>> did_you_mean("exakt", ["prum", "exact"]), did_you_mean(3, ["prum"], "leave it out")
    ("did you mean 'exact'?", 'leave it out')
    """
    close = " or ".join(map(shown, nearest(str(word), names)))
    return f"did you mean {close}?" if close else otherwise


def chosen_name(what: str, name: str | None, names: Iterable[str]) -> str:
    """Return `name` if it is one of `names`, or for None the only one there is.

    Raise InputError if there is no such name, or none is given of several.

    >>> chosen_name("topic", None, ["web"])
    'web'
    """
    choices = list(names)
    if name in choices:
        return name
    if name is None and len(choices) == 1:
        return choices[0]
    few = ", ".join(map(shown, choices[:_MOST_NAMES]))
    more = f" and {len(choices) - _MOST_NAMES:,} more" if len(choices) > _MOST_NAMES else ""
    rule = f"be {'given, ' if name is None else ''}one of {few}{more}"
    remedy = did_you_mean(name or "", choices, f"choose one {what}: --{what} NAME")
    raise InputError(what, name, rule, remedy=remedy)


def shown(value: object) -> str:
    """Return `value` on one short line: strings quoted, numbers plain, long ones cut.

    >>> shown("a\\nb"), shown(float("nan"))
    ("'a\\\\nb'", 'nan')
    """
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**30:
        sign = "-" if value < 0 else ""
        return f"{sign}an integer of {value.bit_length()} bits"
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, int)):
        value = float(value)
    text = " ".join(repr(value).split("\n"))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def printable(text: str) -> str:
    """Return `text` with every character that is not printable written as in Python.

    So no id moves the cursor or hides text, by control characters or by those that change the
    direction of writing.

    >>> print(printable("bell \\a, escape \\x1b[2J, \\u202eright to left"))
    bell \\x07, escape \\x1b[2J, \\u202eright to left
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _short(text: str) -> str:
    """Return `text` on one line, its middle left out if it is long."""
    text = printable(text)
    half = _LONGEST_PART // 2
    return text if len(text) <= _LONGEST_PART else f"{text[:half]}…{text[-half:]}"


def whole_number(
    thing: str, value: object, *, least: int, most: int | None = None, remedy: str, place: str = ""
) -> int:
    """Return `value` as an int if it is a whole number in [least, most].

    Raise InputError if it is not an integer (booleans are not) or out of range.

    >>> whole_number("r", 2, least=1, remedy="give a recall value")
    2
    """
    rule = (
        f"be a whole number of at least {least}"
        if most is None
        else f"be a whole number from {least} to {most}"
    )
    if (
        isinstance(value, bool)
        or not isinstance(value, numbers.Integral)
        or int(value) < least
        or (most is not None and int(value) > most)
    ):
        raise InputError(thing, value, rule, remedy=remedy, place=place)
    return int(value)


def proportion(
    thing: str, value: object, *, remedy: str, place: str = "", open_interval: bool = False
) -> float:
    """Return `value` as a float if it lies in [0, 1] (or strictly inside it).

    Raise InputError if it is not a real number or out of range.

    >>> proportion("confidence", 0.95, remedy="give a level", open_interval=True)
    0.95
    """
    number = real(value)
    if not (0 < number < 1 if open_interval else 0 <= number <= 1):
        rule = "lie strictly between 0 and 1" if open_interval else "lie in [0, 1]"
        raise InputError(thing, value, rule, remedy=remedy, place=place)
    return number


def proportions(thing: str, values: object) -> tuple[float, ...]:
    """Return numbers in [0, 1], one at least; raise InputError for the first that is none.

    >>> proportions("factors", [0, 0.5])
    (0.0, 0.5)
    """
    items = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else ()
    if not items:
        raise InputError(thing, values, "be several numbers", remedy="write [0.5, 1], say")
    return tuple(
        proportion(f"{thing}[{place}]", value, remedy="give a share")
        for place, value in enumerate(items)
    )


def amount(thing: str, value: object, *, positive: bool = False, remedy: str) -> float:
    """Return `value` as a float if it is finite and at least 0, or `positive`.

    Raise InputError if it is not a real number, negative or not finite.

    >>> amount("mean time", 4, positive=True, remedy="give a number of seconds")
    4.0
    """
    number = real(value)
    if not 0 <= number < math.inf or (positive and number == 0):
        rule = "be positive and finite" if positive else "be a finite number of at least 0"
        raise InputError(thing, value, rule, remedy=remedy)
    return number


def real(value: object) -> float:
    """Return a real number as a float, infinite if it is too large; NaN for all else."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def check_id(thing: str, value: object, *, place: str = "") -> str:
    """Return `value` if it can be an element id; raise InputError unless it is text, not empty."""
    if not isinstance(value, str) or not value:
        raise InputError(
            thing, value, "be a text that is not empty", remedy="name the element", place=place
        )
    return value


def repeated(keys: Iterable[Any]) -> Any:
    """Return the first key that stands there before, or None; in time linear in their number.

    >>> repeated("abcba"), repeated([])
    ('b', None)
    """
    seen = set[Any]()
    for key in keys:
        if key in seen:
            return key
        seen.add(key)
    return None


def check_pair(thing: str, value: object) -> tuple[str, str]:
    """Return `value` if it is a pair; raise InputError otherwise. Its ids are not checked."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise InputError(thing, value, "be (source, target)", remedy="name two elements")
    return value


def real_array(
    thing: str, values: object, *, remedy: str, shape: tuple[int | str, ...] | None = None
) -> Floats:
    """Return `values` as an array of floats if they are real numbers in a regular shape.

    `shape` says which: an int is a length that it must have, a letter any length, () one number.

    Raise InputError for text, complex numbers, rows of different lengths and the like, and for
    another shape.

    >>> real_array("levels", [0, 0.5], remedy="give recall levels", shape=("n",)).tolist()
    [0.0, 0.5]
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO" and array.size:
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        rule = "be real numbers in a regular shape"
        raise InputError(thing, values, rule, remedy=remedy) from None
    if shape is not None and (
        array.ndim != len(shape)
        or any(isinstance(n, int) and n != m for n, m in zip(shape, array.shape, strict=True))
    ):
        lengths = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        rule = f"have shape ({lengths})" if shape else "be a single number"
        raise InputError(thing, array.shape, rule, remedy=remedy)
    return array


def check_each(
    thing: str,
    values: Floats,
    valid: Flags,
    rule: str,
    *,
    remedy: str,
    place: str = "",
) -> None:
    """Raise for the first of `values` that is not valid.

    ``{}`` in `thing` stands for its index, from 0, in `place` for its number, from 1.

    Raise InputError if there is one.

    >>> values = np.array([0.5, 2.0])
    >>> check_each("weight {}", values, values <= 1, "be at most 1", remedy="divide by the sum")
    Traceback (most recent call last):
        ...
    prum.simulator.model.errors.InputError: weight 1 is 2.0, must be at most 1; divide by the sum
    """
    values, valid = np.atleast_1d(values, valid)
    if not valid.all():
        index = np.unravel_index(int(np.argmin(valid)), valid.shape)
        numbers = [int(i) for i in index]
        thing, place = thing.format(*numbers), place.format(*(i + 1 for i in numbers))
        raise InputError(thing, float(values[index]), rule, remedy=remedy, place=place)
