"""`prum list` and `prum --info`: the names that options take, and what is installed."""

import os
import platform
import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module, metadata
from textwrap import wrap
from typing import Any

import click

from prum.experiments.commands.ending import CommandGroup
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.definition import Definition, Parameter
from prum.simulator.model.process import own_version

_WIDTH = 26
_OF_DEVELOPERS = re.compile("extra == .(dev|docs|retrievers)")


@click.command("list", cls=CommandGroup)
def names() -> None:
    """List the names that options take."""


def _lists(function: Callable[[], Iterator[str]]) -> None:
    """Add the command that prints these lines."""

    def called() -> None:
        for line in function():
            click.echo(line)

    names.add_command(click.Command(function.__name__, callback=called, help=function.__doc__))


@_lists
def examples() -> Iterator[str]:
    """Built-in campaigns, for --example."""
    from prum.simulator.collections.examples import EXAMPLES

    return (f"{name:<{_WIDTH}}{example.about}" for name, example in EXAMPLES.items())


@_lists
def measures() -> Iterator[str]:
    """Measures with their settings, for --measures."""
    return full_listing()


_VOCABULARIES = {
    "navigations": ("kinds:NAVIGATIONS", "How users browse, and dials, for --navigation."),
    "rules": ("stopping:RULES", "Rules by which users stop, for --stop."),
    "ways": ("way_names:WAYS", "How elements or chunks make links, for --way."),
}


def _list_forms(home: str) -> None:
    module, name = home.split(":")
    vocabulary = getattr(import_module(f"prum.simulator.model.{module}"), name)
    for form in vocabulary.forms.values():
        is_long = len(str(form)) >= _WIDTH
        click.echo(f"{form}\n{' ' * _WIDTH}" if is_long else f"{form!s:<{_WIDTH}}", nl=False)
        click.echo(form.about)


for _name, (_home, _about) in _VOCABULARIES.items():
    names.add_command(click.Command(_name, callback=partial(_list_forms, _home), help=_about))


def installation() -> Iterator[str]:
    """Yield a line for each thing: versions, platform, kernels, packages."""
    from prum.analytic.precision import kernels as forms
    from prum.simulator.sampling import kernels as samplers

    yield f"prum        {own_version()}"
    yield f"Python      {platform.python_version()} ({platform.python_implementation()})"
    yield f"platform    {platform.platform()}"
    yield f"processors  {os.cpu_count()}, {platform.machine()}"
    yield f"kernels     {forms.VARIANT}, {samplers.VARIANT}"
    # Those that prum needs, and those of extras for users.
    lines = [x for x in metadata.requires("prum") or () if not _OF_DEVELOPERS.search(x)]
    names = dict.fromkeys(re.split(r"[<>=!~\[ ;]", line)[0] for line in lines)
    yield f"packages    {', '.join(f'{name} {_version(name)}' for name in names)}"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "is missing"


_INDENTED: dict[str, Any] = {"initial_indent": "    ", "subsequent_indent": "        "}
_CUTOFFS = {"rank": "@10", "level": "@0.5", "recall": "@r=2", "budget": "@500 tokens"}


def full_listing() -> Iterator[str]:
    """Yield lines on each measure, its settings, too."""
    for name, definition in MEASURES.items():
        yield usage(name, definition)
        yield f"    {definition.about}"
        if definition.note:
            yield f"    {definition.note}"
        if definition.options:
            settings = (_setting(key, option) for key, option in definition.options.items())
            yield from wrap(f"settings: {' '.join(settings)}", 96, **_INDENTED)
    yield ""
    yield "Names are read in any case, and with - _ . or nothing between words."


def usage(name: str, definition: Definition) -> str:
    """Return a name with what must stand behind it, and the cut-offs that may.

    >>> usage("P", MEASURES["P"]), usage("T2I", MEASURES["T2I"])
    ('P@10', 'T2I(words=...) @0.5 @r=2')
    """
    needed = ",".join(
        f"{key}=..."
        for key, option in definition.options.items()
        if option.default is None and not option.is_optional
    )
    cutoffs = [_CUTOFFS[kind] for kind in definition.cutoffs]
    blank = "" if definition.needs_cutoff else " "
    return f"{name}{needed and f'({needed})'}{blank}{' '.join(cutoffs)}".rstrip()


def _setting(key: str, option: Parameter) -> str:
    """Return a setting with what it may be, its default first."""
    default = "" if option.default is None else f"{option.default}".lower()
    if option.type is bool:
        return f"{key}={default}"
    placeholder = {"navigation": "KIND", "cost": "UNIT"}.get(key, "N")
    values = [*option.choices, *option.words] or [placeholder] * (not default)
    if option.words:
        values.append("N")
    return f"{key}={'|'.join(dict.fromkeys([default, *values] if default else values))}"
