"""The verb `report`: one page over a sweep or a folder of results."""

from pathlib import Path

from prum.experiments.report.design import REPORT, ReportDesign
from prum.experiments.report.material import material
from prum.experiments.report.view import TITLE, Report


@REPORT.function
def report(design: ReportDesign) -> Report:
    """Sum up the results in a store, a file or a folder, as `prum report` does.

    Raises
    ------
    InputError
        if there is no such file, it is none of prum's, or damaged; for a folder or a store
        without results.
    OSError
        if it can't be read.

    >>> from tempfile import TemporaryDirectory
    >>> from prum import sweep
    >>> with TemporaryDirectory() as folder:
    ...     _ = sweep(
    ...         {"campaigns": [{"example": "web"}], "users": {"num_users": 1_000}},
    ...         store=f"{folder}/web.sqlite",
    ...     )
    ...     print(report(f"{folder}/web.sqlite").summary.num_lists)
    1
    """
    found = material(Path(design.results), map(Path, design.without))
    return Report(found=found, title=TITLE if design.title is None else design.title)
