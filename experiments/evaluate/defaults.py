"""Defaults of `evaluate`, in a module of their own so that help is quick."""

DEFAULT_MEASURES = "PRUM,RP,AP,P@10,nDCG@10"
# With more runs pairs are too many to be read.
MOST_PAIRED = 12
