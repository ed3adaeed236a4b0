"""What the commands' options have in common."""

import click


def whole_number(text: str) -> int:
    """Return `text` as an int; what is none is refused in a short line."""
    from prum.simulator.model.errors import shown

    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(
            f"{shown(text)} is no whole number of at most 4300 digits"
        ) from None
