"""Names as other programs spell them: the values are theirs, on the same lists and judgements."""

from collections.abc import Mapping
from math import log2

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prum.experiments.commands.names import full_listing
from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.aliases import ALIASES, spelled
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.measure import measure_of, measures_of
from prum.simulator.model import InputError

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]

IDS = [f"d{number}" for number in range(12)]
GRADES = st.dictionaries(st.sampled_from(IDS), st.integers(-1, 4), min_size=1)
# Few scores, so that there are ties; some lists are empty, and some elements unjudged.
TIED = st.dictionaries(st.sampled_from(IDS), st.sampled_from([0.0, 0.5, 1.0, 2.5]))
UNTIED = st.lists(st.sampled_from(IDS), unique=True).map(
    lambda ids: {element: 99.0 - rank for rank, element in enumerate(ids)}
)


def judged_well(grades: Mapping[str, int]) -> bool:
    return max(grades.values()) > 0


QRELS = st.lists(GRADES.filter(judged_well), min_size=1, max_size=3).map(
    lambda topics: {str(number): grades for number, grades in enumerate(topics, start=1)}
)


def runs_of(lists: st.SearchStrategy[dict[str, float]]) -> st.SearchStrategy[Run]:
    return st.lists(lists, min_size=1, max_size=3).map(
        lambda ranked: {str(number): scores for number, scores in enumerate(ranked, start=1)}
    )


# What every test sees: ties, unjudged and negative, a list that is missing, one that is empty.
SEEN = {
    "1": {"d0": 4, "d1": 1, "d2": 0, "d3": -1, "d5": 2, "d7": 1},
    "2": {"d0": 0, "d1": 3},
    "3": {"d4": 1},
}
SEEN_RUN = {
    "1": {"d9": 3.0, "d1": 2.0, "d5": 2.0, "d3": 1.0, "d0": 1.0, "d2": 0.5},
    "2": {"d0": 1.0, "d1": 0.5},
}
UNTIED_RUN = {"1": {"d9": 6.0, "d1": 5.0, "d5": 4.0, "d3": 3.0, "d0": 2.0}, "2": SEEN_RUN["2"]}


def ours(qrels: Qrels, run: Run, names: list[str]) -> dict[str, dict[str, float]]:
    """Return topic -> name -> value."""
    judged, _ = read_judged(qrels)
    lists = {topic: scores for topic, scores in run.items() if topic in qrels}
    if not lists:
        lists = {next(iter(qrels)): {}}
    read = read_lists({"run": lists}, judged, takes="ranking")
    values = score_runs(read, judged, [measure_of(name) for name in names]).values[0]
    return {
        topic.topic: dict(zip(names, row.tolist(), strict=True))
        for topic, row in zip(judged, values, strict=True)
    }


# --- trec_eval ----------------------------------------------------------------------------------

TREC = [
    "map",
    "map_cut_1",
    "map_cut_3",
    "map_cut_100",
    "P_1",
    "P_3",
    "P_100",
    "recall_2",
    "recall_1000",
    "ndcg",
    "ndcg_cut_1",
    "ndcg_cut_3",
    "ndcg_cut_100",
    "recip_rank",
    "Rprec",
    "num_rel_ret",
]
# Of ir_measures, which passes level and judged_only on.
SPELLED = {
    "map": "AP({})",
    "map_cut_3": "AP({})@3",
    "P_3": "P({})@3",
    "recall_2": "R({})@2",
    "recip_rank": "RR({})",
    "Rprec": "Rprec({})",
}


@given(QRELS, runs_of(TIED))
@example(SEEN, SEEN_RUN)
def test_names_of_trec_eval(qrels: Qrels, run: Run) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    found = ours(qrels, run, TREC)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, TREC).evaluate(run)
    for topic, values in found.items():
        wanted = theirs.get(topic, dict.fromkeys(TREC, 0.0))
        assert values == pytest.approx(wanted, abs=1e-12), topic


