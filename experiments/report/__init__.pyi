from .verb import report as report
from .view import Report as Report
