from .exploring import Explorer as Explorer
from .exploring import explore as explore
from .lists import ExploredList as ExploredList
