"""How far made collections and logs are from real ones, and dials that bring them closer.

Two sides, each a dataset of `prum generate` or files that people have. What both tell is compared
statistic by statistic (`prum.experiments.studies.realism.data`): each is a sample of numbers, in
groups that are exchangeable. Distances are those of Kolmogorov and Smirnov, and of Wasserstein,
with p-values by permutation of groups, adjusted by Holm's method over the statistics.

The second side may be a specification of a collection, which is made then; and its dials may be
fitted to the first side (`prum.experiments.studies.realism.fitting`), in which case both the
collection as specified and the fitted one are compared.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from prum.experiments.studies.realism.data import STATISTICS, Data, both, samples
from prum.experiments.studies.realism.distances import (
    GroupedSample,
    compare,
    distances,
    holm,
    spread,
)
from prum.experiments.studies.realism.fitting import Fitted, Make, fit
from prum.experiments.studies.realism.sources import REMEDY, files_of, is_specification
from prum.experiments.studies.study import (
    MOST_DRAWS,
    Advance,
    Floats,
    WrittenStudy,
    checked_seed,
    command_of,
)
from prum.simulator.generation.kinds import MOST_ELEMENTS
from prum.simulator.generation.specifications import toml_content
from prum.simulator.model import InputError
from prum.simulator.model.errors import whole_number

PERMUTATIONS, BUDGET, SIZE = 999, 60, 5_000
FIRST, SECOND = "A", "B"
GIVEN, FITTED = "as given", "fitted"
# The search for dials has a seed of its own: what is compared was not searched on.
SEARCH_SEED = 1_000_003
_MOST_STEPS = 200
_MOST_BUDGET = 10_000


def study_realism(
    first: str,
    second: str,
    *,
    fit_to: str | None = None,
    permutations: int = PERMUTATIONS,
    budget: int = BUDGET,
    size: int = SIZE,
    seed: int = 1,
    make: Make | None = None,
    progress: Advance = lambda _: None,
) -> tuple[WrittenStudy, Fitted | None]:
    """Return the study, and the specification that was fitted, if one was to be.

    Rows have statistic, b ("B"; or "as given" and "fitted"), unit, and of both sides groups,
    values, median, mean, sd; ks and wasserstein with p-values, also as Holm adjusts them over the
    statistics; wasserstein_sd, in standard deviations of A; made_twice and made_twice_sd, the same
    distance of the second, made from a specification, and one made with the next seed; drawn_a and
    drawn_b, the groups in the permutations if not all; and whether all permutations were made.
    `found` has the curves.

    Parameters
    ----------
    first, second
        Folders of datasets, TOML files that name files, or specifications.
    fit_to
        The file that is to hold the second with its dials fitted to the first, if they are to be.
    permutations
        0 for none.
    budget, size
        Collections that the search makes, and their elements.
    make
        Takes a specification and a seed to a collection's content; `prum generate` by default.

    Raises
    ------
    InputError
        for bad files and specifications, numbers out of range, and sides that have no statistic in
        common.
    """
    seed = checked_seed(seed)
    permutations = whole_number(
        "permutations", permutations, least=0, most=MOST_DRAWS, remedy="give 999, say"
    )
    budget = whole_number("budget", budget, least=1, most=_MOST_BUDGET, remedy="give 60, say")
    size = whole_number("size", size, least=100, most=MOST_ELEMENTS, remedy="give 5000, say")
    make = make or made_data
    if fit_to is not None and not is_specification(second):
        raise InputError(
            "what is to be fitted", second, "be a specification of a collection (TOML)",
            remedy="prum generate --help tells how to write one",
        )  # fmt: skip
    data = _data(first, seed, make)
    own = samples(data)
    others: dict[str, Mapping[str, GroupedSample]] = {}
    specifications: dict[str, Mapping[str, Any]] = {}
    fitted: Fitted | None = None
    if fit_to is not None:
        content, _ = toml_content(second, remedy=REMEDY)
        others[GIVEN], specifications[GIVEN] = samples(make(content, seed)), content
        fitted = fit(
            content, data, make, budget=budget, size=size, seed=SEARCH_SEED,
            progress=lambda share: progress(0.8 * share),
        )  # fmt: skip
        others[FITTED] = samples(make(fitted.specification, seed))
        specifications[FITTED] = fitted.specification
    else:
        others[SECOND] = samples(_data(second, seed, make))
        if is_specification(second):
            specifications[SECOND] = toml_content(second, remedy=REMEDY)[0]
    rows: list[dict[str, Any]] = []
    curves: dict[str, dict[str, Any]] = {}
    for label, other in others.items():
        pairs = both(own, other)
        if not pairs:
            raise InputError(
                "statistics that both sides have", 0, "be at least 1", place=f"{first}, {second}",
                remedy="give files of the same kinds: links, elements, runs and qrels, logs",
            )  # fmt: skip
        again: Mapping[str, GroupedSample] = {}
        if label in specifications:
            again = samples(make(specifications[label], seed + 1))
        rows += compared(pairs, label, again, permutations=permutations, seed=seed)
        for name, (one, two) in pairs.items():
            known = curves.setdefault(name, {FIRST: curve(one.values)})
            known[label] = curve(two.values)
        progress(1.0)
    options: dict[str, Any] = {"permutations": permutations, "seed": seed}
    if fit_to is not None:
        options |= {"budget": budget, "size": size}
    given = {**options, "fit": fit_to}
    found: dict[str, Any] = {"a": str(first), "b": str(second), "curves": curves, "fit": None}
    if fitted is not None:
        found["fit"] = {
            "changes": [
                {"dial": one.dial, "before": one.before, "after": one.after, "reason": one.reason}
                for one in fitted.changes
            ],
            "losses": [loss if np.isfinite(loss) else None for loss in fitted.losses],
            "specification": fitted.specification,
        }
    options = {"a": str(first), "b": str(second), **options}
    command = command_of("realism", given, {}, arguments=(first, second))
    return WrittenStudy("realism", options, tuple(rows), found, command), fitted


def compared(
    pairs: Mapping[str, tuple[GroupedSample, GroupedSample]],
    label: str,
    again: Mapping[str, GroupedSample],
    *,
    permutations: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Return a row for each statistic; `again` are samples of the second side made once more."""
    rows: list[dict[str, Any]] = []
    for number, statistic in enumerate(STATISTICS):
        if statistic.name not in pairs:
            continue
        # A statistic has the same random numbers whatever else there is.
        rng = np.random.default_rng([seed, number])
        one, two = pairs[statistic.name]
        found = compare(one, two, permutations=permutations, rng=rng)
        told = {
            f"{name}_{side}": value
            for side, sample in (("a", one), ("b", two))
            for name, value in _described(sample).items()
        }
        own = told["sd_a"]
        chance = None
        if statistic.name in again:
            chance = distances(two.values, again[statistic.name].values)[1]
        rows.append(
            {
                "statistic": statistic.name, "b": label, "unit": statistic.unit, **told,
                "ks": found.ks, "ks_p": found.ks_p, "ks_holm": None,
                "wasserstein": found.wasserstein,
                "wasserstein_sd": found.wasserstein / own if own else None,
                "wasserstein_p": found.wasserstein_p, "wasserstein_holm": None,
                "made_twice": chance,
                "made_twice_sd": chance / own if own and chance is not None else None,
                "drawn_a": found.drawn and found.drawn[0],
                "drawn_b": found.drawn and found.drawn[1],
                "enumerated": found.enumerated,
            }
        )  # fmt: skip
    for name in ("ks", "wasserstein"):
        adjusted = holm([row[f"{name}_p"] for row in rows])
        for row, value in zip(rows, adjusted, strict=True):
            row[f"{name}_holm"] = value
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


def _described(sample: GroupedSample) -> dict[str, float | int]:
    return {
        "groups": sample.num_groups,
        "values": len(sample.values),
        "median": float(np.median(sample.values)),
        "mean": float(sample.values.mean()),
        "sd": spread(sample.values),
    }


def _data(source: str, seed: int, make: Make) -> Data:
    if is_specification(source):
        return make(toml_content(source, remedy=REMEDY)[0], seed)
    return files_of(source).read()


def made_data(specification: Mapping[str, Any], seed: int) -> Data:
    """Return the content of a collection that is made for the moment.

    Raises
    ------
    InputError, OSError
        as `prum generate`.
    """
    from prum.experiments.studies.realism.making import made

    with tempfile.TemporaryDirectory(prefix="prum-") as folder:
        place = Path(folder) / "made"
        made(specification, place, seed)
        return files_of(place).read()
