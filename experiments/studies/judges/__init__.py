"""What errors of judges do to scores, intervals and rankings.

Labels are used as they are, corrected, or as probabilities, on made topics with known ideals.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.judges.study import JudgesRow, JudgesStudyDesign, compute
from prum.experiments.studies.judges.view import view

JUDGES = Study("judges", __doc__, JudgesStudyDesign, JudgesRow, compute, view)
