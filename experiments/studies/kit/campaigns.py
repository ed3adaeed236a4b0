"""The options that name campaigns, in files or built in, and the campaigns they name.

`CampaignDesign` has those of lists, judgements and links, `SpanCampaignDesign` also those of chunks
and the spans that are looked for among them.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import cycle
from typing import Any, ClassVar

from prum.experiments.frame.design import Design, FileUse, option
from prum.experiments.frame.inputs import IDEAL_GRADE, WAY, SpanOptions
from prum.simulator.collections.campaign import Campaign, read_campaign, read_span_campaign
from prum.simulator.collections.examples import EXAMPLES, ExampleName
from prum.simulator.collections.fitted_files import files_of
from prum.simulator.collections.judgements import IdealChoice
from prum.simulator.model.errors import InputError, printable
from prum.simulator.tables.files import readable


class CampaignDesign(Design):
    """Options of a study of campaigns: which ones to read."""

    heading: ClassVar[str] = "Lists, judgements and links"

    run: tuple[str, ...] = option(
        (),
        "A run: TREC, INEX submission, or table (CSV, JSONL, Parquet); as of every file "
        "that is read, - is standard input.",
        file="input",
    )
    qrels: str | None = option(
        None,
        "Judgements: TREC qrels with grades or with assessments like E3S2, INEX "
        "assessments, or a table.",
        file="input",
    )
    links: str | None = option(
        None, "Links (source, target, probability), in CSV, JSONL or Parquet.", file="input"
    )
    elements: tuple[str, ...] = option(
        (),
        "Trees of elements, which make links if none are given: element, "
        "parent, length, start in CSV, JSONL, Parquet; or XML, each file a document.",
        file="input",
    )
    way: str | None = option(None, WAY)
    collection_size: int | None = option(
        None,
        "Number of elements in the collection; by default those of --elements.",
        least=1,
        remedy="count every element of the collection",
    )
    navigation: str | None = option(
        None,
        "What a link's probability means, and how users differ and change, as 'walk' or "
        "'walk + fading .9'. By default independent, or as an example or a way has it. See "
        "prum list navigations. Or a file of prum fit in the place of links.",
        "KIND|FILE",
    )
    ideal_grade: int = option(1, IDEAL_GRADE)
    ideals: IdealChoice | None = option(
        None, "Ideals of assessments: E3S3, the default, or the best of each path."
    )
    example: tuple[ExampleName, ...] = option(
        (),
        "A built-in campaign, instead of files or beside them. See prum list examples.",
        "NAME",
    )

    def check(self) -> None:
        """Raise InputError if something is missing."""
        size = self.collection_size or self.elements
        files = {"run": self.run, "qrels": self.qrels, "collection_size": size}
        missing = [name for name, value in files.items() if not value]
        together = "--run, --qrels and --collection-size or --elements"
        if self.has_files() and missing:
            raise InputError(missing[0], None, "be given", remedy=f"{together} go together")
        if not (self.example or self.has_files()):
            remedy = f"name {together}, or --example"
            raise InputError("input", None, "be given", remedy=remedy)

    def has_files(self) -> bool:
        """Return whether files name a campaign."""
        return bool(self.run or self.qrels or self.links or self.elements or self.way)

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, that of a fitted navigation among them."""
        fitted = files_of(self.navigation) if "input" in roles else ()
        return (*super().files(*roles), *fitted)

    def options(self) -> dict[str, Any]:
        """Return what is given and the numbers depend on; nothing for what is not there."""
        return {name: value for name, value in super().options().items() if value != ()}

    @cached_property
    def campaigns(self) -> list[Campaign]:
        """The campaigns, examples first.

        Raise InputError or OSError as `read_campaign`.
        """
        campaigns = [EXAMPLES[name].load() for name in dict.fromkeys(self.example)]
        if self.navigation is not None:
            campaigns = [campaign.browsed(self.navigation) for campaign in campaigns]
        if self.qrels is not None:
            campaigns.append(
                read_campaign(
                    self.run,
                    self.qrels,
                    self.links,
                    elements=self.elements,
                    way=self.way,
                    collection_size=self.collection_size,
                    kind=self.navigation,
                    ideal_grade=self.ideal_grade,
                    ideals=self.ideals or "strict",
                )
            )
        return campaigns

    @property
    def campaign(self) -> Campaign:
        """The only campaign.

        Raise InputError if there are several; else as `campaigns`.
        """
        self.check_single()
        return self.campaigns[0]

    def check_single(self) -> None:
        """Raise if there are several campaigns, without reading them.

        Raise InputError then.
        """
        number = len(set(self.example)) + self.has_files()
        if number > 1:
            remedy = "give one campaign: files, or one --example"
            raise InputError("number of campaigns", number, "be 1", remedy=remedy)

    def notices(self) -> Iterator[str]:
        """Yield which topics of each campaign are left out."""
        for campaign in self.campaigns:
            if campaign.without_ideals:
                yield f"left out, no ideal: {', '.join(map(printable, campaign.without_ideals))}"


