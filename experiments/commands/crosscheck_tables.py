"""A cross-check on the terminal, in the order in which people read it."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table

from prum.experiments.commands.terminal import new_table, print_within, standard_output
from prum.experiments.compare.wording import amount_of
from prum.experiments.crosscheck.depths import by_probability, in_a_sentence, people
from prum.experiments.crosscheck.detectable_errors import verdict_in_words
from prum.experiments.crosscheck.means import OF_LISTS, OF_SYSTEMS, headings, title
from prum.experiments.crosscheck.noisy_or import noisy_or_in_words
from prum.experiments.crosscheck.result import Crosscheck
from prum.experiments.crosscheck.systems import rank_correlations, reference_name
from prum.simulator.model.list_costs import ELEMENTS

if TYPE_CHECKING:
    import pandas as pd

_MOST_ROWS = 30


def print_crosscheck(result: Crosscheck) -> None:
    """Print each campaign's table and the verdict to standard output."""
    console = standard_output()
    for campaign in dict.fromkeys(case.campaign for case in result.cases):
        cases = [case for case in result.cases if case.campaign == campaign]
        reference = reference_name(cases)
        rows = result.comparisons[result.comparisons["campaign"] == campaign]
        systems = result.systems[result.systems["campaign"] == campaign]
        if rows["topic"].nunique() == 1 and len(systems) == 1:
            exact = f"exact, {cases[0].navigation}"
            table = _curve(f"{campaign}: {_precision(result.unit)}", exact, rows)
            print_within(console, table, ("E[CL/C]", "would find", "largest |z|", "± 95 %"))
            table = new_table(
                f"{campaign}: {title(result.unit)} at each recall value r",
                "r", *headings("PRUM", "exact", "simulated", "± error"),
            )  # fmt: skip
            _add_means(table, rows, "r", OF_LISTS, ".5f")
            print_within(console, table, ("± error",))
        else:
            table = _systems(campaign, reference, systems, result.unit)
            print_within(console, table, ("± users", "± topics", "simulated"))
            table = new_table(
                f"{campaign}: {title(result.unit)} averaged over recall values and "
                f"{systems['num_topics'].iloc[0]} topics",
                "system",
                *headings("PRUM", reference.partition(", ")[0], "simulated", "± users"),
            )
            ordered = systems.sort_values("reference", ascending=False)
            _add_means(table, ordered, "system", OF_SYSTEMS, ".4f")
            print_within(console, table, ("± users", "simulated"))
            _print_places(console, result, campaign, reference)
        _print_depths(console, result, campaign)
        console.print(str(result.link_use(campaign)), soft_wrap=True)
        worst = rows.iloc[int(rows["prum_error"].abs().to_numpy().argmax())]
        console.print(
            f"PRUM's largest error against {worst['reference_name']}: {worst['prum_error']:+.5f} "
            f"({worst['system']}, {worst['topic']}, r = {worst['r']})\n",
            markup=False,
            soft_wrap=True,
        )
        if words := noisy_or_in_words(result, campaign):
            console.print(f"{words}\n", markup=False, soft_wrap=True)
    disagreeing = result.comparisons[result.comparisons["verdict"] == "disagrees"]
    if len(disagreeing):
        print_within(console, _disagreements(disagreeing), ("± error", "exact"))
    counts = result.comparisons["verdict"].value_counts()
    counts = counts.rename({"agrees": "agree", "disagrees": "disagree"})
    verdicts = ", ".join(f"{count} {name}" for name, count in counts.items())
    if result.quantiles is not None:
        bad = result.quantiles[result.quantiles["verdict"] == "disagrees"]
        for row in bad.head(_MOST_ROWS).to_dict(orient="records"):
            console.print(
                f"{row['system']}, {row['topic']}, r = {row['r']}: {people(row['probability'])} "
                f"consult at most {amount_of(row['exact'])} {result.unit}, simulated "
                f"{amount_of(row['simulated'])}",
                soft_wrap=True,
            )
    unit = "" if result.unit == ELEMENTS else f"costs in {result.unit}, "
    console.print(
        f"Simulation and exact values: {result.verdict} ({verdicts}; {result.num_tested} tests, "
        f"false alarm rate {result.level:g} in all; {result.num_users:,} users a list, {unit}"
        f"seed {result.seed})",
        markup=False,
        soft_wrap=True,
    )
    if result.num_rare:
        console.print(
            f"{result.num_rare} judged on users of whom a quarter were drawn as rare, and weighed.",
            soft_wrap=True,
        )
    for sentence in (
        result.of_more,
        result.detectable_errors.of_agreement,
        result.detectable_errors.of_unresolved,
    ):
        if sentence:
            console.print(sentence, soft_wrap=True)