@given(QRELS, runs_of(TIED), st.sampled_from([1, 2, 3]), st.booleans())
@example(SEEN, SEEN_RUN, 2, True)
@example(SEEN, SEEN_RUN, 3, False)
def test_levels_and_judged_elements_of_trec_eval(
    qrels: Qrels, run: Run, rel: int, judged_only: bool
) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, list(SPELLED), relevance_level=rel, judged_docs_only_flag=int(judged_only)
    ).evaluate(run)
    settings = f"rel={rel},judged_only={judged_only}"
    names = [form.format(settings) for form in SPELLED.values()]
    for topic, values in ours(qrels, run, names).items():
        wanted = [theirs.get(topic, {}).get(name, 0.0) for name in SPELLED]
        assert list(values.values()) == pytest.approx(wanted, abs=1e-12), topic


@given(QRELS, runs_of(TIED), st.booleans())
@example(SEEN, SEEN_RUN, True)
def test_gains_of_ndcg(qrels: Qrels, run: Run, judged_only: bool) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    for form, gain in (
        ("judged_only=%s", lambda grade: grade),
        ("dcg='exp-log2',judged_only=%s", lambda grade: 2**grade - 1 if grade > 0 else grade),
    ):
        name = f"nDCG({form % judged_only})"
        gained = {
            topic: {element: gain(grade) for element, grade in grades.items()}
            for topic, grades in qrels.items()
        }
        theirs = pytrec_eval.RelevanceEvaluator(
            gained, ["ndcg", "ndcg_cut_3"], judged_docs_only_flag=int(judged_only)
        ).evaluate(run)
        for topic, values in ours(qrels, run, [name, f"{name}@3"]).items():
            wanted = theirs.get(topic, {"ndcg": 0.0, "ndcg_cut_3": 0.0})
            assert list(values.values()) == pytest.approx(list(wanted.values()), abs=1e-12)


# --- ir_measures, cwl_eval, gdeval --------------------------------------------------------------


@given(QRELS, runs_of(UNTIED), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([1, 2]))
@example(SEEN, UNTIED_RUN, 0.8, 1)
@example(SEEN, UNTIED_RUN, 0.95, 2)
def test_rank_biased_precision_of_cwl_eval(qrels: Qrels, run: Run, p: float, rel: int) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    cwl = ir_measures.providers.registry["cwl_eval"]
    if not cwl.is_available():
        pytest.skip("no cwl_eval")
    measure = ir_measures.RBP(rel=rel, p=p)
    theirs = {x.query_id: x.value for x in cwl.iter_calc([measure], qrels, run)}
    names = [str(measure), f"RBP(theta={1 - p!r},rel={rel})"]
    for topic, values in ours(qrels, run, names).items():
        assert list(values.values()) == pytest.approx([theirs[topic]] * 2, abs=1e-12)
    if rel == 1:
        for topic, values in ours(qrels, run, [f"RBP@{p}"]).items():
            assert list(values.values()) == pytest.approx([theirs[topic]], abs=1e-12)


@given(QRELS, runs_of(UNTIED), st.integers(1, 5), st.integers(1, 4))
@example(SEEN, UNTIED_RUN, 3, 2)
@example(SEEN, UNTIED_RUN, 2, 2)
def test_reciprocal_rank_of_ms_marco(qrels: Qrels, run: Run, rank: int, rel: int) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    measure = ir_measures.RR(rel=rel) @ rank
    msmarco = ir_measures.providers.registry["msmarco"]
    theirs = {x.query_id: x.value for x in msmarco.iter_calc([measure], qrels, run)}
    for topic, values in ours(qrels, run, [f"RR(rel={rel})@{rank}"]).items():
        assert values[f"RR(rel={rel})@{rank}"] == pytest.approx(theirs.get(topic, 0.0), abs=1e-12)


