"""One list checked: its values by PRUM, exactly and of users, and what else is claimed of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.verdicts import Judgement
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import real_array
from prum.simulator.sampling.simulation import Simulation

# What is given of one list, or returned of it.
ListValues: TypeAlias = "ArrayLike | PrecisionRecall"
# A campaign, a system and a topic.
Names: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Claimed:
    """What is claimed of one list, shape (t,): precision; E[CL] and E[C], None without them."""

    precision: Floats
    leading: Floats | None = None
    consulted: Floats | None = None

    @classmethod
    def of(cls, values: ListValues, num_ideals: int, thing: str) -> "Claimed":
        """Return what was given of a list with so many ideals.

        Raise InputError for another number of values, and for one that is negative or no finite
        number.
        """
        if not isinstance(values, PrecisionRecall):
            remedy = "give a value for each recall value 1 .. t of the list"
            given = real_array(thing, values, remedy=remedy, shape=(num_ideals,))
            _check(given, f"{thing} at r = {{}}")
            return cls(given)
        if values.num_ideals != num_ideals:
            rule, remedy = f"be {num_ideals}, the ideals of the list", "give a value for each r"
            raise InputError(f"number of values of {thing}", values.num_ideals, rule, remedy=remedy)
        _check(values.leading, f"E[CL] of {thing} at r = {{}}")
        _check(values.consulted, f"E[C] of {thing} at r = {{}}", positive=True)
        return cls(values.precision, values.leading, values.consulted)


@dataclass(frozen=True, slots=True, eq=False)
class CheckedList:
    """One list checked: its three values and what names it, what was found, what is claimed."""

    campaign: str
    system: str
    topic: str
    navigation: str
    prum: PrecisionRecall
    exact: PrecisionRecall | None
    simulated: Simulation
    classical: PrecisionRecall
    judged: Judgement
    claims: Mapping[str, Claimed]

    @property
    def reference(self) -> Floats:
        """Precision under this navigation: exact if it has a closed form, else simulated."""
        return self.simulated.precision if self.exact is None else self.exact.precision

    @property
    def reference_name(self) -> str:
        """What `reference` is, with the navigation under which it holds."""
        return f"{'simulated' if self.exact is None else 'exact'}, {self.navigation}"


def _check(values: Floats, thing: str, *, positive: bool = False) -> None:
    valid = np.isfinite(values) & (values > 0 if positive else values >= 0)
    if not valid.all():
        first = int(np.flatnonzero(~valid)[0])
        rule = "be a positive number" if positive else "be a number of at least 0"
        remedy = "correct the approximation"
        raise InputError(thing.format(first + 1), values[first], rule, remedy=remedy)
