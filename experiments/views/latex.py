"""Tables for LaTeX, with the package booktabs."""

import re
import unicodedata
from collections.abc import Iterable

from prum.experiments.views.view import Table

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
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)$")
# Capitals that look like Latin ones have no command.
_AS_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))


# Rows of a table that stands on one page.
_MOST_ROWS = 45


def latex(table: Table) -> str:
    """Return a table that floats, its label the caption; a long one goes over several pages.

    The best of a column is bold, signs are raised, and the legend stands in the caption.
    """
    is_long = len(table.rows) > _MOST_ROWS
    sides = "".join("l" if left else "r" for left in table.left)
    caption = rf"\caption{{{escaped('; '.join((table.label, *table.legend)))}}}"
    heading = [r"\toprule", _line(map(escaped, table.columns)), r"\midrule"]
    body = []
    for at, row in enumerate(table.rows):
        body += [r"\addlinespace"] if at in table.starts else []
        body.append(_line(_cell(table, at, column) for column in range(len(row))))
    if is_long:
        begin = ["% Needs the packages booktabs and longtable.", rf"\begin{{longtable}}{{{sides}}}"]
        begin += [rf"{caption}\\", *heading, r"\endhead"]
        end = [r"\bottomrule", r"\end{longtable}"]
    else:
        begin = [r"\begin{table}", caption, rf"\begin{{tabular}}{{{sides}}}", *heading]
        end = [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join([*begin, *body, *end, ""])


def _cell(table: Table, row: int, column: int) -> str:
    text = table.rows[row][column]
    if not table.marks:
        return escaped(text)
    marks = table.marks[column]
    start = marks.brief[row] if marks.brief else text
    written = escaped(text)
    if marks.best and marks.best[row]:
        rest = escaped(text[len(start) :])
        written = rf"\textbf{{{escaped(start)}}}{rest and ' '}{rest}"
    if marks.signs and marks.signs[row]:
        written += rf"\textsuperscript{{{escaped(marks.signs[row])}}}"
    return written


def _line(cells: Iterable[str]) -> str:
    # A bracket or star would be taken for an argument of the line before.
    return f"{{}}{' & '.join(cells)} \\\\"


def escaped(text: str) -> str:
    r"""Return text that LaTeX prints as it is, on one line.

    >>> escaped("5 % of P_x ≤ μ")
    '5 \\% of P\\_x $\\le$ $\\mu$'
    """
    return " ".join("".join(map(_escaped, text)).split())


def _escaped(sign: str) -> str:
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign in _AS_LATIN:
        return f"${_AS_LATIN[sign]}$"
    if greek := _GREEK.match(unicodedata.name(sign, "")):
        name = greek[2].lower().replace("lamda", "lambda")
        return f"$\\{name.capitalize() if greek[1] == 'CAPITAL' else name}$"
    # Control signs, and halves of surrogate pairs, which no file can hold.
    return " " if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") else sign
