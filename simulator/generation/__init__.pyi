from .dials import Dials as Dials
from .draws import Draws as Draws
from .making import MadeCollection as MadeCollection
from .making import generate as generate
from .specifications import SpecificationError as SpecificationError
