"""What the page of the study of estimators says."""

from typing import Any

from prum.experiments.studies.estimators import figure
from prum.experiments.studies.estimators.rows import chosen
from prum.experiments.studies.estimators.truth import ALL
from prum.experiments.studies.estimators.wording import tables, told, value_of
from prum.experiments.studies.study import WrittenStudy
from prum.experiments.studies.wording import number

_NOTES = (
    "Rankings: by n topics drawn without replacement; the true one is by all, so that by as many "
    "of an endless number they agree less. Coverage, power and false alarms: n topics drawn with "
    "replacement, so that the true mean is known. After ± and in the columns of that name: half a "
    "95 % interval; over draws for rankings, coverage, power and false alarms, so that it says how "
    "sure the number is for these data, not for others; over topics elsewhere.",
    "Swapped: each topic’s two scores are swapped at random. Centred: the mean difference is taken "
    "off; the sign test and Wilcoxon’s ask something else than means, and may find it.",
    "By law: what the binomial law of so many trials gives. An interval of few trials is wide or "
    "misses, for there are few numbers that a share can be.",
    "Of shares: what chance makes of shares, where elements that nobody consulted lead nowhere in "
    "both. Elsewhere: lists of systems without a log.",
)


def contents(study: WrittenStudy) -> dict[str, Any]:
    """Return what the page says."""
    return {
        "title": "Study: estimators, where the truth is known",
        "headline": _headline(study),
        "story": [
            "Real collections never tell what the true score of a system is. Made data do: who "
            "browses how, what is relevant and what every list is worth was decided before. Here "
            "everything that is done with a campaign is done with such data, and held against the "
            "truth.",
            told(study),
            *study.found["notes"],
        ],
        "caption": "What grows with topics, and with trials in the log",
        "label": "Kendall's tau-b, coverage and power by number of topics; error of probabilities",
        "drawing": figure.estimators(study),
        "notes": list(_NOTES),
        "tables": tables(study),
    }


def _headline(study: WrittenStudy) -> str:
    """Return how far each estimate is from the truth."""
    parts = []
    for row in chosen(study.rows, "truth", subject=ALL, quantity="rmse"):
        bias = value_of(study.rows, "truth", subject=ALL, method=row["method"], quantity="bias")
        if bias is not None:
            parts.append(
                f"{row['method']} is off by {number(row['value'], 4)} (root mean square; bias "
                f"{number(bias['value'], 5)})"
            )
    return f"{'; '.join(parts)}." if parts else "No estimate of the true precision was asked for."
