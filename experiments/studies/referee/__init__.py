"""Which deviations of simulated users a referee detects.

The study compares sessions of users with those of users who deviate from them by a known amount.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.referee.study import RefereeRow, RefereeStudyDesign, compute
from prum.experiments.studies.referee.view import view

REFEREE = Study("referee", __doc__, RefereeStudyDesign, RefereeRow, compute, view)
