from .verb import Report as Report
from .verb import report as report
