"""The dials of a made collection, as a TOML file sets them; each table says what it means."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from prum.simulator.generation.kinds import Positive, Range, Share, Structure
from prum.simulator.generation.specifications import (
    NavigationName,
    Seed,
    SpecificationTable,
    Text,
    Unique,
    WayName,
    toml_content,
    validated,
)
from prum.simulator.model.navigation import SUM_TOLERANCE

_REMEDY = "prum generate --schema tells all"
# Of a system's name: file systems allow 255, and a number is appended.
_MOST_BYTES = 200


def _shares(values: tuple[float, ...]) -> tuple[float, ...]:
    if abs(sum(values) - 1) > SUM_TOLERANCE:
        raise PydanticCustomError("shares", "be shares that sum to 1")
    return values


def _file_name(name: str) -> str:
    # It names a file, and is a column of a run, between blanks.
    if name in (".", "..") or "/" in name or name.split() != [name] or not name.isprintable():
        raise PydanticCustomError(
            "file_name", "be fit to name a file, without blanks and slashes (write - for a blank)"
        )
    if len(name.encode()) > _MOST_BYTES:
        raise PydanticCustomError(
            "file_name", "have at most {most} bytes, to name a file", {"most": _MOST_BYTES}
        )
    return name


def _pair(value: Any) -> Any:
    """Return a number as a pair, so that mistakes in both are reported alike."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value, value
    if isinstance(value, list | tuple) and len(value) == 2:
        return tuple(value)
    if value is None:
        return value
    raise PydanticCustomError("pair", "be a number, or two in an array")


_Strength = Annotated[float, Field(ge=-20, le=20)]
# A number for all, or one for the first system and one for the last, evenly spread between.
_ONE_OR_TWO = BeforeValidator(_pair, json_schema_input_type=float | tuple[float, float])


# --- topics and judgements -----------------------------------------------------------------------


class Topics(SpecificationTable):
    """What users look for.

    The number of relevant elements of a topic is uniform from least to most; or, where
    relevant_spread is given, lognormal with that standard deviation of the logarithm, rounded and
    cut off at least and most. Its median is relevant_median, by default the geometric mean of both
    ends. In trees, relevant elements are leaves (paragraphs, scenes, chunks). "clustered": they lie
    in a few places, documents or communities; "scattered": anywhere. Grade g has the share
    grades[g - 1]; elements of ideal_grade and more are ideal, at least one for each topic. Where
    ideals are "best", the best element of each path is ideal in place of leaves, by INEX's
    generalised quantisation of assessments that are consistent up the tree. Each relevant element
    serves one intent, and any other with probability intents_shared. Systems choose from
    `candidates`: relevant elements, those near or around them, and distractors, a share `near` of
    which lies in the same places.
    """

    number: Annotated[int, Field(ge=1, le=100_000)] = 50
    relevant: Range = (3, 12)
    relevant_spread: Annotated[float, Field(ge=0, le=5)] | None = Field(
        default=None, description="of the logarithm; uniform unless given"
    )
    relevant_median: Positive | None = None
    placement: Literal["clustered", "scattered"] = "clustered"
    places: Range = Field(default=(1, 4), description="documents or communities of a topic")
    grades: Annotated[
        tuple[Annotated[float, Field(ge=0)], ...],
        Field(min_length=1, max_length=3),
        AfterValidator(_shares),
    ] = (1.0,)
    ideal_grade: Annotated[int, Field(ge=1, le=3)] = 1
    ideals: Literal["leaves", "best"] = "leaves"
    intents: Annotated[int, Field(ge=1, le=64)] = 1
    intents_shared: Share = 0.2
    candidates: Annotated[int, Field(ge=10, le=100_000)] = 1000
    near: Share = 0.3

    @model_validator(mode="after")
    def _dials_go_together(self) -> Self:
        if sum(self.grades[self.ideal_grade - 1 :]) <= 0:
            raise PydanticCustomError("no_ideal", "have grades of which some reach ideal_grade")
        if self.relevant_median is not None and self.relevant_spread is None:
            raise PydanticCustomError("no_spread", "have relevant_spread with relevant_median")
        return self


class Assessors(SpecificationTable):
    """Assessors who judge every element that some system retrieves, and err.

    An assessor gives an element its true grade with probability `agreement`, else that of a judged
    element of the topic at random: so Cohen's kappa with the true grades is `agreement` in
    expectation, and its square between two assessors.
    """

    number: Annotated[int, Field(ge=1, le=100)]
    agreement: Share = 0.8


class Pool(SpecificationTable):
    """The judged elements: the first `depth` ranks of some systems, by default of all."""

    depth: Annotated[int, Field(ge=1, le=1_000_000)]
    systems: Annotated[tuple[Text, ...], Unique] | None = Field(default=None, min_length=1)


# --- systems -------------------------------------------------------------------------------------


class Target(SpecificationTable):
    """A mean over topics that a system is to reach.

    With several systems there may be two values, for the first and the last; the others are evenly
    spread between them. The same goes for strengths.
    """

    measure: Text = Field(default="ExactPRUM", description="as prum evaluate names it")
    value: Annotated[tuple[Share, Share], _ONE_OR_TWO]
    tolerance: Annotated[float, Field(gt=0, le=1)] = 0.005