def gdeval(grades: list[int], others: list[int], rank: int, top: float) -> tuple[float, float]:
    """Return ERR and nDCG as gdeval.pl computes them, where `top` is 4."""
    err, decay = 0.0, 1.0
    for place, grade in enumerate(grades[:rank], start=1):
        satisfied = (2**grade - 1) / 2**top
        err += satisfied * decay / place
        decay *= 1 - satisfied
    best = sorted(others, reverse=True)
    dcg, most = (
        sum((2**grade - 1) / log2(place + 1) for place, grade in enumerate(row[:rank], start=1))
        for row in (grades, best)
    )
    return err, dcg / most


@given(QRELS, runs_of(TIED), st.integers(1, 6))
@example(SEEN, SEEN_RUN, 4)
def test_graded_measures_of_gdeval(qrels: Qrels, run: Run, rank: int) -> None:
    highest = max(grade for grades in qrels.values() for grade in grades.values())
    names = [
        f"ERR@{rank}",
        f"ERR(convention=chapelle)@{rank}",
        f"ndcg_burges@{rank}",
        f"ERR(highest=5)@{rank}",
        f"DCG(gain=exponential,normalised=true)@{rank}",
    ]
    for topic, values in ours(qrels, run, names).items():
        scores = run.get(topic, {})
        order = sorted(scores, key=lambda element: (scores[element], element), reverse=True)
        grades = [max(qrels[topic].get(element, 0), 0) for element in order]
        judged = [max(grade, 0) for grade in qrels[topic].values()]
        err, ndcg = gdeval(grades, judged, rank, 4)
        chapelle, _ = gdeval(grades, judged, rank, highest)
        wider, _ = gdeval(grades, judged, rank, 5)
        wanted = [err, chapelle, ndcg, wider, ndcg]
        assert list(values.values()) == pytest.approx(wanted, abs=1e-12)


# --- ranx ---------------------------------------------------------------------------------------

RANX_QRELS = {
    "a": {"d1": 3, "d2": 1, "d3": 2, "d4": 1, "d9": 2},
    "b": {"e1": 1, "e2": 2},
    "c": {"f1": 2, "f2": 1, "f3": 1},
}
RANX_RUN = {
    "a": {"d7": 9.0, "d2": 8.0, "d1": 7.0, "d8": 6.0, "d3": 5.0, "d6": 4.0},
    "b": {"x": 3.0, "y": 2.0, "e2": 1.0},
    "c": {"f2": 4.0, "f1": 3.0, "f9": 2.0, "f3": 1.5},
}
# What ranx 0.3.21 printed.
RANX = {
    "NDCG@3": (0.4049765583210164, 0.38009376671593426, 0.7224242270408039),
    "ndcg_burges@3": (0.39748037316475987, 0.41311732856427996, 0.7002755876478819),
    "ndcg_burges": (0.47201942708319167, 0.41311732856427996, 0.804532155482531),
    "MRR": (0.5, 0.3333333333333333, 1.0),
    "mrr@2": (0.5, 0.0, 1.0),
    "hit_rate@2": (1.0, 0.0, 1.0),
    "hits@3": (2.0, 1.0, 2.0),
    "precision@3": (0.6666666666666666, 0.3333333333333333, 0.6666666666666666),
    "recall@3": (0.4, 0.5, 0.6666666666666666),
    "map": (0.35333333333333333, 0.16666666666666666, 0.9166666666666666),
    "map@3": (0.2333333333333333, 0.16666666666666666, 0.6666666666666666),
    "r-precision": (0.6, 0.0, 0.6666666666666666),
    "f1@3": (0.5, 0.4, 0.6666666666666666),
    "rbp.80": (0.70784, 0.256, 0.6224),
    "rbp.95": (0.26432562500000023, 0.09025000000000008, 0.18786875000000014),
}
# Its dcg@3 and dcg, which are written otherwise here, and rbp of judgements of 0 and 1.
RANX_DCG = {
    "DCG(gain=grade)@3": (2.1309297535714578, 1.0, 2.261859507142915),
    "DCG(gain=grade)": (2.904635368040541, 1.0, 2.692536065216308),
}
RANX_BINARY = {
    "rbp.80": (0.36991999999999997, 0.128, 0.4624),
    "rbp.95": (0.13335031250000012, 0.04512500000000004, 0.14036875000000013),
}


