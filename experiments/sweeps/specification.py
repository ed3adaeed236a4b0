"""Specifications of sweeps: a TOML file, validated whole, all errors at once with their paths."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from prum.experiments.sweeps.cells import (
    ESTIMATORS,
    Cell,
    EstimatorName,
    browsed,
    forget,
    grid,
    loaded,
)
from prum.experiments.sweeps.engine import UserBudget
from prum.simulator.collections.campaign import (
    Campaign,
    check_size_known,
    read_campaign,
    read_span_campaign,
)
from prum.simulator.collections.examples import EXAMPLES, ExampleName
from prum.simulator.collections.fitted_files import files_of, located
from prum.simulator.collections.judgements import IdealChoice
from prum.simulator.generation.specifications import (
    Distinct,
    FittedName,
    Seed,
    SpecificationError,
    SpecificationTable,
    Text,
    WayName,
    bad_words,
    toml_content,
    validated,
)
from prum.simulator.model import InputError
from prum.simulator.model.errors import did_you_mean
from prum.simulator.model.kinds import NAVIGATIONS
from prum.simulator.model.way_names import chosen_way, ways_of
from prum.simulator.sampling.sampler import Unranked
from prum.simulator.sampling.streams import BLOCK, MOST_USERS

_REMEDY = "prum sweep --schema lists all"


def _from_folder(path: str, context: ValidationInfo) -> str:
    return str((context.context or {}).get("folder", Path()).absolute() / path)


# A path, which starts from the specification's folder.
File = Annotated[Text, AfterValidator(_from_folder)]
ProperShare = Annotated[float, Field(gt=0, lt=1)]


class FileCampaign(SpecificationTable):
    """A campaign in files: runs and judgements, and links or what makes them; paths from here."""

    runs: Distinct[File]
    qrels: File
    collection_size: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="by default the number of elements"
    )
    links: File | None = Field(
        default=None, description="CSV, JSONL or Parquet; nobody browses without"
    )
    elements: Distinct[File] | None = Field(
        default=None,
        description="a table (CSV, JSONL or Parquet), or XML files; make links if none are given",
    )
    way: WayName | None = Field(
        default=None,
        description=f"of elements ({', '.join(ways_of('elements'))}; structural by default) or of "
        f"links ({', '.join(ways_of('links'))}; by default they are as they are)",
    )
    ideal_grade: int = Field(default=1, description="lowest grade of an ideal")
    ideals: IdealChoice = Field(
        default="strict", description="of assessments: E3S3, or the best of each path"
    )
    name: Text = Field(default_factory=lambda data: Path(data.get("qrels", "")).name or "files")

    @model_validator(mode="after")
    def _links_are_given_or_made(self) -> Self:
        try:
            has_links, has_elements = self.links is not None, self.elements is not None
            chosen_way(self.way, links=has_links, elements=has_elements)
            check_size_known(self.collection_size, self.elements)
        except InputError as error:
            raise bad_words(error, "campaign") from None
        return self

    def load(self) -> Campaign:
        """Read the files."""
        return read_campaign(**self.model_dump(exclude={"name"}, exclude_none=True))


class SpanCampaign(SpecificationTable):
    """A campaign of chunks and the spans that are looked for; paths from here."""

    runs: Distinct[File]
    chunks: File = Field(description="id, doc, start, end in CSV, JSONL or Parquet")
    spans: File = Field(description="topic, doc, start, end, or questions with references")
    texts: File | None = Field(default=None, description="folder of the documents")
    way: WayName | None = Field(
        default=None, description='what is opened from chunks, as "chunks next .5"; nothing without'
    )
    need: Literal["share", "whole"] = Field(default="share", description="of a span")
    name: Text = Field(default_factory=lambda data: Path(data.get("chunks", "")).name or "chunks")

    def load(self) -> Campaign:
        """Read the files."""
        files = self.runs, self.chunks, self.spans, self.texts
        return read_span_campaign(*files, way=self.way, whole=self.need == "whole")


class MadeCampaign(SpecificationTable):
    """A built-in example: one of the paper's, or 20 topics and 8 systems."""

    example: ExampleName
    name: Text = Field(default_factory=lambda data: data.get("example", ""))

    def load(self) -> Campaign:
        """Make the campaign."""
        return EXAMPLES[self.example].load()


def _sort_of_campaign(value: Any) -> str:
    names = value if isinstance(value, Mapping) else ()
    return "an example" if "example" in names else "of spans" if "spans" in names else "of files"


AnyCampaign = Annotated[
    Annotated[FileCampaign, Tag("of files")]
    | Annotated[MadeCampaign, Tag("an example")]
    | Annotated[SpanCampaign, Tag("of spans")],
    Discriminator(_sort_of_campaign),
]


