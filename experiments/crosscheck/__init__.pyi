from .result import Crosscheck as Crosscheck
from .verb import crosscheck as crosscheck
from .verb import crosscheck_campaigns as crosscheck_campaigns
