from .result import EvaluationResult as EvaluationResult
from .scoring import score_runs as score_runs
from .verb import evaluate as evaluate
