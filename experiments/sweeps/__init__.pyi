from .store import Store as Store
from .verb import Sweep as Sweep
from .verb import sweep as sweep
from .workers import Cluster as Cluster
from .workers import Here as Here
from .workers import Processes as Processes
