"""The `prum study` commands, made of the studies there are."""

import click

from prum.experiments.commands.ending import CommandGroup
from prum.experiments.commands.generator import command

# For who reviews the measures; all others are of one's own lists, logs or scores.
_OF_MEASURES = ("noisy-or", "normal", "paper", "properties")


class _Studies(CommandGroup):
    """A command for each study, made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        from prum.experiments.studies.kit.registry import studies

        return sorted(studies())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        from prum.experiments.studies.kit.registry import studies

        known = studies()
        return command(known[cmd_name]) if cmd_name in known else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the studies without loading them, which takes a while and may fail."""
        from prum.experiments.studies.kit.registry import studies

        known = studies()
        names = self.list_commands(ctx)
        sections = {
            "With your own data": [name for name in names if name not in _OF_MEASURES],
            "For reviewers, of the measures": [name for name in names if name in _OF_MEASURES],
        }
        for heading, some in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:11}", known.summary(name)) for name in some])


@click.command(cls=_Studies)
def study() -> None:
    """Measure what approximations and hypotheses cost, and what measures reward.

    Numbers depend on the seed and the options alone. Exit status 0, or 2 for bad input.
    """
