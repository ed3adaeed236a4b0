"""Which differences of simulated users a referee sees.

Sessions of users whose law is known beside those of users who deviate by a known amount.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.referee.study import RefereeRow, RefereeStudyDesign, compute
from prum.experiments.studies.referee.view import view

REFEREE = Study("referee", __doc__, RefereeStudyDesign, RefereeRow, compute, view)
