"""What thresholds cost: precision and recall beside ADM.

Systems estimate a relevance between 0 and 1. The study shows how precision, recall and their mean
at thresholds of 1/2, and the average distance measure, react to small and to large errors, and how
many queries each needs to tell two systems apart. It samples documents for ADM. After Mizzaro 2001.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.thresholds.parts import ThresholdsRow
from prum.experiments.studies.thresholds.study import ThresholdsDesign, compute
from prum.experiments.studies.thresholds.view import view

THRESHOLDS = Study("thresholds", __doc__, ThresholdsDesign, ThresholdsRow, compute, view)
