"""The dials of a made collection, as a TOML file sets them; each table says what it means."""

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from prum.simulator.generation.levels import MOST_LEVELS, by_level, is_pair, is_single
from prum.simulator.model.navigation import SUM_TOLERANCE
from prum.simulator.specifications import (
    NavigationName,
    Seed,
    Table,
    Text,
    Unique,
    WayName,
    toml_content,
    validated,
)

_REMEDY = "prum generate --schema tells all"
MOST_ELEMENTS = 10_000_000
MOST_LINKS_EACH = 200
# Of a system's name; file systems take 255, and its number follows.
_MOST_BYTES = 200

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0, le=1e9)]
Number = Annotated[int, Field(ge=1, le=MOST_ELEMENTS)]


def _ascending(values: tuple[int, int]) -> tuple[int, int]:
    if values[0] > values[1]:
        raise PydanticCustomError("descending", "give the least first, then the most")
    return values


def _shares(values: tuple[float, ...]) -> tuple[float, ...]:
    if abs(sum(values) - 1) > SUM_TOLERANCE:
        raise PydanticCustomError("shares", "be shares that sum to 1")
    return values


def _no_one(exponent: float) -> float:
    if 0.999 < exponent < 1.001:
        raise PydanticCustomError(
            "near_one", "be 0.999 at most, or 1.001 at least: between them the law is not computed"
        )
    return exponent


