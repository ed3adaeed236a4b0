from .measures import ListCoverage as ListCoverage
from .measures import char_precision_at as char_precision_at
from .measures import coverage_at as coverage_at
from .measures import efficiency as efficiency
from .measures import first_touch as first_touch
from .measures import iou_at as iou_at
from .measures import list_coverage as list_coverage
from .measures import touched_at as touched_at
