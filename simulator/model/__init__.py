"""What a user faces and what he is like: parameters and their validation, nothing derived."""

from prum.simulator.model.errors import InputError
from prum.simulator.model.navigation import Independent, Links, Navigation, Walk
from prum.simulator.model.task import Task

__all__ = ["Independent", "InputError", "Links", "Navigation", "Task", "Walk"]
