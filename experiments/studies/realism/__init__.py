"""How close made data are to real data, statistic by statistic.

\b
A and B are each a folder of prum generate, or one with some of
  links.*      a table: source and target, with probabilities or without
  elements.*   a table of trees; or XML files, each a document
  runs/        TREC runs
  qrels.*      TREC qrels
  log.*        of prum simulate or prum generate, or of people

Degrees of pages, shapes of trees, topics and lists, and what people did: Wasserstein's
distance of what both have, with p-values by permutation of documents, topics or people.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.experiments.frame.design import Design, FileUse, Seed, option
from prum.experiments.frame.drawing import Drawing, curves, paneled
from prum.experiments.frame.frames import frame_table, rows_of, turned
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import Advance, Study
from prum.experiments.frame.view import View
from prum.experiments.generate.files import Outline
from prum.experiments.logs import is_simulated, read_log, read_sessions
from prum.experiments.statistics.distances import (
    MOST_GROUPS,
    GroupedSample,
    compare_samples,
)
from prum.experiments.statistics.tests import LEVEL, holm
from prum.experiments.studies.kit.story import Story
from prum.simulator import Elements, InputError, Links, read_elements, read_run, read_xml
from prum.simulator.collections import named_runs, read_pairs, read_qrels
from prum.simulator.model.arrays import Flags, Floats

FIRST, SECOND = "A", "B"
_MOST_STEPS = 200
_REMEDY = "prum study realism --help says what may be there"
_MADE = "dataset.json"
_KINDS = ("links", "elements", "qrels", "log")

# Samples by statistic.
Samples = dict[str, GroupedSample]
Runs = Mapping[str, Mapping[str, Sequence[str]]]
Qrels = Mapping[str, Mapping[str, float]]
# Ranks on which lists are compared with each other and with what is ideal.
DEPTH = 20
# So many pages, drawn at random, tell how clustered a larger web is.
MOST_CLUSTERED = 20_000
_SEED, _PAGES_AT_ONCE = 1, 2_000
# What each is in plain words, and what is exchangeable: the group of a sample, which may name
# another. Pages choose their own links, so their numbers are taken as independent; what is linked
# to whom hangs together over a whole web, by communities and by what is popular. Systems share
# their topics.
STATISTICS = {
    "out_degree": ("links of a page", "page"),
    "in_degree": ("links to a page", "web"),
    "returned": ("share of links returned", "web"),
    "clustering": ("share of targets linked", "web"),
    "leaf_length": ("length of a leaf", "document"),
    "document_length": ("length of a document", "document"),
    "leaf_depth": ("depth of a leaf", "document"),
    "children": ("children, where there are", "document"),
    "document_size": ("elements of a document", "document"),
    "list_length": ("length of a list", "topic"),
    "overlap": (f"overlap of lists to rank {DEPTH}", "topic"),
    "relevant": ("relevant elements of a topic", "topic"),
    "ideal": ("ideal elements of a topic", "topic"),
    "ideal_rank": (f"rank of an ideal, to {DEPTH}", "topic"),
    "ideal_share": (f"share of ideals to rank {DEPTH}", "topic"),
    "system_spread": ("AP of systems, sd on a topic", "topic"),
    "topic_spread": ("AP on topics, sd of a system", "campaign"),
    "last_rank": ("last rank of a search", "person"),
    "clicks": ("clicks of a session", "person"),
    "path_length": ("elements of a path", "path"),
    "revisits": ("revisits of a path", "path"),
}
# What is used of a log; `prum simulate` writes more. A session of it is a search: all searches of a
# user are what others call a session.
_LOG = ("system", "user", "session", "query", "action", "rank", "element", "elements")
_SEARCH, _VISIT = ["system", "user", "session"], ["system", "user"]


class RealismDesign(Design):
    """Options of the study of realism."""

    a: str = option(..., "What B is compared with.", file="input", positional=True)
    b: str = option(..., "What is compared.", file="input", positional=True)
    ideal_grade: int = option(
        1,
        f"Lowest grade of an ideal, in a folder without {_MADE}, which says it.",
        least=1,
        remedy="give the lowest grade that counts as ideal",
    )
    permutations: int = option(
        999,
        "Permutations for p-values; 0 for none.",
        most=1_000_000,
        remedy="give 999, say",
        always=True,
    )
    seed: Seed = 1

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the folders, and the files in them."""
        inside = [
            str(path)
            for side in (self.a, self.b)
            if "input" in roles
            for paths in files_of(side).values()
            for path in paths
        ]
        return (*super().files(*roles), *inside)


