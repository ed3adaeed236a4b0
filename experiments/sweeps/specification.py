"""Specifications of sweeps: a TOML file, validated whole, all errors at once with their paths."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PrivateAttr,
    StringConstraints,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from prum.experiments.sweeps.budget import Budget
from prum.experiments.sweeps.cells import ESTIMATORS, Axes, Cell, Estimator, grid, loaded
from prum.simulator.collections.campaign import (
    Campaign,
    Kind,
    built_in_campaign,
    read_campaign,
    web_example,
)
from prum.simulator.model import InputError
from prum.simulator.model.errors import shown
from prum.simulator.sampling.sampler import Unranked
from prum.simulator.sampling.streams import BLOCK, LARGEST_SEED, MOST_USERS

_REMEDY = "prum sweep --schema tells all"


class SpecificationError(InputError):
    """All that is wrong with a specification: `errors`, a line each."""

    def __init__(self, errors: list[InputError]) -> None:
        self.errors = errors
        ValueError.__init__(self, "\n".join(str(error) for error in errors))

    def __reduce__(self) -> tuple[object, ...]:
        return (SpecificationError, (self.errors,))


def _once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    for number, value in enumerate(values):
        if value in values[:number]:
            raise PydanticCustomError("repeated", "name {value} once", {"value": shown(value)})
    return values


Text = Annotated[str, StringConstraints(min_length=1)]
Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
Share = Annotated[float, Field(gt=0, lt=1)]
_Unique = AfterValidator(_once)


class _Table(BaseModel):
    """A table of a specification: no unknown names, no guessing of types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class FileCampaign(_Table):
    """A campaign in files: TREC runs and qrels, and a table of links; paths from here."""

    runs: Annotated[tuple[Text, ...], _Unique] = Field(min_length=1)
    qrels: Text
    collection_size: Annotated[int, Field(ge=1)]
    links: Text | None = Field(
        default=None, description="CSV, JSONL or Parquet; nobody browses without"
    )
    ideal_grade: int = Field(default=1, description="lowest grade of an ideal")
    name: Text = Field(default_factory=lambda data: Path(data.get("qrels", "")).name or "files")

    _folder: Path = PrivateAttr(default=Path())

    def model_post_init(self, context: Any) -> None:
        """Remember from where the paths start."""
        self._folder = (context or {}).get("folder", Path()).absolute()

    def load(self) -> Campaign:
        """Read the files."""
        return read_campaign(
            [self._folder / run for run in self.runs],
            self._folder / self.qrels,
            None if self.links is None else self._folder / self.links,
            collection_size=self.collection_size,
            ideal_grade=self.ideal_grade,
        )

    def recipe(self) -> dict[str, Any]:
        """Return which files are read."""
        return self.model_dump(mode="json", exclude={"name"})


class MadeCampaign(_Table):
    """A campaign that is made: the paper's Web example, or 20 topics and 8 systems of a seed."""

    example: Literal["web", "campaign"]
    collection_seed: Seed = Field(
        default=2007, description="of the made collection; 'web' takes none"
    )
    name: Text = Field(
        default_factory=lambda data: (
            data.get("example", "")
            if data.get("collection_seed", 2007) == 2007
            else f"{data.get('example', '')} {data['collection_seed']}"
        )
    )

    def load(self) -> Campaign:
        """Make the campaign."""
        if self.example == "web":
            return web_example()
        return built_in_campaign(seed=self.collection_seed)

    def recipe(self) -> dict[str, Any]:
        """Return what is made."""
        return self.model_dump(mode="json", exclude={"name"})


class Grid(_Table):
    """The values to cross; all topics and systems unless they are named."""

    topics: Annotated[tuple[Text, ...], _Unique] | None = Field(default=None, min_length=1)
    systems: Annotated[tuple[Text, ...], _Unique] | None = Field(default=None, min_length=1)
    navigation: Annotated[tuple[Kind, ...], _Unique] = Field(default=("independent",), min_length=1)
    estimators: Annotated[tuple[Estimator, ...], _Unique] = Field(default=ESTIMATORS, min_length=1)
    seeds: Annotated[tuple[Seed, ...], _Unique] = Field(default=(1,), min_length=1)
    unranked: Annotated[tuple[Unranked, ...], _Unique] = Field(default=("sampled",), min_length=1)
    stratified: Annotated[tuple[bool, ...], _Unique] = Field(default=(False,), min_length=1)

    @model_validator(mode="after")
    def _walks_are_not_stratified(self) -> Self:
        if "walk" in self.navigation and True in self.stratified:
            raise PydanticCustomError(
                "stratified_walks",
                "be stratified under independent navigation only (a path has no fixed number of "
                "draws)",
            )
        return self


class Users(_Table):
    """Users of each simulated cell: a number, or as many as a narrow interval needs."""

    num_users: Annotated[int, Field(ge=1, le=MOST_USERS)] | None = None
    first_user: Annotated[int, Field(ge=0, le=MOST_USERS)] = 0
    half_width: Share | None = Field(default=None, description="of precision's interval")
    confidence: Share = 0.95
    recall: Annotated[tuple[Annotated[int, Field(ge=1)], ...], _Unique] | None = Field(
        default=None, min_length=1, description="recall values r where it counts; all by default"
    )
    max_users: Annotated[int, Field(ge=BLOCK, le=MOST_USERS)] = 100_000_000

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if self.num_users is not None and self.half_width is not None:
            raise PydanticCustomError("two_budgets", "hold num_users or half_width, not both")
        return self

    def budget(self) -> Budget:
        """Return the users that a cell gets: 100,000 if nothing else is said."""
        values = self.model_dump()
        if self.half_width is None and self.num_users is None:
            values["num_users"] = 100_000
        return Budget(**values)


