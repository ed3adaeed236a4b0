"""How close made data are to real data, statistic by statistic.

\b
A and B are each
  a folder of prum generate;
  a specification of prum generate, which is made then; or
  a TOML file that names files, those there are:
    links      with probabilities or without
    elements   [a table] or [XML files]
    runs       TREC runs, or a pattern like "runs/*"
    qrels      and ideal_grade, 1 by default
    log        of prum simulate or prum generate
    clicks     instead: log of searches, as NAVER's CLARA2
    paths      what people walked, a path a line

Degrees of pages, shapes of trees, topics and lists, and what people did: distances of what
both have (Kolmogorov and Smirnov's, Wasserstein's), with p-values by permutation of documents,
topics or people.
"""

import math
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.experiments.frame.design import Design, FileUse, Seed, option
from prum.experiments.frame.drawing import INK, PRUM, paneled
from prum.experiments.frame.frames import frame_table, rows_of, turned
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import Advance, Study
from prum.experiments.frame.view import View
from prum.experiments.statistics.distances import (
    MOST_GROUPS,
    MOST_POINTS,
    GroupedSample,
    compare_samples,
    wasserstein,
)
from prum.experiments.statistics.tests import holm
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.realism.reading import Content, Samples, files_of, specification_of
from prum.experiments.studies.realism.statistics import STATISTICS, both, samples
from prum.simulator import InputError
from prum.simulator.model.arrays import Floats

FIRST, SECOND = "A", "B"
LEVEL = 0.05
_MOST_STEPS = 200


class RealismDesign(Design):
    """Options of the study of realism."""

    a: str = option(..., "What B is compared with.", file="input", positional=True)
    b: str = option(..., "What is compared.", file="input", positional=True)
    permutations: int = option(
        999,
        "Permutations for p-values; 0 for none.",
        most=1_000_000,
        remedy="give 999, say",
        always=True,
    )
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        for side in (self.a, self.b):
            if Path(side).exists() and not (Path(side).is_file() or Path(side).is_dir()):
                rule = "be a folder or a file, which is read more than once"
                remedy = "write what the pipe gives to a file"
                raise InputError("side of a comparison", side, rule, remedy=remedy)

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files that options name, and those that a side's TOML file names."""
        inside = [
            f"{path}"
            for side in (self.a, self.b)
            if "input" in roles and specification_of(side) is None
            for paths in files_of(side).paths.values()
            for path in paths
        ]
        return (*super().files(*roles), *inside)


def compute(design: RealismDesign, progress: Advance) -> Any:
    """Return how far both sides lie apart.

    Two sides, each a dataset of `prum generate`, a specification of one, which is made then, or
    files that people have. What both tell is compared statistic by statistic
    (`statistics.STATISTICS`): each is a sample of numbers, in groups that are exchangeable.
    Distances are those of Kolmogorov and Smirnov, and of Wasserstein, with p-values by permutation
    of groups, adjusted by Holm's method over the statistics. Beside them stand both sides and the
    share of values up to points by statistic and side.

    Raise InputError for bad files and specifications, and sides that have no statistic in common.
    """
    specification, own = specification_of(design.b), specification_of(design.a)
    apart = {"name": None, "seed": None}
    if own and specification and {**own, **apart} == {**specification, **apart}:
        rule = f"differ from {design.a} in more than its seed, which the study replaces"
        remedy = "make both by prum generate, with a seed each, and compare the folders"
        raise InputError("B", design.b, rule, remedy=remedy)
    first = samples(files_of(design.a).read() if own is None else made_data(own, design.seed))
    # The other side, and what the next seed makes.
    second, again = (
        (samples(files_of(design.b).read()), {})
        if specification is None
        else tuple(samples(made_data(specification, design.seed + more)) for more in (0, 1))
    )
    pairs = both(first, second)
    if not pairs:
        thing, rule = "statistics that both sides have", "be at least 1"
        remedy = "give files of the same kinds: links, elements, runs and qrels, logs"
        place = f"{design.a}, {design.b}"
        raise InputError(thing, 0, rule, remedy=remedy, place=place)
    rows = compared(pairs, again, permutations=design.permutations, seed=design.seed)
    curves = {
        name: {FIRST: curve(a.values), SECOND: curve(b.values)} for name, (a, b) in pairs.items()
    }
    progress(1.0)
    return rows, SimpleNamespace(a=design.a, b=design.b, curves=curves)


