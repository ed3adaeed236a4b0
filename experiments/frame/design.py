"""The options of a verb or a study: each declared once, with its default, bounds and help."""

import math
import os
import shlex
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from inspect import get_annotations
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

FileUse = Literal["input", "output", "store"]


@dataclass(frozen=True, slots=True)
class Option:
    """Help, bounds and role of a field of a `Design`.

    Parameters
    ----------
    help
        One sentence; how often and the default are added to it.
    metavar
        Stands for the value in the help text; by default N for whole numbers, FILE for files.
    least, most
        The value lies in [least, most]; None for no bound, of whole numbers 0.
    above, below
        Or strictly between these; for real numbers only.
    singular
        What a single value of several is called: the field `densities` gives `--density`.
    remedy
        What to do about a value out of bounds.
    file
        Whether the text names a file or folder: one that is read ("input"), one that is written
        besides JSON, CSV and page ("output"), or one that keeps results for another time ("store").
    positional
        Whether it is given without its name.
    always
        Whether the command that repeats the study says it even where it is the default.
    matters
        Whether the numbers depend on it; if not, as workers, the command and the JSON output leave
        it out.
    data
        What Python takes, where the help does not say it. A field of any other type than those of
        a `Design` needs it; its verb checks it.
    several
        Whether the command line gives several values of such data.
    shell
        Whether the command line has it.
    words
        Takes data to the text that stands for it on the command line.
    short
        Another name on the command line, "-o".
    """

    help: str
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    singular: str | None = None
    remedy: str | None = None
    file: FileUse | None = None
    positional: bool = False
    always: bool = False
    matters: bool = True
    data: str | None = None
    several: bool = False
    shell: bool = True
    words: Callable[[Any], str] | None = None
    short: tuple[str, ...] = ()

    def rule(self) -> str:
        """Return what a real number must do.

        >>> Option("", least=0, most=1).rule(), Option("", above=0).rule()
        ('lie in [0, 1]', 'be positive')
        """
        match self.least, self.most, self.above, self.below:
            case None, None, None, None:
                return "be a finite number"
            case least, most, None, None if least is not None and most is not None:
                return f"lie in [{least:g}, {most:g}]"
            case None, None, 0, None:
                return "be positive"
            case None, None, above, below if above is not None and below is not None:
                return f"lie strictly between {above:g} and {below:g}"
        words = ("at least", "at most", "more than", "less than")
        bounds = zip(words, (self.least, self.most, self.above, self.below), strict=True)
        return f"be {' and '.join(f'{word} {end:g}' for word, end in bounds if end is not None)}"

    def allows(self, value: float) -> bool:
        """Return whether a real number is finite and within the bounds."""
        return (
            math.isfinite(value)
            and (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


def option(default: Any, help: str | Option, metavar: str | None = None, **more: Any) -> Any:
    """Return a field of a design: its default, help and bounds, as `Option` has them.

    Without a default (...) it is required, and may be given by its place.

    >>> class Coins(Design):
    ...     "Options of tossing coins."
    ...     sides: int = option(2, "Sides.", least=1)
    >>> Coins(sides=3).sides
    3
    """
    said = help if isinstance(help, Option) else Option(help, metavar, **more)
    if default is ...:
        return field(kw_only=False, metadata={"option": said})
    return field(default=default, metadata={"option": said})


def draws_of(what: str, most: int = 1_000_000) -> Option:
    """Return the option `draws`, of a study over random draws, or another that counts them."""
    remedy = "an interval needs two at least"
    return Option(f"Random {what}.", least=2, most=most, always=True, remedy=remedy)


# As `prum.simulator.sampling.streams` has it, which takes NumPy.
LARGEST_SEED = 2**64 - 1
Seed = Annotated[
    int, Option("Seed of the random numbers.", least=0, most=LARGEST_SEED, always=True)
]
UserSeed = Annotated[
    int,
    Option("Seed of the simulated users.", metavar="N", least=0, most=LARGEST_SEED, always=True),
]


# What messages call the types of data.
_KINDS: dict[Any, str] = {
    Callable: "a function",
    Mapping: "a mapping",
    Sequence: "a list",
    str: "a text",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a design, as click and the command line need it.

    `kind` is int, float, str, bool, a tuple of choices, or object, for data; `several` says whether
    there is a tuple of it. The help has it under the `heading` of the design that declares it.
    """

    name: str
    option: Option
    kind: type | tuple[str, ...]
    several: bool
    optional: bool
    required: bool
    default: Any
    annotation: Any
    heading: str

    @property
    def singular(self) -> str:
        """The name of a single value."""
        return self.option.singular or self.name

    @property
    def flag(self) -> str:
        """The name on the command line."""
        return f"--{self.singular.replace('_', '-')}"

    def checked(self, value: Any) -> Any:
        """Return `value` as the field holds it: several numbers distinct and ascending.

        Raises InputError if the value, or one of several, breaks the option's rule.
        """
        if value is None and self.optional:
            return value
        if self.kind is object:
            return self._data(value)
        if not self.several:
            return self._single(value)
        if isinstance(value, (str, bytes, os.PathLike)) or not hasattr(value, "__iter__"):
            raise _mistake(self.name, value, "be a list", "give a list of values")
        values = tuple(self._single(part) for part in value)
        if not values and (self.required or self.default):
            raise _mistake(self.name, (), "hold at least one value", "give one or more")
        return tuple(sorted(set(values))) if self.kind in (int, float) else values

    def _data(self, value: Any) -> Any:
        """Return data of one of the types that the option has, of any where it has none."""
        is_union = get_origin(self.annotation) in (Union, types.UnionType)
        kinds = [get_origin(kind) or kind for kind in get_args(self.annotation) if is_union]
        if kinds and not isinstance(value, tuple(kinds)):
            kinds = [kind for kind in kinds if kind is not types.NoneType]
            named = [_KINDS.get(kind, kind.__name__) for kind in kinds]
            raise _mistake(self.name, value, f"be {' or '.join(named)}", "give one")
        if self.option.file and isinstance(value, str) and "\0" in value:
            raise _mistake(self.name, value, "hold no NUL", "name another file")
        return value

    def _single(self, value: Any) -> Any:
        from prum.simulator.model.errors import did_you_mean, real, whole_number

        option = self.option
        if self.kind is int:
            least = 0 if option.least is None else int(option.least)
            most = None if option.most is None else int(option.most)
            remedy = option.remedy or "give a whole number"
            return whole_number(self.singular, value, least=least, most=most, remedy=remedy)
        if self.kind is float:
            number = real(value)
            if not option.allows(number):
                remedy = option.remedy or "give a number"
                raise _mistake(self.singular, value, option.rule(), remedy)
            return number
        if self.kind is bool:
            if not isinstance(value, bool):
                raise _mistake(self.singular, value, "be True or False", "give one of them")
            return value
        text = os.fspath(value) if option.file and isinstance(value, os.PathLike) else value
        if isinstance(self.kind, tuple):
            if not isinstance(text, str) or text not in self.kind:
                rule = f"be one of {', '.join(self.kind)}"
                raise _mistake(self.singular, value, rule, did_you_mean(value, self.kind))
        elif not isinstance(text, str) or "\0" in text:
            remedy = option.remedy or f"give {'a file name' if option.file else 'a text'}"
            raise _mistake(self.singular, value, "be a text", remedy)
        return text

    def as_plain(self, value: Any) -> Any:
        """Return a value as plain data: files by their names, other data that has none as None."""
        if self.kind is not object or value is None:
            return value
        return _as_plain(value, self.option.words)


def _as_plain(value: Any, words: Callable[[Any], str] | None = None) -> Any:
    """Return a text, a number, a file by its name, or several of these; None for other data."""
    if isinstance(value, str | os.PathLike):
        from prum.simulator.tables.files import readable

        return readable(value)
    if words is not None:
        return words(value) or None
    if isinstance(value, list | tuple):
        texts = [_as_plain(part) for part in value]
        return None if None in texts else texts
    return value if isinstance(value, int | float) else None


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field, option))
class Design:
    """The options of a verb or a study.

    A subclass has one annotated field for each option, besides those of its bases, which come
    before its own, from left to right. Types are int, float, str, bool, `Literal` of texts
    (choices), any of these `| None` with None as default, or a tuple of any number of them; any
    other type, as `Any`, is for what may be a text on the command line and data in Python.
    Options have names; one that Python also takes by its place has
    ``field(kw_only=False, default=...)``. Equal designs hold equal values, and none can be changed.

    Raise InputError for a value that breaks a rule, an option that is missing, and an unknown name.

    >>> class Coins(Design):
    ...     "Options of tossing coins."
    ...     sides: Annotated[tuple[int, ...], Option("Sides.", singular="side", least=1)] = (2, 3)
    ...     seed: Seed = 1
    >>> Coins(sides=[6, 2]).command("study coins")
    'prum study coins --side 2 --side 6 --seed 1'
    """

    # What the help says above the options that other designs take from this one.
    heading: ClassVar[str] = ""
    # Options that come before others.
    first: ClassVar[tuple[str, ...]] = ()
    _fields: ClassVar[tuple[Field, ...]] = ()

    def __init__(self, /, *places: Any, **options: Any) -> None:
        by_place = [each.name for each in fields(type(self)) if not each.kw_only]  # type: ignore[arg-type]
        if len(places) > len(by_place):
            raise TypeError(f"{len(places)} options without a name, of {len(by_place)}")
        placed = dict(zip(by_place, places, strict=False))
        if twice := placed.keys() & options.keys():
            raise TypeError(f"{min(twice)} is given twice: by its place, and by its name")
        options |= placed
        names = {each.name for each in self._fields}
        for name in options.keys() - names:
            from prum.simulator.model.errors import did_you_mean

            remedy = did_you_mean(name, names, "leave it out")
            rule = f"be one of {', '.join(each.name for each in self._fields)}"
            raise _mistake("option", name, rule, remedy)
        for each in self._fields:
            if each.name in options:
                value = each.checked(options[each.name])
            elif each.required:
                raise _mistake(each.name, None, "be given", each.option.help)
            else:
                value = each.default
            object.__setattr__(self, each.name, value)
        self.check()

    def __init_subclass__(cls, **_: Any) -> None:
        dataclass(frozen=True, init=False, kw_only=True)(cls)
        # A mistake in a design shows when it is written, not when it is used.
        declared = {each.name: each for each in fields(cls)}  # type: ignore[arg-type]
        bases = (base for base in cls.__bases__ if issubclass(base, Design))
        names = (each.name for base in bases for each in base.fields())
        order = dict.fromkeys((*cls.first, *names, *declared))
        cls._fields = tuple(_field(cls, name, declared[name]) for name in order)

    @classmethod
    def fields(cls) -> Iterator[Field]:
        """Yield what each option is, in order."""
        return iter(cls._fields)

    def check(self) -> None:
        """Raise InputError if options contradict each other; a subclass says which."""

    def options(self) -> dict[str, Any]:
        """Return what is given and the numbers depend on, as in the JSON output.

        They do not depend on where other files are written.
        """
        return {
            each.name: value
            for each in self._fields
            if each.option.matters and each.option.file != "output"
            if (value := each.as_plain(getattr(self, each.name))) is not None
        }

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files that options name; files named inside these are added by a subclass."""
        return tuple(
            os.fspath(path)
            for each in self._fields
            if each.option.file in roles
            for path in _several(getattr(self, each.name))
            if isinstance(path, str | os.PathLike)
        )

    def parts(self) -> int | None:
        """Return how many parts of the work are told as they are done; None where shares are."""
        return None

    def completed(self) -> Self:
        """Return the design with what its inputs decide where an option is not given."""
        return self

    def notices(self) -> Iterable[str]:
        """Return what the user should know of the inputs before the work; a line each."""
        return ()

    def command(self, name: str) -> str:
        """Return the command line that repeats it, quoted for a shell; "" if data was given."""
        for each in self._fields:
            value = getattr(self, each.name)
            if value is not each.default and each.option.matters and each.as_plain(value) is None:
                return ""
        named, bare = self.words()
        # Words that begin as options do, or are empty, stand behind what ends the options.
        if any(word.startswith("-") for word in bare):
            return shlex.join(["prum", *name.split(), *named, "--", *bare])
        return shlex.join(["prum", *name.split(), *bare, *named])

    def words(self) -> tuple[list[str], list[str]]:
        """Return the arguments of the command: options, and what has no name."""
        from prum.simulator.tables.files import readable

        named: list[str] = []
        bare: list[str] = []
        options = self.options()
        for each in self._fields:
            value = options.get(each.name, getattr(self, each.name))
            if not each.option.shell or (each.name not in options and each.option.file != "output"):
                continue
            if value == each.default and not each.option.always:
                continue
            for part in _several(value):
                if each.option.positional:
                    bare.append(readable(f"{part}"))
                elif part is True:
                    named.append(each.flag)
                else:
                    named += [each.flag, readable(f"{part}")]
        return named, bare


def _several(value: Any) -> tuple[Any, ...]:
    if value is None or value is False:
        return ()
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def _field(design: type[Design], name: str, declared: Any) -> Field:
    """Return a field of a design from its declaration."""
    annotation, *extras = (
        get_args(declared.type) if get_origin(declared.type) is Annotated else (declared.type,)
    )
    extras += declared.metadata.values()
    option = next((extra for extra in extras if isinstance(extra, Option)), None)
    if option is None:
        raise TypeError(f"{design.__name__}.{name} has no Option")
    required = declared.default is MISSING
    kind, several, optional = _kind(annotation)
    if kind is object:
        several = option.several
    heading = next(
        vars(kind).get("heading", "") for kind in design.__mro__ if name in get_annotations(kind)
    )
    default = () if several and required else None if required else declared.default
    return Field(name, option, kind, several, optional, required, default, annotation, heading)


def _kind(annotation: Any) -> tuple[type | tuple[str, ...], bool, bool]:
    """Return the kind of an option, whether there are several, and whether it may be None."""
    kind, optional = annotation, get_origin(annotation) in (Union, types.UnionType)
    if optional:
        kinds = [part for part in get_args(annotation) if part is not types.NoneType]
        if len(kinds) > 1:
            return object, False, False
        (kind,) = kinds
    several = get_origin(kind) is tuple
    if several:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return get_args(kind), several, optional
    if kind in (int, float, str, bool):
        return kind, several, optional
    return object, False, False


def _mistake(name: str, value: Any, rule: str, remedy: str) -> Exception:
    from prum.simulator.model.errors import InputError

    return InputError(name, value, rule, remedy=remedy)
