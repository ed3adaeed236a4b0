"""`dataset.json`: the specification of a dataset, its true means, a checksum of every file."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field

from prum.experiments.views.encoding import json_text
from prum.simulator.generation.dials import Dials
from prum.simulator.generation.specifications import SpecificationTable, json_content, validated
from prum.simulator.model import InputError

NAME, SCHEMA = "dataset.json", "dataset.schema.json"
RUNS = "runs"
_REMEDY = "make the dataset again"


class File(SpecificationTable):
    """A file of a dataset."""

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    rows: int | None = Field(default=None, ge=0, description="or lines, where there are any")


class TrueMean(SpecificationTable):
    """A system's true score by a measure, as a mean over topics.

    The error is a standard error over simulated users; 0 where every topic's score is computed,
    which then is off by rounding alone.
    """

    mean: float
    error: float = Field(ge=0)
    method: Literal["computed", "simulated"]


class SystemEntry(SpecificationTable):
    """A system as it was made."""

    strength: float = Field(description="in units of a distractor's noise")
    target: float | None = Field(default=None, description="the mean that it was to reach")
    reached: float | None = Field(default=None, description="and does, by the target's measure")
    lists: int = Field(ge=0, description="topics with a list")
    scores: dict[str, TrueMean] = Field(description="by measure, on the complete judgements")


class Counts(SpecificationTable):
    """How large a dataset is."""

    elements: int
    places: int = Field(description="documents; communities on the Web")
    links: int
    topics: int
    ideals: int = Field(description="of all topics")
    events: int = Field(description="of the log")


class _Read(SpecificationTable):
    """What `dataset.json` is read as."""

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Return what `dataset.json` tells of a dataset's folder.

        Raises
        ------
        InputError
            if it is no dataset; SpecificationError if its description is not as it should be.
        OSError
            if it can't be read.
        """
        path = Path(folder) / NAME
        if not path.is_file():
            rule = f"be a folder with {NAME}"
            raise InputError("dataset", str(folder), rule, remedy="make it by prum generate")
        content = json_content(path, remedy=_REMEDY)
        return validated(cls, content, {"place": str(path)}, remedy=_REMEDY)


class Outline(_Read):
    """What readers of a dataset need of it: its dials, and which files it has."""

    model_config = ConfigDict(extra="ignore")

    specification: Dials
    files: dict[str, Any] = Field(default_factory=dict)


class Description(_Read):
    """All of it."""

    form: Literal["prum dataset 1"] = "prum dataset 1"
    name: str
    version: str = Field(description="of prum")
    made_with: dict[str, str] = Field(
        description="versions of what the bytes of Parquet files depend on"
    )
    seed: int
    specification: dict[str, Any] = Field(description="every dial, as prum generate takes it")
    counts: Counts
    systems: dict[str, SystemEntry]
    files: dict[str, File] = Field(description=f"all but {NAME}")

    def to_json(self) -> str:
        """Return the text of `dataset.json`."""
        content = self.model_dump(mode="json", exclude_none=True)
        # A dial that is not set is part of the specification.
        content["specification"] = self.specification
        return json_text(content)


def schema() -> str:
    """Return the JSON schema of `dataset.json`."""
    draft = "https://json-schema.org/draft/2020-12/schema"
    return json_text({"$schema": draft, **Description.model_json_schema()})