def compared(
    pairs: dict[str, tuple[GroupedSample, GroupedSample]],
    again: Samples,
    *,
    permutations: int,
    seed: int,
) -> list[Any]:
    """Return a row for each statistic; `again` are samples of the second side made once more.

    `unit` is what is permuted, on either side if they differ. Groups, values, median, mean and sd
    are of both sides; p-values of both distances also as Holm adjusts them over the statistics;
    `wasserstein_sd` is in standard deviations of A. `least_p` is the smallest p-value that so many
    groups and permutations can give. `made_twice` and `made_twice_sd`: the same distance of the
    second side, made from a specification, and of what the next seed makes. `drawn_a`, `drawn_b`:
    the groups in the permutations, None for all; `enumerated`: whether all permutations were made.
    """
    known = [(at, statistic) for at, statistic in enumerate(STATISTICS) if statistic.name in pairs]
    comparisons = [
        # A statistic has the same random numbers whatever else there is.
        compare_samples(
            *pairs[statistic.name], permutations=permutations, rng=np.random.default_rng([seed, at])
        )
        for at, statistic in known
    ]
    ks_holm = holm([comparison.ks_p for comparison in comparisons])
    moved_holm = holm([comparison.wasserstein_p for comparison in comparisons])
    rows = []
    for number, ((_, statistic), found) in enumerate(zip(known, comparisons, strict=True)):
        first, second = pairs[statistic.name]
        sd, chance = spread(first.values), None
        if statistic.name in again:
            chance = wasserstein(second.values, again[statistic.name].values)
        drawn_a, drawn_b = found.drawn or (None, None)
        # What is permuted, or what would be on either side.
        units = dict.fromkeys(side.unit or statistic.unit for side in (first, second))
        rows.append(
            {"statistic": statistic.name, "unit": " / ".join(units)}
            | _described(first, "a")
            | _described(second, "b")
            | {"ks": found.ks, "ks_p": found.ks_p, "ks_holm": ks_holm[number]}
            | {"wasserstein": found.wasserstein, "wasserstein_sd": _in_sd(found.wasserstein, sd)}
            | {"wasserstein_p": found.wasserstein_p, "wasserstein_holm": moved_holm[number]}
            | {"least_p": found.least_p, "made_twice": chance, "made_twice_sd": _in_sd(chance, sd)}
            | {"drawn_a": drawn_a, "drawn_b": drawn_b, "enumerated": found.enumerated}
        )
    return rows_of(turned(rows))


def _described(sample: GroupedSample, side: str) -> dict[str, float]:
    """Return the numbers of groups and values, median, mean and standard deviation of a side."""
    values = sample.values
    numbers = {"groups": sample.num_groups, "values": len(values), "median": np.median(values)}
    numbers |= {"mean": values.mean(), "sd": spread(values)}
    return {f"{name}_{side}": number for name, number in numbers.items()}


def spread(values: Floats) -> float:
    """Return the standard deviation; 0 for values that are all equal."""
    return float(values.std()) if values.min() < values.max() else 0.0


def _in_sd(distance: float | None, sd: float) -> float | None:
    return None if distance is None or not sd else distance / sd


def curve(values: Floats) -> list[list[float]]:
    """Return points and the share of values up to each, at most so many steps."""
    ordered = np.sort(values)
    ends = np.unique(ordered)
    if len(ends) > _MOST_STEPS:
        shares = np.linspace(0, 1, _MOST_STEPS)
        ends = np.unique(np.quantile(ordered, shares, method="inverted_cdf"))
    counts = np.searchsorted(ordered, ends, side="right")
    return [ends.tolist(), (counts / len(ordered)).tolist()]


def made_data(specification: Mapping[str, Any], seed: int) -> Content:
    """Return the content of a collection that is made for the moment.

    Raise InputError or OSError as `prum generate`.
    """
    from prum.experiments.generate import generate_dataset

    with tempfile.TemporaryDirectory(prefix="prum-") as folder:
        place = Path(folder) / "made"
        generate_dataset({**specification, "seed": seed}, place)
        return files_of(place).read()


def _digits(value: float) -> str:
    """Return a number with three significant digits, or all before the point."""
    return shown(value, ",.0f" if isinstance(value, float) and abs(value) >= 100 else ".3g")


DISTANCES: dict[str, Any] = {"statistic": "", "unit": "", "ks": ".3f", "ks_p": ".2g"}
DISTANCES |= {"ks_holm": ".2g", "wasserstein": _digits, "wasserstein_sd": ".3f"}
DISTANCES |= {"wasserstein_p": ".2g", "wasserstein_holm": ".2g"}
SAMPLES: dict[str, Any] = {"statistic": ""} | {
    f"{name}_{side}": form
    for name, form in {"groups": ",", "values": ",", "median": _digits, "mean": _digits}.items()
    for side in "ab"
}
NAMES = {"ks": "KS", "ks_p": "KS p", "ks_holm": "KS Holm", "wasserstein": "Wasserstein"}
NAMES |= {"wasserstein_sd": "in sd of A", "wasserstein_p": "Wasserstein p"}
NAMES |= {"wasserstein_holm": "Wasserstein Holm", "made_twice_sd": "made twice"}
NAMES |= {name: f"{name[:-2]} {name[-1].upper()}" for name in SAMPLES if name != "statistic"}


