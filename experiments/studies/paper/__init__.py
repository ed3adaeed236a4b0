"""Every number of the three papers, computed again.

Piwowarski, Gallinari and Dupret (2007), Carterette (2011) and Mizzaro (2001): figures, tables and
formulas computed again, and the slips. PRUM's figures and scenarios are examples: prum crosscheck
--example fig5.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.paper.study import PaperDesign, PaperRow, compute
from prum.experiments.studies.paper.view import view

PAPER = Study("paper", __doc__, PaperDesign, PaperRow, compute, view)
