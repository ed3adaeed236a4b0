"""The definition of a measure: its function of a list, its settings, cutoffs, and its name.

A name, ``xCG(alpha=0.5)@10``, is a value that reads back.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.ranked.ranks import ROUNDING
from prum.experiments.measures.judged import Taken
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.assessments import QUANTISATIONS
from prum.simulator.model.grammar import Part, Word, parse, placed

SettingValue = bool | int | float | str
CutoffKind = Literal["rank", "level", "recall", "budget"]

_WHOLE = re.compile(r"[0-9]{1,18}")
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
    """Return the name that is written."""
    names = names_of(text)
    if len(names) > 1:
        raise _no_name(text, f"it holds {len(names)} of them")
    return names[0]


def names_of(text: str) -> list[Name]:
    """Return the names that stand with commas between.

    >>> [str(name) for name in names_of("RP, xCG(alpha=.5,quantisation=strict)@10")]
    ['RP', 'xCG(alpha=0.5,quantisation="strict")@10']
    """
    return [_name(parts, text) for parts in parse(text, partial(_no_name, text))]


def _name(parts: list[Part], text: str) -> Name:
    part, *others = parts
    for other in others:
        raise _no_name(text, f"{placed(other.head, other.place)} is a second part")
    head, cutoff, settings = part.head, part.cutoff, dict[str, SettingValue]()
    for word in part.words:
        if not word.key and _WHOLE.fullmatch(head):
            fault = f"{placed(head, part.place)} begins no name: a budget is written with its"
            raise _no_name(text, f"{fault} measure, as Coverage@500 tokens")
        if not word.key:
            raise _no_name(text, f"{placed(word.text, word.place)} is no name=value")
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


# What is better of a measure: only one of which more is better decides between systems.
Better = Literal["more", "less", "neither"]


@dataclass(frozen=True, slots=True)
class Curve:
    """A list's values of a measure: as a whole, where it can be cut off, and within a budget."""

    whole: Callable[[], float]
    cuts: Mapping[CutoffKind, Callable[[float], float]] = field(default_factory=dict)
    within: Callable[[float, str], float] = lambda _, __: np.nan

    @classmethod
    def of_ranks(cls, at_rank: Callable[[Any], float], whole: int | None = None) -> "Curve":
        """Return what the first n ranks have, at_rank(n); of the list as a whole at_rank(whole)."""
        return cls(lambda: at_rank(whole), {"rank": lambda n: at_rank(int(n))})

    @classmethod
    def of_recall(cls, result: PrecisionRecall) -> "Curve":
        """Return precision at recall: its mean over r, interpolated at a level, or at r."""

        def at_recall(r: float) -> float:
            return float(result.precision[int(r) - 1]) if r <= result.num_ideals else np.nan

        return cls(
            lambda: result.average,
            {"level": lambda level: float(result.interpolated([level])[0]), "recall": at_recall},
        )

    @classmethod
    def of_numbers(cls, values: Floats) -> "Curve":
        """Return numbers by r: their mean, at r, or at the least r that reaches a level."""

        def at_recall(r: float) -> float:
            return float(values[int(r) - 1]) if r <= len(values) else np.nan

        def at_level(level: float) -> float:
            return at_recall(max(np.ceil(level * len(values) * (1 - ROUNDING)), 1))

        return cls(lambda: float(values.mean()), {"level": at_level, "recall": at_recall})

    def read(self, cutoff: Cutoff | None) -> float:
        """Return the value at a cut-off, NaN where the list has none."""
        if cutoff is None:
            return float(self.whole())
        if cutoff.kind == "budget":
            return float(self.within(cutoff.value, cutoff.unit))
        return float(self.cuts[cutoff.kind](cutoff.value))


def whole(value: Callable[..., float]) -> Callable[..., Curve]:
    """Return the score of a measure of the list as a whole: value(judged, ranking, **settings)."""
    return lambda judged, ranking, **settings: Curve(lambda: value(judged, ranking, **settings))


