from .result import SessionsResult as SessionsResult
from .running import simulate_campaigns as simulate_campaigns
from .settings import Settings as Settings
