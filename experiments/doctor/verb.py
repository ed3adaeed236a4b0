"""Say what files are, what they hold, and which commands use them.

FILES are files or folders of any kind: what each is and holds, which go together, what can be
computed, and what is missing. Without files it says what to bring.
"""

from dataclasses import field
from typing import Any

from prum.experiments.frame.design import Design, Option, option
from prum.experiments.frame.frames import FrameResult
from prum.experiments.frame.verb import Outputs, Verb, writes


class DoctorDesign(Design):
    """Options of `doctor`."""

    paths: Any = field(
        kw_only=False,
        default=(),
        metadata={
            "option": Option(
                "Files and folders.",
                "FILES...",
                file="input",
                positional=True,
                several=True,
                data="A file or folder, or several; none to learn what to bring.",
            )
        },
    )


class DoctorOutputs(Outputs):
    """Where the report is written."""

    json: str | None = option(None, writes("the report as JSON"))
    html: str | None = option(None, writes("the report as a page"))


DOCTOR = Verb("doctor", __doc__, DoctorDesign, "prum.experiments.doctor.verb:doctor", DoctorOutputs)


@DOCTOR.function
def doctor(design: DoctorDesign) -> FrameResult:
    """Say what files are, what they hold, and which commands use them, as `prum doctor` does.

    `frames["files"]` has a row for each file, `frames["commands"]` for each command.

    Raises
    ------
    OSError
        if a file cannot be read.

    >>> doctor().view().headline
    'No files: bring some of these, in any of their forms.'
    """
    from prum.experiments.doctor.looked import looked_at_all

    return looked_at_all(design.paths)
