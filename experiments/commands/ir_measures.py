"""`prum-ir-measures`: the command of ir_measures that knows the measures of prum too."""

import re
import sys
from typing import NoReturn

import click

from prum.experiments.commands.ending import end
from prum.experiments.report.files import check_packages

# Of names that ir_measures and `prum evaluate` both have: what they are here, and there.
_ITS_OWN = {
    "ERR": "as gdeval has it; prum evaluate's with theta=exponential,highest=4",
    "RBP": "of persistence p; prum evaluate's with theta=1-p",
    "RR": "the reciprocal rank of the first relevant element; prum evaluate's is the sum of "
    "rel_k / k",
}


def main() -> NoReturn:
    """Run it; it ends as `prum` does."""
    end("prum-ir-measures", _run)


def _run() -> None:
    check_packages("ir_measures", extra="ir", use="run its command")
    from ir_measures.__main__ import main_cli

    import prum.experiments.evaluate.ir  # noqa: F401 registers the measures

    for name in sorted(_ITS_OWN.keys() & _names(sys.argv[1:])):
        click.echo(f"prum-ir-measures: {name}: ir_measures' own, {_ITS_OWN[name]}", err=True)
    main_cli()


def _names(words: list[str]) -> set[str]:
    """Return what measures that are typed are called; files are there too."""
    return {re.split(r"\W", part, maxsplit=1)[0] for word in words for part in word.split()}


if __name__ == "__main__":
    main()
