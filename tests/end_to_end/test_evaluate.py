"""`prum evaluate` on real data: trec_eval's own numbers, and two trees."""

import tarfile
from pathlib import Path

import pandas as pd
import pytest

from prum.experiments.measures.measure import measure_of
from tests.commands import called

# --- trec_eval's test files --------------------------------------------------------------------

# What trec_eval prints has four digits.
PRINTED = 5.1e-5
SAME = ("map", "map_cut", "ndcg", "ndcg_cut", "P", "recall", "recip_rank", "Rprec", "num_rel_ret")
SAME += ("iprec_at_recall", "11pt_avg", "unj", "relative_P", "num_nonrel_judged_ret")


@pytest.fixture(scope="module")
def trec_eval(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of trec_eval 9's test files, with those of 10 in a folder `ten`."""
    folder = tmp_path_factory.mktemp("trec_eval")
    for name, target in {
        "trec_eval/trec_eval_test.tar.gz": folder,
        "trec_eval_10/test.tar.gz": folder / "trec_eval_test" / "ten",
    }.items():
        if not (shared_data / name).is_file():
            pytest.skip(f"no files of trec_eval: {name} is missing")
        with tarfile.open(shared_data / name) as archive:
            archive.extractall(target, filter="data")
    return folder / "trec_eval_test"


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


# Tags of results.trunc hold blanks. -c: a topic that the run lacks counts. Some have comments.
CASES = {
    "out.test.aq": ("results.test", "qrels.test", "1"),
    "out.test.aqc": ("results.trunc", "qrels.test", "1"),
    "out.test.aql": ("results.test", "qrels.rel_level", "2"),
    "ten/out.test.aq": ("results.test", "ten/qrels.test.with-comments", "1"),
    "ten/out.test.aqc": ("ten/results.trunc", "qrels.test", "1"),
    "ten/out.test.aql": ("results.test", "qrels.rel_level", "2"),
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
    assert len(names) == 66
    words = ("--qrels", qrels, "--ideal-grade", grade)
    words += () if "ten" in output else ("--precision", "single")
    # Typed as trec_eval calls them, printed as they are called here.
    found = scores(trec_eval, run, names, *words)
    means = found.mean()
    for (name, topic), value in wanted.items():
        called_here = str(measure_of(name))
        ours = means[called_here] if topic == "all" else found.loc[topic, called_here]
        if name.startswith("num_") and topic == "all":
            ours *= len(found)  # a sum there
        assert ours == pytest.approx(value, abs=PRINTED), (name, topic)


def test_a_run_of_trec_rag_has_the_means_of_trec_eval_10(trec_eval: Path) -> None:
    """Ids hold #, scores all digits of double precision; a topic without ideals is 0 there."""
    wanted = {
        "_".join(filter(None, key[:2])): value
        for key, value in printed(trec_eval / "ten" / "out.comment.test").items()
        if key[0] in SAME
    }
    words = ("--qrels", "ten/qrels.comment.test")
    found = scores(trec_eval, "ten/results.comment.test", [*wanted], *words)
    assert (len(wanted), len(found)) == (24, 30)
    for name, value in wanted.items():
        total = found[str(measure_of(name))].sum()
        ours = total if name == "num_rel_ret" else total / 31
        assert ours == pytest.approx(value, abs=PRINTED), name


@pytest.mark.parametrize("output", [*CASES][:3])
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
