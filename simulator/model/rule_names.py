"""Rules of stopping by name."""

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
from prum.simulator.model.vocabulary import UNIT, Argument, Form, Vocabulary

RULES = Vocabulary(
    "rule of stopping",
    "persistence .9",
    Form(
        "found", "stops at the R-th ideal seen", "found 2", Found,
        (Argument("ideals", "R", "[1, inf)", "whole number"),),
    ),
    Form(
        "persistence", "goes on from an element with probability P", "persistence .9", Persistence,
        (Argument("p", "P", "[0, 1)"),),
    ),
    Form(
        "ranks", "stops after 1, 2, ... elements with these probabilities", "ranks .5 .25", Ranks,
        (Argument("probabilities", "P", UNIT, is_many=True),),
    ),
    Form(
        "fruitless", "stops after N elements in a row that led to nothing new", "fruitless 3",
        Fruitless, (Argument("elements", "N", "[1, inf)", "whole number"),),
    ),
    Form(
        "budget", "stops when so many seconds are over", "budget 60", Budget,
        (Argument("seconds", "SECONDS", "(0, inf)"),),
    ),
    Form(
        "patience", "the same, with a random time of this mean", "patience 60",
        lambda mean: Patience(Exponential(mean)), (Argument("mean", "MEAN", "(0, inf)"),),
    ),
)  # fmt: skip


def rule_of(words: str) -> Rule:
    """Return a rule by its name, one of `RULES`; MEAN is that of an exponential law.

    Raises
    ------
    InputError
        for another name, and as the rules.

    >>> rule_of("persistence .9"), rule_of("fruitless(elements=3)")
    (Persistence(p=0.9), Fruitless(elements=3))
    """
    [(form, values)] = RULES.read(words)
    rule: Rule = form.make(**values)
    return rule
