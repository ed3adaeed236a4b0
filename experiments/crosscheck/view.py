"""The view of a cross-check: the verdict, tables of lists or systems, curves, what is left open."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.crosscheck.approximations import largest_error
from prum.experiments.crosscheck.curves import curves_of, draw_curves
from prum.experiments.crosscheck.ranks import EVENTS
from prum.experiments.crosscheck.result import Crosscheck
from prum.experiments.crosscheck.tables import (
    KINDS,
    MEANS,
    PRINTED,
    CheckedList,
    rank_correlations,
    reference_name,
    verdict_in_words,
)
from prum.experiments.crosscheck.verdicts import NO_LAW
from prum.experiments.frame.frames import frame_table
from prum.experiments.frame.numbers import count, shown
from prum.experiments.frame.view import Card, Column, Figure, Table, View
from prum.simulator.model.costs import ELEMENTS

if TYPE_CHECKING:
    import pandas as pd

_MOST_ROWS = 2_000
_MOST_DISAGREEING = 30
# Systems that are drawn as curves.
_MOST_CURVES = 3
_MOST_NAMES = 20

_ANSWERS = {
    "agrees": "Simulated users agree with the exact values",
    "disagrees": "Simulated users disagree with the exact values",
    "unresolved": "Simulated users are too few to settle every comparison with exact values",
    "not tested": "No exact value could be tested",
}
_HOLDS = {"agrees": True, "disagrees": False, "unresolved": False}
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
    """Return the verdict, and of each campaign a table and a card: what it says of PRUM."""
    names = dict.fromkeys(case.campaign for case in result.cases)
    parts = [_Campaign(result, name, number) for number, name in enumerate(names, start=1)]
    is_covering = any(part.entry.get("navigation") == "Covering" for part in parts)
    without = "nobody opens another chunk" if is_covering else "only the list counts"
    note = f"± users: standard errors from the draw of users; no browsing: {without}."
    return View(
        title="Cross-check of PRUM against exact values and simulated users",
        headline=_headline(result),
        story=(*_STORY, *(line for part in parts for line in part.story()), *_of_tests(result)),
        tables=tuple(table for part in parts for table in part.tables()),
        sentences=tuple(result.worth_in_words()),
        notes=(note,) * any(len(part.cases) > 1 for part in parts),
        holds=_HOLDS.get(result.verdict),
        cards=tuple(part.card() for part in parts),
    )


# --- sentences -----------------------------------------------------------------------------------


def _headline(result: Crosscheck) -> str:
    rows = result.comparisons
    counts = rows["verdict"].value_counts().rename(KINDS)
    verdicts = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    of_own = (f"{_error_of(name, name, rows, brief=True)} " for name in result.approximations)
    unit = "" if result.unit == ELEMENTS else f"costs in {result.unit}, "
    return "".join(of_own) + (
        f"{_ANSWERS[result.verdict]} ({verdicts}; {count(result.num_tested, 'test')}, false alarm "
        f"rate {result.level:g} in all; {count(result.num_users, 'user')} a list or more, {unit}"
        f"seed {result.seed}). {_error_of('prum', 'PRUM', rows, brief=True)}"
    )


def _error_of(column: str, name: str, rows: "pd.DataFrame", *, brief: bool = False) -> str:
    """Return how far an approximation is off, and where; `own` begins its columns."""
    worst = largest_error(f"{column}_error", rows)
    off, is_exact = getattr(worst, f"{column}_error"), np.isfinite(worst.exact)
    values = "precision" if is_exact else "the simulated values"
    topic = f"topic {worst.topic}" if brief else worst.topic
    of_list = "" if rows["r"].is_unique else f"{worst.system}, {topic}, "
    place = f"{of_list}r = {worst.r}"
    if abs(off) < PRINTED:
        return f"{name} equals {values} ({worst.reference_name}) to five decimals."
    if brief:
        size = shown(off, "+.2g" if abs(off) >= 1e-4 else "+.5f").replace("0.", ".", 1)
        of = f"{worst.campaign}: " * (rows["campaign"].nunique() > 1)
        what = "largest error" if is_exact else "farthest from the simulated values"
        return f"{name}, {what}: {size} ({of}{place})."
    size = shown(off, "+.5f")
    if is_exact:
        kind, _, way = worst.reference_name.partition(", ")
        return f"{name}'s largest error ({kind} value: {way}): {size} ({place})."
    # What users were drawn for has an error of its own, and the largest of many has more.
    error = shown(worst.error, ".5f")
    return (
        f"{name} is farthest from the simulated values, by {size}, where their standard error is "
        f"{error} ({place})."
    )


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


def _disagreements(campaign: str, rows: "pd.DataFrame") -> Table:
    """Return the first comparisons that disagree, and what each test says."""
    cut = f"the first {_MOST_DISAGREEING} of {len(rows):,}"
    means, p = dict.fromkeys(("exact", "simulated", "error"), ".5f"), {"p_leading": "p of E[CL]"}
    p |= {"p_consulted": "p of E[C]", "p_spread": "p of C's spread"}
    return frame_table(
        f"{campaign}: where simulation and exact values disagree",
        rows.head(_MOST_DISAGREEING),
        {"system": "", "topic": "", "r": "", **means, **dict.fromkeys(p, ".2g")},
        names={"error": "± error", **p},
        bad=[True] * min(len(rows), _MOST_DISAGREEING),
        legend=["p: of precision's two means, and of how far C strays from its mean"]
        + [cut] * (len(rows) > _MOST_DISAGREEING),
    )


def _with_errors(words: Mapping[str, str]) -> dict[str, str]:
    """Return the headings of what is computed and simulated, by column."""
    return {
        column: heading
        for name, symbol in words.items()
        for column, heading in (
            (f"prum_{name}", f"{symbol}: PRUM"),
            (f"exact_{name}", f"{symbol}: exact"),
            (f"simulated_{name}", f"{symbol}: simulated"),
            (f"{name}_error", f"{symbol}: ± error"),
        )
    }


def _placed(heading: str, systems: "pd.DataFrame", name: str) -> Column:
    """Return a column of scores with places."""
    brief = [shown(score, ".5f") for score in systems[name]]
    places = zip(brief, systems[f"{name}_place"], strict=True)
    texts = [f"{text} ({place})" for text, place in places]
    return Column.of(heading, texts, brief=tuple(brief))


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

    def of_campaign(self, table: "pd.DataFrame | None") -> "pd.DataFrame | None":
        return None if table is None else table[table["campaign"] == self.name]

    @cached_property
    def rows(self) -> "pd.DataFrame":
        rows = self.result.comparisons
        return rows[rows["campaign"] == self.name]

    @cached_property
    def systems(self) -> "pd.DataFrame":
        systems = self.result.systems
        rows = systems[systems["campaign"] == self.name]
        return rows.sort_values("reference_place", kind="stable")

    @property
    def entry(self) -> dict[str, Any]:
        return next(entry for entry in self.result.campaigns if entry["name"] == self.name)

    def tables(self) -> Iterator[Table]:
        """Yield what disagrees, and the scores of systems, or the precision of a single list."""
        yield from self._main()
        if len(self.cases) == 1:
            yield self._of_rows(
                f"precision = E[CL] / E[C]{self._in_unit} at each recall value r",
                self._judged_rows(),
                {**dict.fromkeys(self._values, ".5f"), "p": ".2g", "said": ""},
                [*self.sentences(), *self._charged()],
            )
            yield self._of_rows(
                f"E[CL] and E[C]{self._in_unit} at each recall value r",
                self.rows,
                dict.fromkeys(_with_errors(MEANS), ".5f"),
            )
            if self.result.ranks is not None:
                yield self._of_ranks()

    def _main(self) -> Iterator[Table]:
        """Yield what disagrees, and the scores of several systems."""
        bad = self.rows[self.rows["verdict"] == "disagrees"]
        if len(bad):
            yield _disagreements(self.name, bad)
        if len(self.cases) == 1:
            return
        num_topics = int(self.systems["num_topics"].iloc[0])
        systems = self.systems
        approximations = (*self.result.approximations,)
        yield Table(
            f"{self.name}: precision{self._in_unit} averaged over recall values and "
            f"{count(num_topics, 'topic')} (place among systems)",
            (
                Column.of("system", systems["system"], left=True),
                _placed("PRUM", systems, "prum"),
                *(_placed(name, systems, name) for name in approximations),
                _placed(reference_name(self.cases), systems, "reference"),
                Column.of("simulated", systems["simulated"].tolist(), ".5f"),
                Column.of("± users", systems["users_error"].tolist(), ".5f"),
                _placed("no browsing", systems, "classical"),
            ),
            legend=(*self.sentences(), *self._charged()),
        )

    def card(self) -> Card:
        """Return its answer, figure, errors and power, and all its tables."""
        answer = f"{self._answer()} {_error_of('prum', 'PRUM', self.rows, brief=True)}"
        values = dict.fromkeys((*self._values, "mean_ratio", *_with_errors(MEANS)), ".5f")
        tables = [
            *self._main(),
            self._of_rows(
                "every comparison, and the means E[CL] and E[C]",
                self._judged_rows(),
                {**values, "p": ".2g", "detectable": ".2%", "said": ""},
            ),
            *([] if self.result.ranks is None else [self._of_ranks()]),
        ]
        sentences = [
            *self.sentences(brief=True),
            *self._charged(),
            *self.result.worth_in_words(self.name),
        ]
        verdict = self.result.verdict_of_campaign(self.name)
        return Card(self.name, answer, _HOLDS.get(verdict), self.figure, (*sentences,), (*tables,))

    def _answer(self) -> str:
        """Return its verdict in a sentence."""
        counts = self.rows["verdict"].value_counts()
        verdict = self.result.verdict_of_campaign(self.name)
        num_tested = len(self.rows) - counts.get(NO_LAW, 0)
        of = f"{counts.get(verdict, 0):,} of " if verdict != "agrees" else ""
        where = f" ({of}{count(num_tested, 'comparison')})" if num_tested else ""
        return f"{_ANSWERS[verdict]}{where}."

    @property
    def _values(self) -> tuple[str, ...]:
        return "prum", *self.result.approximations, "exact", "simulated", "half"

    def _judged_rows(self) -> "pd.DataFrame":
        """Return its comparisons with half the band, and verdicts in words."""
        rows = self.rows
        return rows.assign(
            half=np.maximum(rows["high"] - rows["simulated"], rows["simulated"] - rows["low"]),
            said=[*map(verdict_in_words, rows["verdict"], rows["users_needed"])],
        )

    def _of_ranks(self) -> Table:
        events = _with_errors(EVENTS)
        new = "something new: the rank is consulted and leads to a previously unseen ideal"
        return self._of_rows(
            "rank by rank, for users who want r ideals",
            self.of_campaign(self.result.ranks),
            {"rank": "", "element": "", **dict.fromkeys(events, ".5f"), "p": ".2g", "verdict": ""},
            [new],
            EVENTS,
        )

    def _of_rows(
        self,
        label: str,
        table: Any,
        forms: Mapping[str, str],
        legend: Sequence[str] = (),
        means: Mapping[str, str] = MEANS,
    ) -> Table:
        """Return a table of comparisons or ranks, those that disagree first if it is cut."""
        several = len(self.cases) > 1
        names = {
            **{name: name for name in self.result.approximations},
            **_with_errors(means),
            "prum": "PRUM",
            "exact": f"exact, {self.cases[0].navigation}",
            "half": "±",
            "mean_ratio": "E[CL/C]",
            "detectable": "would find",
            "said": "verdict",
        }
        is_bad = table["verdict"] == "disagrees"
        if (cut := len(table) - _MOST_ROWS) > 0:
            table = table.loc[(~is_bad).sort_values(kind="stable").index]
            legend = [*legend, f"{cut:,} more rows are in the CSV and JSON output"]
        table = table.head(_MOST_ROWS)
        heads = ("system", "topic", "r") if several else ("r",)
        return frame_table(
            f"{self.name}: {label}",
            table,
            {**dict.fromkeys(heads, ""), **forms},
            names=names,
            bad=is_bad[table.index].tolist(),
            legend=legend,
        )

    @property
    def _in_unit(self) -> str:
        return "" if self.result.unit == ELEMENTS else f" in {self.result.unit}"

    def _charged(self) -> list[str]:
        """Return what C is, where it is no number of elements."""
        rest = "CL what those cost that lead to something new"
        return [f"C is what the consulted elements cost{self._in_unit}, {rest}"] * bool(
            self._in_unit
        )

    @property
    def figure(self) -> Figure:
        """Curves of the first systems."""
        by_system: dict[str, list[CheckedList]] = {
            system: [] for system in self.systems["system"][:_MOST_CURVES]
        }
        for case in self.cases:
            if case.system in by_system:
                by_system[case.system].append(case)
        curves = {system: curves_of(cases) for system, cases in by_system.items()}
        label = "; ".join(f"Precision of {system}, {of}" for system, of in curves.items())
        what = "Precision at each r"
        if (num_topics := len({case.topic for case in self.cases})) > 1:
            what = f"Interpolated precision, mean over {num_topics} topics"
        caption = f"{what}; the band is where simulated values may lie if all is right"
        if len(curves) < len(self.systems):
            caption += f"; the first {len(curves)} of {len(self.systems)} systems"
        return Figure(caption, label, partial(draw_curves, curves, f"c{self.number}"))

    def sentences(self, *, brief: bool = False) -> Iterator[str]:
        """Yield what follows from its tables; `brief` without PRUM's error, which a card names."""
        for name in self.result.approximations:
            yield _error_of(name, name, self.rows)
        if not brief:
            yield _error_of("prum", "PRUM", self.rows)
        names = {"prum": "PRUM", "classical": "no browsing"}
        taus = [
            f"{names.get(name, name)} {'none, all are tied' if np.isnan(tau) else f'{tau:.3f}'}"
            for name, tau in rank_correlations(self.systems).items()
        ]
        if taus:
            ranking = f"Kendall's tau-b with the ranking by {reference_name(self.cases)}"
            yield f"{ranking}: {', '.join(taus)}."
        yield f"{self.entry['links']}."

    def story(self) -> Iterator[str]:
        """Yield what it is."""
        entry = self.entry
        size = entry["collection_size"]
        parts = [
            count(len(self.systems), "system"),
            count(len({case.topic for case in self.cases}), "topic"),
            *([f"a collection of {count(size, 'element')}"] if size else ()),
        ]
        yield f"{self.name}: {', '.join(parts)}. Key of the navigation: {entry['navigation_key']}."
        if without := entry["without_ideals"]:
            more = len(without) - _MOST_NAMES
            rest = f" and {more:,} more" if more > 0 else ""
            yield f"Left out, no ideal element: {', '.join(without[:_MOST_NAMES])}{rest}."
