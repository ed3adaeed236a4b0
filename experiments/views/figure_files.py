"""Figures as files: PDF, SVG or PNG by the file's name, the same bytes each time."""

import io
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prum.experiments.views.files import check_packages
from prum.simulator.model import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".pdf", ".svg", ".png")
# What of a file would be another each time.
_DATES = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
_DOTS = 200


def check_suffix(path: str | Path) -> str:
    """Return the suffix of a figure's file; raise InputError if it is no type of figure."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        rule = f"end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise InputError("figure's file", str(path), rule, remedy="name it so")
    return suffix


def check_figure(path: str | Path) -> None:
    """Raise InputError if a figure cannot be drawn, or not in a file of this name."""
    check_suffix(path)
    check_packages("matplotlib", extra="report", use="draw figures")


def figure_bytes(
    fill: "Callable[[Figure], object]",
    size: tuple[float, float],
    path: str | Path,
    style: Mapping[Any, Any] | None = None,
) -> bytes:
    """Return what `fill` draws as a file of the type that the path names.

    Parameters
    ----------
    size
        Width and height in inches.
    style
        Parameters of matplotlib in the place of its own.

    Raises
    ------
    InputError
        as `check_suffix`.
    """
    suffix = check_suffix(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    stream = io.BytesIO()
    with mpl.rc_context(), warnings.catch_warnings():
        # A name may have letters that the font lacks; other files have them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        mpl.rcdefaults()
        mpl.rcParams.update({**(style or {}), "svg.hashsalt": "prum", "pdf.fonttype": 42})
        mpl.rcParams["svg.fonttype"] = "none"
        figure = Figure(figsize=size)
        fill(figure)
        figure.savefig(stream, format=suffix[1:], dpi=_DOTS, metadata=_DATES[suffix])
    return stream.getvalue()
