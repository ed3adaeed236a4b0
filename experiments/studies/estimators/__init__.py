"""How good estimators are where the true scores are known.

FOLDER is what prum generate made; without it the study makes data of its own. It grades PRUM, AP
and your estimators on the true scores: rankings by few topics, coverage of intervals, power of
tests, pooling, and probabilities of navigation from logs.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.estimators.scoring import EstimatorsRow
from prum.experiments.studies.estimators.study import EstimatorsDesign, compute
from prum.experiments.studies.estimators.view import view

ESTIMATORS = Study("estimators", __doc__, EstimatorsDesign, EstimatorsRow, compute, view)
