from .comparisons import compare_systems as compare_systems
from .evaluation import Evaluation as Evaluation
from .judged import Collection as Collection
from .measure import Measure as Measure
from .measure import measure_of as measure_of
from .result import EvaluationResult as EvaluationResult
from .running import evaluate as evaluate
