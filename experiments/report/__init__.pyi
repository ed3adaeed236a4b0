from .reporting import Report as Report
from .reporting import report as report
