from .verb import Replay as Replay
from .verb import replay as replay
from .wording import sentences as sentences
