"""Tables for LaTeX, with the package booktabs."""

import re
import unicodedata

from prum.experiments.report.view import Table

_SIGNS = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "≤": r"$\le$", "≥": r"$\ge$", "≈": r"$\approx$",
    "∞": r"$\infty$", "→": r"$\to$", "½": r"$\frac12$", "²": "$^2$", "–": "--", "…": r"\dots{}",
}  # fmt: skip
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)$")
# Capitals that look like Latin ones have no command.
_AS_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))


def latex(table: Table) -> str:
    """Return a table that floats, its label the caption."""
    lines = [
        r"\begin{table}",
        rf"\caption{{{escaped(table.label)}}}",
        rf"\begin{{tabular}}{{{''.join('l' if left else 'r' for left in table.left)}}}",
        r"\toprule",
        _line(table.columns),
        r"\midrule",
    ]
    for at, row in enumerate(table.rows):
        lines += [r"\addlinespace"] if at in table.starts else []
        lines.append(_line(row))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _line(cells: tuple[str, ...]) -> str:
    # A bracket or star would be taken for an argument of the line before.
    return f"{{}}{' & '.join(map(escaped, cells))} \\\\"


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
