"""Which stopping distribution fits where people click.

RBP, DCG, RR and the Beta mixture of RBP, fitted to clicks by maximum likelihood and compared
by clicks held out. Repeats section 4.1 of Carterette 2011.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.stops.study import StopsDesign, StopsRow, compute
from prum.experiments.studies.stops.view import view

STOPS = Study("stops", __doc__, StopsDesign, StopsRow, compute, view)
