"""Measures by name: ``xCG(alpha=0.5)@10`` is a value that reads back."""

import re
from dataclasses import dataclass
from typing import Literal

from prum.simulator.model import InputError
from prum.simulator.model.errors import shown

Setting = bool | int | float | str
CutoffKind = Literal["rank", "level", "recall"]

# Longer than any that means something.
LONGEST = 1000
# No part gives back what it took (*+, ++), so a name is read in time linear in its length.
_BEGIN = re.compile(r"\s*+([A-Za-z][A-Za-z0-9]*+)\s*+(\(\s*+)?+")
_SETTING = re.compile(
    r"([a-z_]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"',()=]++))\s*+(?:,\s*+|(?=\)))"
)
_CLOSE = re.compile(r"\)\s*+")
_CUTOFF = re.compile(r"@\s*+([^@()]++)")
_WHOLE = re.compile(r"[0-9]{1,18}")
# As long as Python writes the longest.
_FRACTION = re.compile(
    r"(?=\.?[0-9])[0-9]{0,18}(?:\.[0-9]{0,21}(?:e[+-]?[0-9]{1,3})?|e[+-]?[0-9]{1,3})"
)


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Where a measure is read: at a rank, at a recall level in [0, 1], or at a recall value r.

    Written ``@10``, ``@0.5`` and ``@r=2``.
    """

    kind: CutoffKind
    value: float

    def __str__(self) -> str:
        if self.kind == "level":
            return f"@{self.value!r}"
        return f"@r={int(self.value)}" if self.kind == "recall" else f"@{int(self.value)}"


@dataclass(frozen=True, slots=True)
class Name:
    """A measure's name, its settings (those given, in order of their names) and its cut-off.

    >>> name = name_of('PRUM(navigation="walk")@r=2')
    >>> name.measure, name.settings, name.cutoff
    ('PRUM', (('navigation', 'walk'),), Cutoff(kind='recall', value=2))
    >>> name_of(str(name)) == name
    True
    """

    measure: str
    settings: tuple[tuple[str, Setting], ...] = ()
    cutoff: Cutoff | None = None

    def __str__(self) -> str:
        settings = ",".join(f"{key}={_written(value)}" for key, value in self.settings)
        cutoff = "" if self.cutoff is None else str(self.cutoff)
        return f"{self.measure}({settings}){cutoff}" if settings else f"{self.measure}{cutoff}"


def name_of(text: str) -> Name:
    """Return the name that is written.

    Raises
    ------
    InputError
        if the text is no name with settings and a cut-off, sets something twice, or is longer than
        `LONGEST`.
    """
    if len(text) > LONGEST:
        raise InputError(
            "number of characters of a measure's name", len(text), f"be at most {LONGEST}",
            remedy="shorten it", place=shown(text),
        )  # fmt: skip
    begin = _BEGIN.match(text)
    if begin is None:
        raise _no_name(text)
    measure, position = begin[1], begin.end()
    settings: dict[str, Setting] = {}
    if begin[2]:
        while setting := _SETTING.match(text, position):
            key, *quoted, bare = setting.groups()
            if key in settings:
                raise InputError(
                    f"{key} of {measure}", text, "be set once", remedy="keep one of the two"
                )
            words = next((word for word in quoted if word is not None), None)
            settings[key] = _read(bare) if words is None else words
            position = setting.end()
        close = _CLOSE.match(text, position)
        if close is None:
            raise _no_name(text)
        position = close.end()
    rest = text[position:].rstrip()
    cut = _CUTOFF.fullmatch(rest)
    if rest and cut is None:
        raise _no_name(text)
    return Name(measure, tuple(sorted(settings.items())), _cutoff(cut and cut[1], text))


def names_of(text: str) -> list[Name]:
    """Return the names that stand with commas between.

    >>> [str(name) for name in names_of("RP, xCG(alpha=.5,quantisation=strict)@10")]
    ['RP', 'xCG(alpha=0.5,quantisation="strict")@10']
    """
    pieces, begin, depth, quote = list[str](), 0, 0, ""
    for place, mark in enumerate(text):
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        else:
            depth += (mark == "(") - (mark == ")")
        if mark == "," and depth == 0 and not quote:
            pieces.append(text[begin:place])
            begin = place + 1
    return [name_of(piece) for piece in (*pieces, text[begin:])]


def _cutoff(text: str | None, whole: str) -> Cutoff | None:
    if text is None:
        return None
    if text.startswith("r="):
        if _WHOLE.fullmatch(text[2:]) and int(text[2:]) > 0:
            return Cutoff("recall", int(text[2:]))
    elif _WHOLE.fullmatch(text):
        if int(text) > 0:
            return Cutoff("rank", int(text))
    elif _FRACTION.fullmatch(text) and float(text) <= 1:
        return Cutoff("level", float(text))
    raise InputError(
        "cut-off",
        whole,
        "be @10 for a rank, @0.5 for a recall level in [0, 1], or @r=2 for a recall value",
        remedy="correct what stands behind @",
    )


def _read(text: str) -> Setting:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    unsigned = text.removeprefix("-")
    if _WHOLE.fullmatch(unsigned):
        return int(text)
    return float(text) if _FRACTION.fullmatch(unsigned) else text


def _written(value: Setting) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}'" if '"' in value else f'"{value}"'
    return repr(value)


def _no_name(text: str) -> InputError:
    return InputError(
        "measure",
        text,
        'be written like PRUM, xCG(alpha=0.5)@10 or PRUM(navigation="walk")@r=2',
        remedy="correct it, or see prum evaluate --help",
    )
