from .simultaneous import Compared as Compared
from .simultaneous import compared as compared
