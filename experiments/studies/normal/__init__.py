"""How far the normal law is from the law of the number of ideals seen."""

from prum.experiments.studies.kit.study import Study
from prum.experiments.studies.normal.study import NormalDesign, NormalRow, compute
from prum.experiments.studies.normal.view import view

NORMAL = Study("normal", NormalDesign, NormalRow, compute, view)
