"""Which measure has which property, as in Table IV.

Near misses, overlap, graded assessments and more, for fourteen measures: lists compared, users
simulated, counter-examples searched. Each verdict but "yes" comes with its counter-example.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.properties.study import PropertiesDesign, PropertiesRow, compute
from prum.experiments.studies.properties.view import view

PROPERTIES = Study("properties", __doc__, PropertiesDesign, PropertiesRow, compute, view)
