"""Defaults of `evaluate`, in a module of their own so that help is quick."""

DEFAULT_MEASURES = "PRUM,RP,AP,P@10,nDCG@10"
