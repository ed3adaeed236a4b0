from .verb import ExploredList as ExploredList
from .verb import Explorer as Explorer
from .verb import explore as explore
