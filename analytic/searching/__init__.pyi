from .effort import SearchEffort as SearchEffort
from .effort import session_effort as session_effort
from .searcher import searcher_effort as searcher_effort
