"""Measures in the help of commands: a line each with --help, all of them with --list-measures."""

import click

# Made of the catalogue by python -m tests.architecture.reference, as importing it takes a second.
LINES = "measures.txt"


class MeasuresCommand(click.Command):
    """A command whose help ends with what measures there are."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, and the measures."""
        from importlib.resources import files

        super().format_help_text(ctx, formatter)
        formatter.write_paragraph()
        for line in files(__package__).joinpath(LINES).read_text("utf-8").splitlines():
            formatter.write(f"  {line}\n")


def _list(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from prum.experiments.measures.listing import full_listing

        click.echo("\n".join(full_listing()))
        context.exit()


list_measures = click.Option(
    ["--list-measures"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list,
    help="Show all measures with their settings and other names, and exit.",
)