def _file_name(name: str) -> str:
    # It names a file, and stands between blanks in a run.
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
    """Return a number as two, so that it is told like one what is wrong with them."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value, value
    if isinstance(value, list | tuple) and len(value) == 2:
        return tuple(value)
    if value is None:
        return value
    raise PydanticCustomError("pair", "be a number, or two in an array")


Range = Annotated[tuple[Number, Number], AfterValidator(_ascending)]
# Powers are integrated by x^(1 - p) / (1 - p), which rounding spoils near 1.
_Popularity = Annotated[float, Field(ge=0, le=3), AfterValidator(_no_one)]
_Ranges = Annotated[tuple[Range, ...], Field(min_length=1, max_length=MOST_LEVELS)]
_Shares = Annotated[tuple[Share, ...], Field(min_length=1, max_length=MOST_LEVELS)]
_Strength = Annotated[float, Field(ge=-20, le=20)]
# One for all, or those of the first system and the last, evenly spread between.
_ONE_OR_TWO = BeforeValidator(_pair, json_schema_input_type=float | tuple[float, float])
Elements = Annotated[int, Field(ge=100, le=MOST_ELEMENTS)]


# --- structures ----------------------------------------------------------------------------------


class Flat(Table):
    """Elements that nothing ties together; nobody browses."""

    kind: Literal["flat"]
    elements: Elements


class Web(Table):
    """Pages that link to each other, mostly within their community.

    Here as in other structures the last place of each 65,536 elements is cut to fit.

    A page has k links with a probability proportional to k^-degree_exponent, k from
    least_degree to most_degree (0 is as likely as 1); duplicates and links to itself are dropped.
    A link stays in the community with probability `inside`. Its target is of popularity rank q
    there with a probability proportional to q^-popularity_inside, else in the whole collection with
    one proportional to q^-popularity, so that degrees of targets have heavy tails, too. By
    inversion of the integral rank 1 is too likely, by 10.5 % of its probability at most (of 10,000
    pages by 3.5 % at an exponent of 0.5, 8 % at 0.9, 10 % at 1.5, 9.7 % at 2, 7 % at 3). Above 1 a
    few ranks have most of the links, and more duplicates are dropped. A link leads to the most
    popular of `choice` targets drawn so, which may be 1.5, say: what had probability F before some
    rank has 1 - (1 - F)^choice, and pages of the last ranks hardly get links. A page's
    probabilities sum to `following`, split unevenly.
    """

    kind: Literal["web"]
    elements: Elements
    community: Annotated[int, Field(ge=2, le=10_000)] = Field(
        default=50, description="mean number of pages of a community; half of it to 3 / 2 of it"
    )
    degree_exponent: Annotated[float, Field(ge=0, le=10)] = 1.5
    least_degree: Annotated[int, Field(ge=0, le=1000)] = 1
    most_degree: Annotated[int, Field(ge=1, le=1000)] = 100
    inside: Share = 0.8
    popularity: _Popularity = Field(default=0.5, description="0 to 3, but not 0.999 to 1.001")
    popularity_inside: _Popularity | None = Field(
        default=None, description="of targets in the community; as popularity unless given"
    )
    choice: Annotated[float, Field(ge=1, le=8)] = Field(
        default=1.0, description="a link leads to the most popular of so many drawn"
    )
    following: Share = 0.85

    @model_validator(mode="after")
    def _degrees_ascend(self) -> Self:
        if self.least_degree > self.most_degree:
            raise PydanticCustomError("degrees", "have least_degree up to most_degree")
        degrees = range(self.least_degree, self.most_degree + 1)
        weights = [max(degree, 1) ** -self.degree_exponent for degree in degrees]
        mean = sum(map(operator.mul, degrees, weights)) / sum(weights)
        if mean > MOST_LINKS_EACH:
            raise PydanticCustomError(
                "dense", "have a mean degree of at most {most}, not {mean}",
                {"most": MOST_LINKS_EACH, "mean": round(mean, 1)},
            )  # fmt: skip
        return self


class Xml(Table):
    """Documents of nested sections with paragraphs.

    A document and each section has fan_out children, uniformly from least to most. A child is a
    section with probability `nesting` while it can have children of its own (a document has depth
    0, paragraphs at most `depth`); otherwise it is a paragraph, whose words are lognormal.

    Both may differ by level: [[5, 5], [2, 7]] are the children of a document and of all sections,
    [[5, 5], [2, 7], [10, 60]] those of a document, of sections of depth 1, and of deeper ones;
    nesting [1, 0.5] is that of the children of a document, and of all sections.
    """

    kind: Literal["xml"]
    elements: Elements
    fan_out: Annotated[
        Range | tuple[Range, ...],
        BeforeValidator(by_level(Range, is_pair), json_schema_input_type=Range | _Ranges),
    ] = Field(default=(2, 6), description="a range, or one for each level from the document on")
    depth: Annotated[int, Field(ge=1, le=MOST_LEVELS)] = 4
    nesting: Annotated[
        Share | tuple[Share, ...],
        BeforeValidator(by_level(Share, is_single), json_schema_input_type=Share | _Shares),
    ] = Field(default=0.5, description="a share, or one for each level from the document on")
    words: Positive = Field(default=40.0, description="median of a paragraph")
    words_spread: Annotated[float, Field(ge=0, le=5)] = Field(
        default=0.8, description="standard deviation of the logarithm"
    )

    @property
    def fan_outs(self) -> tuple[tuple[int, int], ...]:
        """The range of children of each level; the last is that of all deeper ones, too."""
        if isinstance(self.fan_out[0], int):
            return (self.fan_out,)
        return self.fan_out

    @property
    def nestings(self) -> tuple[float, ...]:
        """The share of sections among the children of each level, as `fan_outs`."""
        return self.nesting if isinstance(self.nesting, tuple) else (self.nesting,)


class Video(Table):
    """Videos, each a line of scenes one after the other, whose seconds are lognormal."""

    kind: Literal["video"]
    elements: Elements
    scenes: Range = (5, 40)
    seconds: Positive = Field(default=30.0, description="median of a scene")
    seconds_spread: Annotated[float, Field(ge=0, le=5)] = 0.8


class Chunks(Table):
    """Pages cut into chunks of `words` words that begin every `stride` words.

    Pages have lognormal lengths; the last chunk ends where its page does. A page is the parent of
    its chunks, as in retrieval-augmented generation.
    """

    kind: Literal["chunks"]
    elements: Elements
    words: Annotated[int, Field(ge=1, le=100_000)] = 200
    stride: Annotated[int, Field(ge=1, le=100_000)] = 150
    page_words: Positive = Field(default=1200.0, description="median of a page")
    page_words_spread: Annotated[float, Field(ge=0, le=5)] = 0.8

    @model_validator(mode="after")
    def _chunks_leave_no_gap(self) -> Self:
        if self.stride > self.words:
            raise PydanticCustomError("gap", "have a stride of at most words")
        return self


Structure = Annotated[Flat | Web | Xml | Video | Chunks, Field(discriminator="kind")]


# --- topics and judgements -----------------------------------------------------------------------


class Topics(Table):
    """What users look for.

    A topic has relevant elements, uniformly from least to most; or, where relevant_spread is given,
    by a lognormal law with that standard deviation of the logarithm, rounded, what lies beyond
    least and most moved there. Its median is relevant_median, the geometric mean of both ends
    unless given. Of trees relevant elements are leaves (paragraphs, scenes, chunks). "clustered":
    they lie in a few places, documents or communities;
    "scattered": anywhere. Grade g has the share grades[g - 1]; elements of ideal_grade and more
    are ideal, and each topic has one at least. Where ideals are "best", not leaves are ideal but
    the best element of each path, by INEX's generalised quantisation of assessments that are
    consistent up the tree. Each relevant element serves one of the intents, and each other with
    probability intents_shared. Systems choose from `candidates`: what is relevant, near or around
    it, and distractors, a share `near` of which lies in the same places.
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


