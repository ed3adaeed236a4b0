"""What measures there are, in words."""

from collections.abc import Iterator

from prum.experiments.measures.aliases import ALIASES
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.definition import Definition, Parameter

_CUTOFFS = {"rank": "@10", "level": "@0.5", "recall": "@r=2", "budget": "@500 tokens"}


def full_listing() -> Iterator[str]:
    """Yield lines on each measure: its settings and its other names, too."""
    for name, definition in MEASURES.items():
        yield usage(name, definition)
        yield f"    {definition.about}"
        if definition.note:
            yield f"    {definition.note}"
        if definition.options:
            settings = (_setting(key, option) for key, option in definition.options.items())
            yield from _wrapped("settings", " ".join(settings))
        if names := _others(name):
            yield from _wrapped("also", ", ".join(names))
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
    placeholder = {"navigation": "KIND", "gains": "{1:5,2:10}", "cost": "UNIT"}.get(key, "N")
    values = [*option.choices, *option.words] or [placeholder] * (not default)
    if option.words:
        values.append("N")
    return f"{key}={'|'.join(dict.fromkeys([default, *values] if default else values))}"


def _others(name: str) -> list[str]:
    """Return the other names of a measure, each with what it stands for if that is more."""
    others = []
    for alias, target in ALIASES.items():
        if target.split("(")[0].split("@")[0] == name:
            is_share = "*e0" in target or "=*" in target
            number = "80" if "0.*" in target else "0.8" if is_share else "10"
            says = target.replace("*e0", "*").replace("*", number)
            plain = target in (name, f"{name}@*", f"{name}@*e0")
            others.append(alias.replace("*", number) + ("" if plain else f" for {says}"))
    return others


def _wrapped(title: str, text: str) -> list[str]:
    from textwrap import wrap

    return wrap(f"{title}: {text}", 96, initial_indent="    ", subsequent_indent="        ")
