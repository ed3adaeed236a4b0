from .files import read_fitted as read_fitted
from .fitted import FittedNavigation as FittedNavigation
from .walking import reached as reached
