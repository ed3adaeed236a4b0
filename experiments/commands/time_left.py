"""The time that is left of long work, between what is said of it, and how it is shown."""

import math
import time
from collections.abc import Callable


class TimeLeft:
    """What is left, from shares of the work or from estimates of the time.

    Shares: the work goes on as fast as since the first of them, which took what has to be done
    once, such as reading files. Between reports the clock runs; what is overdue is taken to need as
    long again as it is late.

    >>> clock = iter([0.0, 2.0, 4.0, 5.0])
    >>> left = TimeLeft(lambda: next(clock))
    >>> left.hear(0.1)
    >>> left.hear(0.2)
    >>> left.seconds
    15.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._first: tuple[float, float] | None = None
        self._heard: tuple[float, float] | None = None

    def hear(self, share: float | None = None, seconds: float | None = None) -> None:
        """Take note of the share that is done, or of the seconds that are said to be left."""
        now = self._clock()
        if seconds is not None:
            self._heard = now, seconds
        elif share is not None and share > 0:
            begun, before = self._first or (self._began, 0.0)
            if self._first is None:
                self._first = now, share
            if share > before:
                self._heard = now, (1 - share) * (now - begun) / (share - before)

    @property
    def seconds(self) -> float | None:
        """Seconds left; None where nothing is known."""
        if self._heard is None:
            return None
        when, left = self._heard
        return abs(when + left - self._clock())


def clock_time(seconds: float) -> str:
    """Return seconds as a clock shows them.

    >>> clock_time(7.2), clock_time(200), clock_time(7384)
    ('0:00:08', '0:03:20', '2:03:04')
    """
    whole = math.ceil(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def in_words(seconds: float) -> str:
    """Return about how long that is: two digits, for nobody knows more.

    >>> [in_words(seconds) for seconds in (3, 75, 600, 5000, 100_000)]
    ['3 s', '75 s', '10 min', '83 min', '28 h']
    """
    for size, unit in ((1.0, "s"), (60.0, "min"), (3600.0, "h")):
        if seconds < 100 * size or unit == "h":
            return f"{max(1, round(seconds / size)):,} {unit}"
    raise AssertionError