def test_names_of_ranx() -> None:
    names = [name for name in RANX if name != "hit_rate@2" or "Success" in MEASURES]
    found = ours(RANX_QRELS, RANX_RUN, names)
    for name in names:
        values = [found[topic][name] for topic in RANX_QRELS]
        assert values == pytest.approx(list(RANX[name]), abs=1e-12), name


def test_grades_add_up_as_by_ranx() -> None:
    binary = {topic: dict.fromkeys(grades, 1) for topic, grades in RANX_QRELS.items()}
    for qrels, printed in ((RANX_QRELS, RANX_DCG), (binary, RANX_BINARY)):
        found = ours(qrels, RANX_RUN, list(printed))
        for name, wanted in printed.items():
            values = [found[topic][name] for topic in qrels]
            assert values == pytest.approx(list(wanted), abs=1e-12), name
    # Of a list with an unjudged element, grades up to the highest of all are still possible.
    [value] = ours(
        {"q": {"a": 1}, "r": {"b": 3}},
        {"q": {"x": 2.0, "a": 1.0}, "r": {"b": 1.0}},
        ["DCG(gain=grade,residual=true)@2"],
    )["q"].values()
    assert value == pytest.approx(3)


# Name -> what the message says, and what it ends with.
REFUSED = {
    "dcg@10": ("must be told from", "write DCG(gain=grade)@10 for ranx's, or DCG@10, where each"),
    "dcg": ("must be told from", "write DCG(gain=grade) for ranx's, or DCG, where"),
    "rbp": ("must be told from", "or RBP, where each ideal gains 1"),
    "map_at_0": ("must be the name of a measure", "did you mean"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_another_or_none_is_told_with_what_is_meant(name: str) -> None:
    with pytest.raises(InputError) as told:
        measures_of(name)
    assert all(part in str(told.value) for part in REFUSED[name]), str(told.value)


# --- the table of aliases -----------------------------------------------------------------------

CALLED = {
    "map": "AP",
    "AP@100": "AP@100",
    "P_10": "P@10",
    "Precision@5": "P@5",
    "P(cutoff=5)": "P@5",
    "recall_1000": "R@1000",
    "ndcg": "nDCG",
    "mrr@10": "RR@10",
    "R-Precision": "Rprec",
    "rbp.8": 'RBP(gain="grade",p=0.8)',
    "RBP(p=0.8)@20": "RBP(p=0.8)@20",
    "rbp@0.95": "RBP(p=0.95)",
    "AP(recall=2)": "AP@r=2",
    "nDCG(dcg='exp-log2')@10": 'nDCG(dcg="exp-log2")@10',
    "iprec_at_recall_0.10": "IPrec@0.1",
    "11pt_avg": "IPrec",
    "set_relative_P": "SetP(relative=true)",
    "set_F.0.5": "SetF(beta=0.5)",
    "Compat(normalize=False)": "Compat(normalised=false)",
    "IPrec(recall=1)": "IPrec@1.0",
    "ERR(convention=Chapelle)@5": 'ERR(convention="chapelle")@5',
    "αnDCG@5": "alpha_nDCG@5",
    "average_precision": "AP",
    "MeanReciprocalRank@10": "RR@10",
    "P(REL=2, judged_only=True)@5": "P(judged_only=true,rel=2)@5",
    "ndcg_at_10": "nDCG@10",
    "num_rel": "NumRel",
    "precision": "SetP",
    "precision(cutoff=5)": "P@5",
}


def test_names_are_printed_alike() -> None:
    for typed, printed in CALLED.items():
        assert str(measure_of(typed)) == printed, typed
        assert [str(measure) for measure in measures_of(typed)] == [printed]
    listed = measures_of("ndcg_cut_5,10, map,P.5,10,AP,iprec_at_recall.0,.1,RBP(p=.8)@5,10")
    wanted = "nDCG@5 nDCG@10 AP P@5 P@10 AP IPrec@0.0 IPrec@0.1 RBP(p=0.8)@5 RBP(p=0.8)@10"
    assert list(map(str, listed)) == wanted.split()


def test_measures_of_ir_measures_are_read_as_they_print() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    several = [ir_measures.nDCG @ 10, ir_measures.P(rel=2) @ 5, "AP"]
    assert [str(measure) for measure in measures_of(several)] == ["nDCG@10", "P(rel=2)@5", "AP"]
    assert measures_of(ir_measures.nDCG @ 10) == [measure_of("nDCG@10")]
    for wrong in (5, [5], None, [None]):
        with pytest.raises(InputError, match="must be the name of a measure"):
            measures_of(wrong)  # type: ignore[arg-type]


def test_no_name_means_two_things() -> None:
    names = [spelled(name) for name in MEASURES]
    assert len(set(names)) == len(names)
    assert not {spelled(alias) for alias in ALIASES} & set(names)
    assert len({spelled(alias) for alias in ALIASES}) == len(ALIASES)
    assert all(alias == alias.lower() for alias in ALIASES)


def test_other_names_that_are_listed_are_read() -> None:
    for line in full_listing():
        if line.startswith("    also: "):
            for alias in line.removeprefix("    also: ").split(", "):
                typed, _, meant = alias.partition(" for")
                try:
                    measure = measure_of(typed)
                except InputError as error:
                    assert "must be given; write" in str(error)  # noqa: PT017
                    continue
                assert not meant or measure == measure_of(meant.strip())


# --- of trec_eval 10 and ir_measures, by hand -----------------------------------------------------

COUNTED = {
    # Of d9 (unjudged), d1 (1), d5 (2), d3 (-1: unjudged), d0 (4), d2 (0); ideals d0, d1, d5, d7.
    "unj_5": 2 / 5,
    "unj_10": 2 / 10,
    "unj_20": 2 / 20,
    "Unjudged@2": 1 / 2,
    "num_nonrel_judged_ret": 1,
    "NumNonRelRet(rel=2)": 2,
    "relative_P_1": 0,
    "relative_P_3": 2 / 3,
    "relative_P_5": 3 / 4,
    "relative_P_10": 3 / 4,
    "rbp_resid": 0.1 + 0.1 * 0.9**3 + 0.9**6,
    # d9 above d1, d5 and d0; d3 above d0: of the nine pairs with d9, d3, d2 five.
    "Accuracy": 5 / 9,
    "Accuracy@4": 2 / 4,
}


def test_counts_by_hand() -> None:
    run = {"1": {x: 9.0 - at for at, x in enumerate(("d9", "d1", "d5", "d3", "d0", "d2"))}}
    assert ours({"1": SEEN["1"]}, run, list(COUNTED))["1"] == pytest.approx(COUNTED)
    assert len({str(measure_of(name)) for name in COUNTED}) == len(COUNTED)


@given(QRELS, runs_of(UNTIED))
@example(SEEN, UNTIED_RUN)
def test_accuracy_is_that_of_ir_measures(qrels: Qrels, run: Run) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    for topic, values in ours(qrels, run, ["Accuracy", "Accuracy@3", "Accuracy(rel=2)"]).items():
        for name, value in values.items():
            single = {topic: qrels[topic]}, {topic: run.get(topic, {})}
            try:
                found = list(ir_measures.iter_calc([ir_measures.parse_measure(name)], *single))
            except ZeroDivisionError:  # nothing else is listed
                found = []
            assert np.isnan(value) == (not found) or (name.endswith("2)") and value == 0)
            if found:
                assert value == pytest.approx(found[0].value)
