"""What noisy-or costs: PRUM against exact precision.

Under independent browsing they differ by Hypothesis 2.3 alone; the study measures its cost.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.noisy_or.study import NoisyOrDesign, NoisyOrRow, compute
from prum.experiments.studies.noisy_or.view import view

NOISY_OR = Study("noisy-or", __doc__, NoisyOrDesign, NoisyOrRow, compute, view)