_OTHERS = ("qrels", "links", "elements", "collection_size", "navigation", "ideals")


class SpanCampaignDesign(CampaignDesign, SpanOptions):
    """Options of campaigns, in which lists may hold chunks, and spans be judged."""

    def check(self) -> None:
        """Raise InputError if something is missing, or files do not go together."""
        if not self._has_spans():
            super().check()
            return
        for name, value in (("run", self.run), ("chunks", self.chunks), ("spans", self.spans)):
            if not value:
                remedy = "--run, --chunks and --spans go together"
                raise InputError(name, None, "be given", remedy=remedy)
        for name in _OTHERS:
            if value := getattr(self, name):
                rule = "be left out with spans, which chunks alone show"
                remedy = "say what is opened by --way, and what is needed by --need"
                raise InputError(name, value, rule, remedy=remedy)
        if self.ideal_grade != 1:
            rule, remedy = "be left out with spans, which have no grades", "leave it out"
            raise InputError("ideal_grade", self.ideal_grade, rule, remedy=remedy)
        if len(self.chunks) not in (1, len(self.run)):
            rule = "be 1" if len(self.run) == 1 else f"be 1, or {len(self.run)} as of runs"
            remedy = "give one file of chunks, or one for each run in the same order"
            raise InputError("number of files of chunks", len(self.chunks), rule, remedy=remedy)

    def _has_spans(self) -> bool:
        return bool(self.chunks or self.spans or self.texts or self.offsets or self.need)

    def has_files(self) -> bool:
        """Return whether files name a campaign of elements, not of spans."""
        return super().has_files() and not self._has_spans()

    @cached_property
    def campaigns(self) -> list[Campaign]:
        """The campaigns, examples first; one for each file of chunks.

        Raise InputError or OSError as `read_campaign` and `read_span_campaign`.
        """
        campaigns = super().campaigns
        if self.spans is None:
            return campaigns
        # One file of chunks is that of all runs.
        runs_by_chunks: dict[str, tuple[str, ...]] = {}
        for file, run in zip(cycle(self.chunks), self.run, strict=False):
            runs_by_chunks[file] = (*runs_by_chunks.get(file, ()), run)
        for chunks, runs in runs_by_chunks.items():
            campaign = read_span_campaign(
                runs,
                chunks,
                self.spans,
                self.texts,
                way=self.way,
                whole=self.need == "whole",
                offsets=self.offsets or "characters",
            )
            if len(runs_by_chunks) > 1:
                campaign = replace(campaign, name=readable(chunks))
            campaigns.append(campaign)
        return campaigns

    def check_single(self) -> None:
        """Raise if there are several campaigns, without reading them.

        Raise InputError then.
        """
        super().check_single()
        number = len(set(self.example)) + len(set(self.chunks))
        if number > 1:
            rule, remedy = "be 1", "give one file of chunks, or one --example"
            raise InputError("number of campaigns", number, rule, remedy=remedy)
