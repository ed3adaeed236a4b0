"""Vocabularies of names: the heads there are, and what each takes, means and makes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, TypeVar

from prum.simulator.model.errors import InputError
from prum.simulator.model.grammar import Part, Refused, Word, near, nearest, parse, placed

UNIT = "[0, 1]"

F = TypeVar("F", bound="Form")
Type = Literal["number", "whole number", "pair of numbers", "truth value"]


@dataclass(frozen=True, slots=True)
class Argument:
    """What a head takes: its name, how help texts show it, its range as an interval.

    A switch is off or on and has neither. `is_many` takes all words that follow; `is_optional` may
    be left out, and is written by its name. Others are written by their place, or with name=.
    """

    name: str
    shown: str = ""
    bounds: str = ""
    type: Type = "number"
    is_many: bool = False
    is_optional: bool = False

    def __str__(self) -> str:
        if self.is_optional:
            return f"[{' '.join(filter(None, (self.name, self.shown)))}]"
        return f"{self.shown} ..." if self.is_many else self.shown


@dataclass(frozen=True, slots=True)
class Form:
    """A head, its meaning in a line, an example, what it takes, and the function that makes it.

    Two forms with the same `slot` set the same thing and do not go together.
    """

    head: str
    meaning: str
    example: str
    make: Callable[..., Any]
    arguments: tuple[Argument, ...] = ()
    slot: str = ""

    def __str__(self) -> str:
        return " ".join([self.head, *map(str, self.arguments)])

    @property
    def about(self) -> str:
        """The meaning, and the ranges of the arguments."""
        ranges = dict[str, dict[str, None]]()
        for argument in self.arguments:
            ranges.setdefault(argument.bounds, {})[argument.shown] = None
        texts = [f"{', '.join(shown)} in {bounds}" for bounds, shown in ranges.items() if bounds]
        return "; ".join([self.meaning, *texts])

    def write(self, values: Mapping[str, Any]) -> str:
        """Return the name of values that `Vocabulary.read` gave, spelt with blanks."""
        words = [self.head]
        for argument in self.arguments:
            if argument.name in values:
                value = values[argument.name]
                words += [argument.name] if argument.is_optional else []
                words += map(_written, value if argument.is_many else (value,))
        return " ".join(filter(None, words))


class Vocabulary(Generic[F]):
    """The names of one kind of `thing`: which heads there are, and what each takes.

    >>> fading = Form("fading", "falls", "fading .9", float, (Argument("factor", "F", "[0, 1]"),))
    >>> known = Vocabulary("dial", "fading .9", fading)
    >>> [(form, values)] = known.read("fading(factor=.90)")
    >>> values, known.write([(form.head, values)])
    ({'factor': 0.9}, 'fading 0.9')
    """

    def __init__(self, thing: str, example: str, *forms: F) -> None:
        self.thing, self.example = thing, example
        self.forms = {form.head: form for form in forms}
        self.bases = tuple(str(form) for form in forms if not form.slot)
        dials = ", ".join(str(form) for form in forms if form.slot)
        self.rule = f"be one of {', '.join(self.bases)}"
        self.rule += f", and any of {dials} with + between" if dials else ""

    def read(self, text: str) -> list[tuple[F, dict[str, Any]]]:
        """Return the form of each part of a name, with the values of its arguments by their names.

        Raises
        ------
        InputError
            for another text, with the rule, the place and the names that are near.
        """

        def refused(fault: str, like: Form | None = None, rule: str = self.rule) -> InputError:
            remedy = f"write {like.example if like else self.example}, say"
            return InputError(self.thing, text, f"{rule}: {fault}", remedy=remedy)

        names, slots, read = parse(text, refused), set[str](), []
        for part in names[0]:
            form, place = self.forms.get(part.head), placed(part.head, part.at)
            if form is None:
                close = nearest(part.head, self.forms)
                raise refused(f"{place} is {near(close)}", self.forms[close[0]] if close else None)
            if form.slot in slots:
                rule = f"hold one {form.slot or self.thing}"
                raise refused(f"{place} is a second", rule=rule)
            slots.add(form.slot)
            read.append(
                (form, _bound(form, part, partial(refused, like=form, rule=f"hold {form}")))
            )
        if len(names) > 1 or any(part.cutoff for part in names[0]):
            raise refused("it takes neither several names nor a cut-off")
        return read

    def write(self, parts: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
        """Return the canonical name of heads with their values: equal ones are written alike."""
        return " + ".join(self.forms[head].write(values) for head, values in parts)


# What a switch is set to by its name, and what follows the last word.
_ON, _NOTHING = Word("true"), Word("", "=")


def _bound(form: Form, part: Part, refused: Refused) -> dict[str, Any]:
    """Return the values of a form's arguments that the words of a part set."""
    places = [argument for argument in form.arguments if not argument.is_optional]
    values, words = dict[str, Any](), iter(part.words)
    for word in words:
        name, value = word.key or word.text, word
        place = placed(name, word.at)
        argument = next(
            (option for option in places if option.is_many or option.name not in values), None
        )
        if word.key or argument is None:
            known = {
                option.name: option
                for option in form.arguments
                if option.is_optional or (word.key and not option.is_many)
            }
            argument = known.get(name)
            if argument is None:
                fault = near(nearest(name, known)) if known else "one too many"
                raise refused(f"{place} is {fault}")
            if not word.key:
                value = _ON if argument.type == "truth value" else next(words, _NOTHING)
                if value.key:
                    raise refused(f"{place} lacks {argument.shown}")
        try:
            read = _READERS[argument.type]("" if value.is_quoted else value.text)
        except ValueError:
            fault = f"{placed(value.text or str(value), value.at)} is no {argument.type}"
            raise refused(fault) from None
        if argument.is_many:
            values.setdefault(argument.name, []).append(read)
        elif argument.name in values:
            raise refused(f"{place} sets {argument.name} a second time")
        elif read is not False:
            values[argument.name] = read
    missing = [option.shown for option in places if option.name not in values]
    if form.arguments and (missing or not values):
        lacks = missing[0] if missing else "what it takes"
        raise refused(f"{placed(form.head, part.at)} lacks {lacks}")
    return {option.name: values[option.name] for option in form.arguments if option.name in values}


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return ":".join(map(repr, value))
    return "" if value is True else repr(value)


def _whole(text: str) -> float:
    """Return a whole number as an int; the form refuses others."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _pair(text: str) -> tuple[float, float]:
    first, second = text.split(":")
    return float(first), float(second)


def _switch(text: str) -> bool:
    return bool(("false", "true").index(text.lower()))


_READERS: dict[Type, Callable[[str], Any]] = {
    "number": float,
    "whole number": _whole,
    "pair of numbers": _pair,
    "truth value": _switch,
}
