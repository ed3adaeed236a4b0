"""What each assumption of PRUM costs.

On a campaign, the built-in one or your own files as in `prum crosscheck`, the study breaks each
hypothesis on purpose, alone and with the others. It splits PRUM's error by cause, in precision and
in the ranking of systems. If interrupted, the same command goes on.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.hypotheses.study import HypothesesDesign, HypothesesRow, compute
from prum.experiments.studies.hypotheses.view import view

HYPOTHESES = Study("hypotheses", __doc__, HypothesesDesign, HypothesesRow, compute, view)
