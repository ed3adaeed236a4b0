"""The law of a navigation: what users see of a task, from which all closed forms come."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from prum.analytic.precision.coupled import Contexts
from prum.analytic.precision.questions import LawQuestion
from prum.simulator.model import Navigation, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.browsing import browsing_of

if TYPE_CHECKING:
    from scipy import sparse

T = TypeVar("T")


class NavigationLaw(Protocol):
    """What users of a navigation see of a task."""

    def reach(self) -> "sparse.csr_array":
        """Return P(l_i -> x), shape (o, t): all that PRUM knows."""

    def factors(self) -> Floats:
        """Return what the links' P(l_i -> x) are multiplied by in `reach`, shape (o,)."""

    def answer(self, question: LawQuestion[T]) -> T | None:
        """Return the value, or the law of C(r); None where there is no closed form."""


def law_of(task: Task, navigation: Navigation) -> NavigationLaw:
    """Return the law of a task under a navigation, which one that takes dials has with none turned.

    Raise InputError for an object that is not a navigation.
    """
    if not isinstance(navigation, Navigation) or navigation.takes_dials:
        navigation = browsing_of(navigation)
    law: NavigationLaw = _module(navigation).law(task, navigation)
    return law


def contexts_of(task: Task, base: Navigation) -> Contexts:
    """Return what each element of the list shows to users of a navigation that takes dials."""
    contexts: Contexts = _module(base).contexts(task, base)
    return contexts


def _module(navigation: Navigation) -> Any:
    return import_module(f"prum.analytic.precision.laws.{type(navigation).__name__.lower()}")
