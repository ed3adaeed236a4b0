from .compared import DistanceTest as DistanceTest
from .compared import Metric as Metric
from .compared import distance_test as distance_test
from .compared import metrics_of as metrics_of
from .result import RefereeResult as RefereeResult
from .verb import referee as referee
