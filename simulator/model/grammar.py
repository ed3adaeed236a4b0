"""One grammar for all names, and vocabularies: ``walk + fading .9``, ``xCG(alpha=0.5)@10``.

::

    names   = name {"," name}
    name    = part {"+" part}                           with blanks around the plus
    part    = head {[key "="] word} ["@" cutoff]        or
              head "(" [item {"," item}] ")" ["@" cutoff]
    item    = [key "="] (word | "quoted" | 'quoted')

The two spellings of a part say the same. A vocabulary says which heads there are, and what each
takes, means and makes; docs/reference/grammar.md has all of them. Reading takes time linear in the
length of a text.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from prum.simulator.model.errors import InputError, nearest, shown

LONGEST = 100_000
_LONGEST_SHOWN = 20

# Nothing gives back what it took (++), so that no text is read twice.
_BLANK = re.compile(r"\s++")
_WORD = re.compile(r"[^\s()=,@\"']++")
_INNER = re.compile(r"[^\s()=,\"']++")
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
# A word of its own.
_PLUS = re.compile(r"\+(?![^\s()=,@\"'])")
_CUTOFF = re.compile(r"[^@(),]++")

Refused = Callable[[str], Exception]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a name, with the key it is set to, if any, and where it stands, from 1."""

    text: str
    key: str = ""
    is_quoted: bool = False
    place: int = field(default=0, compare=False)

    def __str__(self) -> str:
        mark = "" if not self.is_quoted else "'" if '"' in self.text else '"'
        return f"{self.key}{'=' if self.key else ''}{mark}{self.text}{mark}"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a name: its head, the words behind it, and what stands behind @.

    >>> [[part]] = parse(" xCG (alpha = .5, 'x') @ 10", ValueError)
    >>> str(part), part.cutoff
    ('xCG(alpha=.5,"x")@10', '10')
    """

    head: str
    words: tuple[Word, ...] = ()
    cutoff: str | None = None
    place: int = field(default=0, compare=False)

    def __str__(self) -> str:
        words = f"({','.join(map(str, self.words))})" if self.words else ""
        return f"{self.head}{words}{'' if self.cutoff is None else f'@{self.cutoff}'}"


def parse(text: str, refused: Refused) -> list[list[Part]]:
    """Return the names that a text holds, with commas between, each the list of its parts.

    >>> [[walk, fading]] = parse("walk + fading .9", ValueError)
    >>> walk.head, fading.head, [word.text for word in fading.words]
    ('walk', 'fading', ['.9'])
    """
    if len(text) > LONGEST:
        raise refused(f"it has {len(text):,} characters, where {LONGEST:,} are the most")
    return _Scanner(text, refused).names()


class _Scanner:
    def __init__(self, text: str, refused: Refused) -> None:
        self.text, self.refused, self.offset = text, refused, 0

    def names(self) -> list[list[Part]]:
        names = [[self.part()]]
        while self.offset < len(self.text):
            if self.takes(","):
                names.append([self.part()])
            elif self.take(_PLUS):
                names[-1].append(self.part())
            else:
                raise self.fault("is out of place")
        return names

    def part(self) -> Part:
        head, words, cutoff = self.word(), list[Word](), None
        if head is None:
            raise self.fault("stands where a name should")
        if self.takes("("):
            while not self.takes(")"):
                words.append(self.item())
                if not self.takes(",") and not self.text.startswith(")", self.offset):
                    raise self.fault("stands where , or ) should")
        else:
            while word := self.word():
                words.append(self.keyed(word))
        if self.takes("@"):
            cutoff = (self.take(_CUTOFF) or "").strip()
            if not cutoff:
                raise self.fault("stands where a cut-off should")
        return Part(head.text, tuple(words), cutoff, head.place)

    def item(self) -> Word:
        word = self.value()
        return word if word.is_quoted else self.keyed(word)

    def keyed(self, word: Word) -> Word:
        if self.takes("="):
            return replace(self.value(), key=word.text, place=word.place)
        return word

    def value(self) -> Word:
        place = self.offset + 1
        if quoted := self.take(_QUOTED):
            return Word(quoted[1:-1], is_quoted=True, place=place)
        if bare := self.take(_INNER):
            return Word(bare, place=place)
        raise self.fault("stands where a word should")

    def word(self) -> Word | None:
        self.take(_BLANK)
        place = self.offset + 1
        bare = None if _PLUS.match(self.text, self.offset) else self.take(_WORD)
        return Word(bare, place=place) if bare else None

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.offset)
        self.offset = match.end() if match else self.offset
        return match[0] if match else ""

    def takes(self, mark: str) -> bool:
        self.take(_BLANK)
        matches = self.text.startswith(mark, self.offset)
        self.offset += matches
        self.take(_BLANK)
        return matches

    def fault(self, words: str) -> Exception:
        return self.refused(f"{placed(self.text[self.offset :][:1], self.offset + 1)} {words}")


def placed(text: str, place: int) -> str:
    """Return a part of a text, cut where it is long, and where it stands; "" is the end."""
    short = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    return f"{shown(short) if text else 'the end'} at character {place}"


def near(close: list[str]) -> str:
    """Say what is near a name that is none."""
    return f"near {' and '.join(close)}" if close else "none of them"


# --- vocabularies -------------------------------------------------------------------------------

Type = Literal["number", "whole number", "pair of numbers", "truth value"]

# Of each argument in the meaning of a form.
_RANGES = re.compile(r"; ([A-Z:]+(?:, [A-Z:]+)*) in ([\[(]\w+, \w+[\])])")


@dataclass(frozen=True, slots=True)
class Argument:
    """What a head takes: its name, how help texts show it, its range as an interval.

    A switch is off or on and has neither. `is_many` takes all words that follow; `is_optional` may
    be left out, and is written by its name. Others are written by their place, or with name=.
    """

    name: str
    shown: str = ""
    bounds: str = ""
    is_many: bool = False
    is_optional: bool = False

    @property
    def type(self) -> Type:
        """What is read: numbers from 1 on are counts, and whole."""
        if not self.shown:
            return "truth value"
        if ":" in self.shown:
            return "pair of numbers"
        return "whole number" if self.bounds == "[1, inf)" else "number"

    def __str__(self) -> str:
        if self.is_optional:
            return f"[{' '.join(filter(None, (self.name, self.shown)))}]"
        return f"{self.shown} ..." if self.is_many else self.shown


@dataclass(frozen=True, slots=True)
class Form:
    """A head, what it takes, an example, its meaning in a line with ranges, and what makes it.

    Two forms with the same `slot` set the same thing and do not go together.
    """

    head: str
    arguments: tuple[Argument, ...]
    example: str
    about: str
    make: Callable[..., Any]
    slot: str = ""

    def __str__(self) -> str:
        return " ".join([self.head, *map(str, self.arguments)])

    def write(self, values: Mapping[str, Any]) -> str:
        """Return the name of values that `Vocabulary.read` gave, spelt with blanks."""
        words = [self.head]
        for argument in self.arguments:
            if argument.name in values:
                value = values[argument.name]
                words += [argument.name] if argument.is_optional else []
                words += map(_written, value if argument.is_many else (value,))
        return " ".join(filter(None, words))


def _form(row: str, about: str, make: Mapping[str, Callable[..., Any]]) -> Form:
    usage, example, *slot = row.split(" | ")
    head, *words = usage.split()
    ranges = {
        shown: bounds for names, bounds in _RANGES.findall(about) for shown in names.split(", ")
    }
    arguments = []
    for word in words:
        name, _, shown = word.strip("[].").partition("=")
        is_many, is_optional = word.endswith("..."), word.startswith("[")
        arguments.append(Argument(name, shown, ranges.get(shown, ""), is_many, is_optional))
    return Form(head, tuple(arguments), example, about.strip(), make[head], *slot)


class Vocabulary:
    """The names of one kind of `thing`: which heads there are, and what each takes.

    A table has two lines for each form: its usage, example and slot, and its meaning with the
    ranges of arguments. `name=SHOWN` is an argument, `name=SHOWN...` takes all that follow,
    `[name=SHOWN]` may be left out, and `[name]` is a switch.

    >>> table = "fading factor=F | fading .9\\n  falls from rank to rank; F in [0, 1]"
    >>> known = Vocabulary("dial", "fading .9", table, {"fading": float})
    >>> [(form, values)] = known.read("fading(factor=.90)")
    >>> values, known.write([(form.head, values)]), str(form)
    ({'factor': 0.9}, 'fading 0.9', 'fading F')
    """

    def __init__(
        self, thing: str, example: str, table: str, make: Mapping[str, Callable[..., Any]]
    ) -> None:
        self.thing, self.example = thing, example
        lines = table.strip().splitlines()
        forms = [_form(*row, make) for row in zip(lines[::2], lines[1::2], strict=True)]
        self.forms = {form.head: form for form in forms}
        self.bases = tuple(str(form) for form in forms if not form.slot)
        dials = ", ".join(str(form) for form in forms if form.slot)
        self.rule = f"be one of {', '.join(self.bases)}"
        self.rule += f", and any of {dials} with + between" if dials else ""

    def read(self, text: str) -> list[tuple[Form, dict[str, Any]]]:
        """Return the form of each part of a name, with the values of its arguments by their names.

        Raise InputError for another text, with the rule, the place and the names that are near.
        """

        def refused(fault: str, like: Form | None = None, rule: str = self.rule) -> InputError:
            remedy = f"write {like.example if like else self.example}, say"
            return InputError(self.thing, text, f"{rule}: {fault}", remedy=remedy)

        names, slots, read = parse(text, refused), set[str](), []
        for part in names[0]:
            form, place = self.forms.get(part.head), placed(part.head, part.place)
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
        place = placed(name, word.place)
        argument = next(
            (option for option in places if option.is_many or option.name not in values), None
        )
        if word.key or argument is None:
            arguments = {
                option.name: option
                for option in form.arguments
                if option.is_optional or (word.key and not option.is_many)
            }
            argument = arguments.get(name)
            if argument is None:
                fault = near(nearest(name, arguments)) if arguments else "one too many"
                raise refused(f"{place} is {fault}")
            if not word.key:
                value = _ON if argument.type == "truth value" else next(words, _NOTHING)
                if value.key:
                    raise refused(f"{place} lacks {argument.shown}")
        try:
            read = _READERS[argument.type]("" if value.is_quoted else value.text)
        except ValueError:
            fault = f"{placed(value.text or str(value), value.place)} is no {argument.type}"
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
        raise refused(f"{placed(form.head, part.place)} lacks {lacks}")
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
