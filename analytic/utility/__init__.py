"""Measures as users who stop at a rank and what they have by then: Carterette's framework.

`prum.analytic.utility` is this package, and, called, its function of the same name.
"""

import sys
from types import ModuleType
from typing import Any


class _Utility(ModuleType):
    """The package, which is called as `prum.analytic.utility.measures.utility`."""

    def __call__(self, *arguments: Any, **settings: Any) -> float:
        from prum.analytic.utility.measures import utility

        return utility(*arguments, **settings)


# A package and a function that people call by one name: importing the one must not hide the other.
sys.modules[__name__].__class__ = _Utility
