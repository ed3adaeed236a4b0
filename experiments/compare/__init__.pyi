from .comparisons import compare_systems as compare_systems
from .scores import Scores as Scores
