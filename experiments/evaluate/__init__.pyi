from .result import EvaluationResult as EvaluationResult
from .running import evaluate as evaluate
from .scoring import score_runs as score_runs
