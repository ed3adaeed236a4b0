from .result import EvaluationResult as EvaluationResult
from .scores import score_runs as score_runs
from .verb import evaluate as evaluate
