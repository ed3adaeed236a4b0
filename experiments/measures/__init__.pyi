from .judged import Collection as Collection
from .judged import Judged as Judged
from .measure import Measure as Measure
from .measure import measure_of as measure_of
