"""What the page of the study of hypotheses says, for a reader who knows no theory."""

from collections.abc import Mapping
from typing import Any

from prum.experiments.crosscheck.page import PageTable
from prum.experiments.studies.hypotheses import figure
from prum.experiments.studies.hypotheses.study import (
    CAUSES,
    LEVELS,
    PLAIN,
    SETTINGS,
    setting_of,
    settings_of,
    simulated,
)
from prum.experiments.studies.study import WrittenStudy
from prum.experiments.studies.wording import number
from prum.simulator.model.grammar import parse

_WORDS = {
    "exclusive": "who clicks one link of a result clicks no other, as far as that can be",
    "comonotone": "who clicks a link of a result clicks all its likelier ones",
    "walk": "clicks follow one another on a path",
}


def contents(study: WrittenStudy) -> dict[str, Any]:
    """Return what the page says."""
    found, settings = study.found, settings_of(study)
    rows = {
        (*(row[name] for name in SETTINGS), row["cause"], row["recall"]): row for row in study.rows
    }
    first = rows[*settings[0], "total", "mean"]
    largest = max(
        (rows[*settings[0], cause, "mean"] for cause in CAUSES),
        key=lambda row: abs(row["share"]),
    )
    story = [
        "A list of search results is good if people who click their way from it soon find the "
        "pages they look for. Precision says how good: the expected number of results that led "
        "somebody to something new, over the number he went through, until he has found as many "
        "pages as he wants. PRUM is a formula for it. The formula takes it that every click is "
        "made independently of all others, by people who are all alike, who click as readily for "
        "one page as for ten, and who no longer click once the list is at its end. It also takes "
        "two shortcuts in computing.",
        f"Here all of that is broken on purpose, on {found['num_lists']:,} lists of "
        f"{found['num_systems']} systems for {found['num_topics']} topics. PRUM is always told the "
        "true probability of each click, in the mean over people; what it gets wrong is what it "
        f"assumes beyond that. {simulated(found)} A value above zero means that PRUM promises too "
        "much.",
        "Each cause is measured twice: alone, with everything else as PRUM assumes; and as a share "
        "of the whole error when all are present, which is its mean contribution over all orders "
        "in which they might be added (Shapley’s value). The shares add up to the whole.",
    ]
    tables = []
    for setting in settings:
        tables.append(_causes_table(setting, rows))
        rankings = [row for row in found["rankings"] if setting_of(row) == setting]
        if rankings:
            tables.append(_rankings_table(rankings))
    for setting in settings:
        tables.append(_levels_table(setting, rows))
    return {
        "title": "Study: which assumption of PRUM costs what",
        "headline": "With everything broken at once PRUM is off by "
        f"{_with_interval(first, 'share')} on average ({number(first['precision'], 3)} is true); "
        f"the largest share, {number(largest['share'], 5)}, comes from this: "
        f"{PLAIN[largest['cause']]}.",
        "story": story,
        "caption": "Error of precision: each cause alone (hollow) and its share of the whole "
        "(filled); right, the whole error by recall (dashed) and its largest shares",
        "label": "Error of PRUM by cause, and by recall level",
        "drawing": figure.hypotheses(study),
        "notes": [
            "Bars and ± are 95 % intervals over topics: what other topics might have given. "
            "Alone, “bell curve” and “shortcut” are the formula’s own; "
            "the bell curve is only used where more than ten pages may still be found, so it costs "
            f"nothing if no topic has more (here {found['most_ideals']} at most).",
            *(f"“{text}”: {words}." for text, words in _explained(settings)),
        ],
        "tables": tables,
    }


def _explained(settings: list[tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return what the settings mean."""
    words = dict.fromkeys(word for setting in settings for word in setting)
    told = []
    for word in words:
        part = parse(word, ValueError)[0][0]
        name, numbers = part.head, [number.text for number in part.words]
        if name in _WORDS:
            told.append((word, _WORDS[name]))
        elif name == "copula":
            told.append((word, f"clicks from one result are correlated, by {numbers[0]}"))
        elif name == "beta":
            law = " and ".join(numbers)
            told.append((word, f"each person’s clicks are a random fraction, beta law {law}"))
        elif name == "one-factor":
            told.append((word, f"all clicks of a person are correlated, by {numbers[0]}"))
        elif name == "types":
            told.append((word, "kinds of people, their shares and how much of the clicks they do"))
        elif name == "need":
            factors = ", ".join(numbers)
            told.append((word, f"who wants 1, 2, … pages does {factors} of the clicks"))
    return told


def _causes_table(setting: tuple[str, ...], rows: Mapping[Any, Any]) -> PageTable:
    return PageTable(
        f"Error of precision, mean over recall: {'; '.join(setting)}",
        ("cause", "alone", "± 95 %", "share of the whole", "± 95 %"),
        [
            [PLAIN[cause], *_cells(row, "alone"), *_cells(row, "share")]
            for cause in (*CAUSES, "total")
            for row in [rows[*setting, cause, "mean"]]
        ],
    )


def _levels_table(setting: tuple[str, ...], rows: Mapping[Any, Any]) -> PageTable:
    return PageTable(
        f"Shares by recall: {'; '.join(setting)}",
        ("recall", "true precision", *(PLAIN[cause] for cause in (*CAUSES, "total"))),
        [
            [
                f"{level:g}",
                number(rows[*setting, "total", level]["precision"], 4),
                *(number(rows[*setting, cause, level]["share"], 5) for cause in (*CAUSES, "total")),
            ]
            for level in LEVELS
        ],
    )


def _rankings_table(rankings: list[Mapping[str, Any]]) -> PageTable:
    return PageTable(
        "Ranking of systems by PRUM beside the true one",
        ("present", "Kendall’s tau-b", "95 %", "tau AP", "95 %", "the best one changes"),
        [
            [
                PLAIN[row["cause"]],
                "–" if row["tau_b"] is None else number(row["tau_b"], 3),
                _ends(row["tau_b_interval"]),
                number(row["tau_ap"], 3),
                _ends(row["tau_ap_interval"]),
                f"{100 * row['best_changes']:.1f} %",
            ]
            for row in (*rankings[1:], rankings[0])
        ],
    )


def _cells(row: Mapping[str, Any], name: str) -> tuple[str, str]:
    high = row[f"{name}_high"]
    return number(row[name], 5), "" if high is None else number(high - row[name], 5)


def _with_interval(row: Mapping[str, Any], name: str) -> str:
    value, half = _cells(row, name)
    return f"{value} ± {half}" if half else value


def _ends(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{number(interval[0], 2)} to {number(interval[1], 2)}"