class Assessors(Table):
    """People who judge every element that some system retrieves, and err.

    An assessor gives an element its true grade with probability `agreement`, else that of
    another judged element of the topic at random: so Cohen's kappa with the truth is `agreement`
    in expectation, and its square between two of them.
    """

    number: Annotated[int, Field(ge=1, le=100)]
    agreement: Share = 0.8


class Pool(Table):
    """What was judged: the first `depth` ranks of some systems, all unless named."""

    depth: Annotated[int, Field(ge=1, le=1_000_000)]
    systems: Annotated[tuple[Text, ...], Unique] | None = Field(default=None, min_length=1)


# --- systems -------------------------------------------------------------------------------------


class Target(Table):
    """A mean over topics that a system is to reach.

    Of several systems the first and the last may have values of their own, the others lie evenly
    spread between them; so may strengths.
    """

    measure: Text = Field(default="ExactPRUM", description="as prum evaluate names it")
    value: Annotated[tuple[Share, Share], _ONE_OR_TWO]
    tolerance: Annotated[float, Field(gt=0, le=1)] = 0.005


class System(Table):
    """A system, or `number` of them that are alike in all but what is spread between them.

    It ranks a topic's candidates by score = strength worth + noise, in units of the noise of a
    distractor. An ideal is worth 1, a relevant element of another grade its share of the highest;
    a near miss (which shows an ideal to who browses) `near_misses` times the root of its largest
    probability to; what contains an ideal `containers`; the best entry point of a place
    `entry_points`; a distractor 0. Of several roles the largest counts.

    Parameters of the list: `depth`, or all candidates if there are fewer; `nested`, the probability
    that an element is kept which overlaps one that is ranked before; `ties`, the share of
    neighbours in the list with equal scores; `missing`, the share of topics without any list.
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


class Dependence(Table):
    """How scores of systems hang together.

    Strength varies over topics by `difficulty` (a standard deviation), of which the share
    `correlation` of the variance is common to all systems; of a candidate's noise the share
    `agreement` of the variance is.
    """

    difficulty: Annotated[float, Field(ge=0, le=10)] = 0.5
    correlation: Share = 0.5
    agreement: Share = 0.3


# --- users ---------------------------------------------------------------------------------------


class Users(Table):
    """How people browse: `kind` as prum calls it, along the links of the web or of a `way`."""

    kind: NavigationName | None = Field(
        default=None, description="walk where a way makes the steps of one, else independent"
    )
    way: WayName | None = Field(default=None, description="of trees; structural by default")


class Log(Table):
    """Sessions in time, written event by event.

    The users of a system come at random, `arrivals` an hour, and ask a geometric number of topics
    of mean `queries`. They stop by the first of the `stop` rules that applies, in the words of
    prum simulate, and when they have seen `want` ideals, if that is given. Things take them
    seconds: to judge, to read, to move.
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


class Truth(Table):
    """What is scored: measures as prum evaluate names them, on the complete judgements.

    Where the way of browsing has no closed form ExactPRUM is simulated, with so many `users`.
    """

    measures: Annotated[tuple[Text, ...], Unique] = Field(
        default=("ExactPRUM", "PRUM", "AP"), min_length=1
    )
    users: Annotated[int, Field(ge=1000, le=1_000_000_000, multiple_of=20)] = 100_000


class Dials(Table):
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
        SpecificationError
            with all that is wrong, each with its path.
        OSError
            if the file can't be read.

        >>> Dials.read({"collection": {"kind": "flat", "elements": 100}}).topics.number
        50
        """
        content, context = toml_content(source, remedy=_REMEDY)
        return validated(cls, content, context, remedy=_REMEDY, path_of=_without_kinds)


def _without_kinds(steps: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the steps to a value; which kind of collection it was taken for is not in the file."""
    return (steps[0], *steps[2:]) if steps[0:1] == ("collection",) and len(steps) > 1 else steps
