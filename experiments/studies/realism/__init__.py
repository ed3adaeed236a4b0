"""How close made data are to real data, statistic by statistic.

\b
A and B are each
  a folder of prum generate; or
  a TOML file that names files, those there are:
    links      source and target, with probabilities or without
    elements   [a table] or [XML files]
    runs       TREC runs, or a pattern like "runs/*"
    qrels      and ideal_grade, 1 by default
    log        of prum simulate or prum generate, or of people
    clicks     log of searches, as NAVER's CLARA2

Degrees of pages, shapes of trees, topics and lists, and what people did: distances of what
both have (Kolmogorov and Smirnov's, Wasserstein's), with p-values by permutation of documents,
topics or people.
"""

import math
from collections.abc import Mapping, Sequence
from glob import glob
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from prum.experiments.frame.design import Design, FileUse, Seed, option
from prum.experiments.frame.drawing import Drawing
from prum.experiments.frame.frames import frame_table, rows_of, turned
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import Advance, Study
from prum.experiments.frame.view import View
from prum.experiments.generate.dataset import runs_of, table_of
from prum.experiments.generate.files import Outline
from prum.experiments.logs import is_simulated
from prum.experiments.statistics.distances import (
    MOST_GROUPS,
    GroupedSample,
    compare_samples,
)
from prum.experiments.statistics.tests import LEVEL, holm
from prum.experiments.studies.kit.figures import lined
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.realism.statistics import (
    STATISTICS,
    Samples,
    of_clicks,
    of_elements,
    of_judged_runs,
    of_links,
    of_people,
    of_qrels,
    of_runs,
    of_simulated,
)
from prum.simulator import InputError, read_elements, read_run, read_xml
from prum.simulator.collections.links import read_pairs
from prum.simulator.collections.qrels import read_whole_qrels
from prum.simulator.generation.specifications import SpecificationTable, toml_content, validated
from prum.simulator.model.arrays import Floats

FIRST, SECOND = "A", "B"
_MOST_STEPS = 200
REMEDY = "prum study realism --help says what may be there"


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

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files that options name, and those that a side's TOML file names."""
        inside = [
            str(path)
            for side in (self.a, self.b)
            if "input" in roles
            for paths in files_of(side)[0].values()
            for path in paths
        ]
        return (*super().files(*roles), *inside)


def compute(design: RealismDesign, progress: Advance) -> Any:
    """Return how far both sides lie apart.

    Two sides, each a dataset of `prum generate`, or files that people have. What both tell is
    compared statistic by statistic (`STATISTICS`): each is a sample of numbers, in groups that are
    exchangeable. Distances are those of Kolmogorov and
    Smirnov, and of Wasserstein, with p-values by permutation of groups, adjusted by Holm's method
    over the statistics. Beside them stand both sides and the share of values up to points by
    statistic and side.

    Raise InputError for bad files, and sides that have no statistic in common.
    """
    pairs = both(samples_of(design.a), samples_of(design.b))
    if not pairs:
        thing, rule = "statistics that both sides have", "be at least 1"
        remedy = "give files of the same kinds: links, elements, runs and qrels, logs"
        place = f"{design.a}, {design.b}"
        raise InputError(thing, 0, rule, remedy=remedy, place=place)
    rows = compared(pairs, permutations=design.permutations, seed=design.seed)
    curves = {
        name: {FIRST: curve(a.values), SECOND: curve(b.values)} for name, (a, b) in pairs.items()
    }
    progress(1.0)
    return rows, SimpleNamespace(a=design.a, b=design.b, curves=curves)


def both(first: Samples, second: Samples) -> dict[str, tuple[GroupedSample, GroupedSample]]:
    """Return the samples of statistics that both sides have, in their order.

    Where all that is relevant is ideal, on both sides, numbers of ideals tell nothing more.
    """
    shared = [name for name in STATISTICS if name in first and name in second]
    pairs = {name: (first[name], second[name]) for name in shared}
    if {"relevant", "ideal"} <= pairs.keys() and all(
        np.array_equal(side["relevant"].values, side["ideal"].values) for side in (first, second)
    ):
        del pairs["ideal"]
    return pairs