def ranks(value: Callable[..., float]) -> Callable[..., Curve]:
    """Return the score of a measure of the first n ranks, of all of them for None."""
    return lambda judged, ranking, **settings: Curve.of_ranks(
        lambda n: value(judged, ranking, n, **settings)
    )


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of a measure: its type, its default (None: it must be given), what it may be.

    Instead of a number it may be one of some `words`. It is `of` lists of ideals, lists of chunks
    by gold spans, or both.
    """

    type: type
    default: SettingValue | None = None
    is_optional: bool = False
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    least: float = -np.inf
    most: float = np.inf
    above: float = -np.inf
    below: float = np.inf
    of: Literal["ideals", "spans", "both"] = "ideals"

    def check(self, key: str, value: SettingValue, name: Name) -> SettingValue:
        """Return the value if it may be one."""
        whole = isinstance(value, int) and not isinstance(value, bool)
        if self.type is float and whole:
            value = float(value)
        rule = {bool: "be true or false", int: "be a whole number", float: "be a number"}.get(
            self.type, "be a text"
        )
        fine = isinstance(value, self.type) and (whole or self.type is not int)
        if isinstance(value, str):
            by_case = {word.lower(): word for word in (*self.choices, *self.words)}
            value = by_case.get(value.lower(), value)
        if self.choices:
            rule, fine = f"be one of {', '.join(self.choices)}", value in self.choices
        elif fine and isinstance(value, int | float):
            ends = {"more than": self.above, "at least": self.least}
            ends |= {"less than": self.below, "at most": self.most}
            fine = self.least <= value <= self.most and self.above < value < self.below
            rule += "".join(f", {edge} {end:g}" for edge, end in ends.items() if np.isfinite(end))
            fine = fine and bool(np.isfinite(value))
        if self.words:
            rule += f", or one of {', '.join(self.words)}"
            fine = fine or value in self.words
        if not fine:
            raise InputError(f"{key} of {name}", value, rule, remedy="correct it")
        return value


def share(default: float) -> Parameter:
    """Return a setting in [0, 1]."""
    return Parameter(float, default, least=0, most=1)


def proper_share(default: float | None) -> Parameter:
    """Return a setting strictly between 0 and 1, one that may be left out if it has no default."""
    return Parameter(
        float,
        default,
        is_optional=default is None,
        above=0,
        below=1,
    )


@dataclass(frozen=True, slots=True)
class Expected:
    """A measure of uncertain ideals: its method of `UncertainIdeals`, and of `JudgedSets`.

    The method gets the rows of a list, the cut-off (None at the end of the list) if it
    `takes_rank`, and what `given` makes of the settings named; all others have to be left at their
    defaults.
    """

    method: str
    settings: tuple[str, ...] = ()
    given: Callable[..., dict[str, Any]] = lambda **_: {}
    takes_rank: bool = True


def refused(
    name: Name, key: str, rule: str, remedy: str = "leave one of the two out"
) -> InputError:
    """Return the error of a setting that does not go with another."""
    return InputError(f"{key} of {name.measure}", dict(name.settings)[key], rule, remedy=remedy)


# Settings of which `score` hears nothing: it gets the topic with these ideals, if there are any
# (else all is 0), and what is judged of the list.
REL = Parameter(int, is_optional=True, least=1)
JUDGED_ONLY = Parameter(bool, default=False)
# The grade that is worth 1, of which `score` hears nothing either: the highest judged by default.
HIGHEST = Parameter(float, is_optional=True, above=0)

# Preferences made relevance: the highest grade is worth 1, the lowest 0, the rest evenly between.
EVEN = "even"
# How relevance in [0, 1] is made of judgements.
QUANTISATION: dict[str, Parameter] = {
    "quantisation": Parameter(str, "generalised", choices=(*QUANTISATIONS, EVEN)),
    "highest": HIGHEST,
}

# The unit in which consulted elements are counted, by what they cost.
COST = Parameter(str, is_optional=True, of="both")


@dataclass(frozen=True, slots=True)
class Definition:
    """A measure: what it computes of a list, in a line, its settings and cut-offs.

    One that `counts_unlisted` depends on how many elements stand behind a list; one `by_scale` on
    the grade that is worth 1, and not on the shares of grades alone. Only one of which more is
    `better` decides which run is better. A `note` says what somebody who knows the name from
    elsewhere would get wrong. `score` gets the topic, the list (with ties, if it is asked for
    them) and every setting. With settings that `admits_together`, lists of a run are scored all at
    once by `scores_together`. One that, with its settings, does not `needs_ideals` has a value by
    grades alone, also of topics without ideals. `check` gets a name whose settings are each as
    they may be; it raises if they do not go together.

    Where ideals are uncertain, `expected` has a closed form of its mean over all sets of them.

    Chunks of documents are scored by gold spans by `of_spans`, which gets the settings that are of
    spans; a measure without it makes no sense of spans. One that has the same function as `score`
    is of nothing else.
    """

    about: str
    score: Callable[..., Curve]
    options: Mapping[str, Parameter] = field(default_factory=dict)
    cutoffs: tuple[CutoffKind, ...] = ()
    needs_cutoff: bool = False
    takes: Taken = "ranking"
    admits_together: Callable[[Mapping[str, SettingValue]], bool] = lambda _: False
    needs_ideals: Callable[[Mapping[str, SettingValue]], bool] = lambda _: True
    counts_unlisted: bool = False
    by_scale: bool = False
    better: Better = "more"
    of_spans: Callable[..., Curve] | None = None
    expected: Expected | None = None
    note: str = ""
    check: Callable[[Name], None] = lambda _: None
