"""Independent visits: each element shows each ideal on its own."""

from prum.analytic.precision.coupled import Contexts
from prum.simulator.model import Independent, Task


def contexts(task: Task, navigation: Independent) -> Contexts:
    """Return what each element of the list shows."""
    return Contexts.of_visits(task, navigation, "independent")
