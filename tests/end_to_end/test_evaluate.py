"""`prum evaluate` on real data: trec_eval's own numbers, and two trees."""

import csv
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import kendalltau

from prum.experiments.evaluate.inputs import read_judged
from prum.experiments.measures.measure import measure_of
from prum.simulator import read_xml
from tests.commands import called
from tests.end_to_end.judged_trees import SYSTEMS, judge, rank, write
from tests.tiers import slow

# --- trec_eval's test files --------------------------------------------------------------------

# What trec_eval prints has four digits.
PRINTED = 5.1e-5
SAME = ("map", "map_cut", "ndcg", "ndcg_cut", "P", "recall", "recip_rank", "Rprec", "num_rel_ret")


@pytest.fixture(scope="module")
def trec_eval(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of trec_eval's test files."""
    source = shared_data / "trec_eval" / "trec_eval_test.tar.gz"
    if not source.is_file():
        pytest.skip(f"no files of trec_eval: {source} is missing")
    folder = tmp_path_factory.mktemp("trec_eval")
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    folder /= "trec_eval_test"
    # trec_eval passes over what stands behind the sixth column.
    lines = (folder / "results.trunc").read_text().splitlines()
    columns = ("\t".join(line.split()[:6]) for line in lines)
    (folder / "trunc.run").write_text("\n".join(columns) + "\n")
    return folder


def printed(path: Path) -> dict[tuple[str, str, str], float]:
    """Return what trec_eval printed: (measure, its parameter, topic) -> value."""
    found = {}
    for line in path.read_text().splitlines():
        name, topic, value = line.split()
        if not name.startswith(("runid", "relstring")):
            parameter = name.rpartition("_")[2] if name[-1].isdigit() else ""
            measure = name.removesuffix(f"_{parameter}")
            found[measure, parameter, topic] = float(value)
    return found


def scores(folder: Path, run: str, names: list[str], *words: str) -> pd.DataFrame:
    """Return topics by measures as `prum evaluate` scores them."""
    done = called(
        "evaluate", run, "--measures", ",".join(names), *words, "--csv", "scores.csv", folder=folder
    )
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(folder / "scores.csv", dtype={"topic": str})
    return table.pivot(index="topic", columns="measure", values="score")


def test_preferences_of_trec_evals_judges(trec_eval: Path) -> None:
    """Equivalence classes and arrays of preferences, of one judge and of several."""
    wanted = printed(trec_eval / "out.test.prefs")
    names = {"prefs_simp": "PrefR", "prefs_simp_imp": "PrefP"}
    words = ("--qrels", "prefs.test")
    found = scores(trec_eval, "prefs.results.test", list(names), *words)
    assert len(found) == 18
    for (measure, _, topic), value in wanted.items():
        if measure in names and topic in found.index:
            assert abs(found.loc[topic, names[measure]] - value) < PRINTED, (measure, topic)
    assert (found["PrefR"] - found["PrefP"]).abs().max() > PRINTED


CASES = {
    "out.test.aq": ("results.test", "qrels.test", "1"),
    "out.test.aqc": ("trunc.run", "qrels.test", "1"),  # -c: a topic that the run lacks counts
    "out.test.aql": ("results.test", "qrels.rel_level", "2"),
}


@pytest.mark.parametrize("output", CASES)
def test_values_are_those_that_trec_eval_printed(output: str, trec_eval: Path) -> None:
    run, qrels, grade = CASES[output]
    wanted = {
        (f"{measure}_{parameter}".rstrip("_"), topic): value
        for (measure, parameter, topic), value in printed(trec_eval / output).items()
        if measure in SAME
    }
    names = sorted({name for name, _ in wanted})
    assert len(names) == 41
    words = ("--qrels", qrels, "--ideal-grade", grade)
    # Typed as trec_eval calls them, printed as they are called here.
    found = scores(trec_eval, run, names, *words)
    means = found.mean()
    for (name, topic), value in wanted.items():
        called_here = str(measure_of(name))
        ours = means[called_here] if topic == "all" else found.loc[topic, called_here]
        if (name, topic) == ("num_rel_ret", "all"):
            ours *= len(found)  # a sum there
        assert ours == pytest.approx(value, abs=PRINTED), (name, topic)


@pytest.mark.parametrize("output", CASES)
def test_rank_biased_precision_and_its_residual_are_those_of_trec_eval(
    output: str, trec_eval: Path
) -> None:
    run, qrels, grade = CASES[output]
    measures = {
        "rbp": 'RBP(gain="linear",theta=0.1)',
        "rbp_resid": 'RBP(gain="linear",residual=true,theta=0.1)',
    }
    words = ("--qrels", qrels, "--ideal-grade", grade)
    found = scores(trec_eval, run, list(measures.values()), *words)
    lines = printed(trec_eval / output)
    compared = [key for key in lines if key[0] in measures and key[2] != "all"]
    assert len(compared) == 6
    for measure, parameter, topic in compared:
        value = lines[measure, parameter, topic]
        if output == "out.test.aql" and measure == "rbp":
            # Grades are a share of the topic's highest there, of all topics' (4) here.
            value *= {"301": 4, "302": 3, "303": 2}[topic] / 4
        if (output, topic) == ("out.test.aqc", "302") and measure == "rbp_resid":
            # Not retrieved at all: nothing is known of what users would find; 0 there.
            value = 1
        assert found[measures[measure]][topic] == pytest.approx(value, abs=PRINTED), topic


@pytest.mark.parametrize("output", CASES)
def test_interpolated_precision_is_trec_evals_at_its_recall_values(
    output: str, trec_eval: Path
) -> None:
    """The version that printed these took the recall value nearest to a level, others 0.9 above."""
    run, qrels, grade = CASES[output]
    lines = printed(trec_eval / output)
    wanted = {
        (float(parameter), topic): value
        for (measure, parameter, topic), value in lines.items()
        if measure == "iprec_at_recall" and topic != "all"
    }
    assert len(wanted) == 33
    names, differ = dict[tuple[float, str], str](), 0
    for level, topic in wanted:
        t = int(lines["num_rel", "", topic])
        taken = int(level * t + 0.5)
        names[level, topic] = f"AP@{taken / t!r}"
        differ += taken != int(np.ceil(level * t - 1e-9))
    assert differ > 5
    every = sorted(set(names.values()))
    found = scores(trec_eval, run, every, "--qrels", qrels, "--ideal-grade", grade)
    for (level, topic), value in wanted.items():
        name = str(measure_of(names[level, topic]))
        assert found.loc[topic, name] == pytest.approx(value, abs=PRINTED), (level, topic)


def test_of_full_lists_raghavans_precision_is_that_of_trec(trec_eval: Path) -> None:
    """RP is AP but for the ideals that a list lacks, which are found in what is not retrieved."""
    found = scores(
        trec_eval,
        "results.test",
        ["AP", "RP", "RP@r=3", "AP@r=3", "RP(tied=true)"],
        "--qrels",
        "qrels.test",
        "--collection-size",
        "528155",
    )
    assert (found["RP"] >= found["AP"]).all()
    assert (found["RP"] - found["AP"]).max() < 0.01
    assert found["RP@r=3"].tolist() == pytest.approx(found["AP@r=3"].tolist())
    # Nine scores are shared, so the order that breaks ties is worth something, and little.
    assert found["RP(tied=true)"].tolist() == pytest.approx(found["RP"].tolist(), abs=0.005)


# --- two trees ---------------------------------------------------------------------------------

RANKED = (
    "AP",
    "nDCG",
    "RP",
    "GRP",
    "GRPng",
    "xCG(alpha=0.5)@10",
    "nxCG(alpha=0.5)@10",
    "T2I(words=30.0)",
    "GR@10",
    "PRUM",
    "ExactPRUM",
    "GradedPRUM",
    "EPRUM(users=2000)",
)


def plays(shared_data: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    source = shared_data / "xml" / "shakespeare_nltk_8plays.zip"
    if not source.is_file():
        pytest.skip(f"no Shakespeare: {source} is missing")
    with zipfile.ZipFile(source) as archive:
        archive.extractall(folder)
    for path in sorted((folder / "shakespeare").glob("*.xml")):
        yield path.stem, path.read_bytes()


def pages(shared_data: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    source = shared_data / "xml" / "gnome-help-43_C_mallard_pages.tar.gz"
    if not source.is_file():
        pytest.skip(f"no gnome-help: {source} is missing")
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    for path in sorted((folder / "gnome-help").glob("*.page")):
        yield path.stem, path.read_bytes()


class Trees:
    """A folder of documents, judgements and runs, and what `prum evaluate` made of them."""

    def __init__(self, documents: Iterator[tuple[str, bytes]], folder: Path) -> None:
        self.folder = folder
        self.files = []
        for name, content in documents:
            self.files.append(f"{name}.xml")
            (folder / self.files[-1]).write_bytes(content)
        tree = read_xml(*(folder / file for file in self.files))
        self.size = len(tree)
        self.topics = judge(tree, num_topics=15, seed=1)
        self.runs = rank(tree, self.topics, depth=50, seed=2)
        write(folder, self.topics, self.runs)
        self._kept: dict[tuple[str, ...], dict[str, Any]] = {}

    def result(self, *words: str) -> dict[str, Any]:
        """Return the scores of all systems by all measures, as JSON."""
        if words not in self._kept:
            trees = [word for file in self.files for word in ("--elements", file)]
            done = called(
                "evaluate",
                *SYSTEMS,
                "--qrels",
                "qrels",
                *trees,
                *words,
                "--measures",
                ",".join(RANKED),
                "--json",
                "out.json",
                folder=self.folder,
            )
            assert done.returncode == 0, done.stderr
            self._kept[words] = json.loads((self.folder / "out.json").read_text())
        return self._kept[words]

    def scores(self, *words: str) -> dict[str, NDArray[np.float64]]:
        """Return measure -> scores, systems by topics."""
        result = self.result(*words)
        return {
            measure: np.array([of_system[system] for system in SYSTEMS], dtype=float)
            for measure, of_system in result["scores"].items()
        }


@pytest.fixture(scope="module", params=["plays", "pages"])
def trees(
    request: pytest.FixtureRequest, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Trees:
    pytest.importorskip("lxml")
    read = {"plays": plays, "pages": pages}[request.param]
    documents = read(shared_data, tmp_path_factory.mktemp("unpacked"))
    return Trees(documents, tmp_path_factory.mktemp(request.param))


IDEALS = [("--ideals", "strict"), ("--ideals", "best")]


def taus(found: Mapping[str, NDArray[np.float64]]) -> dict[tuple[str, str], float]:
    """Return Kendall's tau between the orders in which two measures put the systems."""
    means = {measure: values.mean(axis=1) for measure, values in found.items()}
    return {
        (one, other): float(kendalltau(means[one], means[other]).statistic)
        for one, other in combinations(means, 2)
    }


@pytest.mark.parametrize("words", IDEALS)
@slow
def test_systems_are_ordered_by_all_measures(trees: Trees, words: tuple[str, str]) -> None:
    found = trees.scores(*words)
    assert tuple(found) == RANKED
    for measure, values in found.items():
        assert values.shape == (len(SYSTEMS), 15)
        assert np.isfinite(values).all(), measure
        assert (values >= 0).all(), measure
        # One that finds nothing is last, or, where overlap counts against the others, nearly.
        means = dict(zip(SYSTEMS, values.mean(axis=1).tolist(), strict=True))
        assert means["lost"] < means["leaves"], measure
        assert means["leaves-noisy"] < means["leaves"], measure
    # Certain numbers that users see of what is judged cannot exceed all of it.
    for measure in ("AP", "nDCG", "RP", "GRP", "GR@10"):
        assert found[measure].max() <= 1 + 1e-9, measure
    between = taus(found)
    assert between["PRUM", "ExactPRUM"] > 0.99
    assert between["AP", "RP"] > 0.85
    assert all(-1 <= tau <= 1 for tau in between.values())


@pytest.mark.parametrize("words", IDEALS)
@slow
def test_prum_does_not_overrate_who_follows_the_structure(
    trees: Trees, words: tuple[str, str]
) -> None:
    found = trees.scores(*words)
    assert (found["PRUM"] <= found["ExactPRUM"] + 1e-9).all()
    assert (found["ExactPRUM"] - found["PRUM"]).max() < 0.05
    assert (found["RP"] >= found["AP"] - 1e-12).all()


@slow
def test_without_overlap_precision_is_at_most_one(trees: Trees) -> None:
    """Ideals of which none contains another are seen one by one where the list names them."""
    found = trees.scores("--ideals", "best")
    for measure in ("PRUM", "ExactPRUM", "T2I(words=30.0)"):
        assert found[measure].max() <= 1 + 1e-9, measure


@pytest.mark.parametrize("words", IDEALS)
@slow
def test_the_ideals_themselves_are_a_perfect_list(trees: Trees, words: tuple[str, str]) -> None:
    elements = [word for file in trees.files for word in ("--elements", file)]
    judged, _ = read_judged(
        trees.folder / "qrels",
        elements=[trees.folder / file for file in trees.files],
        ideals=words[1],
    )
    lines = (
        f"{one.topic} Q0 {element} 1 {-place} perfect\n"
        for one in judged
        for place, element in enumerate(one.ideals)
    )
    (trees.folder / "perfect").write_text("".join(lines))
    always = ("AP", "RP", "PRUM@r=1", "ExactPRUM@r=1", "AP@1.0", "GR@50")
    names = (*always, "PRUM", "ExactPRUM")
    done = called(
        "evaluate",
        "perfect",
        "--qrels",
        "qrels",
        *elements,
        *words,
        "--measures",
        ",".join(names),
        "--csv",
        "perfect.csv",
        folder=trees.folder,
    )
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(trees.folder / "perfect.csv")
    by_measure = {name: rows["score"].to_numpy() for name, rows in table.groupby("measure")}
    for name in always:
        assert by_measure[name] == pytest.approx(np.ones(15)), name
    # Who consults an ideal that they saw inside another may find nothing new there.
    flat = np.array(
        [
            not any(judged[0].tree.nested(x, y) for x, y in combinations(one.ideals, 2))
            for one in judged
        ]
    )
    assert flat.all() == (words[1] == "best")
    for name in ("PRUM", "ExactPRUM"):
        assert by_measure[name][flat] == pytest.approx(1), name
        assert (by_measure[name][~flat] <= 1 + 1e-9).all(), name


@slow
def test_elements_as_a_table_score_alike(trees: Trees) -> None:
    tree = read_xml(*(trees.folder / file for file in trees.files))
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("element", "parent", "length", "start"))
    writer.writerows((x, parent or "", length, start) for x, parent, length, start in tree)
    (trees.folder / "table.csv").write_text(stream.getvalue())
    names = "PRUM,GRPng,xCG@10,T2I(words=30)"
    done = called(
        "evaluate",
        "even",
        "--qrels",
        "qrels",
        "--elements",
        "table.csv",
        "--ideals",
        "best",
        "--measures",
        names,
        "--json",
        "table.json",
        folder=trees.folder,
    )
    assert done.returncode == 0, done.stderr
    from_table = json.loads((trees.folder / "table.json").read_text())["scores"]
    from_xml = trees.result("--ideals", "best")["scores"]
    for measure in ("PRUM", "GRPng", "T2I(words=30.0)"):
        assert from_table[measure]["even"] == pytest.approx(from_xml[measure]["even"]), measure


@slow
def test_a_plug_in_of_ir_measures_reads_the_same_tree(trees: Trees) -> None:
    """Of grades: those assessed E3S3 are 1, all others 0."""
    ir_measures = pytest.importorskip("ir_measures")
    from prum.experiments.evaluate.ir import PRUM, RP

    tree = read_xml(*(trees.folder / file for file in trees.files))
    table = trees.folder / "elements.csv"
    rows = [f"{x},{parent or ''},{length},{start}" for x, parent, length, start in tree]
    table.write_text("\n".join(["element,parent,length,start", *rows]) + "\n")
    qrels = {
        topic: {x: int(str(found) == "E3S3") for x, found in assessed.items()}
        for topic, assessed in trees.topics.items()
    }
    run = {
        topic: {x: -float(place) for place, x in enumerate(ranking)}
        for topic, ranking in trees.runs["even"].items()
    }
    measures = [PRUM(elements=str(table)), RP(size=trees.size), PRUM(elements=str(table)) @ 0.5]
    found = ir_measures.calc_aggregate(measures, qrels, run)
    place = list(SYSTEMS).index("even")
    strict = {measure: values[place].mean() for measure, values in trees.scores(*IDEALS[0]).items()}
    assert found[measures[0]] == pytest.approx(strict["PRUM"])
    assert found[measures[1]] == pytest.approx(strict["RP"])
    assert 0 < found[measures[2]] <= 1
