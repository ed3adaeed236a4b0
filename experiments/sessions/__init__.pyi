from .replay_verb import Replay as Replay
from .replay_verb import replay as replay
from .result import SessionsResult as SessionsResult
from .result import Settings as Settings
from .structure import sentences as sentences
from .verb import simulate_campaigns as simulate_campaigns
