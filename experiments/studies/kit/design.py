"""The options of a study: each declared once, with its default, bounds and help."""

import difflib
import math
import os
import shlex
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from prum.simulator.model.errors import InputError, real, whole_number
from prum.simulator.sampling.streams import LARGEST_SEED

FileUse = Literal["input", "output", "store"]


@dataclass(frozen=True, slots=True)
class Option:
    """Help, bounds and role of a field of a `Design`.

    Parameters
    ----------
    help
        One sentence; how often and the default are added to it.
    metavar
        Stands for the value in the help text.
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


def draws_of(what: str) -> Option:
    """Return the option `draws`, of a study over random draws."""
    remedy = "an interval needs two draws at least"
    return Option(
        f"Random {what}.", metavar="N", least=2, most=1_000_000, always=True, remedy=remedy
    )


Seed = Annotated[
    int, Option("Seed of the random numbers.", metavar="N", least=0, most=LARGEST_SEED, always=True)
]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a design, as click and the command line need it.

    `kind` is int, float, str or a tuple of choices; `several` says whether there is a tuple of it.
    """

    name: str
    option: Option
    kind: type | tuple[str, ...]
    several: bool
    optional: bool
    required: bool
    default: Any

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
            return None
        if not self.several:
            return self._single(value)
        if isinstance(value, (str, bytes, os.PathLike)) or not hasattr(value, "__iter__"):
            raise InputError(self.name, value, "be a list", remedy="give a list of values")
        values = tuple(self._single(part) for part in value)
        if not values and (self.required or self.default):
            rule = "hold at least one value"
            raise InputError(self.name, (), rule, remedy="give one or more")
        return tuple(sorted(set(values))) if self.kind in (int, float) else values

    def _single(self, value: Any) -> Any:
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
                raise InputError(self.singular, value, option.rule(), remedy=remedy)
            return number
        text = os.fspath(value) if option.file and isinstance(value, os.PathLike) else value
        if isinstance(self.kind, tuple):
            if text not in self.kind:
                rule = f"be one of {', '.join(self.kind)}"
                raise InputError(self.singular, value, rule, remedy="choose one of them")
        elif not isinstance(text, str) or "\0" in text:
            remedy = option.remedy or f"give {'a file name' if option.file else 'a text'}"
            raise InputError(self.singular, value, "be a text", remedy=remedy)
        return text


class Design(BaseModel):
    """The options of a study.

    A subclass has one annotated field for each option. Types are int, float, str, `Literal` of
    texts (choices), any of these `| None` with None as default, or a tuple of any number of them.
    Rules over several fields are pydantic's `model_validator`s that raise `InputError`.

    Raises
    ------
    InputError
        for a value that breaks a rule, an option that is missing, and an unknown name.

    >>> class Coins(Design):
    ...     "Options of tossing coins."
    ...     sides: Annotated[tuple[int, ...], Option("Sides.", singular="side", least=1)] = (2, 3)
    ...     seed: Seed = 1
    >>> Coins(sides=[6, 2]).command("coins")
    'prum study coins --side 2 --side 6 --seed 1'
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    def __init__(self, /, **options: Any) -> None:
        try:
            super().__init__(**options)
        except ValidationError as error:
            raise _input_error(type(self), error) from None

    @field_validator("*", mode="before")
    @classmethod
    def _checked(cls, value: Any, info: ValidationInfo) -> Any:
        return next(field for field in cls.fields() if field.name == info.field_name).checked(value)

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        # A mistake in a design shows when it is written, not when it is used.
        flags = [field.flag for field in cls.fields()]
        taken = {"--json", "--csv", "--html", "--help", "--progress"}
        if len(set(flags)) < len(flags) or taken.intersection(flags):
            raise TypeError(f"{cls.__name__}: two options have the same name, or that of a file")

    @classmethod
    def fields(cls) -> Iterator[Field]:
        """Yield what each option is, in order."""
        for name, info in cls.model_fields.items():
            yield _field(cls, name, info)

    def options(self) -> dict[str, Any]:
        """Return what is given and the numbers depend on, as in the JSON output.

        They do not depend on where other files are written.
        """
        return {
            field.name: value
            for field in self.fields()
            if field.option.matters and field.option.file != "output"
            if (value := getattr(self, field.name)) is not None
        }

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files that options name; files named inside these are added by a subclass."""
        return tuple(
            path
            for field in self.fields()
            if field.option.file in roles
            for path in _several(getattr(self, field.name))
        )

    def completed(self) -> Self:
        """Return the design with what its inputs decide where an option is not given."""
        return self

    def notices(self) -> Iterable[str]:
        """Return what the user should know of the inputs before the work; a line each."""
        return ()

    def command(self, study: str) -> str:
        """Return the command line that repeats the study, quoted for a shell."""
        return shlex.join(["prum", "study", study, *self.words()])

    def words(self) -> list[str]:
        """Return the arguments of the command: options, then what has no name."""
        named: list[str] = []
        bare: list[str] = []
        options = self.options()
        for field in self.fields():
            value = getattr(self, field.name)
            if field.name not in options and field.option.file != "output":
                continue
            if value == field.default and not field.option.always:
                continue
            for part in _several(value):
                if field.option.positional:
                    bare.append(f"{part}")
                else:
                    named += [field.flag, f"{part}"]
        # Words that begin as options do, or are empty, stand behind what ends the options.
        if any(word.startswith("-") for word in bare):
            return [*named, "--", *bare]
        return [*bare, *named]


def _several(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _field(design: type[Design], name: str, info: FieldInfo) -> Field:
    option = next((extra for extra in info.metadata if isinstance(extra, Option)), None)
    if option is None:
        raise TypeError(f"{design.__name__}.{name} has no Option")
    annotation: Any = info.annotation
    optional = get_origin(annotation) in (Union, types.UnionType)
    if optional:
        (annotation,) = (kind for kind in get_args(annotation) if kind is not types.NoneType)
    several = get_origin(annotation) is tuple
    if several:
        annotation = get_args(annotation)[0]
    kind = get_args(annotation) if get_origin(annotation) is Literal else annotation
    required = info.is_required()
    if (kind not in (int, float, str) and not isinstance(kind, tuple)) or (
        optional and info.default is not None
    ):
        raise TypeError(f"{design.__name__}.{name}: no option can be {info.annotation}")
    default = () if several and required else None if required else info.default
    return Field(name, option, kind, several, optional, required, default)


def _input_error(design: type[Design], error: ValidationError) -> InputError:
    """Return the first mistake as one line."""
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return cause
    name = str(first["loc"][0]) if first["loc"] else design.__name__
    fields = {field.name: field for field in design.fields()}
    if first["type"] == "missing":
        return InputError(name, None, "be given", remedy=fields[name].option.help)
    names = ", ".join(fields)
    close = difflib.get_close_matches(name, fields, 1)
    remedy = f"did you mean {close[0]}?" if close else "leave it out"
    return InputError("option", name, f"be one of {names}", remedy=remedy)
