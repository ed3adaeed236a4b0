"""The `prum` command. Exit status 0: fine, 1: a verdict fails; others as `ending` has them."""

import importlib
import os
from functools import partial
from typing import Any, NoReturn

import click

from prum.experiments.commands.ending import CommandGroup, end

# By what they are for: where in prum.experiments a command or its verb stands, and what it does.
COMMANDS = {
    "Begin": {
        "doctor": ("doctor.verb:DOCTOR", "Say what files are, and which commands use them."),
    },
    "Check": {
        "crosscheck": ("commands.crosscheck:crosscheck", "Compare formulas with simulated users."),
        "trust": ("trust.verb:TRUST", "Tell how far PRUM can be trusted on your lists."),
        "explore": (
            "commands.explore:explore",
            "Make an interactive page of a list and its users.",
        ),
    },
    "Score": {
        "evaluate": ("commands.evaluate:evaluate", "Score runs by PRUM and other measures."),
        "compare": ("compare.verb:COMPARE", "Decide which systems are better by their scores."),
    },
    "Make and learn": {
        "judges": (
            "judges.verb:JUDGES",
            "Measure judges, such as language models, against people.",
        ),
        "generate": ("commands.generate:generate", "Make a collection with known true scores."),
        "fit": ("fitting.verb:FIT", "Learn from a log how people or machines browse."),
        "sweep": ("commands.sweep:sweep", "Compute a grid of lists, users and estimators."),
    },
    "Look closer": {
        "simulate": ("commands.simulate:simulate", "Simulate users in time, and log what they do."),
        "study": ("commands.generator:study", "Measure what approximations and hypotheses cost."),
        "list": ("commands.names:names", "List the names that options take."),
    },
}


class _Commands(CommandGroup):
    """The commands, each loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for group in COMMANDS.values() for name in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        homes = {name: home for group in COMMANDS.values() for name, (home, _) in group.items()}
        if cmd_name not in homes:
            return None
        module, _, name = homes[cmd_name].partition(":")
        work: Any = getattr(importlib.import_module(f"prum.experiments.{module}"), name)
        if isinstance(work, click.Command):
            return work
        from prum.experiments.commands.generator import command

        return command(work)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without loading them."""
        for heading, group in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:10}", line) for name, (_, line) in group.items()])


def _show_info(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from prum.experiments.commands.names import installation

        for line in installation():
            click.echo(line)
        context.exit()


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="prum")
@click.option(
    "--info",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_info,
    help="Show versions and platform, for bug reports, and exit.",
)
def prum() -> None:
    """How well does a ranked list serve users who browse from it?"""


def main() -> NoReturn:
    """Run the command; see `end` for how it ends."""
    # OpenBLAS's threads wait for work 2^26 cycles long, at full speed; most commands have none.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")
    end("prum", partial(prum.main, prog_name="prum", standalone_mode=False))


if __name__ == "__main__":
    main()
