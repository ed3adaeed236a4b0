from . import adm as adm
from . import expected as expected
from . import precision as precision
from . import ranked as ranked
from . import searching as searching
from . import spans as spans
from . import stopping as stopping
from . import structured as structured
from . import utility as utility
from .precision import *
