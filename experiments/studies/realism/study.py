"""Study: how far made collections and logs are from real ones.

Two sides, each a dataset of `prum generate` or files that people have. What both tell is compared
statistic by statistic (`statistics.STATISTICS`): each is a sample of numbers, in groups that are
exchangeable. Distances are those of Kolmogorov and Smirnov, and of Wasserstein, with p-values by
permutation of groups, adjusted by Holm's method over the statistics.

Either side may be a specification of a collection, which is made then.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from prum.experiments.frame.design import Design, FileUse, Option, Seed
from prum.experiments.frame.study import Advance
from prum.experiments.statistics.distances import (
    GroupedSample,
    compare_samples,
    wasserstein,
)
from prum.experiments.statistics.tests import holm
from prum.experiments.studies.realism.reading import Data, files_of, specification_of
from prum.experiments.studies.realism.statistics import (
    STATISTICS,
    Samples,
    both,
    samples,
)
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError

FIRST, SECOND = "A", "B"
_MOST_STEPS = 200


class RealismDesign(Design):
    """Options of the study of realism."""

    a: Annotated[str, Option("What B is compared with.", file="input", positional=True)]
    b: Annotated[str, Option("What is compared.", file="input", positional=True)]
    permutations: Annotated[
        int,
        Option(
            "Permutations for p-values; 0 for none.",
            most=1_000_000,
            remedy="give 999, say",
            always=True,
        ),
    ] = 999
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


@dataclass(frozen=True, slots=True)
class RealismRow:
    """The distance of a statistic of A from that of B.

    `unit` is what is permuted, on either side if they differ. Groups, values, median, mean and sd
    are of both sides; p-values of both distances also as Holm adjusts them over the statistics;
    `wasserstein_sd` is in standard deviations of A. `least_p` is the smallest p-value that so many
    groups and permutations can give. `made_twice` and `made_twice_sd`: the same distance of the
    second side, made from a specification, and of what the next seed makes. `drawn_a`, `drawn_b`:
    the groups in the permutations, None for all; `enumerated`: whether all permutations were made.
    """

    statistic: str
    unit: str
    groups_a: int
    values_a: int
    median_a: float
    mean_a: float
    sd_a: float
    groups_b: int
    values_b: int
    median_b: float
    mean_b: float
    sd_b: float
    ks: float
    ks_p: float | None
    ks_holm: float | None
    wasserstein: float
    wasserstein_sd: float | None
    wasserstein_p: float | None
    wasserstein_holm: float | None
    least_p: float | None
    made_twice: float | None
    made_twice_sd: float | None
    drawn_a: int | None
    drawn_b: int | None
    enumerated: bool


@dataclass(frozen=True, slots=True)
class RealismFindings:
    """Both sides, and the share of values up to points by statistic and side."""

    a: str
    b: str
    curves: dict[str, dict[str, list[list[float]]]]


def compute(design: RealismDesign, progress: Advance) -> tuple[list[RealismRow], RealismFindings]:
    """Return how far both sides lie apart.

    Raise InputError for bad files and specifications, and sides that have no statistic in common.
    """
    specification, own = specification_of(design.b), specification_of(design.a)
    if specification is not None and own is not None:
        _check_apart(design, own, specification)
    first = samples(files_of(design.a).read() if own is None else made_data(own, design.seed))
    # The other side, and what the next seed makes.
    other, again = (
        (samples(files_of(design.b).read()), {})
        if specification is None
        else tuple(samples(made_data(specification, design.seed + more)) for more in (0, 1))
    )
    pairs = both(first, other)
    if not pairs:
        thing, rule = "statistics that both sides have", "be at least 1"
        remedy = "give files of the same kinds: links, elements, runs and qrels, logs"
        place = f"{design.a}, {design.b}"
        raise InputError(thing, 0, rule, remedy=remedy, place=place)
    rows = compared(pairs, again, permutations=design.permutations, seed=design.seed)
    curves = {
        name: {FIRST: curve(sample.values), SECOND: curve(beside.values)}
        for name, (sample, beside) in pairs.items()
    }
    progress(1.0)
    return rows, RealismFindings(design.a, design.b, curves)


def compared(
    pairs: dict[str, tuple[GroupedSample, GroupedSample]],
    again: Samples,
    *,
    permutations: int,
    seed: int,
) -> list[RealismRow]:
    """Return a row for each statistic; `again` are samples of the second side made once more."""
    known = [(at, statistic) for at, statistic in enumerate(STATISTICS) if statistic.name in pairs]
    comparisons = [
        # A statistic has the same random numbers whatever else there is.
        compare_samples(
            *pairs[statistic.name], permutations=permutations, rng=np.random.default_rng([seed, at])
        )
        for at, statistic in known
    ]
    adjusted = zip(
        holm([comparison.ks_p for comparison in comparisons]),
        holm([comparison.wasserstein_p for comparison in comparisons]),
        strict=True,
    )
    rows = []
    for (_, statistic), found, (ks_holm, moved_holm) in zip(
        known, comparisons, adjusted, strict=True
    ):
        first, second = pairs[statistic.name]
        sd, chance = spread(first.values), None
        if statistic.name in again:
            chance = wasserstein(second.values, again[statistic.name].values)
        moved, apart = (
            None if x is None or not sd else x / sd for x in (found.wasserstein, chance)
        )
        drawn_a, drawn_b = found.drawn or (None, None)
        # What is permuted, or what would be on either side.
        units = dict.fromkeys(side.unit or statistic.unit for side in (first, second))
        rows.append(
            RealismRow(
                statistic.name,
                " / ".join(units),
                *_described(first),
                *_described(second),
                found.ks,
                found.ks_p,
                ks_holm,
                found.wasserstein,
                moved,
                found.wasserstein_p,
                moved_holm,
                found.least_p,
                chance,
                apart,
                drawn_a,
                drawn_b,
                found.enumerated,
            )
        )
    return rows


def curve(values: Floats) -> list[list[float]]:
    """Return points and the share of values up to each, at most so many steps."""
    ordered = np.sort(values)
    ends = np.unique(ordered)
    if len(ends) > _MOST_STEPS:
        shares = np.linspace(0, 1, _MOST_STEPS)
        ends = np.unique(np.quantile(ordered, shares, method="inverted_cdf"))
    counts = np.searchsorted(ordered, ends, side="right")
    return [ends.tolist(), (counts / len(ordered)).tolist()]


def made_data(specification: Mapping[str, Any], seed: int) -> Data:
    """Return the content of a collection that is made for the moment.

    Raise InputError or OSError as `prum generate`.
    """
    from prum.experiments.generate.verb import generate_dataset

    with tempfile.TemporaryDirectory(prefix="prum-") as folder:
        place = Path(folder) / "made"
        generate_dataset({**specification, "seed": seed}, place)
        return files_of(place).read()


def _check_apart(
    design: RealismDesign, own: Mapping[str, Any], specification: Mapping[str, Any]
) -> None:
    """Raise if A is made as B is: both by the seed of the study, whatever seeds they name."""
    apart = {"name": None, "seed": None}
    if {**own, **apart} == {**specification, **apart}:
        rule = f"differ from {design.a} in more than its seed, which the study replaces"
        remedy = "make both by prum generate, with a seed each, and compare the folders"
        raise InputError("B", design.b, rule, remedy=remedy)


def _described(sample: GroupedSample) -> tuple[int, int, float, float, float]:
    """Return the numbers of groups and values, median, mean and standard deviation."""
    values = sample.values
    median, mean = float(np.median(values)), float(values.mean())
    return sample.num_groups, len(values), median, mean, spread(values)


def spread(values: Floats) -> float:
    """Return the standard deviation; 0 for values that are all equal."""
    return float(values.std()) if values.min() < values.max() else 0.0
