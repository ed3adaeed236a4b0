"""Arrays by what they hold."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
# Ranks and numbers of consultations, of many users.
Counts = NDArray[np.int32]
# Random bits.
Words = NDArray[np.uint64]
