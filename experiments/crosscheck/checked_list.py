"""One list checked: its values by PRUM, exactly and of users, and what else is claimed of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.compared import Quantities
from prum.experiments.crosscheck.verdicts import p_of_means, quantities
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import real_array
from prum.simulator.sampling.simulation import Simulation

# What is given of one list, or returned of it.
ListValues: TypeAlias = "ArrayLike | PrecisionRecall"
# Halvings of an interval of means: to the last bit.
_HALVINGS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Claimed:
    """What is claimed of one list, shape (t,): precision; E[CL] and E[C], None without them.

    `own_precision` says whether precision is a claim of its own, and not their ratio.

    A claimed mean is tested as an exact one is: it takes the place of the exact mean, and the law
    of C(r) stays that of the exact value, which a right claim shares. A claimed precision R is out
    of the question if no pair of means whose ratio it is agrees with both simulated ones: with
    p_L(x) and p_C(x) the p-values of E[CL] = x and of E[C] = x,

        p = 2 max over c of min(p_L(R c), p_C(c)).

    Of the right R, c = E[C] is among these, and P(min(p_L, p_C) < a / 2) is at most a, however C
    and CL depend on each other. Without an exact law, means are held against a bound that takes
    nothing but their measured variance and the ends of what is possible; nothing can be found to
    agree then.
    """

    precision: Floats
    leading: Floats | None = None
    consulted: Floats | None = None
    own_precision: bool = True

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
        return cls.of_prum(values)

    @classmethod
    def of_prum(cls, prum: PrecisionRecall) -> "Claimed":
        """Return what PRUM claims."""
        return cls(prum.precision, prum.leading, prum.consulted, own_precision=False)

    @property
    def num_tests(self) -> int:
        """How many tests it takes."""
        kinds = 2 * (self.leading is not None) + self.own_precision
        return kinds * len(self.precision)

    def p(self, case: "CheckedList") -> Floats:
        """Return the smallest p-value at each r, shape (t,)."""
        found = []
        if self.leading is not None and self.consulted is not None:
            found += list(self._p_of(case, np.stack([self.leading, self.consulted])))
        if self.own_precision:
            found.append(self._p_of_precision(case))
        smallest: Floats = np.min(found, axis=0)
        return smallest

    @staticmethod
    def _p_of(case: "CheckedList", means: Floats) -> Floats:
        return p_of_means(case.quantities, case.exact, case.more or case.simulated, means)

    def _p_of_precision(self, case: "CheckedList") -> Floats:
        """Return p as above: on the way from simulated C to CL / R one p-value falls, one rises."""
        compared, largest = case.quantities, case.more or case.simulated
        leading, consulted = compared.simulated
        far = np.array(consulted)
        np.divide(leading, self.precision, out=far, where=self.precision > 0)

        def both(of_consulted: Floats) -> Floats:
            means = np.stack([self.precision * of_consulted, of_consulted])
            return p_of_means(compared, case.exact, largest, means)

        low, high = np.zeros(far.shape), np.ones(far.shape)
        best = np.maximum(both(consulted).min(axis=0), both(far).min(axis=0))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            of_leading, of_consulted = both(consulted + middle * (far - consulted))
            best = np.maximum(best, np.minimum(of_leading, of_consulted))
            rises = of_leading < of_consulted
            low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        p: Floats = np.minimum(2 * best, 1)
        return p


@dataclass(frozen=True, slots=True)
class CheckedList:
    """One list checked: its three values and what names it.

    `rare` is a second run, with rare users, where the first cannot carry every comparison, and
    `more` the first with more users, where the second can't either; `looks` is on how many samples
    a comparison might have been judged. `strays` is how far users may stray where nothing varies
    by the exact law. `claims` are what PRUM and other approximations say, by name.
    """

    campaign: str
    system: str
    topic: str
    navigation: str
    prum: PrecisionRecall
    exact: PrecisionRecall | None
    simulated: Simulation
    classical: PrecisionRecall
    rare: Simulation | None = None
    more: Simulation | None = None
    strays: Floats | None = None
    looks: int = 1
    claims: Mapping[str, Claimed] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, str, str]:
        """Campaign, system and topic."""
        return self.campaign, self.system, self.topic

    @property
    def quantities(self) -> Quantities:
        """What is compared."""
        compared = quantities(self.exact, self.simulated, self.more, looks=self.looks)
        return replace(compared, strays=self.strays)

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
