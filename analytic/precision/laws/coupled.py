"""Visits of one context that depend on each other."""

from prum.analytic.precision.coupled import Contexts
from prum.simulator.model import Copula, Coupled, Task


def contexts(task: Task, navigation: Coupled) -> Contexts:
    """Return what each element of the list shows."""
    coupling = navigation.coupling
    by = coupling.rho if isinstance(coupling, Copula) else coupling
    return Contexts.of_visits(task, navigation.navigation, by)
