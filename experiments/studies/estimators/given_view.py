"""The tables of estimators that are given: intervals and tests by estimate, and P(x -> y)."""

from collections.abc import Callable, Iterator
from itertools import product

from prum.experiments.studies.estimators.cells import (
    Line,
    plain_columns,
    text_column,
    topic_headings,
    uncertain_column,
)
from prum.experiments.studies.estimators.rows import EstimatorRows, EstimatorsRow
from prum.experiments.studies.kit.quantities import number_column
from prum.experiments.views.view import Column, Table


def tables_by_estimate(rows: EstimatorRows) -> Iterator[Table]:
    """Yield what estimates that were given do to intervals and tests, beside the others."""
    columns = (
        ("coverage by estimate", "coverage", "Do 95 % intervals of an estimate hold the true mean?",
         ".3f", "mean"),
        ("power by estimate", "power", "Power at 5 % by estimate", ".3f", "true difference"),
        ("power by estimate", "wrong sign", "How often the worse is found better", ".3f",
         "true difference"),
        ("false alarms by estimate", "rejected", "False alarms at 5 % by estimate", ".3f",
         "made equal by"),
    )  # fmt: skip
    for group, quantity, label, form, heading in columns:
        subjects, methods = (rows.names(group, column) for column in ("subject", "method"))
        lines = [Line(subject, method, quantity) for subject, method in product(subjects, methods)]
        if lines:
            yield Table.of(
                label,
                lines,
                [
                    text_column(heading, 0),
                    text_column("estimate", 1),
                    *plain_columns(rows, group, topic_headings(rows, group), form),
                ],
                parts=lambda line: line.subject,
            )


def tables_as_given(rows: EstimatorRows) -> Iterator[Table]:
    """Yield how tables of P(x -> y) that were given differ from the true one."""

    def row(quantity: str) -> Callable[[str], EstimatorsRow | None]:
        return lambda name: rows.row("tables", subject=name, quantity=quantity)

    if names := rows.names("tables", "subject"):
        yield Table.of(
            "P(x → y) as given, over the pairs of the true table",
            names,
            [
                Column("table", lambda name: name, left=True),
                number_column("pairs", row("pairs"), ",.0f"),
                number_column("share that is 0", row("lacking"), ".3f"),
                uncertain_column("bias", row("bias"), lambda _: "+.4f"),
                uncertain_column("rmse", row("rmse"), lambda _: ".4f"),
            ],
        )
