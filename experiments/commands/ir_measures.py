"""`prum-ir-measures`: the command of ir_measures that knows the measures of prum too."""

import traceback
from typing import NoReturn

import click

from prum.experiments.commands.ending import end
from prum.experiments.frame.files import check_packages


def main() -> NoReturn:
    """Run it; it ends as `prum` does, and names other tools where they fail."""
    end("prum-ir-measures", _run)


def _run() -> None:
    check_packages("ir_measures", extra="ir", use="run its command")
    from ir_measures.__main__ import main_cli

    import prum.experiments.evaluate.ir  # noqa: F401 registers the measures
    from prum.simulator.model import InputError

    try:
        main_cli()
    except (InputError, OSError, MemoryError):
        raise
    except Exception as error:
        # Of this function, of ir_measures, and so on.
        places = [
            (str(frame.f_globals.get("__name__")), line)
            for frame, line in traceback.walk_tb(error.__traceback__)
        ]
        if any(module.startswith("prum.") for module, _ in places[1:]):
            raise
        module, line = places[-1]
        raise click.ClickException(
            f"{module} (line {line}) stopped by {type(error).__name__}: {error}; it is not prum's: "
            "check the files and the measures"
        ) from error


if __name__ == "__main__":
    main()
