from .result import SessionsResult as SessionsResult
from .settings import Settings as Settings
from .verb import simulate_campaigns as simulate_campaigns
