from .running import Settings as Settings
from .running import simulate_campaigns as simulate_campaigns
