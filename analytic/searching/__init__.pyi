from .searcher import SearchEffort as SearchEffort
from .searcher import searcher_effort as searcher_effort
from .searcher import session_effort as session_effort
