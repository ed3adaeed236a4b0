"""Views on the terminal: sentences and tables as wide as it is; a pipe gets them whole."""

import shutil
import sys
import textwrap
from collections.abc import Iterable

from rich.cells import cell_len

from prum.experiments.frame.view import View
from prum.simulator.model.errors import printable


def print_view(view: View) -> None:
    """Print the headline, tables but for details, sentences and notes to standard output."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else None
    # Names may hold line ends: a sentence is a line.
    parts: list[Iterable[str]] = [_folded([view.headline] if view.headline else [], width)]
    for table in view.tables:
        if not table.detail:
            parts.append(_folded([table.label], width))
            parts.append(table.lines(ruled=True, width_of=cell_len, width=width))
            parts.append(_folded(table.legend, width))
    parts += [_folded(view.sentences, width), _folded(view.notes, width)]
    print("\n\n".join("\n".join(lines) for lines in parts if lines))


def _folded(sentences: Iterable[str], width: int | None) -> list[str]:
    """Return sentences as lines of a terminal, which hold no commands."""
    lines = list(map(printable, sentences))
    return lines if width is None else [textwrap.fill(line, width) for line in lines]
