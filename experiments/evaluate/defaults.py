"""Defaults of `evaluate`, in a module of their own so that help is quick."""

DEFAULT_MEASURES = "AP,nDCG@10,P@10,R@100,RR,RBP"
# With links or elements people browse.
BROWSING_MEASURES = f"PRUM,{DEFAULT_MEASURES}"
# Of chunks by gold spans.
SPAN_MEASURES = "Coverage@10,CharPrecision@10,IoU@10,Efficiency,ExactPRUM"
