"""Parts shared by the options of the commands."""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from prum.experiments.frame.design import Design, Field

OUTPUT = "Output"


def parameters(design: "type[Design]", heading: str = "") -> Iterator[click.Parameter]:
    """Yield the options of a design as click takes them, its own ones under this heading."""
    return (_parameter(field, heading) for field in design.fields() if field.option.shell)


def _parameter(field: "Field", heading: str) -> click.Parameter:
    """Return a field of a design as click takes it."""
    option = field.option
    kinds: dict[Any, Any] = {int: whole_number, float: click.FLOAT, bool: click.BOOL}
    kind: Any = click.STRING
    if isinstance(field.kind, tuple):
        kind = Choices(field.kind)
    elif option.file == "input":
        kind = input_file
    elif field.kind in kinds:
        kind = kinds[field.kind]
    if option.positional:
        count = -1 if field.several else 1
        metavar = option.metavar
        return click.Argument(
            [field.name], nargs=count, required=field.required, type=kind, metavar=metavar
        )
    is_flag = field.kind is bool
    shown = field.default not in (None, ()) and not is_flag
    made = HeadedOption(
        [*option.short, field.flag, field.name],
        type=kind,
        is_flag=is_flag,
        multiple=field.several,
        required=field.required,
        default=field.default if shown or is_flag else None,
        show_default=shown,
        metavar=option.metavar or ("FILE" if option.file else "N" if field.kind is int else None),
        help=f"{option.help.removesuffix('.')}; repeatable." if field.several else option.help,
    )
    made.heading = field.heading or heading
    return made


class Choices(click.Choice):  # type: ignore[type-arg]  # click 8.1 takes none
    """Some names, of which the nearest is told for one that is none."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """As click does."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            from prum.simulator.model.errors import did_you_mean

            message, remedy = error.message.rstrip("."), did_you_mean(value, self.choices, "")
            raise click.BadParameter(
                f"{message}; {remedy}" if remedy else message, ctx, param
            ) from None


class HeadedOption(click.Option):
    """An option that several commands share, if it has a heading."""

    heading = ""


class HeadedCommand(click.Command):
    """A command whose help has its own options first, and then those that others share.

    What is wrong with an option is told by its name on the command line.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with how to give what has no option before it."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            takes_runs = any("--run" in option.opts for option in self.get_params(ctx))
            if not (takes_runs and error.message.startswith("Got unexpected extra")):
                raise
            message = f"{error.message}; files are named as --run FILE --qrels FILE"
            if any("--example" in option.opts for option in self.get_params(ctx)):
                message += ", examples as --example NAME"
            raise click.UsageError(message, ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """As click does."""
        from prum.simulator.model.errors import InputError

        try:
            return super().invoke(ctx)
        except InputError as error:
            # Several mistakes of a specification are none of an option.
            thing = getattr(error, "thing", "")
            flag = f"--{thing.removeprefix('num_').replace('_', '-')}"
            is_option = any(flag in option.opts for option in self.get_params(ctx))
            if "_" not in thing or not is_option:
                raise
            by_flag = InputError(
                flag, error.value, error.rule, remedy=error.remedy, place=error.place
            )
            raise by_flag from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write its own options, shared ones under their headings, and those of output."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], OUTPUT: []}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                heading = getattr(parameter, "heading", "") or "Options"
                sections.setdefault(heading, []).append(record)
        sections[OUTPUT] = sections.pop(OUTPUT)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def whole_number(text: str) -> int:
    """Return `text` as an int; what is none is refused in a short line."""
    from prum.simulator.model.errors import shown

    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(f"{shown(text)} is no whole number, like 10000") from None


def input_file(name: str) -> str:
    """Return the path of a file to read: - is standard input, which can be read once."""
    from prum.simulator.tables.files import STANDARD_INPUT

    if name not in ("-", STANDARD_INPUT):
        return name
    meta = click.get_current_context().meta
    if STANDARD_INPUT in meta:
        raise click.BadParameter("standard input (-) can be read for one file only")
    meta[STANDARD_INPUT] = True
    return STANDARD_INPUT


def schema_option(home: str) -> click.Option:
    """Return the option that prints the JSON schema of the specifications of a class."""

    def show(context: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked:
            module, name = home.split(":")
            schema = getattr(import_module(module), name).model_json_schema()
            click.echo(json.dumps(schema, indent=1, ensure_ascii=False))
            context.exit()

    return click.Option(
        ["--schema"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Print the JSON schema of specifications, and exit.",
    )
