from .result import Crosscheck as Crosscheck
from .values import precision as precision
from .verb import crosscheck as crosscheck
from .verb import crosscheck_campaigns as crosscheck_campaigns