def _precision(unit: str) -> str:
    """Return what precision is, in a table's title."""
    if unit == ELEMENTS:
        return "precision = E[CL] / E[C] at each recall value r"
    return f"precision = E[{unit} of CL] / E[{unit} of C] at each recall value r"


def _curve(title: str, exact: str, rows: "pd.DataFrame") -> Table:
    table = new_table(
        title,
        "r", "PRUM", exact, "simulated", "± 95 %", "E[CL/C]", "largest |z|", "would find",
        "verdict",
    )  # fmt: skip
    for row in rows.to_dict(orient="records"):
        table.add_row(
            str(row["r"]),
            f"{row['prum']:.5f}",
            _number(row["exact"], ".5f"),
            f"{row['simulated']:.5f}",
            f"{(row['high'] - row['low']) / 2:.5f}",
            _number(row["mean_ratio"], ".5f"),
            _number(_largest_z(row), ".2f"),
            _number(row["detectable"], ".5f"),
            verdict_in_words(row),
        )
    return table


def _add_means(
    table: Table, rows: "pd.DataFrame", name: str, columns: Sequence[str], form: str
) -> None:
    """Add E[CL] and E[C] of each row, behind what names it."""
    for row in rows.to_dict(orient="records"):
        table.add_row(str(row[name]), *(_number(row[column], form) for column in columns))


def _print_depths(console: Console, result: Crosscheck, campaign: str) -> None:
    """Print how many elements users consult at most, of one list for each r."""
    if result.quantiles is None:
        return
    rows = result.quantiles[result.quantiles["campaign"] == campaign]
    if rows["topic"].nunique() == rows["system"].nunique() == 1:
        title = f"{campaign}: so many {result.unit} are enough for so many users"
        columns = by_probability(rows)
        users = [people(probability) for probability in rows["probability"].unique()]
        table = new_table(title, "r", *users, "verdict")
        for row in columns.to_dict(orient="records"):
            depths = (amount_of(row[name]) for name in users)
            table.add_row(str(row["r"]), *depths, row["verdict"])
        console.print(table)
    console.print(in_a_sentence(rows, result.unit), soft_wrap=True)


def _systems(campaign: str, reference: str, systems: "pd.DataFrame", unit: str) -> Table:
    precision = "precision" if unit == ELEMENTS else f"precision in {unit}"
    table = new_table(
        f"{campaign}: {precision} averaged over recall values and {systems['num_topics'].iloc[0]} "
        "topics (place among systems)",
        "system", "PRUM", reference, "simulated", "± users", "± topics", "no browsing",
    )  # fmt: skip
    for row in systems.sort_values("reference", ascending=False).to_dict(orient="records"):
        table.add_row(
            row["system"],
            f"{row['prum']:.5f} ({row['prum_place']})",
            f"{row['reference']:.5f} ({row['reference_place']})",
            f"{row['simulated']:.5f}",
            f"{row['users_error']:.5f}",
            _number(row["topics_error"], ".3f"),
            f"{row['classical']:.5f} ({row['classical_place']})",
        )
    return table


def _print_places(console: Console, result: Crosscheck, campaign: str, reference: str) -> None:
    names = {"prum": "PRUM", "classical": "no browsing"}
    for name, (tau, low, high) in rank_correlations(result, campaign).items():
        value = "none, all are tied" if np.isnan(tau) else f"{tau:.3f}"
        interval = "" if np.isnan(low) else f" [{low:.3f}, {high:.3f}] over topics"
        console.print(
            f"Kendall's tau-b of {names[name]} with the ranking by {reference}: {value}{interval}",
            markup=False,
            soft_wrap=True,
        )


def _disagreements(rows: "pd.DataFrame") -> Table:
    title = f"{len(rows)} comparisons disagree" + (
        f"; the first {_MOST_ROWS}" if len(rows) > _MOST_ROWS else ""
    )
    table = new_table(title, "system", "topic", "r", "exact", "simulated", "± error", "largest |z|")
    for row in rows.head(_MOST_ROWS).to_dict(orient="records"):
        table.add_row(
            row["system"],
            row["topic"],
            str(row["r"]),
            _number(row["exact"], ".5f"),
            f"{row['simulated']:.5f}",
            f"{row['error']:.5f}",
            _number(_largest_z(row), ".2f"),
        )
    return table


def _largest_z(row: Mapping[Hashable, float]) -> float:
    z = np.array([row["z_leading"], row["z_consulted"]])
    return float(np.nanmax(np.abs(z))) if not np.isnan(z).all() else np.nan


def _number(value: float, form: str) -> str:
    return "-" if np.isnan(value) else format(value, form)
