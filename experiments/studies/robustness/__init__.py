"""How firmly the fifteen measures rank systems.

By fewer topics, shallower pools, second judgements, assessors who disagree: Kendall's tau-a
with the ranking by everything, by measure, model and tail, and what it says of the hypotheses
of Carterette 2011. Or by fewer topics of a table of scores: --scores AP=FILE.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.robustness.study import RobustnessDesign, RobustnessRow, compute
from prum.experiments.studies.robustness.view import view

ROBUSTNESS = Study("robustness", __doc__, RobustnessDesign, RobustnessRow, compute, view)
