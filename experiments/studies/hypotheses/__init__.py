"""Which assumption of PRUM costs what.

On a campaign, the built-in one by default, or one's own files as in `prum crosscheck`, each
hypothesis is broken on purpose, alone and with the others. PRUM's error is split by cause, in
precision and in the ranking of systems. If it is cut off, the same command goes on.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.hypotheses.study import HypothesesDesign, HypothesesRow, compute
from prum.experiments.studies.hypotheses.view import view

HYPOTHESES = Study("hypotheses", __doc__, HypothesesDesign, HypothesesRow, compute, view)
