"""The normal law beside the exact one.

Both are laws of the number of ideals that a user has seen; two other laws stand beside them.

Repeats appendix A.1 of Piwowarski, Gallinari and Dupret 2007, for more sizes and laws.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.normal.study import NormalDesign, NormalRow, compute
from prum.experiments.studies.normal.view import view

NORMAL = Study("normal", __doc__, NormalDesign, NormalRow, compute, view)
