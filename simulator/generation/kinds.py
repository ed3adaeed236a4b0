"""The kinds of made collections, and the dials of their structure, table by table."""

import operator
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from prum.simulator.generation.specifications import SpecificationTable, dial

MOST_ELEMENTS = 10_000_000
MOST_LINKS_EACH = 200

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0, le=1e9)]
Number = Annotated[int, Field(ge=1, le=MOST_ELEMENTS)]
ElementCount = Annotated[int, Field(ge=100, le=MOST_ELEMENTS)]


def _ascending(values: tuple[int, int]) -> tuple[int, int]:
    if values[0] > values[1]:
        raise PydanticCustomError("descending", "give the least first, then the most")
    return values


def _no_one(exponent: float) -> float:
    if 0.999 < exponent < 1.001:
        raise PydanticCustomError(
            "near_one", "be 0.999 at most, or 1.001 at least: between them the law is not computed"
        )
    return exponent


Range = Annotated[tuple[Number, Number], AfterValidator(_ascending)]
# Powers are integrated by x^(1 - p) / (1 - p), which rounding spoils near 1.
_Popularity = Annotated[float, Field(ge=0, le=3), AfterValidator(_no_one)]


class Flat(SpecificationTable):
    """Elements without structure or links; nobody browses."""

    kind: Literal["flat"] = Field(description="elements that nothing ties together")
    elements: ElementCount = Field(description="how many")


class Web(SpecificationTable):
    """Pages that link to each other, mostly within their community.

    As in other structures, the last place of each 65,536 elements is cut to fit.

    A page has k links with a probability proportional to k^-degree_exponent, k from least_degree to
    most_degree (0 is as likely as 1); duplicates and links to itself are dropped. A link stays in
    the community with probability `inside`; then its target has popularity rank q there with a
    probability proportional to q^-popularity_inside. Otherwise it has rank q in the whole
    collection, in proportion to q^-popularity, so that in-degrees have heavy tails, too. Inverting
    the integral makes rank 1 too likely, by 10.5 % of its probability at most (for 10,000 pages by
    3.5 % at an exponent of 0.5, 8 % at 0.9, 10 % at 1.5, 9.7 % at 2, 7 % at 3). Above 1 a few ranks
    have most of the links, and more duplicates are dropped. A link leads to the most popular of
    `choice` such targets; it need not be whole: a probability F of the ranks up to some rank
    becomes 1 - (1 - F)^choice, and pages of the last ranks hardly get links. A page's probabilities
    sum to `following`, split unevenly.
    """

    kind: Literal["web"] = Field(description="pages of communities that link to each other")
    elements: ElementCount = Field(description="how many pages")
    community: Annotated[int, Field(ge=2, le=10_000)] = dial(
        50, "mean number of pages of a community; half of it to 3 / 2 of it"
    )
    degree_exponent: Annotated[float, Field(ge=0, le=10)] = dial(
        1.5, "of the power law of the number of links of a page"
    )
    least_degree: Annotated[int, Field(ge=0, le=1000)] = dial(1, "least number of links of a page")
    most_degree: Annotated[int, Field(ge=1, le=1000)] = dial(
        100, "largest number of links of a page"
    )
    inside: Share = dial(0.8, "probability that a link stays in its community")
    popularity: _Popularity = dial(0.5, "0 to 3, but not 0.999 to 1.001")
    popularity_inside: _Popularity | None = dial(
        None, "of targets in the community; as popularity unless given"
    )
    choice: Annotated[float, Field(ge=1, le=8)] = dial(
        1.0, "a link leads to the most popular of so many drawn"
    )
    following: Share = dial(0.85, "sum of the probabilities of the links of a page")

    @model_validator(mode="after")
    def _degrees_ascend(self) -> Self:
        if self.least_degree > self.most_degree:
            raise PydanticCustomError("degrees", "have least_degree up to most_degree")
        degrees = range(self.least_degree, self.most_degree + 1)
        weights = [max(degree, 1) ** -self.degree_exponent for degree in degrees]
        mean = sum(map(operator.mul, degrees, weights)) / sum(weights)
        if mean > MOST_LINKS_EACH:
            rule = "have a mean degree of at most {most}, not {mean}"
            values = {"most": MOST_LINKS_EACH, "mean": round(mean, 1)}
            raise PydanticCustomError("dense", rule, values)
        return self


class Xml(SpecificationTable):
    """Documents of nested sections with paragraphs.

    A document and each section has fan_out children, uniformly from least to most. A child is a
    section with probability `nesting` while it may have children itself (a document has depth 0,
    paragraphs at most `depth`); otherwise it is a paragraph, with a lognormal number of words.
    """

    kind: Literal["xml"] = Field(description="documents of nested sections and paragraphs")
    elements: ElementCount = Field(description="how many, documents, sections and paragraphs")
    fan_out: Range = dial((2, 6), "children of a document or section, from least to most")
    depth: Annotated[int, Field(ge=1, le=20)] = dial(
        4, "largest depth of a paragraph; a document has 0"
    )
    nesting: Share = dial(0.5, "probability that a child is a section")
    words: Positive = dial(40.0, "median of a paragraph")
    words_spread: Annotated[float, Field(ge=0, le=5)] = dial(
        0.8, "standard deviation of the logarithm"
    )


class Video(SpecificationTable):
    """Videos, each a sequence of scenes with lognormal durations."""

    kind: Literal["video"] = Field(description="videos, each a line of scenes")
    elements: ElementCount = Field(description="how many, videos and scenes")
    scenes: Range = dial((5, 40), "of a video, uniformly from least to most")
    seconds: Positive = dial(30.0, "median of a scene")
    seconds_spread: Annotated[float, Field(ge=0, le=5)] = dial(
        0.8, "standard deviation of the logarithm"
    )


class Chunks(SpecificationTable):
    """Pages cut into chunks of `words` words that begin every `stride` words.

    Pages have lognormal lengths; the last chunk ends where its page does. A page is the parent of
    its chunks, as in retrieval-augmented generation.
    """

    kind: Literal["chunks"] = Field(
        description="pages cut into chunks, which overlap where the stride is less than their words"
    )
    elements: ElementCount = Field(description="how many, pages and chunks")
    words: Annotated[int, Field(ge=1, le=100_000)] = dial(200, "words of a chunk")
    stride: Annotated[int, Field(ge=1, le=100_000)] = dial(
        150, "words from the beginning of a chunk to that of the next"
    )
    page_words: Positive = dial(1200.0, "median of a page")
    page_words_spread: Annotated[float, Field(ge=0, le=5)] = dial(
        0.8, "standard deviation of the logarithm"
    )

    @model_validator(mode="after")
    def _chunks_leave_no_gap(self) -> Self:
        if self.stride > self.words:
            raise PydanticCustomError("gap", "have a stride of at most words")
        return self


AnyStructure = Annotated[Flat | Web | Xml | Video | Chunks, Field(discriminator="kind")]
# By the name of their kind.
STRUCTURES: Mapping[str, type[SpecificationTable]] = {
    structure.__name__.lower(): structure for structure in (Flat, Web, Xml, Video, Chunks)
}
