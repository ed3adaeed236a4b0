"""What the commands' options have in common."""

from collections.abc import Callable

import click

Command = Callable[..., None]


def whole_number(text: str) -> int:
    """Return `text` as an int; what is none is refused in a short line."""
    from prum.simulator.model.errors import shown

    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(
            f"{shown(text)} is no whole number of at most 4300 digits"
        ) from None


def workers_options(command: Command) -> Command:
    """Add the options that say where to compute; `chosen_workers` takes them as they are."""
    options = (
        click.option(
            "--workers", type=whole_number, metavar="N",
            help="Processes; all processors by default.",
        ),
        click.option(
            "--scheduler", metavar="ADDRESS",
            help="Dask scheduler to compute on, tcp:// or tls://.",
        ),
        click.option(
            "--tls-ca", metavar="FILE", help="Certificate authority of a tls:// scheduler."
        ),
        click.option(
            "--tls-certificate", metavar="FILE", help="One's own certificate, for tls://."
        ),
        click.option("--tls-key", metavar="FILE", help="Key of the certificate."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command
