"""What noisy-or and the normal law cost PRUM.

Under independent browsing PRUM and exact precision differ by noisy-or alone (Hypothesis 2.3). The
law of the number of ideals that a user has seen is compared with the normal and two other laws
(appendix A.1 of Piwowarski, Gallinari and Dupret 2007, for more sizes and laws).
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.approximations.study import (
    ApproximationsDesign,
    ApproximationsRow,
    compute,
)
from prum.experiments.studies.approximations.view import view

APPROXIMATIONS = Study(
    "approximations", __doc__, ApproximationsDesign, ApproximationsRow, compute, view
)
