"""The options that name campaigns, those of chunks and the spans that are looked for among them."""

from dataclasses import replace
from functools import cached_property

from prum.experiments.frame.inputs import SpanOptions
from prum.experiments.studies.kit.campaigns import CampaignDesign
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.span_campaign import read_span_campaign
from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import readable

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

    def _has_files(self) -> bool:
        return super()._has_files() and not self._has_spans()

    def _runs_by_chunks(self) -> dict[str, tuple[str, ...]]:
        """Return the runs of each file of chunks."""
        files = self.chunks * len(self.run) if len(self.chunks) == 1 else self.chunks
        runs: dict[str, tuple[str, ...]] = {}
        for file, run in zip(files, self.run, strict=False):
            runs[file] = (*runs.get(file, ()), run)
        return runs

    @cached_property
    def campaigns(self) -> list[Campaign]:
        """The campaigns, examples first; one for each file of chunks.

        Raises
        ------
        InputError, OSError
            as `read_campaign` and `read_span_campaign`.
        """
        campaigns = super().campaigns
        if self.spans is None:
            return campaigns
        runs_by_chunks = self._runs_by_chunks()
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

        Raises
        ------
        InputError
            then.
        """
        super().check_single()
        number = len(set(self.example)) + len(set(self.chunks))
        if number > 1:
            rule, remedy = "be 1", "give one file of chunks, or one --example"
            raise InputError("number of campaigns", number, rule, remedy=remedy)
