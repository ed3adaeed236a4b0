"""`prum-ir-measures`: the command of ir_measures that knows the measures of prum too."""

import re
import sys

import click

from prum.experiments.output import check_packages
from prum.simulator.model import InputError

# Of names that ir_measures and `prum evaluate` both have: what they are here, and there.
_ITS_OWN = {
    "ERR": "as gdeval has it; prum evaluate's with theta=exponential,highest=4",
    "RBP": "of persistence p; prum evaluate's with theta=1-p",
    "RR": "the reciprocal rank of the first relevant element; prum evaluate's is the sum of "
    "rel_k / k",
}


def main() -> None:
    """Run it; an error of the person who typed it is one line and exit status 2."""
    try:
        check_packages("ir_measures", extra="ir", use="run its command")
        from ir_measures.__main__ import main_cli

        import prum.experiments.evaluating.ir  # noqa: F401 registers the measures

        for name in sorted(_ITS_OWN.keys() & _names(sys.argv[1:])):
            click.echo(f"prum-ir-measures: {name}: ir_measures' own, {_ITS_OWN[name]}", err=True)
        main_cli()
        # What is still buffered fails here or never.
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output went away; keep Python from saying so at exit.
        sys.stdout = None
        raise SystemExit(141) from None
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _fail(f"{name}{error.strerror or error}")
    except InputError as error:
        _fail(str(error))


def _names(words: list[str]) -> set[str]:
    """Return what measures that are typed are called; files are there too."""
    return {re.split(r"\W", part, maxsplit=1)[0] for word in words for part in word.split()}


def _fail(message: str) -> None:
    click.echo("prum-ir-measures: " + " ".join(message.split()), err=True)
    raise SystemExit(2)


if __name__ == "__main__":
    main()
