"""How robust the rankings of the fifteen measures are.

With fewer topics, shallower pools, second judgements, or assessors who disagree, the study gives
Kendall's tau-a with the ranking by all data, by measure, model and tail, and tests the hypotheses
of Carterette 2011. --scores AP=FILE takes fewer topics of a table of scores instead.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.robustness.study import RobustnessDesign, RobustnessRow, compute
from prum.experiments.studies.robustness.view import view

ROBUSTNESS = Study("robustness", __doc__, RobustnessDesign, RobustnessRow, compute, view)
