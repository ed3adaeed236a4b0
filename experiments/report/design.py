"""Summarise what a sweep or a folder of results says about PRUM, on one page.

STORE is what prum sweep made, or crosscheck and study hypotheses by --store. FOLDER holds what
other commands wrote by --json, and sweeps' stores, in folders too; or one such file.
Files are recognised by their content; others are named and left out.

The page says how far PRUM can be trusted, with curves, errors over dials, rankings of systems,
verdicts, sentences for a methods section, and what to cite.

Exit status 0, or 2 for bad input.
"""

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated

from prum.experiments.frame.design import Design, FileUse, Option
from prum.experiments.frame.verb import TableOutputs, Verb


class ReportDesign(Design):
    """Options of `report`."""

    results: Annotated[
        str | Path,
        Option(
            "The results.",
            metavar="STORE|FOLDER",
            file="input",
            positional=True,
            data="The store of a sweep; a file that another command wrote by ``--json``; or a "
            "folder of them, with its folders. Files are recognised by their content. In a folder, "
            "what is none or cannot be read stands in the notes.",
        ),
    ] = field(kw_only=False)
    title: Annotated[str | None, Option("Title of the page.", metavar="TEXT")] = None
    without: Annotated[
        Sequence[str | Path],
        Option(
            "",
            data="Files of the folder that are left out, and not noted: an old page of it, say.",
            shell=False,
            matters=False,
        ),
    ] = ()

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files that hold results; others of a folder may be written over."""
        from prum.experiments.report.material import result_files

        return tuple(map(str, result_files(Path(self.results)))) if "input" in roles else ()

    def words(self) -> tuple[list[str], list[str]]:
        """Return the arguments of the command, which writes the page."""
        named, bare = super().words()
        return ["-o", "report.html", *named], bare


class ReportOutputs(TableOutputs):
    """Where the page and its tables are written."""

    html: Annotated[
        str | None,
        Option("Write a page.", metavar="FILE", singular="output", short=("-o",), file="output"),
    ] = None


REPORT = Verb("report", __doc__, ReportDesign, "prum.experiments.report.verb:report", ReportOutputs)
