"""How good the normal approximation is.

The exact law of the number of ideals that a user has seen is compared with the normal and two other
laws.

Repeats appendix A.1 of Piwowarski, Gallinari and Dupret 2007, for more sizes and laws.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.normal.study import NormalDesign, NormalRow, compute
from prum.experiments.studies.normal.view import view

NORMAL = Study("normal", __doc__, NormalDesign, NormalRow, compute, view)
