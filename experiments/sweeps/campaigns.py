"""Campaigns as a specification names them: in files, or made."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, PrivateAttr, Tag, model_validator
from pydantic_core import PydanticCustomError

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.campaign_files import (
    check_size_known,
    read_campaign,
    read_span_campaign,
)
from prum.simulator.collections.examples import EXAMPLES, ExampleName, built_in_campaign
from prum.simulator.collections.judgements import IdealChoice
from prum.simulator.generation.specifications import (
    Distinct,
    Seed,
    SpecificationTable,
    Text,
    WayName,
    bad_words,
)
from prum.simulator.model import InputError
from prum.simulator.model.way_names import chosen_way, ways_of


class _Placed(SpecificationTable):
    """A table of a specification that knows from where its paths start."""

    named_files: ClassVar[tuple[str, ...]] = ()

    _folder: Path = PrivateAttr(default=Path())

    def model_post_init(self, context: Any) -> None:
        """Remember from where the paths start."""
        self._folder = (context or {}).get("folder", Path()).absolute()

    @property
    def folder(self) -> Path:
        """From where the paths start."""
        return self._folder

    def files(self) -> list[Path]:
        """Return the files, as they are found from anywhere."""
        given = (getattr(self, name) for name in self.named_files)
        names = (([of] if isinstance(of, str) else of) for of in given if of is not None)
        return [self.folder / name for of in names for name in of]


class FileCampaign(_Placed):
    """A campaign in files: runs and judgements, and links or what makes them; paths from here."""

    named_files: ClassVar[tuple[str, ...]] = ("runs", "qrels", "links", "elements")

    runs: Distinct[Text]
    qrels: Text
    collection_size: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="by default the number of elements"
    )
    links: Text | None = Field(
        default=None, description="CSV, JSONL or Parquet; nobody browses without"
    )
    elements: Distinct[Text] | None = Field(
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
        return read_campaign(
            [self.folder / run for run in self.runs],
            self.folder / self.qrels,
            None if self.links is None else self.folder / self.links,
            elements=[self.folder / name for name in self.elements or ()],
            way=self.way,
            collection_size=self.collection_size,
            ideal_grade=self.ideal_grade,
            ideals=self.ideals,
        )


class SpanCampaign(_Placed):
    """A campaign of chunks and the spans that are looked for; paths from here."""

    named_files: ClassVar[tuple[str, ...]] = ("runs", "chunks", "spans")

    runs: Distinct[Text]
    chunks: Text = Field(description="id, doc, start, end in CSV, JSONL or Parquet")
    spans: Text = Field(description="topic, doc, start, end, or questions with references")
    texts: Text | None = Field(default=None, description="folder of the documents")
    way: WayName | None = Field(
        default=None, description='what is opened from chunks, as "chunks next .5"; nothing without'
    )
    need: Literal["share", "whole"] = Field(default="share", description="of a span")
    name: Text = Field(default_factory=lambda data: Path(data.get("chunks", "")).name or "chunks")

    def load(self) -> Campaign:
        """Read the files."""
        return read_span_campaign(
            [self.folder / run for run in self.runs],
            self.folder / self.chunks,
            self.folder / self.spans,
            None if self.texts is None else self.folder / self.texts,
            way=self.way,
            whole=self.need == "whole",
        )


# The examples that are made of a seed.
_SEEDED = ("campaign", "walks")


class MadeCampaign(_Placed):
    """A built-in example: one of the paper's, or 20 topics and 8 systems of a seed."""

    example: ExampleName
    collection_seed: Seed = Field(
        default=2007, description="of 'campaign' and 'walks'; the paper's examples take none"
    )
    name: Text = Field(
        default_factory=lambda data: (
            data.get("example", "")
            if data.get("collection_seed", 2007) == 2007
            else f"{data.get('example', '')} {data['collection_seed']}"
        )
    )

    @model_validator(mode="after")
    def _the_paper_has_no_seed(self) -> Self:
        if self.example not in _SEEDED and "collection_seed" in self.model_fields_set:
            rule = f"have no collection_seed: there is one example {self.example}"
            raise PydanticCustomError("paper_seed", rule)
        return self

    def load(self) -> Campaign:
        """Make the campaign."""
        if self.example in _SEEDED:
            return built_in_campaign(EXAMPLES[self.example].kind, seed=self.collection_seed)
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
