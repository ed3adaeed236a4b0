"""The view of a cross-check: the verdict, tables of lists or systems, curves, what is left open."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.crosscheck.approximations import largest_error
from prum.experiments.crosscheck.checked_list import CheckedList
from prum.experiments.crosscheck.curves import curves_of, gallery
from prum.experiments.crosscheck.depths import (
    by_probability,
    charged,
    in_a_sentence,
    in_sentences,
    people,
    rank_columns,
)
from prum.experiments.crosscheck.result import CampaignValues, Crosscheck
from prum.experiments.crosscheck.tables import (
    KINDS,
    MOST_DISAGREEING,
    NAMES,
    OF_LISTS,
    PRINTED,
    Row,
    column,
    comparison_columns,
    disagreement_table,
    disagrees,
    error_tables,
    headings,
    numbers,
    rank_correlations,
    reference_name,
    system_columns,
)
from prum.experiments.frame.numbers import amount_of, count, shown
from prum.experiments.frame.view import Column, Gallery, Table, View
from prum.simulator.model.costs import ELEMENTS

if TYPE_CHECKING:
    import pandas as pd

_MOST_ROWS = 2_000
_MOST_PANELS = 40
_MOST_NAMES = 20

_ANSWERS = {
    "agrees": "Simulated users agree with the exact values",
    "disagrees": "Simulated users disagree with the exact values",
    "unresolved": "Simulated users are too few to settle every comparison with exact values",
    "not tested": "No exact value could be tested",
}
_HOLDS = {"agrees": True, "disagrees": False, "unresolved": False}
_NAVIGATIONS = {
    "Independent": (
        "Each link leads a user on, or not, on its own, whatever else happens. Then PRUM only "
        "approximates whether an element leads to something new; it is never above the exact "
        "value, and equal to it at r = 1."
    ),
    "Walk": (
        "From each consulted element a user follows one path, so some visits exclude others. "
        "PRUM knows only how likely each visit is and takes them as independent."
    ),
    "Coupled": (
        "What a user visits from one element hangs together. PRUM knows only how likely each visit "
        "is and takes them as independent."
    ),
    "Browsing": (
        "Users differ, or change as they go on. PRUM knows only how likely each visit is in the "
        "mean, for one who has seen nothing yet, and takes all visits as independent."
    ),
    "Tied": (
        "Elements of equal score stand in a random order of each user's own. Means are over users "
        "and so over orders, for PRUM as well, and precision is the ratio of these means."
    ),
    "Covering": (
        "A chunk shows the characters it covers, and none of them twice. PRUM knows only how much "
        "of a span each chunk covers and takes what they miss as independent (noisy-or): of two "
        "chunks that hold a half of a span each, it says that they show three quarters of it."
    ),
}
_STORY = (
    "A user consults a ranked list from the top and browses from each element, until r ideal "
    "elements are seen. Precision at r is E[CL] / E[C]: the expected number of consulted elements "
    "that lead to something new, over the expected number consulted. It is a ratio of "
    "expectations, not the expectation of each user’s own ratio, E[CL/C], which stands beside it "
    "for contrast.",
    "PRUM is the formula as published (Piwowarski, Gallinari and Dupret 2007), which takes visits "
    "as independent and approximates when a user sees something new. Exact is the value of the "
    "same browsing without these approximations, wherever it can be computed. It holds for the "
    "browsing model named beside it, which is itself an assumption.",
    "Simulation against exact is a test; PRUM against exact is a measurement.",
)


def crosscheck_view(result: Crosscheck) -> View:
    """Return the verdict, and of each campaign tables, curves and what it says of PRUM."""
    names = dict.fromkeys(case.campaign for case in result.cases)
    parts = [_Campaign(result, name, number) for number, name in enumerate(names, start=1)]
    rows = result.comparisons
    disagreeing = rows[rows["verdict"] == "disagrees"]
    sentences = [sentence for part in parts for sentence in part.sentences()]
    return View(
        title="Cross-check of PRUM against exact values and simulated users",
        headline=_headline(result),
        story=(*_STORY, *(line for part in parts for line in part.story()), *_of_tests(result)),
        tables=(
            *([disagreement_table(disagreeing)] if len(disagreeing) else ()),
            *(table for part in parts for table in part.tables()),
            *error_tables(rows, result.approximations),
            *(table for part in parts for table in part.details()),
        ),
        figures=tuple(part.figure for part in parts),
        sentences=(*sentences, *_of_all(result)),
        leads=True,
        holds=_HOLDS.get(result.verdict),
    )


# --- sentences -----------------------------------------------------------------------------------


def _headline(result: Crosscheck) -> str:
    rows = result.comparisons
    counts = rows["verdict"].value_counts().rename(KINDS)
    verdicts = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    own = (f"{_error_of(name, name, rows, brief=True)} " for name in result.approximations)
    unit = "" if result.unit == ELEMENTS else f"costs in {result.unit}, "
    return "".join(own) + (
        f"{_ANSWERS[result.verdict]} ({verdicts}; {count(result.num_tested, 'test')}, false alarm "
        f"rate {result.level:g} in all; {count(result.num_users, 'user')} a list or more, {unit}"
        f"seed {result.seed})."
    )


def _error_of(own: str, name: str, rows: "pd.DataFrame", *, brief: bool = False) -> str:
    """Return how far an approximation is off, and where; `own` begins its columns."""
    worst = largest_error(f"{own}_error", rows)
    off, is_exact = getattr(worst, f"{own}_error"), np.isfinite(worst.exact)
    values = "precision" if is_exact else "the simulated values"
    if abs(off) < PRINTED:
        return f"{name} equals {values} ({worst.reference_name}) to five decimals."
    if brief:
        size = shown(off, "+.2g").replace("0.", ".", 1)
        return (
            f"{name}, largest error: {size} ({worst.system}, topic {worst.topic}, r = {worst.r})."
        )
    place, size = f"({worst.system}, {worst.topic}, r = {worst.r})", shown(off, "+.5f")
    if is_exact:
        return f"{name}'s largest error against {worst.reference_name}: {size} {place}."
    # What users were drawn for has an error of its own, and the largest of many has more.
    error = shown(worst.error, ".5f")
    return (
        f"{name} is farthest from the simulated values, by {size}, where their standard error is "
        f"{error} {place}."
    )


def _of_all(result: Crosscheck) -> Iterator[str]:
    """Yield what holds of the comparisons of all campaigns."""
    if result.quantiles is not None:
        bad = result.quantiles[result.quantiles["verdict"] == "disagrees"]
        rows: Iterable[Row] = bad.head(MOST_DISAGREEING).itertuples()
        for row in rows:
            yield (
                f"{row.system}, {row.topic}, r = {row.r}: {people(row.probability)} consult at "
                f"most {charged(row.exact, result.unit)}, simulated {amount_of(row.simulated)}."
            )
    yield from result.worth_in_words


def _of_tests(result: Crosscheck) -> Iterator[str]:
    """Yield what tests and verdicts are."""
    if result.num_tested:
        threshold = shown(result.level / result.num_tested, ".2g")
        yield (
            "A comparison is one list at one r. It takes three tests, of E[CL] and of E[C], whose "
            f"ratio is precision, and of how far C strays; {result.num_tested:,} in all. It "
            f"disagrees if one of them has p below {result.level:g} / {result.num_tested:,} = "
            f"{threshold}. p comes from inequalities that hold for any law and any number of "
            "users; so, if simulation and exact values are equal, any comparison disagrees with "
            f"probability {result.level:g} at most. Would find: an error of E[C] so large or "
            "larger would have been found with probability .8, by the exact law and the number of "
            "users, which follows from it. The band, ±, is what precision can be if both means "
            "pass their tests, in all comparisons at once."
        )
    verdicts = set(result.comparisons["verdict"])
    if "unresolved" in verdicts:
        yield (
            f"Unresolved: nothing disagrees, but an error of {100 * result.detect:g} % of E[C] "
            "would not have been found: by the exact law it takes more users."
        )
    if "no closed form" in verdicts:
        yield (
            "No closed form: no exact value is known for this way of browsing or within reach for "
            "so many ideals. Values are measured against the simulation there, whose interval is "
            "asymptotic; nothing is tested."
        )


# --- one campaign --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Campaign:
    """What is shown of a campaign, the first, second, ... of a cross-check."""

    result: Crosscheck
    name: str
    number: int

    @cached_property
    def cases(self) -> list[CheckedList]:
        return [case for case in self.result.cases if case.campaign == self.name]

    def own(self, table: "pd.DataFrame") -> "pd.DataFrame":
        return table[table["campaign"] == self.name]

    @cached_property
    def rows(self) -> "pd.DataFrame":
        return self.own(self.result.comparisons)

    @cached_property
    def systems(self) -> "pd.DataFrame":
        return self.own(self.result.systems).sort_values("reference_place", kind="stable")

    @property
    def entry(self) -> CampaignValues:
        return next(entry for entry in self.result.campaigns if entry["name"] == self.name)

    @property
    def is_single(self) -> bool:
        return len(self.cases) == 1

    @property
    def reference(self) -> str:
        return reference_name(self.cases)

    @property
    def averaged(self) -> str:
        num_topics = int(self.systems["num_topics"].iloc[0])
        return f"averaged over recall values and {count(num_topics, 'topic')}"

    def tables(self) -> Iterator[Table]:
        """Yield those that come first."""
        unit, num = self.result.unit, self.name
        if self.is_single:
            ratio = "E[CL] / E[C]" if unit == ELEMENTS else f"E[{unit} of CL] / E[{unit} of C]"
            label = f"{num}: precision = {ratio} at each recall value r"
            columns = (column("r", "r"), *self._columns)
            yield Table.of(
                label, self.rows.itertuples(), columns, is_bad=disagrees, legend=self._charged()
            )
            yield self._means(f"{_means_of(unit)} at each recall value r", (column("r", "r"),))
        else:
            precision = "precision" if unit == ELEMENTS else f"precision in {unit}"
            yield Table.of(
                f"{num}: {precision} {self.averaged} (place among systems)",
                self.systems.itertuples(),
                system_columns(self.reference, self.result.approximations),
                legend=[*self._charged(), self._errors],
            )
        if self.is_single:
            yield from self._depths()
            yield from self._ranks()

    @property
    def _columns(self) -> list[Column[Row]]:
        exact = f"exact, {self.cases[0].navigation}"
        return comparison_columns(exact, self.result.approximations)

    def _charged(self) -> list[str]:
        """Return what C is, where it is no number of elements."""
        if (unit := self.result.unit) == ELEMENTS:
            return []
        rest = "CL what those cost that lead to something new"
        return [f"C is what the consulted elements cost in {unit}, {rest}"]

    @property
    def _errors(self) -> str:
        is_covering = self.entry.get("navigation") == "Covering"
        without = "nobody opens another chunk" if is_covering else "only the list counts"
        return (
            "± users, ± topics: standard errors from the draw of users, of topics; no browsing: "
            f"{without}"
        )

    def details(self) -> Iterator[Table]:
        """Yield every comparison, for the page."""
        if self.is_single:
            return
        cut = len(self.rows) - _MOST_ROWS
        more = f"the first {_MOST_ROWS:,}; {cut:,} more are in the CSV and JSON output"
        yield Table.of(
            f"All comparisons of {self.name}",
            self.rows.head(_MOST_ROWS).itertuples(),
            (*NAMES, *self._columns),
            is_bad=disagrees,
            detail=True,
            legend=[more] * (cut > 0),
        )
        yield self._means(f"{_means_of(self.result.unit)} of all comparisons", NAMES)
        yield from self._depths()
        yield from self._ranks()

    def _means(self, label: str, names: tuple[Column[Row], ...]) -> Table:
        """Return E[CL] and E[C] of comparisons."""
        heads = headings("PRUM", "exact", "simulated", "± error")
        return Table.of(
            f"{self.name}: {label}",
            self.rows.head(_MOST_ROWS).itertuples(),
            [*names, *numbers(heads, OF_LISTS, ".5f")],
            is_bad=disagrees,
            detail=not self.is_single,
        )

    def _depths(self) -> Iterator[Table]:
        """Yield how many elements users consult at most, at each r."""
        if self.result.quantiles is None:
            return
        rows = self.own(self.result.quantiles)
        names = ("r",) if self.is_single else ("system", "topic", "r")

        def of(heading: str) -> Column[Row]:
            return Column(heading, itemgetter(heading), left=heading not in ("r", *users))

        def amount(heading: str) -> Column[Row]:
            value = itemgetter(heading)
            return Column(heading, lambda row: amount_of(value(row)), data={heading: value})

        users = [people(probability) for probability in rows["probability"].unique()]
        yield Table.of(
            f"{self.name}: so many {self.result.unit} are enough for so many users",
            by_probability(rows).head(_MOST_ROWS).to_dict(orient="records"),
            [*map(of, names), *map(amount, users), of("verdict")],
            is_bad=lambda row: row["verdict"] == "disagrees",
            detail=not self.is_single,
        )

    def _ranks(self) -> Iterator[Table]:
        """Yield what users do at each rank; those that disagree first, where not all are shown."""
        if self.result.ranks is None:
            return
        rows = self.own(self.result.ranks)
        cut = len(rows) - _MOST_ROWS
        if cut > 0:
            rows = rows.sort_values("verdict", key=lambda of: of != "disagrees", kind="stable")
        yield Table.of(
            f"{self.name}: rank by rank, for users who want r ideals",
            rows.head(_MOST_ROWS).itertuples(),
            rank_columns([column("r", "r")] if self.is_single else NAMES),
            is_bad=disagrees,
            detail=not self.is_single,
            legend=[
                "something new: the rank is consulted and leads to a previously unseen ideal",
                *[f"{cut:,} more rows are in the CSV and JSON output"] * (cut > 0),
            ],
        )

    @property
    def figure(self) -> Gallery:
        """Its curves, those of the best systems."""
        by_system: dict[str, list[CheckedList]] = {system: [] for system in self.systems["system"]}
        for case in self.cases:
            by_system[case.system].append(case)
        drawn = list(by_system.items())[:_MOST_PANELS]
        curves = {system: curves_of(cases) for system, cases in drawn}
        heading = f"{self.name}: precision and recall"
        return gallery(curves, heading, self._caption(len(by_system)), f"c{self.number}p")

    def _caption(self, num_systems: int) -> str:
        num_topics = len({case.topic for case in self.cases})
        what = (
            "Precision at each r"
            if num_topics == 1
            else (
                f"Mean over {num_topics} topics of interpolated precision (at each level the "
                "highest precision from there on) at eleven recall levels; best system first"
            )
        )
        has_exact = any(case.exact is not None for case in self.cases)
        below = "exact (or, without one, the simulated)" if has_exact else "simulated"
        cut = num_systems - _MOST_PANELS
        return (
            f"{what}. Below, on a finer scale: the distance from the {below} value. "
            "The band is the verdict’s: where simulated means agree with exact ones it holds the "
            "line; dashes off the line are PRUM’s error."
            + (f" {count(cut, 'more system')} without curves." if cut > 0 else "")
        )

    def sentences(self) -> Iterator[str]:
        """Yield what follows from its tables."""
        of = "" if len(self.result.campaigns) == 1 else f"{self.name}: "
        for own, name in (*((name, name) for name in self.result.approximations), ("prum", "PRUM")):
            yield f"{of}{_error_of(own, name, self.rows)}"
        others = {name: name for name in self.result.approximations}
        names = {"prum": "PRUM", "classical": "no browsing", **others}
        for name, tau in rank_correlations(self.cases).items():
            value = "none, all are tied" if np.isnan(tau) else f"{tau:.3f}"
            yield (
                f"{of}Kendall's tau-b of {names[name]} with the ranking by {self.reference}: "
                f"{value}."
            )
        if self.result.quantiles is not None:
            yield f"{of}{in_a_sentence(self.own(self.result.quantiles), self.result.unit)}"
        if self.result.ranks is not None:
            for words in in_sentences(self.own(self.result.ranks), self.reference):
                yield f"{of}{words}"
        yield f"{of}{self.result.link_use(self.name)}."

    def story(self) -> Iterator[str]:
        """Yield what it is."""
        entry = self.entry
        told = entry.get("navigation", "")
        size = entry.get("collection_size")
        parts = [
            count(len(self.systems), "system"),
            count(len({case.topic for case in self.cases}), "topic"),
            *([f"a collection of {count(size, 'element')}"] if size else ()),
        ]
        key = entry.get("navigation_key")
        yield (
            f"{self.name}: {', '.join(parts)}. "
            + " ".join(
                [_NAVIGATIONS.get(told, ""), *([f"Key of the navigation: {key}."] if key else ())]
            ).strip()
        )
        without = entry.get("without_ideals", ())
        if without:
            more = len(without) - _MOST_NAMES
            rest = f" and {more:,} more" if more > 0 else ""
            yield f"Left out, no ideal element: {', '.join(without[:_MOST_NAMES])}{rest}."


def _means_of(unit: str) -> str:
    """Return what precision is the ratio of, with the unit if that is a cost."""
    return "E[CL] and E[C]" + ("" if unit == ELEMENTS else f" in {unit}")
