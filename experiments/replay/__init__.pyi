from .telling import Replay as Replay
from .telling import replay as replay
from .wording import sentences as sentences