class System(SpecificationTable):
    """A system, or `number` systems that differ only in values spread between them.

    It ranks a topic's candidates by score = strength worth + noise, in units of the noise of a
    distractor. An ideal is worth 1; a relevant element of another grade, that grade as a share of
    the highest; a near miss (from which users see an ideal by browsing), `near_misses` times the
    root of the largest such probability; an element that contains an ideal, `containers`; the best
    entry point of a place, `entry_points`; a distractor 0. Of several roles the largest counts.

    Parameters of the list: `depth`, or all candidates if there are fewer; `nested`, the probability
    of keeping an element that overlaps an element ranked before it; `ties`, the share of neighbours
    in the list with equal scores; `missing`, the share of topics without a list.
    """

    name: Annotated[Text, AfterValidator(_file_name)]
    number: Annotated[int, Field(ge=1, le=10_000)] = 1
    strength: Annotated[
        tuple[_Strength, _Strength] | None,
        BeforeValidator(_pair, json_schema_input_type=float | tuple[float, float] | None),
    ] = Field(default=None, description="or a target; 2 unless either is given")
    target: Target | None = None
    near_misses: Annotated[float, Field(ge=0, le=2)] = 0.0
    containers: Annotated[float, Field(ge=0, le=2)] = 0.0
    entry_points: Annotated[float, Field(ge=0, le=2)] = 0.0
    depth: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    nested: Share = 1.0
    ties: Share = 0.0
    missing: Annotated[float, Field(ge=0, lt=1)] = 0.0

    @model_validator(mode="after")
    def _strength_or_target(self) -> Self:
        if self.strength is not None and self.target is not None:
            raise PydanticCustomError("two_strengths", "hold strength or target, not both")
        return self


class Dependence(SpecificationTable):
    """How scores of systems depend on each other.

    Strength varies over topics by `difficulty` (a standard deviation); a share `correlation` of its
    variance is common to all systems. So is a share `agreement` of the variance of a candidate's
    noise.
    """

    difficulty: Annotated[float, Field(ge=0, le=10)] = 0.5
    correlation: Share = 0.5
    agreement: Share = 0.3


# --- users ---------------------------------------------------------------------------------------


class Users(SpecificationTable):
    """How users browse: `kind` as prum names it, along the links of the web or of a `way`."""

    kind: NavigationName | None = Field(
        default=None, description="walk where a way makes the steps of one, else independent"
    )
    way: WayName | None = Field(default=None, description="of trees; structural by default")


class Log(SpecificationTable):
    """Sessions in time, written event by event.

    The users of a system come at random, `arrivals` an hour, and ask a geometric number of queries
    with mean `queries`. They stop by the first of the `stop` rules that applies, in the words of
    prum simulate, and when they have seen `want` ideals, if that is given. Judging, reading and
    moving take seconds.
    """

    users: Annotated[int, Field(ge=1, le=1_000_000_000)] = Field(description="of each system")
    systems: Annotated[tuple[Text, ...], Unique] | None = Field(
        default=None, min_length=1, description="all unless named"
    )
    arrivals: Positive = 60.0
    queries: Annotated[float, Field(ge=1, le=1e6)] = 2.0
    pause: Annotated[float, Field(ge=0, le=1e9)] = 10.0
    want: Annotated[int, Field(ge=1)] | None = None
    stop: tuple[Text, ...] = ("persistence 0.9",)
    judge: Annotated[float, Field(ge=0, le=1e6)] = 4.4
    read: Annotated[float, Field(ge=0, le=1e6)] = 7.8
    move: Annotated[float, Field(ge=0, le=1e6)] = 1.0


class Truth(SpecificationTable):
    """The scores to compute: measures as prum evaluate names them, on the complete judgements.

    Where browsing has no closed form, ExactPRUM is simulated with so many `users`.
    """

    measures: Annotated[tuple[Text, ...], Unique] = Field(
        default=("ExactPRUM", "PRUM", "AP"), min_length=1
    )
    users: Annotated[int, Field(ge=1000, le=1_000_000_000, multiple_of=20)] = 100_000


class Dials(SpecificationTable):
    """All dials of a made collection."""

    name: Text = "made"
    seed: Seed = 1
    format: Literal["parquet", "jsonl"] = "parquet"
    collection: Structure
    topics: Topics = Topics()
    browsing: Users = Users()
    systems: tuple[System, ...] = Field(default=(System(name="system"),), min_length=1)
    dependence: Dependence = Dependence()
    assessors: Assessors | None = None
    pool: Pool | None = None
    truth: Truth = Truth()
    log: Log | None = None

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> Self:
        """Return the dials in a TOML file or a mapping like one.

        Raises
        ------
        SpecificationError, InputError, OSError
            as `toml_content` and `validated`.

        >>> Dials.read({"collection": {"kind": "flat", "elements": 100}}).topics.number
        50
        """
        content, context = toml_content(source, remedy=_REMEDY)
        return validated(cls, content, context, remedy=_REMEDY, path_of=_without_kinds)


def _without_kinds(steps: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the steps to a value, without pydantic's step to the kind of collection."""
    return (steps[0], *steps[2:]) if steps[0:1] == ("collection",) and len(steps) > 1 else steps
