"""The definition of a measure: its function of a list, its settings, and its cutoffs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.ranked.ranks import ROUNDING
from prum.experiments.measures.judged import Taken
from prum.experiments.measures.names import Cutoff, CutoffKind, Name, SettingValue
from prum.simulator.model import QUANTISATIONS, InputError
from prum.simulator.model.arrays import Floats

# What is better of a measure: only one of which more is better decides between systems.
Better = Literal["more", "less", "neither"]


@dataclass(frozen=True, slots=True)
class Curve:
    """A list's values of a measure: as a whole, where it can be cut off, and within a budget."""

    whole: Callable[[], float]
    at: Mapping[CutoffKind, Callable[[float], float]] = field(default_factory=dict)
    within: Callable[[float, str], float] = lambda _, __: np.nan

    @classmethod
    def of_ranks(cls, at: Callable[[Any], float], whole: int | None = None) -> "Curve":
        """Return what the first n ranks have, at(n); of the list as a whole at(whole)."""
        return cls(lambda: at(whole), {"rank": lambda n: at(int(n))})

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
        return float(self.at[cutoff.kind](cutoff.value))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of a measure: its type, its default (None: it must be given), what it may be.

    Instead of a number it may be one of some `words`. A `form` returns the text in which a value is
    written; its ValueError says what it must be. It is `of` lists of ideals, lists of chunks by
    gold spans, or both.
    """

    type: type
    default: SettingValue | None = None
    is_optional: bool = False
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    least: float = -np.inf
    most: float = np.inf
    more_than_least: bool = False
    less_than_most: bool = False
    form: Callable[[SettingValue], SettingValue] | None = None
    of: Literal["ideals", "spans", "both"] = "ideals"

    def check(self, key: str, value: SettingValue, name: Name) -> SettingValue:
        """Return the value if it may be one.

        Raises
        ------
        InputError
            otherwise.
        """
        if self.form is not None:
            try:
                return self.form(value)
            except ValueError as error:
                raise InputError(
                    f"{key} of {name}", value, str(error), remedy="correct it"
                ) from None
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
            low = value > self.least if self.more_than_least else value >= self.least
            high = value < self.most if self.less_than_most else value <= self.most
            fine = low and high and np.isfinite(value)
            edge = "more than" if self.more_than_least else "at least"
            top = "less than" if self.less_than_most else "at most"
            upper = "" if np.isinf(self.most) else f", {top} {self.most:g}"
            rule += "" if np.isinf(self.least) else f", {edge} {self.least:g}{upper}"
        if self.words:
            rule += f", or one of {', '.join(self.words)}"
            fine = fine or value in self.words
        if not fine:
            raise InputError(f"{key} of {name}", value, rule, remedy="correct it")
        return value


def proper_share(default: float | None) -> Parameter:
    """Return a setting strictly between 0 and 1, one that may be left out if it has no default."""
    return Parameter(
        float,
        default,
        is_optional=default is None,
        least=0,
        most=1,
        more_than_least=True,
        less_than_most=True,
    )


@dataclass(frozen=True, slots=True)
class Expected:
    """A measure of uncertain ideals: its method of `UncertainIdeals`, and of `JudgedSets`.

    `score` gets either of them, the rows of a list, the cut-off (None at the end of the list), and
    the settings named; all others have to be left at their defaults.
    """

    score: Callable[..., Any]
    settings: tuple[str, ...] = ()


# Settings of which `score` hears nothing: it gets the topic with these ideals, if there are any
# (else all is 0), and what is judged of the list.
REL = Parameter(int, is_optional=True, least=1)
JUDGED_ONLY = Parameter(bool, default=False)
# The grade that is worth 1, of which `score` hears nothing either: the highest judged by default.
HIGHEST = Parameter(float, is_optional=True, least=0, more_than_least=True)

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
    once by `scores_together`. `check` gets a name whose settings are each as they may be; it
    raises if they do not go together.

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
    counts_unlisted: bool = False
    by_scale: bool = False
    better: Better = "more"
    of_spans: Callable[..., Curve] | None = None
    expected: Expected | None = None
    note: str = ""
    check: Callable[[Name], None] = lambda _: None
