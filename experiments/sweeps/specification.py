"""Specifications of sweeps: a TOML file, validated whole, all errors at once with their paths."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.campaigns import AnyCampaign
from prum.experiments.sweeps.cells import (
    ESTIMATORS,
    Axes,
    Cell,
    EstimatorName,
    browsed,
    forget,
    grid,
    loaded,
)
from prum.simulator.collections.fitted_files import files_of
from prum.simulator.generation.specifications import (
    Distinct,
    FittedName,
    Seed,
    SpecificationError,
    SpecificationTable,
    Text,
    toml_content,
    validated,
)
from prum.simulator.model import InputError
from prum.simulator.model.errors import did_you_mean
from prum.simulator.model.kinds import NAVIGATIONS
from prum.simulator.sampling.sampler import Unranked
from prum.simulator.sampling.streams import BLOCK, MOST_USERS

_REMEDY = "prum sweep --schema lists all"

ProperShare = Annotated[float, Field(gt=0, lt=1)]


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
        fitted = [file for kind in self.grid.navigation or () for file in files_of(kind)]
        folder = self._context.get("folder", Path())
        read = [file for campaign in self.campaigns for file in campaign.files()]
        return [*read, *(folder / file for file in fitted)]

    def cells(self) -> list[Cell]:
        """Return the cells of the grid."""
        forget()
        choices: dict[str, set[str]] = {"topics": set(), "systems": set()}
        for number, campaign in enumerate(self.campaigns):
            try:
                content = loaded(campaign)
                for kind in self.grid.navigation or ():
                    browsed(campaign, kind)
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
            return grid(self.campaigns, Axes(**self.grid.model_dump()))
        except InputError as error:
            raise SpecificationError([error]) from None


def _placed(error: InputError | OSError, place: str) -> InputError:
    """Return the error with the place in the specification before its own."""
    if isinstance(error, InputError):
        return error.at(f"{place}: {error.place}" if error.place else place)
    rule = f"be one that can be read ({error.strerror or error})"
    name, place = Path(error.filename or "").name, f"{place}: {error.filename}"
    return InputError("file", name, rule, remedy="check its name", place=place)
