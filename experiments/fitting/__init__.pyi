from .fitted import FittedNavigation as FittedNavigation
from .walking import reached as reached