def compared(
    pairs: Mapping[str, tuple[GroupedSample, GroupedSample]],
    *,
    permutations: int,
    seed: int,
) -> list[Any]:
    """Return a row for each statistic.

    `unit` is what is permuted, on either side if they differ. Groups, values, median, mean and sd
    are of both sides; p-values of both distances also as Holm adjusts them over the statistics;
    `wasserstein_sd` is in standard deviations of A. `least_p` is the smallest p-value that so many
    groups and permutations can give.
    """
    rows = []
    for place, (name, (_, unit)) in enumerate(STATISTICS.items()):
        if name not in pairs:
            continue
        first, second = pairs[name]
        # A statistic has the same random numbers whatever else there is.
        rng = np.random.default_rng([seed, place])
        found = compare_samples(first, second, permutations=permutations, rng=rng)
        sd = spread(first.values)
        # What is permuted, or what would be on either side.
        units = dict.fromkeys(side.unit or unit for side in (first, second))
        rows.append(
            {"statistic": name, "unit": " / ".join(units)}
            | _described(first, "a")
            | _described(second, "b")
            | {"ks": found.ks, "ks_p": found.ks_p, "ks_holm": None}
            | {"wasserstein": found.wasserstein}
            | {"wasserstein_sd": found.wasserstein / sd if sd else None}
            | {"wasserstein_p": found.wasserstein_p, "wasserstein_holm": None}
            | {"least_p": found.least_p}
        )
    columns: dict[str, Any] = turned(rows)
    columns |= {f"{kind}_holm": holm(columns[f"{kind}_p"]) for kind in ("ks", "wasserstein")}
    return rows_of(columns)


def _described(sample: GroupedSample, side: str) -> dict[str, float]:
    """Return the numbers of groups and values, median, mean and standard deviation of a side."""
    values = sample.values
    numbers = {"groups": sample.num_groups, "values": len(values), "median": np.median(values)}
    numbers |= {"mean": values.mean(), "sd": spread(values)}
    return {f"{name}_{side}": number for name, number in numbers.items()}


def spread(values: Floats) -> float:
    """Return the standard deviation; 0 for values that are all equal."""
    return float(values.std()) if values.min() < values.max() else 0.0


def curve(values: Floats) -> list[list[float]]:
    """Return points and the share of values up to each, at most so many steps."""
    ordered = np.sort(values)
    ends = np.unique(ordered)
    if len(ends) > _MOST_STEPS:
        shares = np.linspace(0, 1, _MOST_STEPS)
        ends = np.unique(np.quantile(ordered, shares, method="inverted_cdf"))
    counts = np.searchsorted(ordered, ends, side="right")
    return [ends.tolist(), (counts / len(ordered)).tolist()]


# --- the files of a side --------------------------------------------------------------------------


class Sources(SpecificationTable):
    """Files to compare, as the help text of the study says; paths from the folder of this file."""

    name: str = "files"
    links: str | None = None
    elements: tuple[str, ...] = ()
    runs: str | tuple[str, ...] = ()
    qrels: str | None = None
    ideal_grade: Annotated[int, Field(ge=1)] = 1
    log: str | None = None
    clicks: str | None = None


_KINDS = ("links", "elements", "runs", "qrels", "log", "clicks")
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def files_of(side: str | Path) -> tuple[dict[str, tuple[Path, ...]], int]:
    """Return the files of a side by kind, and the lowest grade of an ideal.

    Raise InputError for a folder that is no dataset, for a mistake in a TOML file, and for a file
    that isn't there; OSError if it can't be read.
    """
    folder = Path(side)
    if folder.is_dir():
        tables = {kind: table_of(folder, kind) for kind in ("links", "log", "elements")}
        paths: dict[str, tuple[Path, ...]] = {
            kind: (path,) for kind, path in tables.items() if path is not None
        }
        if (qrels := folder / "qrels.txt").is_file():
            paths["qrels"] = (qrels,)
        grade = Outline.read(folder).specification.topics.ideal_grade
        return {**paths, "runs": runs_of(folder)}, grade
    content, context = toml_content(side, remedy=REMEDY)
    sources, named = validated(Sources, content, context, remedy=REMEDY), {}
    for kind in _KINDS:
        names = getattr(sources, kind) or ()
        # A file that two patterns match counts once; the folder's own name is no pattern.
        matches = dict.fromkeys(
            Path(side).parent / match
            for name in ([names] if isinstance(names, str) else names)
            for match in _matches(Path(side).parent, name, f"{side}: {kind}")
        )
        named[kind] = tuple(matches)
    is_table = any(map(_is_table, named["elements"]))
    if is_table and len(named["elements"]) > 1:
        rule, remedy = "be one table, or XML files", "leave the others out"
        raise InputError("elements", sources.elements, rule, remedy=remedy, place=str(side))
    if not any(named.values()):
        raise InputError("files", (), f"name {', '.join(_KINDS)}", remedy=REMEDY, place=str(side))
    return named, sources.ideal_grade


