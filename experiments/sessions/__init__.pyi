from .result import Settings as Settings
from .stories import UserStory as UserStory
from .stories import sentences as sentences
from .stories import story as story
from .verb import simulate_campaigns as simulate_campaigns
