"""Which differences of simulated users a referee sees.

The study compares sessions of users whose law is known with those of users who deviate from it by a
known amount.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.referee.study import RefereeRow, RefereeStudyDesign, compute
from prum.experiments.studies.referee.view import view

REFEREE = Study("referee", __doc__, RefereeStudyDesign, RefereeRow, compute, view)
