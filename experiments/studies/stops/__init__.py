"""Which stopping distribution fits where people click.

The study fits RBP, DCG, RR and the Beta mixture of RBP to clicks by maximum likelihood, and
compares them on held-out clicks. It repeats section 4.1 of Carterette 2011.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.stops.study import StopsDesign, StopsRow, compute
from prum.experiments.studies.stops.view import view

STOPS = Study("stops", __doc__, StopsDesign, StopsRow, compute, view)
