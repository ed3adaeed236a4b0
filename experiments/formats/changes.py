"""What changed in each schema: a sentence for each version after the first."""

from collections.abc import Mapping

CHANGES: Mapping[str, tuple[str, ...]] = {}
