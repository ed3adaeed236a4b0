from .cluster import Cluster as Cluster
from .store import Store as Store
from .sweeping import Sweep as Sweep
from .sweeping import sweep as sweep
from .workers import Here as Here
from .workers import Processes as Processes
