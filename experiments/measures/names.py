"""Measures by name: ``xCG(alpha=0.5)@10`` is a value that reads back."""

import re
from dataclasses import dataclass
from functools import partial
from typing import Literal

from prum.simulator.model import InputError
from prum.simulator.model.grammar import Part, Word, parse, placed

SettingValue = bool | int | float | str
CutoffKind = Literal["rank", "level", "recall", "budget"]

_WHOLE = re.compile(r"[0-9]{1,18}")
# ranx writes the lowest grade of an ideal behind all else, recall@5-l2, others behind the name.
_GRADED = re.compile(r"(.+)-l([0-9]{1,9})")
# As long as Python writes the longest.
_FRACTION = re.compile(
    r"(?=\.?[0-9])[0-9]{0,18}(?:\.[0-9]{0,21}(?:e[+-]?[0-9]{1,3})?|e[+-]?[0-9]{1,3})"
)
# A number and a unit; without a blank, the unit is of two letters or more: 1e5 is a number.
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{0,4})?|\.[0-9]{1,4}"
_BUDGET = re.compile(rf"({_NUMBER})(?:(?:\s+|_)([^\W\d]\w*)|([^\W\d]{{2,}}))")
_UNITS = {
    "char": "characters",
    "chars": "characters",
    "character": "characters",
    "token": "tokens",
    "word": "words",
    "second": "seconds",
    "sec": "seconds",
}


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Where a measure is read: at a rank, a recall level in [0, 1], a recall value r, or a budget.

    Written ``@10``, ``@0.5``, ``@r=2`` and ``@500 tokens``: the longest part of the list that costs
    no more. Only budgets have a unit.
    """

    kind: CutoffKind
    value: float
    unit: str = ""

    def __str__(self) -> str:
        if self.kind == "budget":
            whole = float(self.value).is_integer()
            return f"@{int(self.value) if whole else self.value} {self.unit}"
        if self.kind == "level":
            return f"@{self.value!r}"
        return f"@r={int(self.value)}" if self.kind == "recall" else f"@{int(self.value)}"


@dataclass(frozen=True, slots=True)
class Name:
    """A measure's name, its settings (those given, in order of their names) and its cut-off.

    >>> name = name_of('PRUM(navigation="walk")@r=2')
    >>> name.measure, name.settings, name.cutoff
    ('PRUM', (('navigation', 'walk'),), Cutoff(kind='recall', value=2, unit=''))
    >>> name_of(str(name)) == name
    True
    """

    measure: str
    settings: tuple[tuple[str, SettingValue], ...] = ()
    cutoff: Cutoff | None = None

    def __str__(self) -> str:
        words = tuple(
            Word(value, key, is_quoted=True)
            if isinstance(value, str)
            else Word(repr(value).lower(), key)
            for key, value in self.settings
        )
        return f"{Part(self.measure, words)}{self.cutoff or ''}"


def name_of(text: str) -> Name:
    """Return the name that is written.

    Raises
    ------
    InputError
        as `names_of`, and for several names.
    """
    names = names_of(text)
    if len(names) > 1:
        raise _no_name(text, f"it holds {len(names)} of them")
    return names[0]


def names_of(text: str) -> list[Name]:
    """Return the names that stand with commas between.

    Raises
    ------
    InputError
        if one is no name with settings and a cut-off, or sets something twice; as `parse`.

    >>> [str(name) for name in names_of("RP, xCG(alpha=.5,quantisation=strict)@10")]
    ['RP', 'xCG(alpha=0.5,quantisation="strict")@10']
    """
    return [_name(parts, text) for parts in parse(text, partial(_no_name, text))]


def _name(parts: list[Part], text: str) -> Name:
    part, *others = parts
    for other in others:
        raise _no_name(text, f"{placed(other.head, other.at)} is a second part")
    head, cutoff, settings = part.head, part.cutoff, dict[str, SettingValue]()
    if cutoff is not None and (graded := _GRADED.fullmatch(cutoff)):
        cutoff, settings["rel"] = graded[1], int(graded[2])
    elif graded := _GRADED.fullmatch(head):
        head, settings["rel"] = graded[1], int(graded[2])
    for word in part.words:
        if not word.key and _WHOLE.fullmatch(head):
            fault = f"{placed(head, part.at)} begins no name: a budget is written with its measure"
            raise _no_name(text, f"{fault}, as Coverage@500 tokens")
        if not word.key:
            raise _no_name(text, f"{placed(word.text, word.at)} is no name=value")
        if word.key in settings:
            raise InputError(
                f"{word.key} of {part.head}", text, "be set once", remedy="keep one of the two"
            )
        settings[word.key] = word.text if word.is_quoted else _setting_of(word.text)
    return Name(
        head, tuple(sorted(settings.items())), None if cutoff is None else _cutoff(cutoff, text)
    )


def _cutoff(text: str, whole: str) -> Cutoff:
    if text.startswith("r="):
        if _WHOLE.fullmatch(text[2:]) and int(text[2:]) > 0:
            return Cutoff("recall", int(text[2:]))
    elif _WHOLE.fullmatch(text):
        if int(text) > 0:
            return Cutoff("rank", int(text))
    elif budget := _BUDGET.fullmatch(text):
        if float(budget[1]) > 0:
            unit = budget[2] or budget[3]
            return Cutoff("budget", float(budget[1]), _UNITS.get(unit.lower(), unit))
    elif _FRACTION.fullmatch(text) and float(text) <= 1:
        return Cutoff("level", float(text))
    raise InputError(
        "cut-off",
        whole,
        "be @10 for a rank, @0.5 for a recall level in [0, 1], @r=2 for a recall value, or "
        "@500 tokens for a budget",
        remedy="correct what stands behind @",
    )


def _setting_of(text: str) -> SettingValue:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    unsigned = text.removeprefix("-")
    if _WHOLE.fullmatch(unsigned):
        return int(text)
    return float(text) if _FRACTION.fullmatch(unsigned) else text


def _no_name(text: str, fault: str) -> InputError:
    return InputError(
        "measure",
        text,
        f'be written like PRUM, xCG(alpha=0.5)@10 or PRUM(navigation="walk")@r=2: {fault}',
        remedy=f"write {text.rstrip()}10, say, or leave out @"
        if text.rstrip().endswith("@") and text.count("@") == 1
        else "correct it, or see prum evaluate --help",
    )
