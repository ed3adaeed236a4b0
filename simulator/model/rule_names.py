"""Rules of stopping by name: what a few words make."""

from collections.abc import Callable
from typing import Any

from prum.simulator.model.errors import InputError
from prum.simulator.model.stopping import (
    Budget,
    Found,
    Fruitless,
    Patience,
    Persistence,
    Ranks,
    Rule,
)
from prum.simulator.model.times import Exponential

# Each with what makes it of its numbers, of which some are whole.
_RULES: dict[str, tuple[str, Callable[..., Rule]]] = {
    "found": ("R", lambda ideals: Found(_whole(ideals))),
    "persistence": ("P", Persistence),
    "ranks": ("P ...", lambda *law: Ranks(law)),
    "fruitless": ("N", lambda elements: Fruitless(_whole(elements))),
    "budget": ("SECONDS", Budget),
    "patience": ("MEAN", lambda mean: Patience(Exponential(mean))),
}
RULES = tuple(f"{name} {numbers}" for name, (numbers, _) in _RULES.items())


def rule_of(words: str) -> Rule:
    """Return the rule that is named: one of `RULES`, MEAN that of an exponential law.

    Raises
    ------
    InputError
        for another name, and as the rules.

    >>> rule_of("persistence .9"), rule_of("fruitless 3")
    (Persistence(p=0.9), Fruitless(elements=3))
    """
    name, *numbers = words.split() or [""]
    try:
        values = [float(number) for number in numbers]
        if name in _RULES and (len(values) == 1 or (name == "ranks" and values)):
            return _RULES[name][1](*values)
    except InputError:
        raise
    except ValueError:
        pass
    raise InputError(
        "rule of stopping",
        words,
        f"be one of {', '.join(RULES)}",
        remedy="write persistence .9, say",
    )


def _whole(value: float) -> Any:
    """Return a whole number as one; the rule refuses others."""
    return int(value) if value.is_integer() else value