def _kind_of_campaign(value: Any) -> str:
    made = isinstance(value, MadeCampaign) or (isinstance(value, Mapping) and "example" in value)
    return "made" if made else "files"


AnyCampaign = Annotated[
    Annotated[FileCampaign, Tag("files")] | Annotated[MadeCampaign, Tag("made")],
    Discriminator(_kind_of_campaign),
]


class Specification(_Table):
    """A sweep: campaigns, the grid over their topics and systems, and how many users.

    >>> specification = Specification.read({"campaigns": [{"example": "web"}]})
    >>> [cell.estimator for cell in specification.cells()]
    ['no-browsing', 'prum', 'exact', 'simulated']
    """

    name: Text = "sweep"
    campaigns: tuple[AnyCampaign, ...] = Field(min_length=1)
    grid: Grid = Grid()
    users: Users = Users()

    _place: str = PrivateAttr(default="specification")

    @property
    def place(self) -> str:
        """The file it was read from, as it was named."""
        return self._place

    def model_post_init(self, context: Any) -> None:
        """Remember the file."""
        self._place = (context or {}).get("place", "specification")

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> Self:
        """Return the specification in a TOML file or a mapping like one.

        Raises
        ------
        SpecificationError
            with all that is wrong, each with its path.
        OSError
            if the file can't be read.
        """
        place, folder, content = "specification", Path(), source
        if not isinstance(source, Mapping):
            path = Path(source)
            place, folder = str(source), path.parent
            try:
                content = {"name": path.stem, **tomllib.loads(path.read_text("utf-8"))}
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise InputError(
                    "file", path.name, f"be TOML in UTF-8 ({error})", remedy=_REMEDY, place=place
                ) from None
        try:
            # As JSON, for an array is a tuple there, and nothing else is taken for another.
            return cls.model_validate_json(
                json.dumps(content, default=str), context={"folder": folder, "place": place}
            )
        except ValidationError as invalid:
            raise SpecificationError([_told(error, place) for error in invalid.errors()]) from None

    def with_users(self, num_users: int | None, first_user: int | None) -> Self:
        """Return the same sweep with another number of users, or other users; None leaves it.

        Raises
        ------
        SpecificationError
            if one is out of range.
        """
        users = self.users.model_dump(exclude_unset=True)
        if num_users is not None:
            users = {"num_users": num_users, "first_user": users.get("first_user", 0)}
        if first_user is not None:
            users["first_user"] = first_user
        try:
            changed = Users.model_validate_json(json.dumps(users))
        except ValidationError as invalid:
            raise SpecificationError([_told(e, "users") for e in invalid.errors()]) from None
        return self.model_copy(update={"users": changed})

    def cells(self) -> list[Cell]:
        """Return the cells of the grid.

        Raises
        ------
        SpecificationError
            for campaigns that can't be read, topics and systems that none has, and a campaign or
            a cell that stands there twice.
        """
        errors = list(self._errors())
        if errors:
            raise SpecificationError(errors)
        return grid(self.campaigns, Axes(**self.grid.model_dump()))

    def _errors(self) -> Iterator[InputError]:
        names = [campaign.name for campaign in self.campaigns]
        known: dict[str, set[str]] = {"topics": set(), "systems": set()}
        for number, campaign in enumerate(self.campaigns):
            place = f"campaigns[{number}]"
            if campaign.name in names[:number]:
                yield InputError(
                    "name", campaign.name, "be its own", remedy="give it another", place=place
                )
            try:
                content = loaded(campaign)
            except InputError as error:
                place = f"{place}: {error.place}" if error.place else place
                yield InputError(
                    error.thing, error.value, error.rule, remedy=error.remedy, place=place
                )
                return
            known["topics"].update(content.ideals)
            known["systems"].update(content.runs)
        for axis, found in known.items():
            for number, name in enumerate(getattr(self.grid, axis) or ()):
                if name not in found:
                    yield InputError(
                        f"grid.{axis}[{number}]",
                        name,
                        "be in a campaign",
                        remedy=f"choose from {', '.join(sorted(found)[:10])}"
                        + (", ..." if len(found) > 10 else ""),
                    )


def _told(error: ErrorDetails, place: str) -> InputError:
    """Return one of pydantic's findings in the project's words."""
    path = ""
    for step in error["loc"]:
        if step not in ("files", "made"):
            path += f"[{step}]" if isinstance(step, int) else f".{step}"
    path = path.removeprefix(".") or "specification"
    kind, value, rule = error["type"], error["input"], error["msg"]
    remedy = _REMEDY
    if kind == "missing":
        value, rule = None, "be given"
    elif kind == "extra_forbidden":
        rule = "not be there: the name is unknown"
    rule = rule.removeprefix("Input should ").removeprefix("Value error, ")
    return InputError(path, value, rule, remedy=remedy, place=place)
