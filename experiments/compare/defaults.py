"""Defaults of a decision, in a module of their own so that help is quick."""

METHODS = ("max-t", "randomisation", "bootstrap", "Holm")
METHOD, LEVEL, SEED = "max-t", 0.05, 1
