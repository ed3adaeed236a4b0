"""Measures as models of users who stop, against simulated users.

The study tests the fifteen measures of Carterette 2011, also for users who browse, who differ, who
compare documents, and who have different intents. Exit status 0, whatever the verdicts.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.utility.study import UtilityDesign, UtilityRow, compute
from prum.experiments.studies.utility.view import view

UTILITY = Study("utility", __doc__, UtilityDesign, UtilityRow, compute, view)
