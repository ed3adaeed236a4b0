"""Chunks that retrievers return against the spans of text that answer questions."""

from prum.experiments.spans.verb import evaluate_retrieved as evaluate

__all__ = ["evaluate"]
