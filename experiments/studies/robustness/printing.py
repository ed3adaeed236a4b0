"""The study of robustness on the terminal: tau by measure and group, and what holds of it all."""

from collections.abc import Iterator

import numpy as np

from prum.experiments.studies.robustness.families import GROUPS, HYPOTHESES, NAMES
from prum.experiments.studies.study import Study
from prum.experiments.terminal import new_table, standard_output

KINDS = {
    "topics": "samples of topics",
    "pool": "pools of smaller depth",
    "judgements": "deeper judgements",
    "assessors": "assessors who disagree",
}
HEADS = {
    "topics": "{:g} topics",
    "pool": "depth {:g}",
    "judgements": "deeper",
    "assessors": "dial {:g}",
}


def print_robustness(study: Study) -> None:
    """Print a table for each kind of variation, and the hypotheses."""
    console = standard_output()
    options = study.options
    console.print(
        f"Kendall's tau-a between two rankings of {options['systems']} systems: by all judgements "
        f"on {options['topics']} topics, and by less\n",
        markup=False,
        soft_wrap=True,
    )
    for kind, levels in levels_of(study):
        table = new_table(KINDS[kind], "", *(HEADS[kind].format(level) for level in levels))
        table.columns[0].justify = "left"
        for name, taus in taus_of(study, kind, levels):
            table.add_row(name, *(f"{tau:.3f}" for tau in taus))
        console.print(table)
    table = new_table(
        "what the paper expects, as a difference of mean tau-a with its 95 % interval",
        "first against second", "expected", "variation", "difference", "95 % interval", "here",
    )  # fmt: skip
    for column in table.columns:
        column.justify, column.no_wrap = "left", True
    for row in hypotheses_of(study):
        table.add_row(*row)
    console.print(table)


def levels_of(study: Study) -> Iterator[tuple[str, list[float]]]:
    """Yield each kind of variation with its levels."""
    for kind in KINDS:
        levels = list(dict.fromkeys(row["level"] for row in study.rows if row["kind"] == kind))
        if levels:
            yield kind, levels


def taus_of(study: Study, kind: str, levels: list[float]) -> Iterator[tuple[str, list[float]]]:
    """Yield each measure and each group of them with its (mean) tau at each level."""
    tau = {(r["level"], r["measure"]): r["tau_a"] for r in study.rows if r["kind"] == kind}
    for name in NAMES:
        yield name, [tau[level, name] for level in levels]
    for group, members in GROUPS.items():
        yield group, [float(np.mean([tau[level, name] for name in members])) for level in levels]


def hypotheses_of(study: Study) -> Iterator[list[str]]:
    """Yield what was found of each hypothesis by each kind and level of variation."""
    expected = {hypothesis.name: hypothesis.expected for hypothesis in HYPOTHESES}
    for name in expected:
        for row in study.found["contrasts"]:
            if row["hypothesis"] != name:
                continue
            yield [
                name,
                expected[name],
                HEADS[row["kind"]].format(row["level"]),
                f"{row['difference']:+.3f}",
                f"{row['low']:+.3f} {row['high']:+.3f}",
                verdict(row["low"], row["high"]),
            ]


def verdict(low: float, high: float) -> str:
    """Return what an interval says of the first beside the second."""
    if low > 0:
        return "firmer"
    return "less firm" if high < 0 else "no difference seen"
