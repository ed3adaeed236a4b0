from .rules import Stopped as Stopped
from .rules import stopped as stopped
