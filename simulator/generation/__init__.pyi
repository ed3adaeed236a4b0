from .dials import Dials as Dials
from .draws import Draws as Draws
from .specifications import SpecificationError as SpecificationError
from .systems import MadeCollection as MadeCollection
from .systems import generate as generate
