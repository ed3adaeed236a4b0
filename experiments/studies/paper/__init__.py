"""Every number of the PRUM paper beside ours, with a verdict.

Piwowarski, Gallinari and Dupret (2007): figures, tables, sections and appendices computed again,
and the list of the slips. The figures and scenarios are examples: prum crosscheck --example fig5.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.paper.study import PaperDesign, PaperRow, compute
from prum.experiments.studies.paper.view import view

PAPER = Study("paper", __doc__, PaperDesign, PaperRow, compute, view)
