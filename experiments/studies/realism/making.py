"""The one place where this study makes a collection."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def made(specification: Mapping[str, Any], folder: Path, seed: int) -> None:
    """Make the collection of a specification in a folder, with another seed.

    Raises
    ------
    InputError, OSError
        as `prum generate`.
    """
    from prum.experiments.generate.making import generate_dataset

    generate_dataset({**specification, "seed": seed}, folder)
