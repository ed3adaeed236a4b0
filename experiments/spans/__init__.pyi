from .verb import evaluate_retrieved as evaluate_retrieved
