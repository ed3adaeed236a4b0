"""A view as a page or a part of one, or its tables for LaTeX; and what all pages share."""

import base64
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import fields
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from prum.experiments.frame.files import check_packages, encodable
from prum.experiments.frame.view import Column, Table, View, listed


def page(view: View, *, command: str, version: str, options: Mapping[str, Any]) -> str:
    """Return the page: one HTML document that needs nothing else, the same bytes each time.

    `command`, `version` and `options`: how to get it again.

    Raise InputError if jinja2, or matplotlib for figures, is not installed.
    """
    check_installed(is_drawn=bool(view.drawn))
    parts = {each.name: getattr(view, each.name) for each in fields(view)}
    # The answer of several sentences: the first one stands out.
    first, *others = re.split(r"(?<=[^\W\d]\.) (?=[A-Z])", view.headline, maxsplit=1)
    parts["headline"], parts["rest"] = first, " ".join(others)
    figures = [*view.figures]
    # The answer's figure stands beside it, before anybody scrolls.
    parts["first"] = figures.pop(0) if figures else None
    parts["figures"] = figures
    parts["options"] = [
        (name, listed(value)) for name, value in options.items() if value not in (None, "", (), [])
    ]
    content = {**parts, "command": command, "version": version}
    return template_page("frame/view.html", content)


def template_page(template: str, content: Mapping[str, Any]) -> str:
    """Return a page by a template, "frame/view.html" say, with the style of all pages."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=PackageLoader("prum.experiments", "."),
    )
    style = files("prum.experiments.frame").joinpath("style.css").read_text("utf-8")
    page = environment.get_template(template)
    return encodable(page.render({**content, "style": style}))


def fragment(view: View) -> str:
    """Return headline, the answer's figure, tables and notes, to stand in somebody else's page.

    There is no figure without matplotlib.
    """
    from html import escape

    parts = [f"<p><b>{escape(view.headline)}</b></p>"]
    if view.drawn and find_spec("matplotlib") is not None:
        svg = base64.b64encode(view.drawn[0].file("figure.svg")).decode()
        label = escape(view.drawn[0].label)
        parts.append(f'<img alt="{label}" src="data:image/svg+xml;base64,{svg}">')
    for table in view.tables:
        if not table.detail:
            sides = ["left" if column.left else "right" for column in table.cells]
            lines = [
                "".join(
                    f'<td style="text-align: {side}">{escape(text)}</td>'
                    for side, text in zip(sides, row, strict=True)
                )
                for row in (table.columns, *table.rows)
            ]
            rows = "".join(f"<tr>{line}</tr>" for line in lines[1:])
            head = lines[0].replace("<td ", "<th ").replace("</td>", "</th>")
            parts.append(f"<table><caption>{escape(table.label)}</caption>")
            parts.append(f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    parts += [f"<p>{escape(note)}</p>" for note in view.notes]
    return encodable("\n".join(parts))


def check_installed(*, is_drawn: bool = True) -> None:
    """Raise if the page can't be made for want of a package.

    Raise InputError if jinja2 is not installed; or matplotlib, for a page with figures.
    """
    packages = ("jinja2", "matplotlib") if is_drawn else ("jinja2",)
    check_packages(*packages, extra="report", use="write a page")


def script_hash(script: str) -> str:
    """Return the hash by which a page's policy allows a script."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "→": r"$\to$",
    "½": r"$\frac12$",
    "²": "$^2$",
    "–": "--",
    "…": r"\dots{}",
}
# Rows of a table that stands on one page.
_MOST_ROWS = 45


def latex(table: Table) -> str:
    """Return a table that floats, its label the caption; a long one goes over several pages.

    The best of a column is bold, signs are raised, and the legend stands in the caption.
    """
    is_long = len(table.rows) > _MOST_ROWS
    sides = "".join("l" if column.left else "r" for column in table.cells)
    caption = rf"\caption{{{escaped('; '.join((table.label, *table.legend)))}}}"
    heading = [r"\toprule", _line(map(escaped, table.columns)), r"\midrule"]
    body = []
    for row in range(len(table.rows)):
        body += [r"\addlinespace"] if row in table.starts else []
        body.append(_line(_cell(column, row) for column in table.cells))
    if is_long:
        begin = ["% Needs the packages booktabs and longtable.", rf"\begin{{longtable}}{{{sides}}}"]
        begin += [rf"{caption}\\", *heading, r"\endhead"]
        end = [r"\bottomrule", r"\end{longtable}"]
    else:
        begin = [r"\begin{table}", caption, rf"\begin{{tabular}}{{{sides}}}", *heading]
        end = [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join([*begin, *body, *end, ""])


def _cell(column: Column, row: int) -> str:
    text = column.texts[row]
    written = escaped(text)
    if column.best and column.best[row]:
        start = column.brief[row] if column.brief else text
        rest = escaped(text[len(start) :])
        written = rf"\textbf{{{escaped(start)}}}{rest and ' '}{rest}"
    if column.signs and column.signs[row]:
        written += rf"\textsuperscript{{{escaped(column.signs[row])}}}"
    return written


def _line(cells: Iterable[str]) -> str:
    # A bracket or star would be taken for an argument of the line before.
    return f"{{}}{' & '.join(cells)} \\\\"


def escaped(text: str) -> str:
    r"""Return text that LaTeX prints as it is, on one line.

    >>> escaped("5 % of P_x ≤ 1")
    '5 \\% of P\\_x $\\le$ 1'
    """
    return " ".join("".join(map(_escaped, text)).split())


def _escaped(sign: str) -> str:
    if sign in _SIGNS:
        return _SIGNS[sign]
    # Control signs, and halves of surrogate pairs, which no file can hold.
    return " " if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") else sign