def _matches(folder: Path, name: str, place: str) -> list[str]:
    """Return the files of a name or pattern."""
    names = [name] if (folder / name).is_file() else sorted(glob(name, root_dir=folder))
    if not any((folder / name).is_file() for name in names):
        remedy = "paths start from the folder of the TOML file"
        raise InputError("name", name, "be or match a file", remedy=remedy, place=place)
    return [name for name in names if (folder / name).is_file()]


def _is_table(path: Path) -> bool:
    """Return whether a file of elements is a table, not XML."""
    return path.name.lower().removesuffix(".gz").endswith(_TABLES)


def samples_of(side: str | Path) -> Samples:
    """Return the samples of all statistics that the files of a side tell, by name.

    Raise InputError or OSError as `files_of` and the readers.
    """
    paths, ideal_grade = files_of(side)
    found: Samples = {}
    if links := paths.get("links"):
        found |= of_links(read_pairs(links[0]))
    if elements := paths.get("elements"):
        read = read_elements if _is_table(elements[0]) else read_xml
        found |= of_elements(read(*elements))
    texts: dict[str, str] = {}
    # Two runs may be called alike in different folders.
    runs = {str(run): read_run(run, texts=texts) for run in paths.get("runs", ())}
    if runs:
        found |= of_runs(runs)
    if files := paths.get("qrels"):
        qrels = read_whole_qrels(files[0])
        found |= of_qrels(qrels, ideal_grade)
        if runs:
            found |= of_judged_runs(runs, qrels, ideal_grade)
    if log := paths.get("log"):
        found |= of_simulated(log[0]) if is_simulated(log[0]) else of_people(log[0])
    if clicks := paths.get("clicks"):
        found |= of_clicks(clicks[0])
    return {name: sample for name, sample in found.items() if len(sample.values)}


# --- what is shown --------------------------------------------------------------------------------


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
NAMES |= {"wasserstein_holm": "Wasserstein Holm"}
NAMES |= {name: f"{name[:-2]} {name[-1].upper()}" for name in SAMPLES if name != "statistic"}


def view(result: Any) -> View:
    """Return what differs, and the samples."""
    story, design, rows = Story.beside(__package__), result.design, result.rows
    frame = result.to_frame()
    frame["meaning"] = [STATISTICS[name][0] for name in frame.statistic]
    values = {"design": design, "found": result.found, "most_groups": f"{MOST_GROUPS:,}"}
    label = "Empirical distribution functions of both sides, a panel for each statistic"
    return story.view(
        (
            frame_table("Distances of A and B", frame, DISTANCES, names=NAMES),
            frame_table("Samples, A and B", frame, SAMPLES, names=NAMES),
            frame_table("Statistics", frame, {"statistic": "", "meaning": ""}),
        ),
        values,
        headline=_verdict(story, rows, design.permutations),
        figure=(label, lambda: _figure(result.found.curves)),
        notes=("distances", "permutations" if design.permutations else None),
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
        few = len(hidden) / (1 + permutations) > LEVEL
        key = "too few permutations" if few else "too few groups"
    values = {"number": len(rows), "tested": len(tested), "different": num_different or "None"}
    values |= {"differ": "differs" if num_different == 1 else "differ"}
    values |= {"permutations": permutations, "needed": math.ceil(len(tested) / LEVEL)}
    values |= {"hidden": ", ".join(hidden)}
    far = max(rows, key=lambda row: row.wasserstein_sd or 0)
    values |= {"farthest": f"{far.statistic} ({STATISTICS[far.statistic][0]})"}
    constant = [row.statistic for row in rows if row.wasserstein_sd is None and row.wasserstein]
    values |= {"apart": far.wasserstein_sd, "constant": ", ".join(constant)}
    sections = (
        key,
        "hidden" if key == "tested" and hidden else None,
        "farthest" if far.wasserstein_sd else None,
        "constant" if constant else None,
    )
    return f"{'; '.join(story.paragraphs(*sections, **values))}."


def _figure(curves: Mapping[str, Mapping[str, list[list[float]]]]) -> Drawing:
    """Return a panel for each statistic: shares of values up to x, a line for each side."""
    import pandas as pd

    parts = [
        pd.DataFrame({"statistic": name, "side": side, "x": points, "share": shares})
        for name, sides in curves.items()
        for side, (points, shares) in sides.items()
    ]
    drawn, across = pd.concat(parts), {"panel": "statistic", "line": "side", "x": "x", "y": "share"}
    return lined(drawn, **across, name="x", columns=3, has_legend=True)


REALISM = Study("realism", __doc__, RealismDesign, None, compute, view)
