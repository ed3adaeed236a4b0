"""What a user faces and what he is like: parameters and their validation, nothing derived."""

from prum.simulator.model.coupling import Copula, Coupled
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError
from prum.simulator.model.navigation import Independent, Links, Walk
from prum.simulator.model.population import Beta, Population, Types
from prum.simulator.model.task import Task
from prum.simulator.model.ways import (
    chunks,
    observed,
    structural,
    timeline,
    timeline_steps,
    tolerance,
    web,
)

Navigation = Independent | Coupled | Population | Walk

__all__ = [
    "Beta",
    "Copula",
    "Coupled",
    "Elements",
    "Independent",
    "InputError",
    "Links",
    "Navigation",
    "Population",
    "Task",
    "Types",
    "Walk",
    "chunks",
    "observed",
    "structural",
    "timeline",
    "timeline_steps",
    "tolerance",
    "web",
]