def view(result: Any) -> View:
    """Return what differs, and the samples."""
    story, design, rows = Story.beside(__package__), result.design, result.rows
    plain = {statistic.name: statistic.plain for statistic in STATISTICS}
    frame = result.to_frame()
    frame["meaning"] = frame.statistic.map(plain)
    cut = dict.fromkeys(row.statistic for row in rows if row.drawn_a is not None)
    has_many = any(min(row.values_a, row.values_b) > MOST_POINTS for row in rows)
    # How far two that are made alike lie apart.
    twice = {"made_twice_sd": ".3f"} if any(row.made_twice is not None for row in rows) else {}
    values = {"design": design, "found": result.found, "drawn": ", ".join(cut)}
    values |= {"most_groups": MOST_GROUPS, "most_points": MOST_POINTS}
    panels = [partial(_panel, name=name, sides=own) for name, own in result.found.curves.items()]
    label = "Empirical distribution functions of both sides, a panel for each statistic"
    return story.view(
        (
            frame_table("Distances of A and B", frame, DISTANCES | twice, names=NAMES),
            frame_table("Samples, A and B", frame, SAMPLES, names=NAMES),
            frame_table("Statistics", frame, {"statistic": "", "meaning": ""}),
        ),
        values,
        headline=_verdict(story, rows, design.permutations),
        figure=(label, lambda: paneled(panels, columns=3, tall=170, has_legend=True)),
        notes=(
            "distances",
            "permutations" if design.permutations else None,
            "twice" if twice else None,
            "drawn" if cut else None,
            "points" if design.permutations and has_many else None,
        ),
    )


def _verdict(story: Story, rows: Sequence[Any], permutations: int) -> str:
    """Return how many statistics differ, what could not be shown, and which lies farthest apart."""
    tested = [row for row in rows if row.wasserstein_holm is not None and row.least_p]
    num_different = sum(row.wasserstein_holm <= LEVEL for row in tested)
    # The next that Holm's method would reject is multiplied by as many as are left.
    left = len(tested) - num_different
    hidden = [row.statistic for row in tested if row.wasserstein_holm > LEVEL < row.least_p * left]
    key = "tested" if tested else "untested"
    if tested and len(hidden) == len(tested):
        key = "too few groups"
        if len(hidden) / (1 + permutations) > LEVEL:
            key = "too few permutations"
    values = {"number": len(rows), "tested": len(tested), "different": num_different or "None"}
    values |= {"differ": "differs" if num_different == 1 else "differ"}
    values |= {"permutations": permutations, "needed": math.ceil(len(tested) / LEVEL)}
    parts = [story.line(key, **values)]
    if key == "tested" and hidden:
        parts.append(story.line("hidden", hidden=", ".join(hidden)))
    far = max(rows, key=lambda row: -1 if row.wasserstein_sd is None else row.wasserstein_sd)
    if far.wasserstein_sd:
        (plain,) = (one.plain for one in STATISTICS if one.name == far.statistic)
        farthest = f"{far.statistic} ({plain})"
        parts.append(story.line("farthest", farthest=farthest, apart=far.wasserstein_sd))
    constant = [row.statistic for row in rows if row.wasserstein_sd is None and row.wasserstein]
    if constant:
        parts.append(story.line("constant", constant=", ".join(constant)))
    return f"{'; '.join(parts)}."


def _panel(axes: Any, name: str, sides: dict[str, list[list[float]]]) -> None:
    """Draw the shares of values of both sides up to x."""
    from matplotlib.ticker import MaxNLocator

    lines: dict[str, dict[str, Any]] = {
        FIRST: {"color": INK, "linewidth": 1.6},
        SECOND: {"color": PRUM, "linewidth": 1.3, "linestyle": "--"},
    }
    for label, (points, shares) in sides.items():
        # A step up at each point, from 0 at the first.
        axes.step([points[0], *points], [0, *shares], where="post", label=label, **lines[label])
    axes.set_title(name)
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
    if _is_heavy(sides):
        # Zeros lie left of all on it.
        least = min(point for points, _ in sides.values() for point in points if point > 0)
        axes.set_xscale("symlog", linthresh=least)
        axes.set_xlim(left=0)
        axes.minorticks_off()
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5))


def _is_heavy(sides: dict[str, list[list[float]]]) -> bool:
    """Return whether values spread over orders of magnitude, on either side.

    Where the largest is 20 times the median, the axis is logarithmic.
    """
    for points, shares in sides.values():
        median = next(p for p, share in zip(points, shares, strict=True) if share >= 0.5)
        if points[0] < 0:
            return False
        if points[-1] > 1 and points[-1] > 20 * median > 0:
            return True
    return False


REALISM = Study("realism", __doc__, RealismDesign, None, compute, view)
