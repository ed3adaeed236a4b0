from .running import evaluate_retrieved as evaluate_retrieved
