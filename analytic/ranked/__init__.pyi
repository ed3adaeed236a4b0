from .classical import expected_search_length as expected_search_length
from .classical import raghavan as raghavan
from .classical import standard_precision_recall as standard_precision_recall
from .classical import without_browsing as without_browsing
