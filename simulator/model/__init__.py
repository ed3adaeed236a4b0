"""What a user faces and what he is like: parameters and their validation, nothing derived."""

from prum.simulator.model.assessments import (
    QUANTISATIONS,
    Assessment,
    assessment_of,
    best_on_each_path,
    check_propagation,
    strict_ideals,
)
from prum.simulator.model.browsing import Browsing
from prum.simulator.model.coupling import Copula, Coupled
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError
from prum.simulator.model.navigation import Independent, Links, Walk
from prum.simulator.model.population import Beta, OneFactor, Types
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

Navigation = Independent | Coupled | Walk | Browsing

__all__ = [
    "QUANTISATIONS",
    "Assessment",
    "Beta",
    "Browsing",
    "Copula",
    "Coupled",
    "Elements",
    "Independent",
    "InputError",
    "Links",
    "Navigation",
    "OneFactor",
    "Task",
    "Types",
    "Walk",
    "assessment_of",
    "best_on_each_path",
    "check_propagation",
    "chunks",
    "observed",
    "strict_ideals",
    "structural",
    "timeline",
    "timeline_steps",
    "tolerance",
    "web",
]
