"""Specifications as mappings, and what is told of those that are wrong."""

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.sweeps.specification import SweepSpecification
from prum.simulator.generation.specifications import SpecificationError

WEB = {"example": "web"}
FILES = {"runs": ["run"], "qrels": "qrels", "collection_size": 10}
# How every line ends.
TOLD = "; prum sweep --schema lists all"


def specification(**tables: Any) -> dict[str, Any]:
    return {"campaigns": [WEB], **tables}


def errors_of(content: Mapping[str, Any] | Path) -> list[str]:
    """Return what is told of a specification, each error in its line."""
    with pytest.raises(SpecificationError) as error:
        SweepSpecification.read(content).cells()
    lines = str(error.value).split("\n")
    assert lines == [str(one) for one in error.value.errors]
    again = pickle.loads(pickle.dumps(error.value))
    assert (type(again), str(again)) == (SpecificationError, str(error.value))
    return lines