def compute(design: RealismDesign, progress: Advance) -> Any:
    """Return how far both sides lie apart.

    Two sides, each a folder of `prum generate`, or of files that people have. What both tell is
    compared statistic by statistic (`STATISTICS`): each is a sample of numbers, in groups that are
    exchangeable. The distance is Wasserstein's, with p-values by permutation of groups, adjusted by
    Holm's method over the statistics. Beside them stand both sides and the share of values up to
    points by statistic and side.

    Raise InputError for bad files, and sides that have no statistic in common.
    """
    pairs = both(*(samples_of(side, design.ideal_grade) for side in (design.a, design.b)))
    if not pairs:
        thing, rule = "statistics that both sides have", "be at least 1"
        remedy = "give files of the same kinds: links, elements, runs and qrels, logs"
        place = f"{design.a}, {design.b}"
        raise InputError(thing, 0, rule, remedy=remedy, place=place)
    rows = compared(pairs, permutations=design.permutations, seed=design.seed)
    shares = {
        name: {FIRST: curve(a.values), SECOND: curve(b.values)} for name, (a, b) in pairs.items()
    }
    progress(1.0)
    return rows, SimpleNamespace(a=design.a, b=design.b, curves=shares)


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
    are of both sides; p-values also as Holm adjusts them over the statistics;
    `wasserstein_sd` is in standard deviations of A. `least_p` is the smallest p-value that so many
    groups and permutations can give.
    """
    rows = []
    for name, sides in pairs.items():
        # A statistic has the same random numbers whatever else there is.
        rng = np.random.default_rng([seed, [*STATISTICS].index(name)])
        comparison = compare_samples(*sides, permutations=permutations, rng=rng)
        described = [_described(*side) for side in zip(sides, "ab", strict=True)]
        sd = described[0]["sd_a"]
        # What is permuted, or what would be on either side.
        units = dict.fromkeys(side.unit or STATISTICS[name][1] for side in sides)
        rows.append(
            {"statistic": name, "unit": " / ".join(units)}
            | described[0]
            | described[1]
            | {"wasserstein": comparison.wasserstein}
            | {"wasserstein_sd": comparison.wasserstein / sd if sd else None}
            | {"wasserstein_p": comparison.p, "wasserstein_holm": None}
            | {"least_p": comparison.least_p}
        )
    columns: dict[str, Any] = turned(rows)
    columns["wasserstein_holm"] = holm(columns["wasserstein_p"])
    return rows_of(columns)


def _described(sample: GroupedSample, side: str) -> dict[str, float]:
    """Return the numbers of groups and values, median, mean and standard deviation of a side."""
    values = sample.values
    numbers = {"groups": sample.num_groups, "values": len(values), "median": np.median(values)}
    # Rounding gives values that are all equal a deviation.
    sd = float(values.std()) if values.min() < values.max() else 0.0
    numbers |= {"mean": values.mean(), "sd": sd}
    return {f"{name}_{side}": number for name, number in numbers.items()}


def curve(values: Floats) -> list[list[float]]:
    """Return points and the share of values up to each, at most so many steps."""
    steps = np.linspace(0, 1, _MOST_STEPS)
    ends = np.unique(np.quantile(values, steps, method="inverted_cdf"))
    shares = np.searchsorted(np.sort(values), ends, side="right") / len(values)
    return [ends.tolist(), shares.tolist()]


# --- the files of a side --------------------------------------------------------------------------


def files_of(side: str | Path) -> dict[str, tuple[Path, ...]]:
    """Return the files of a side by kind.

    Raise InputError for what is no folder, or holds none of them or two tables of a kind; OSError
    if it can't be read.
    """
    folder = Path(side)
    if not folder.is_dir():
        raise InputError("side", str(side), "be a folder", remedy=_REMEDY)
    paths = {kind: tuple(sorted(folder.glob(f"{kind}.*"))) for kind in _KINDS}
    for kind, tables in paths.items():
        if len(tables) > 1:
            names = [path.name for path in tables]
            raise InputError(kind, names, "be one file", remedy="take one away", place=str(side))
    paths["elements"] = paths["elements"] or tuple(sorted(folder.glob("*.xml*")))
    paths["runs"] = tuple(path for path in sorted(folder.glob("runs/*")) if path.is_file())
    if not any(paths.values()):
        rule = f"be some of {', '.join(_KINDS)} and runs"
        raise InputError("files", (), rule, remedy=_REMEDY, place=str(side))
    return {kind: files for kind, files in paths.items() if files}


def samples_of(side: str | Path, ideal_grade: int = 1) -> Samples:
    """Return the samples of all statistics that the files of a side tell, by name.

    Raise InputError or OSError as `files_of` and the readers.
    """
    import pandas as pd

    paths = files_of(side)
    if (Path(side) / _MADE).is_file():
        ideal_grade = Outline.read(side).specification.topics.ideal_grade
    samples: Samples = {}
    if links := paths.get("links"):
        samples |= of_links(read_pairs(links[0]))
    if elements := paths.get("elements"):
        read = read_xml if ".xml" in elements[0].name else read_elements
        samples |= of_elements(read(*elements))
    texts: dict[str, str] = {}
    runs = {name: read_run(run, texts=texts) for name, run in named_runs([*paths.get("runs", ())])}
    if runs:
        samples |= of_runs(runs)
    if files := paths.get("qrels"):
        qrels = read_qrels(files[0])
        samples |= of_qrels(qrels, ideal_grade)
        if runs:
            samples |= of_judged_runs(runs, qrels, ideal_grade)
    if log := paths.get("log"):
        simulated = is_simulated(log[0])
        samples |= (
            of_consulted(pd.DataFrame(read_log(log[0], _LOG))) if simulated else of_people(log[0])
        )
    return {name: sample for name, sample in samples.items() if len(sample.values)}


# --- statistics -----------------------------------------------------------------------------------


def of_links(links: Links) -> Samples:
    """Return degrees of pages, those some link names, and how links are connected.

    Links from a page to itself do not count. `returned` is the share of a page's links whose
    targets link back, `clustering` that of pairs of its targets that are linked, in both
    directions.
    """
    from scipy.sparse import csr_array

    size, apart = len(links.elements), links.sources != links.targets
    sources, targets = links.sources[apart], links.targets[apart]
    degrees, into = (np.bincount(ends, minlength=size) for ends in (sources, targets))
    there, back = sources * size + targets, targets * size + sources
    answered = np.bincount(sources, weights=np.isin(back, there), minlength=size)
    table = csr_array((np.ones(len(sources)), (sources, targets)), shape=(size, size))
    pages = np.flatnonzero(degrees >= 2)
    if len(pages) > MOST_CLUSTERED:
        rng = np.random.default_rng(_SEED)
        pages = np.sort(rng.choice(pages, MOST_CLUSTERED, replace=False))
    shares = [np.empty(0)]
    for begin in range(0, len(pages), _PAGES_AT_ONCE):
        block = pages[begin : begin + _PAGES_AT_ONCE]
        rows = table[block]
        linked = np.asarray((rows @ table).multiply(rows).sum(axis=1), dtype=np.float64).ravel()
        shares.append(linked / (degrees[block] * (degrees[block] - 1)))
    return {
        "out_degree": GroupedSample.of(degrees),
        "in_degree": GroupedSample.whole(into),
        "returned": GroupedSample.whole(answered[degrees > 0] / degrees[degrees > 0]),
        "clustering": GroupedSample.whole(np.concatenate(shares)),
    }


def of_elements(elements: Elements) -> Samples:
    """Return lengths, depths and numbers of children, by document."""
    parents, documents = elements.parents, np.flatnonzero(elements.parents < 0)
    children = np.bincount(parents[parents >= 0], minlength=len(elements.ids))
    is_leaf = children == 0

    def by_document(values: Any, chosen: Flags) -> GroupedSample:
        return GroupedSample.of(values[chosen], elements.documents[chosen])

    return {
        "leaf_length": by_document(elements.lengths, is_leaf),
        "document_length": GroupedSample.of(elements.lengths[documents]),
        "leaf_depth": by_document(elements.depths, is_leaf),
        "children": by_document(children, ~is_leaf),
        "document_size": GroupedSample.of(elements.afters[documents] - documents),
    }


def _grouped(groups: Iterable[Sequence[float]]) -> GroupedSample:
    """Return a sample of numbers by group."""
    groups = list(groups)
    sizes = [len(group) for group in groups]
    values = [value for group in groups for value in group]
    return GroupedSample.of(values, np.repeat(np.arange(len(sizes)), sizes))


def of_runs(runs: Runs) -> Samples:
    """Return lengths of lists, and of each topic the mean overlap of first ranks (Jaccard's)."""
    topics = dict.fromkeys(topic for lists in runs.values() for topic in lists)
    by_topic = [[lists[topic] for lists in runs.values() if topic in lists] for topic in topics]
    overlaps = []
    for lists in by_topic:
        heads = [set(ranked[:DEPTH]) for ranked in lists]
        shares = [len(a & b) / max(len(a | b), 1) for a, b in combinations(heads, 2)]
        overlaps.append([float(np.mean(shares))] if shares else [])
    return {
        "list_length": _grouped([len(ranked) for ranked in lists] for lists in by_topic),
        "overlap": _grouped(overlaps),
    }


def of_qrels(qrels: Qrels, ideal_grade: int) -> Samples:
    """Return numbers of relevant and of ideal elements of each topic."""
    return {
        name: GroupedSample.of([sum(g >= least for g in qrels[topic].values()) for topic in qrels])
        for name, least in (("relevant", 1), ("ideal", ideal_grade))
    }


def of_judged_runs(runs: Runs, qrels: Qrels, ideal_grade: int) -> Samples:
    """Return ranks and shares of ideals at the first ranks, and how average precision varies.

    Of topics with ideals and a list; a system without one has an average precision of 0.
    """
    ranks, shares, precisions = list[list[int]](), list[list[float]](), list[list[float]]()
    for topic, grades in qrels.items():
        ideals = {element for element, grade in grades.items() if grade >= ideal_grade}
        # An element that stands there twice leads nowhere new.
        hits = {
            system: np.flatnonzero([x in ideals for x in dict.fromkeys(lists[topic])]) + 1
            for system, lists in runs.items()
            if topic in lists
        }
        if ideals:
            heads = [places[places <= DEPTH] for places in hits.values()]
            ranks.append([rank for head in heads for rank in head.tolist()])
            shares.append([len(head) / DEPTH for head in heads])
        if ideals and hits:
            of_systems = [hits.get(system, np.zeros(0)) for system in runs]
            precisions.append(
                [float((np.arange(1, len(x) + 1) / x).sum()) / len(ideals) for x in of_systems]
            )
    table = np.array(precisions).reshape(len(precisions), len(runs)).T
    return {
        "ideal_rank": _grouped(ranks),
        "ideal_share": _grouped(shares),
        "system_spread": GroupedSample.of(table.std(axis=0) if len(table) > 1 else []),
        "topic_spread": GroupedSample.whole(table.std(axis=1) if table.shape[1] > 1 else []),
    }


def of_consulted(log: Any) -> Samples:
    """Return what users of a log did, and their paths from each element that they consulted.

    The last ranks of a topic's searches belong together, which hang on its lists; and so do all
    users' consultations, who search for the same topics, and walk from the same pages.
    """
    consulted = log[log["action"] == "consult"]
    consulted = consulted.assign(rank=consulted["rank"] + consulted["elements"] - 1)
    last = consulted.groupby(_SEARCH, sort=False, observed=True)[["rank", "query"]].last()
    sizes = consulted.groupby(_VISIT, sort=False, observed=True)["elements"].sum()
    ranks, topics = last["rank"].to_numpy(), last["query"].factorize()[0]
    number, seen = (log["action"] == "consult").cumsum(), log["action"] == "see"
    walks = log[seen].groupby(number[seen], sort=False)["element"]
    lengths = walks.size().to_numpy()
    return {
        "last_rank": GroupedSample.of(ranks, topics, unit="topic"),
        "clicks": GroupedSample.whole(sizes.to_numpy()),
        "path_length": GroupedSample.whole(lengths),
        "revisits": GroupedSample.whole(lengths - walks.nunique().to_numpy()),
    }


def of_people(path: Path) -> Samples:
    """Return the paths of a log of people: a session each, taken as another person's."""
    sessions = list(read_sessions(path))
    return {
        "path_length": GroupedSample.of([len(session) for session in sessions]),
        "revisits": GroupedSample.of([len(session) - len(set(session)) for session in sessions]),
    }


# --- what is shown --------------------------------------------------------------------------------


def _digits(value: float) -> str:
    """Return a number with three significant digits, or all before the point."""
    return shown(value, ",.0f" if isinstance(value, float) and abs(value) >= 100 else ".3g")


DISTANCES: dict[str, Any] = {"statistic": "", "meaning": "", "unit": "", "wasserstein": _digits}
DISTANCES |= {"wasserstein_sd": ".3f", "wasserstein_p": ".2g", "wasserstein_holm": ".2g"}
SAMPLES: dict[str, Any] = {"statistic": ""} | {
    f"{name}_{side}": form
    for name, form in {"groups": ",", "values": ",", "median": _digits, "mean": _digits}.items()
    for side in "ab"
}
NAMES = {"wasserstein": "Wasserstein", "wasserstein_sd": "in sd of A"}
NAMES |= {"wasserstein_p": "p", "wasserstein_holm": "Holm"}
NAMES |= {name: f"{name[:-2]} {name[-1].upper()}" for name in SAMPLES if name != "statistic"}


def view(result: Any) -> View:
    """Return what differs, and the samples."""
    story, design, frame = Story.of(__package__), result.design, result.to_frame()
    frame["meaning"] = [STATISTICS[name][0] for name in frame.statistic]
    values = {"design": design, "found": result.found, "most_groups": f"{MOST_GROUPS:,}"}
    label = "Empirical distribution functions of both sides, a panel for each statistic"
    return story.view(
        (
            frame_table("Distances of A and B", frame, DISTANCES, names=NAMES),
            frame_table("Samples, A and B", frame, SAMPLES, names=NAMES),
        ),
        values,
        headline=_verdict(story, result.rows, design.permutations),
        figure=(label, lambda: _figure(result.found.curves)),
        notes=("distances", "permutations" if design.permutations else None),
    )


def _verdict(story: Story, rows: Sequence[Any], permutations: int) -> str:
    """Return how many statistics differ, or that none could, and which lies farthest apart."""
    tested = [row for row in rows if row.wasserstein_holm is not None and row.least_p]
    num_different = sum(row.wasserstein_holm <= LEVEL for row in tested)
    key = "tested" if tested else "untested"
    # Holm's method multiplies the first that it would reject by as many as there are.
    if tested and all(row.least_p * len(tested) > LEVEL for row in tested):
        few = len(tested) / (1 + permutations) > LEVEL
        key = "too few permutations" if few else "too few groups"
    far = max(rows, key=lambda row: row.wasserstein_sd or 0)
    values = {
        "number": len(rows),
        "tested": len(tested),
        "different": num_different or "None",
        "differ": "differs" if num_different == 1 else "differ",
        "permutations": permutations,
        "needed": math.ceil(len(tested) / LEVEL),
        "farthest": f"{far.statistic} ({STATISTICS[far.statistic][0]})",
        "apart": far.wasserstein_sd,
    }
    sections = (key, "farthest" if far.wasserstein_sd else None)
    return f"{'; '.join(story.paragraphs(*sections, **values))}."


def _figure(shares: Mapping[str, Mapping[str, list[list[float]]]]) -> Drawing:
    """Return a panel for each statistic: shares of values up to x, a line for each side."""

    def draw(name: str, axes: Any) -> None:
        lines = {side: dict(zip(*xy, strict=True)) for side, xy in shares[name].items()}
        curves(axes, lines)
        axes.set_title(name)
        axes.set_xlabel("x", labelpad=3)

    return paneled([partial(draw, name) for name in shares], columns=3, tall=260, has_legend=True)


REALISM = Study("realism", __doc__, RealismDesign, compute, view)
