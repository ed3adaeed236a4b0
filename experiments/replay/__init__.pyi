from .sentences import sentences as sentences
from .telling import Replay as Replay
from .telling import replay as replay
