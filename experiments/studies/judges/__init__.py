"""What judges who err do to scores, their intervals and the order of systems.

Labels are used as they are, corrected, or as probabilities; made topics tell what is true.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.judges.study import JudgesRow, JudgesStudyDesign, compute
from prum.experiments.studies.judges.view import view

JUDGES = Study("judges", __doc__, JudgesStudyDesign, JudgesRow, compute, view)
