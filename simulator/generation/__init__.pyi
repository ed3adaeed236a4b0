from .collection import MadeCollection as MadeCollection
from .collection import generate as generate
from .dials import Dials as Dials
from .draws import Draws as Draws
from .specifications import SpecificationError as SpecificationError
