from .result import EvaluationResult as EvaluationResult
from .scored import evaluate as evaluate
from .scores import score_runs as score_runs
