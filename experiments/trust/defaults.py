"""Defaults of `trust`, in a module of their own so that help is quick."""

# Correlation of the visits of one user from one element: marks of one person in one document
# correlate by .68 to .79 (see `known`).
CORRELATED = 0.7
# How users differ: marks of one person in different documents correlate by .41 to .68.
DIFFER = "one-factor .5"
# By how much of what is possible users who want few ideals browse less, and others more.
NEED = 0.25
# Half of the widest 95 % interval of a simulated mean over topics, at any recall value.
WIDTH = 0.004
# Up to this error PRUM is trusted: a difference that makes none.
MARGIN = 0.005
# Simulated users of a list, at most.
MOST_USERS = 65_536
