"""Defaults of `evaluate`, in a module of their own so that help is quick."""

DEFAULT_MEASURES = "AP,nDCG@10,P@10,R@100,RR,RBP"
# With links or elements people browse.
BROWSING_MEASURES = f"PRUM,{DEFAULT_MEASURES}"
