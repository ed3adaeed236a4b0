"""`prum-ir-measures`: the command of ir_measures that knows the measures of prum too."""

from typing import NoReturn

from prum.experiments.commands.ending import end
from prum.experiments.report.files import check_packages


def main() -> NoReturn:
    """Run it; it ends as `prum` does."""
    end("prum-ir-measures", _run)


def _run() -> None:
    check_packages("ir_measures", extra="ir", use="run its command")
    from ir_measures.__main__ import main_cli

    import prum.experiments.evaluate.ir  # noqa: F401 registers the measures

    main_cli()


if __name__ == "__main__":
    main()
