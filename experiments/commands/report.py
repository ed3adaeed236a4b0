"""`prum report`: its verb, which does not read what it is to write."""

from typing import Any

from prum.experiments.commands.generator import command, run_work
from prum.experiments.report.design import REPORT


def _reported(options: dict[str, Any]) -> None:
    """Report on what is there but for an old page of it."""
    outputs = [options[one.name] for one in REPORT.outputs.fields()]
    run_work(REPORT, {**options, "without": [path for path in outputs if path is not None]})


report = command(REPORT, run=_reported)
