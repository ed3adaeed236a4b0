"""What a sweep shows: mean precision by what varied, an estimator a column."""

from typing import TYPE_CHECKING

from prum.experiments.frame.frames import frame_table
from prum.experiments.frame.numbers import count
from prum.experiments.frame.view import View

if TYPE_CHECKING:
    import pandas as pd

# Seeds and `unranked` are averaged over: formulas have none.
_AXES = ("campaign", "system", "navigation")
_ESTIMATORS = ("no-browsing", "prum", "prum-normal", "independent", "independent-normal")
_TRUE = ("exact", "simulated")


def sweep_view(name: str, rows: "pd.DataFrame") -> View:
    """Return the means over recall values, then topics, of the rows of a sweep.

    Where a value lacks on some topic, as an exact one that has no closed form, the mean does too.
    """
    varied = [axis for axis in _AXES if rows[axis].nunique() > 1] or [*_AXES[:1]]
    by_topic = _means(rows, [*varied, "estimator", "topic"])
    means = _means(by_topic, [*varied, "estimator"]).set_index([*varied, "estimator"])["precision"]
    table = means.unstack("estimator", sort=False)
    estimators = [estimator for estimator in (*_ESTIMATORS, *_TRUE) if estimator in table]
    forms = dict.fromkeys(varied, "<") | dict.fromkeys(estimators, ".4f")
    num_topics = len(rows[["campaign", "topic"]].drop_duplicates())
    num_cells = rows["key"].nunique()
    return View(
        title=f"Sweep {name}",
        headline="Precision by what varied.",
        story=(),
        tables=(
            frame_table(
                "Precision: mean over recall values, then topics",
                table[estimators].reset_index().fillna(dict.fromkeys(varied, "–")),
                forms,
            ),
        ),
        notes=(f"{count(num_topics, 'topic')}, {count(num_cells, 'distinct cell')}.",),
    )


def _means(rows: "pd.DataFrame", keys: list[str]) -> "pd.DataFrame":
    """Return the mean precision of groups, in order; none where a value of the group lacks."""
    grouped = rows.groupby(keys, dropna=False, sort=False)["precision"]
    return grouped.agg(lambda values: values.mean(skipna=False)).reset_index()