class Grid(SpecificationTable):
    """The values to cross; all topics and systems unless they are named."""

    topics: Distinct[Text] | None = None
    systems: Distinct[Text] | None = None
    navigation: Distinct[FittedName] | None = Field(
        default=None,
        description=f"each to {NAVIGATIONS.rule}; by default walk where a way makes the steps of "
        "one, else independent. Or a file of prum fit, from here, dials behind it",
    )
    estimators: Distinct[EstimatorName] = ESTIMATORS
    seeds: Distinct[Seed] = (1,)
    unranked: Distinct[Unranked] = ("sampled",)


class UsersTable(SpecificationTable):
    """Users of each simulated cell: a number, or as many as a narrow interval needs."""

    num_users: Annotated[int, Field(ge=1, le=MOST_USERS)] | None = None
    half_width: ProperShare | None = Field(
        default=None, description="of precision's interval, at each recall value"
    )
    confidence: ProperShare = 0.95
    max_users: Annotated[int, Field(ge=BLOCK, le=MOST_USERS)] = 100_000_000

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if self.num_users is not None and self.half_width is not None:
            raise PydanticCustomError("two_budgets", "hold num_users or half_width, not both")
        return self

    def budget(self) -> UserBudget:
        """Return the users that a cell gets: 100,000 if nothing else is said."""
        values = self.model_dump()
        if self.half_width is None and self.num_users is None:
            values["num_users"] = 100_000
        return UserBudget(**values)


class SweepSpecification(SpecificationTable):
    """A sweep: campaigns, the grid over their topics and systems, and how many users.

    >>> specification = SweepSpecification.read({"campaigns": [{"example": "web"}]})
    >>> [cell.estimator for cell in specification.cells()]
    ['no-browsing', 'prum', 'exact', 'simulated']
    """

    name: Text = "sweep"
    campaigns: tuple[AnyCampaign, ...] = Field(min_length=1)
    grid: Grid = Grid()
    users: UsersTable = UsersTable()

    _context: dict[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _campaigns_have_names(self) -> Self:
        if len({campaign.name for campaign in self.campaigns}) < len(self.campaigns):
            rule = "have campaigns of different names: name one of them"
            raise PydanticCustomError("same_names", rule)
        return self

    @property
    def command(self) -> str:
        """How to run the sweep; one that is in no file as if it were in one of its name."""
        file = self._context.get("place") or f"{self.name}.toml"
        return f"prum sweep {shlex.quote(file)}"

    def model_post_init(self, context: Any) -> None:
        """Remember where it was read."""
        self._context = context or {}

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> Self:
        """Return the specification in a TOML file or a mapping like one."""
        content, context = toml_content(source, remedy=_REMEDY)
        return validated(cls, content, context, remedy=_REMEDY)

    def files(self) -> list[Path]:
        """Return the files that its campaigns are read from."""
        names = [file for kind in self.grid.navigation or () for file in files_of(kind)]
        for campaign in self.campaigns:
            for of in ("runs", "qrels", "links", "elements", "chunks", "spans"):
                given = getattr(campaign, of, None) or ()
                names += [given] if isinstance(given, str) else given
        return [self._folder / name for name in names]

    @property
    def _folder(self) -> Path:
        folder: Path = self._context.get("folder", Path())
        return folder

    def cells(self) -> list[Cell]:
        """Return the cells of the grid."""
        forget()
        choices: dict[str, set[str]] = {"topics": set(), "systems": set()}
        for number, campaign in enumerate(self.campaigns):
            try:
                content = loaded(campaign)
                for kind in self.grid.navigation or ():
                    browsed(campaign, located(kind, self._folder))
            except (InputError, OSError) as error:
                raise SpecificationError([_placed(error, f"campaigns[{number}]")]) from None
            choices["topics"].update(content.ideals)
            choices["systems"].update(content.runs)
        errors = [
            InputError(
                f"grid.{axis}",
                name,
                "be in a campaign",
                remedy=did_you_mean(name, names, f"choose from {', '.join(sorted(names)[:10])}"),
            )
            for axis, names in choices.items()
            for name in getattr(self.grid, axis) or ()
            if name not in names
        ]
        if errors:
            raise SpecificationError(errors)
        try:
            return grid(self.campaigns, **self.grid.model_dump(), folder=self._folder)
        except InputError as error:
            raise SpecificationError([error]) from None


def _placed(error: InputError | OSError, place: str) -> InputError:
    """Return the error with the place in the specification before its own."""
    if isinstance(error, InputError):
        return error.at(f"{place}: {error.place}" if error.place else place)
    rule = f"be one that can be read ({error.strerror or error})"
    name, place = Path(error.filename or "").name, f"{place}: {error.filename}"
    return InputError("file", name, rule, remedy="check its name", place=place)
