"""Users of a sampler's block, drawn some at a time as the simulator does."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def drawn(block: Any, sizes: Iterable[int], t: int, **more: Any) -> tuple[Ints, Ints]:
    """Return C(r) and CL(r), shape (num_users, t), of the next users, `sizes` of them at a time.

    They stand in columns, and what nothing was written to is -7. Each of `more` is the dtype of
    another array that the block writes, of one number a user (weights, say); they follow.
    """
    parts = []
    for size in sizes:
        room = [np.full((size, t), -7, np.int32, order="F") for _ in range(2)]
        room += [np.full(size, -7, dtype) for dtype in more.values()]
        block.draw(*room)
        parts.append(room)
    consulted, leading, *rest = map(np.concatenate, zip(*parts, strict=True))
    return consulted.astype(np.int64), leading.astype(np.int64), *rest  # type: ignore[return-value]
