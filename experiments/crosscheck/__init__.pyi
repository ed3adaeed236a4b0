from .page import write_page as write_page
from .result import Crosscheck as Crosscheck
from .verb import crosscheck as crosscheck
from .verb import crosscheck_campaigns as crosscheck_campaigns
