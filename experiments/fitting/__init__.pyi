from .fitted import FittedNavigation as FittedNavigation
from .visits import FittedVisits as FittedVisits
from .visits import VisitEstimator as VisitEstimator
from .walking import reached as reached
