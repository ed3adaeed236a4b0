"""What the page of the study of robustness says and draws: Figures 3 and 4 of the paper."""

from typing import TYPE_CHECKING, Any

from prum.experiments.report.drawing import INK, PRUM, SIMULATED, SOFT, Drawing, drawn
from prum.experiments.report.page import Table
from prum.experiments.studies.robustness.printing import (
    HEADS,
    KINDS,
    hypotheses_of,
    levels_of,
    taus_of,
)
from prum.experiments.studies.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINES = (("M1", "M2", "M3", "M4"), ("slim tail", "medium tail", "fat tail"))
_COLOURS = (PRUM, INK, SIMULATED, SOFT)
# What is less, of so many topics; and the axis that it makes.
_LESS = {
    "topics": "{0:g} of {1} topics",
    "pool": "a pool of depth {0:g}",
    "judgements": "deeper judgements",
    "assessors": "an assessor who rejects {0:g} of what is relevant",
}
_AXES = {"topics": "topics", "pool": "pool depth", "judgements": "", "assessors": "share rejected"}
_MARKS = ("o", "s", "^", "D")


def contents(study: Study) -> dict[str, Any]:
    """Return what the page says."""
    options = study.options
    fat = [row for row in study.found["contrasts"] if row["hypothesis"] == "fat against slim tails"]
    least = fat[0]
    less = _LESS[least["kind"]].format(least["level"], options["topics"])
    kinds = [KINDS[kind] for kind, _ in _drawn(study)]
    return {
        "title": "Study: how firmly measures rank systems",
        "headline": f"By {less}, measures with fat tails rank {options['systems']} systems "
        f"{abs(least['difference']):.3f} "
        f"{'more' if least['difference'] > 0 else 'less'} like all judgements on all topics do "
        f"(mean Kendall’s tau-a; 95 % interval {least['low']:+.3f} to {least['high']:+.3f}) than "
        "those with slim ones.",
        "story": [
            "A measure of search results sums what a user finds, weighted by how likely he is to "
            "get there or to stop there. Fifteen such measures come of six ways to stop and four "
            "ways to count. One reason to prefer a measure is that it ranks systems in the same "
            "order when there is less to go by.",
            "Here the systems are ranked by all judgements on all topics, and again by fewer "
            "topics, by the judgements that shallower pools would have given, by deeper ones where "
            "there are any, and by an assessor who rejects a share of what the first found "
            "relevant and accepts as much else. Kendall’s tau-a is 1 where both rankings agree.",
            "Pools are those of the systems that are ranked. A sample of topics is compared with "
            "all of them, itself among them. Where scores of two systems are equal, the pair "
            "counts half for either order; the share of such pairs is in the rows.",
        ],
        "caption": f"Mean tau-a by {', then by '.join(kinds)}; for models (left) and tails (right)",
        "label": f"Kendall's tau-a by {' and by '.join(kinds)}",
        "drawing": _figure(study),
        "notes": [
            "M1: utility at the stop, M2: total utility, M3: effort, M4: average utility. Slim "
            "tails: RBP and ERR; medium: RR and RRR; fat: DCG and AP. RBTR ranks as RBP does but "
            "for its normalisation, and normalised ARR is normalised RR.",
            "Intervals of samples of topics are over the samples, which share topics: they do not "
            "say what other topics would give. All others are over resampled topics.",
        ],
        "tables": [
            *(
                Table(
                    f"Tau-a by {KINDS[kind]}",
                    ("", *(HEADS[kind].format(level) for level in levels)),
                    [
                        [name, *(f"{tau:.3f}" for tau in taus)]
                        for name, taus in taus_of(study, kind, levels)
                    ],
                )
                for kind, levels in levels_of(study)
            ),
            Table(
                "What the paper expects, and what is so here",
                ("first against second", "expected", "variation", "difference", "95 %", "here"),
                list(hypotheses_of(study)),
                num_left=3,
            ),
        ],
    }


def _drawn(study: Study) -> list[tuple[str, list[float]]]:
    """Return the kinds that are drawn, with their levels: the first two that there are."""
    return list(levels_of(study))[:2]


def _figure(study: Study) -> Drawing:
    """Return two lines of panels: models and tails, by what is drawn."""

    def fill(figure: "Figure") -> None:
        for line, (kind, levels) in enumerate(_drawn(study)):
            taus = dict(taus_of(study, kind, levels))
            first: Any = None
            for column, groups in enumerate(_LINES):
                box = (0.08 + 0.49 * column, 0.58 - 0.48 * line, 0.41, 0.34)
                axes = figure.add_axes(box, facecolor="none", sharey=first)
                first = first or axes
                for number, group in enumerate(groups):
                    axes.plot(
                        levels,
                        taus[group],
                        _MARKS[number] + "-",
                        color=_COLOURS[number],
                        markersize=3.5,
                        linewidth=1,
                        label=group,
                    )
                if kind == "pool":
                    axes.set_xscale("log")
                axes.set_xlabel(_AXES[kind], color=SOFT)
                axes.legend(frameon=False, fontsize=8, loc="lower right", labelcolor=INK)

    return drawn(fill, 620, 420)
