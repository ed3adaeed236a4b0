"""The dials of a made collection, as a TOML file sets them; each table says what it means."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from prum.simulator.generation.kinds import AnyStructure, Positive, Range, Share
from prum.simulator.generation.specifications import (
    Distinct,
    NavigationName,
    RuleName,
    Seed,
    SpecificationTable,
    Text,
    WayName,
    dial,
    toml_content,
    validated,
)
from prum.simulator.model.navigation import SUM_TOLERANCE

_REMEDY = "prum generate --schema lists all"
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
_Rates = Annotated[
    Annotated[Share, Tag("for all")]
    | Annotated[tuple[Share, ...], Field(min_length=1), Tag("by grade")],
    Discriminator(lambda value: "by grade" if isinstance(value, list | tuple) else "for all"),
]
_SMALLEST = 1e-4


def _computed(values: tuple[float, float]) -> tuple[float, float]:
    if any(0 < value < _SMALLEST for value in values):
        raise PydanticCustomError("tiny", "be 0, or 0.0001 at least")
    return values


_Correlation = Annotated[float, Field(ge=0, le=0.9)]
# A number for all, or one for the first system and one for the last, evenly spread between.
_ONE_OR_TWO = BeforeValidator(_pair, json_schema_input_type=float | tuple[float, float])
# Of labels of a topic: of hits, and of false alarms.
Within = Annotated[tuple[_Correlation, _Correlation], AfterValidator(_computed), _ONE_OR_TWO]


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

    number: Annotated[int, Field(ge=1, le=100_000)] = dial(50, "how many topics")
    relevant: Range = dial((3, 12), "relevant elements of a topic, from least to most")
    relevant_spread: Annotated[float, Field(ge=0, le=5)] | None = dial(
        None, "of the logarithm; uniform unless given"
    )
    relevant_median: Positive | None = dial(
        None, "with relevant_spread; geometric mean of both ends of relevant unless given"
    )
    placement: Literal["clustered", "scattered"] = dial(
        "clustered", "of relevant elements: in a few places, or anywhere"
    )
    places: Range = dial((1, 4), "documents or communities of a topic")
    grades: Annotated[
        tuple[Annotated[float, Field(ge=0)], ...],
        Field(min_length=1, max_length=3),
        AfterValidator(_shares),
    ] = dial((1.0,), "share of each grade among relevant elements, from 1")
    ideal_grade: Annotated[int, Field(ge=1, le=3)] = dial(1, "least grade of an ideal")
    ideals: Literal["leaves", "best"] = dial(
        "leaves", "leaves of trees, or the best element of each path"
    )
    intents: Annotated[int, Field(ge=1, le=64)] = dial(1, "how many a topic has")
    intents_shared: Share = dial(
        0.2, "probability that a relevant element serves another intent, too"
    )
    candidates: Annotated[int, Field(ge=10, le=100_000)] = dial(
        1000, "elements of a topic from which systems choose"
    )
    near: Share = dial(
        0.3, "share of the distractors that lies in the same places as relevant elements"
    )

    @model_validator(mode="after")
    def _dials_go_together(self) -> Self:
        if sum(self.grades[self.ideal_grade - 1 :]) <= 0:
            raise PydanticCustomError("no_ideal", "have grades of which some reach ideal_grade")
        if self.relevant_median is not None and self.relevant_spread is None:
            raise PydanticCustomError("no_spread", "have relevant_spread with relevant_median")
        return self


class ErringJudges(SpecificationTable):
    """Judges who say of every element that some system retrieves whether it is ideal, and err.

    A judge calls an ideal ideal with probability `hit`, and another element with probability
    `false_alarm`: numbers, or one for each grade, hits from ideal_grade on, false alarms from grade
    0 up to that. On a topic these rates are Beta(m s, (1 - m) s), m the mean; the labels of two
    equal elements then have the correlation 1 / (s + 1), which `by_topic` is. Among such rates the
    topic has a rank by its hits; with probability `leniency` its false alarms have the same, else
    one of their own. Two judges' ranks have the correlation `between_judges`.

    An element is called ideal if a standard normal number is below the quantile of its rate. These
    numbers have the correlation `between_judges` for two judges of an element on a topic,
    `by_document` for a judge of an element on two topics, and the product of both for two judges
    on two topics.

    Judges `like` measured ones, 33 language models beside NIST's assessors, have their rates and
    by_topic, by grade where grades go to 3 and ideal_grade is 2. Defaults are near the medians.
    """

    number: Annotated[int, Field(ge=1, le=100)] = dial(1, "how many judges with the same rates")
    like: Distinct[Text] | None = dial(
        None,
        "names of measured judges, in place of number, hit, false_alarm and by_topic",
    )
    hit: _Rates = dial(0.5, "P(called ideal) of ideals, or one for each grade from ideal_grade on")
    false_alarm: _Rates = dial(0.2, "P(called ideal) of others, or one for each grade from 0 on")
    by_topic: Within = dial(
        (0.23, 0.19), "correlation of labels of a topic: one for all, or of hits and false alarms"
    )
    leniency: Share = dial(0.8, "P(a topic's false alarms rank as its hits do)")
    between_judges: Share = dial(0.65, "correlation of two judges of the same element")
    by_document: Share = dial(0.0, "correlation of an element on two topics")


class Pool(SpecificationTable):
    """The judged elements: the first `depth` ranks of some systems, by default of all."""

    depth: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        description="ranks of each system that are judged"
    )
    systems: Distinct[Text] | None = dial(None, "all unless named")


# --- systems -------------------------------------------------------------------------------------


class Target(SpecificationTable):
    """A mean over topics that a system is to reach.

    With several systems there may be two values, for the first and the last; the others are evenly
    spread between them. The same goes for strengths.
    """

    measure: Text = dial("ExactPRUM", "as prum evaluate names it")
    value: Annotated[tuple[Share, Share], _ONE_OR_TWO] = Field(
        description="one for all systems, or one for the first and one for the last"
    )
    tolerance: Annotated[float, Field(gt=0, le=1)] = dial(0.005, "how far the mean may be off")


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

    name: Annotated[Text, AfterValidator(_file_name)] = Field(
        description="of its run; a number is appended where there are several"
    )
    number: Annotated[int, Field(ge=1, le=10_000)] = dial(
        1, "how many systems that differ in values spread between them"
    )
    strength: Annotated[
        tuple[_Strength, _Strength] | None,
        BeforeValidator(_pair, json_schema_input_type=float | tuple[float, float] | None),
    ] = dial(None, "or a target; 2 unless either is given")
    target: Target | None = dial(None, "a mean that systems are to reach, in place of a strength")
    near_misses: Annotated[float, Field(ge=0, le=2)] = dial(
        0.0, "relevance of a near miss, times the root of its largest probability"
    )
    containers: Annotated[float, Field(ge=0, le=2)] = dial(
        0.0, "relevance of an element that contains an ideal"
    )
    entry_points: Annotated[float, Field(ge=0, le=2)] = dial(
        0.0, "relevance of the best entry point of a place"
    )
    depth: Annotated[int, Field(ge=1, le=1_000_000)] = dial(100, "length of the list")
    nested: Share = dial(1.0, "probability of keeping an element that overlaps one ranked before")
    ties: Share = dial(0.0, "share of neighbours in the list with equal scores")
    missing: Annotated[float, Field(ge=0, lt=1)] = dial(0.0, "share of topics without a list")

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

    difficulty: Annotated[float, Field(ge=0, le=10)] = dial(
        0.5, "standard deviation over topics of the strength"
    )
    correlation: Share = dial(0.5, "share of the variance of strength that systems have in common")
    agreement: Share = dial(
        0.3, "share of the variance of a candidate's noise that systems have in common"
    )


# --- users ---------------------------------------------------------------------------------------


class Users(SpecificationTable):
    """How users browse: `kind` as prum names it, along the links of the web or of a `way`.

    Dials of a kind (beta, types, fading, satiation, need) multiply the probability of
    each visit; of walks, the probability of setting off on a path at all, not that of each step.
    """

    kind: NavigationName | None = dial(
        None, "walk where a way makes the steps of one, else independent"
    )
    way: WayName | None = dial(None, "of trees; structural by default")


class Log(SpecificationTable):
    """Sessions in time, written event by event.

    The users of a system come at random, `arrivals` an hour, and ask a geometric number of queries
    with mean `queries`. They stop by the first of the `stop` rules that applies, in the words of
    prum simulate, and when they have seen `want` ideals, if that is given. Judging, reading and
    moving take seconds.
    """

    users: Annotated[int, Field(ge=1, le=1_000_000_000)] = Field(description="of each system")
    systems: Distinct[Text] | None = dial(None, "all unless named")
    arrivals: Positive = dial(60.0, "users an hour")
    queries: Annotated[float, Field(ge=1, le=1e6)] = dial(2.0, "mean number of queries of a user")
    pause: Annotated[float, Field(ge=0, le=1e9)] = dial(10.0, "mean seconds between queries")
    want: Annotated[int, Field(ge=1)] | None = dial(None, "ideals after which a user stops")
    stop: tuple[RuleName, ...] = dial(
        ("persistence 0.9",), "rules of stopping, in the words of prum simulate"
    )
    judge: Annotated[float, Field(ge=0, le=1e6)] = dial(4.4, "seconds for each element consulted")
    read: Annotated[float, Field(ge=0, le=1e6)] = dial(7.8, "seconds for each element seen")
    move: Annotated[float, Field(ge=0, le=1e6)] = dial(1.0, "seconds to get to an element")


class Truth(SpecificationTable):
    """The scores to compute: measures as prum evaluate names them, on the complete judgements.

    Where browsing has no closed form, ExactPRUM is simulated with so many `users`.
    """

    measures: Distinct[Text] = dial(("ExactPRUM", "PRUM", "AP"), "as prum evaluate names them")
    users: Annotated[int, Field(ge=1000, le=1_000_000_000, multiple_of=20)] = dial(
        100_000, "simulated users where browsing has no closed form"
    )


class Dials(SpecificationTable):
    """All dials of a made collection."""

    name: Text = dial("made", "of the dataset")
    seed: Seed = dial(1, "of the random numbers")
    format: Literal["parquet", "jsonl"] = dial("parquet", "of the tables")
    collection: AnyStructure = Field(description="elements and what ties them together")
    topics: Topics = dial(Topics(), "what users look for")
    browsing: Users = dial(Users(), "how users browse")
    systems: tuple[System, ...] = dial(
        (System(name="system"),), "whose lists are made", min_length=1
    )
    dependence: Dependence = dial(Dependence(), "how scores of systems depend on each other")
    judges: ErringJudges | None = dial(None, "judges who err dependently; none unless given")
    pool: Pool | None = dial(None, "the judged elements; no pool unless given")
    truth: Truth = dial(Truth(), "the true scores to compute")
    log: Log | None = dial(None, "sessions of users; none unless given")

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> Self:
        """Return the dials in a TOML file or a mapping like one.

        >>> Dials.read({"collection": {"kind": "flat", "elements": 100}}).topics.number
        50
        """
        content, context = toml_content(source, remedy=_REMEDY)
        return validated(cls, content, context, remedy=_REMEDY)
