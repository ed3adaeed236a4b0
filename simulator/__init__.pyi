from . import collections as collections
from . import generation as generation
from . import model as model
from . import sampling as sampling
from . import sessions as sessions
from .collections import *
from .model import *
from .sampling import *
from .sessions import *
