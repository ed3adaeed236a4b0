"""The study of properties on the terminal."""

from prum.experiments.studies.properties.table import FOOTNOTES
from prum.experiments.studies.properties.wording import (
    LEGEND,
    agreements,
    cells,
    counterexamples,
    differences,
    measures_of,
)
from prum.experiments.studies.study import Study
from prum.experiments.terminal import new_table, standard_output

# The table has room for so many measures: those of the paper come first.
_OF_THE_PAPER = 7


def print_properties(study: Study) -> None:
    """Print the table, where the paper differs, and under it all counter-examples."""
    console = standard_output()
    names = measures_of(study)
    for title, columns in (
        ("Which measure has which property", range(_OF_THE_PAPER)),
        ("and others", range(_OF_THE_PAPER, len(names))),
    ):
        table = new_table(title, "property", *(names[column] for column in columns))
        for heading in table.columns:
            heading.justify = "left"
        for label, *verdicts in cells(study):
            table.add_row(label, *(verdicts[column] for column in columns))
        if columns:
            console.print(table)
    lines = [*LEGEND, *differences(study), f"Paper: {'; '.join(FOOTNOTES)}."]
    lines += [*agreements(study), ""]
    asked = ""
    for one in counterexamples(study):
        lines += [one.asked] if one.asked != asked else []
        asked = one.asked
        lines += [f"  {one.check}: expected {one.expected}"]
        lines += [f"    {text}" for text in one.found]
    lines += ["", "topics (element:words, parts in brackets)"]
    lines += [f"  {name}: {text}" for name, text in study.found["topics"].items()]
    console.print("\n".join(lines), markup=False, soft_wrap=True)
