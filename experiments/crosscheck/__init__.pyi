from .checking import crosscheck as crosscheck
from .checking import crosscheck_campaigns as crosscheck_campaigns
from .page import write_page as write_page
from .result import Crosscheck as Crosscheck
