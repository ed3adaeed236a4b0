"""What the commands' options have in common."""

from collections.abc import Callable
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from prum.simulator.model.vocabulary import Vocabulary

Command = Callable[..., None]

_WIDTH = 26


class NamingCommand(click.Command):
    """A command whose help lists names: for {ways} and the like stand those there are."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, with the lists that are only loaded for it."""
        from prum.simulator.model.kinds import NAVIGATIONS
        from prum.simulator.model.rule_names import RULES
        from prum.simulator.model.way_names import WAYS

        lists = {
            "navigations": _listed(NAVIGATIONS), "rules": _listed(RULES), "ways": _listed(WAYS)
        }  # fmt: skip
        self.help = cleandoc(self.help or "").format(**lists)
        super().format_help_text(ctx, formatter)


def _listed(vocabulary: "Vocabulary[Any]") -> str:
    """Return a line for each form, or two where it is long."""
    return "\n".join(
        f"{form!s:<{_WIDTH}}"
        + ("" if len(str(form)) < _WIDTH else "\n" + " " * _WIDTH)
        + form.about
        for form in vocabulary.forms.values()
    )


def whole_number(text: str) -> int:
    """Return `text` as an int; what is none is refused in a short line."""
    from prum.simulator.model.errors import shown

    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(
            f"{shown(text)} is no whole number of at most 4300 digits"
        ) from None


def input_file(name: str) -> str:
    """Return the path of a file to read: - is standard input, which can be read once."""
    from prum.simulator.collections.files import STANDARD_INPUT

    if name not in ("-", STANDARD_INPUT):
        return name
    given = click.get_current_context().meta
    if STANDARD_INPUT in given:
        raise click.BadParameter("standard input (-) can be read for one file only")
    given[STANDARD_INPUT] = True
    return STANDARD_INPUT


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
