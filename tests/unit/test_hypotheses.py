"""The study of hypotheses: every number again from closed forms, cause by cause."""

import numpy as np
import pytest

from prum.analytic import closed_form, prum, prum_of
from prum.analytic.precision.of_task import reach_matrix
from prum.experiments.studies.hypotheses.study import CAUSES, LEVELS, Setting, study_hypotheses
from prum.experiments.studies.study import WrittenStudy
from prum.simulator import Independent, InputError, Links, Walk
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model.kinds import navigation_of
from tests.tiers import slow

LINKS = {("x", "a"): 0.5, ("x", "b"): 0.5, ("y", "a"): 0.3, ("y", "b"): 0.6, ("q", "a"): 0.8}
NOTHING = {"across": ["types 1:1"], "need": ["need 1"]}


def campaign(navigation=None, size=6) -> Campaign:
    return Campaign(
        "two lists",
        {"one": ("a", "b"), "two": ("a",)},
        {
            "direct": {"one": ("x", "a", "b"), "two": ("a", "x")},
            "around": {"one": ("y", "x"), "two": ("y", "x", "q")},
        },
        Independent(LINKS) if navigation is None else navigation,
        size,
    )


def rows_of(study: WrittenStudy, recall="mean"):
    return {row["cause"]: row for row in study.rows if row["recall"] == recall}


@pytest.fixture(scope="module")
def studied() -> WrittenStudy:
    return study_hypotheses(
        campaign(), within=["comonotone"], across=["types 0.5:0.2 0.5:1"], need=["need 0.5 1"]
    )


def test_the_smallest_case_by_hand() -> None:
    links = Independent({("x", "a"): 0.5, ("x", "b"): 0.5})
    one = Campaign("smallest", {"t": ("a", "b")}, {"s": {"t": ("x", "a", "b")}}, links, 3)
    study = study_hypotheses(one, within=["exclusive", "comonotone"], **NOTHING)
    at_two = [row for row in study.rows if row["recall"] == 1.0]
    for within, truth in (("exclusive", 4 / 5), ("comonotone", 3 / 4)):
        told = {row["cause"]: row for row in at_two if row["within"] == within}
        # All is independent but for the shortcut: 7/9 exactly, and PRUM's own value.
        shortcut = prum_of(one.task("s", "t"), links).precision[1] - 7 / 9
        assert told["within"]["alone"] == pytest.approx(7 / 9 - truth)
        assert told["within"]["share"] == pytest.approx(7 / 9 - truth)
        assert told["noisy-or"]["share"] == pytest.approx(shortcut)
        assert told["total"]["share"] == pytest.approx(7 / 9 - truth + shortcut)
        for cause in ("normal law", "across", "need", "unranked"):
            assert told[cause]["share"] == pytest.approx(0, abs=1e-12)
        assert told["total"]["precision"] == pytest.approx(truth)
        assert told["total"]["share_low"] is None
    assert study.found["rankings"] == []


def test_shares_add_up(studied: WrittenStudy) -> None:
    for recall in ("mean", *LEVELS):
        rows = rows_of(studied, recall)
        assert rows["total"]["share"] == rows["total"]["alone"]
        whole = sum(rows[cause]["share"] for cause in CAUSES)
        assert whole == pytest.approx(rows["total"]["share"], abs=1e-12)
    assert abs(rows_of(studied)["total"]["share"]) > 0.001


def test_alone_is_the_difference_of_two_closed_forms(studied: WrittenStudy) -> None:
    setting = Setting("comonotone", "types 0.5:0.2 0.5:1", "need 0.5 1")
    one = campaign()
    for cause in ("within", "across", "need", "unranked"):
        errors = []
        for system, topic, task in one.tasks():
            kind = setting.kind(frozenset({cause}))
            truth = closed_form(task, navigation_of(kind, Links(LINKS)))
            assert truth is not None
            told = kind if cause in ("across", "need") else "independent"
            reach = reach_matrix(task, navigation_of(told, Links(LINKS)))
            # PRUM is given the mean probabilities; without the shortcut it would be `exact`.
            dense = reach.toarray()
            table = {
                (element, ideal): float(dense[rank, x])
                for rank, element in enumerate(task.ranking)
                for x, ideal in enumerate(task.ideals)
                if element != ideal
            }
            estimate = closed_form(task, Independent(table))
            assert estimate is not None
            errors.append((estimate.precision - truth.precision).mean())
            assert system in one.runs
            assert topic in one.ideals
        assert rows_of(studied)[cause]["alone"] == pytest.approx(np.mean(errors), abs=1e-12)


def test_the_whole_error_is_prums(studied: WrittenStudy) -> None:
    one = campaign()
    kind = Setting("comonotone", "types 0.5:0.2 0.5:1", "need 0.5 1").kind(frozenset(CAUSES))
    assert kind == "comonotone + types 0.5:0.2 0.5:1 + need 0.5 1 + unranked"
    navigation = navigation_of(kind, Links(LINKS))
    errors = [
        (prum_of(task, navigation).precision - closed_form(task, navigation).precision).mean()
        for _, _, task in one.tasks()
    ]
    assert rows_of(studied)["total"]["share"] == pytest.approx(np.mean(errors), abs=1e-12)


def test_prum_is_told_the_mean_probabilities() -> None:
    task = campaign().task("around", "one")
    navigation = navigation_of("types 0.5:0.2 0.5:1 + need 0.5 1", Links(LINKS))
    given = reach_matrix(task, navigation).toarray()
    assert given == pytest.approx(np.array([[0.3, 0.6], [0.5, 0.5]]) * 0.6 * 0.75)
    assert prum_of(task, navigation).precision == pytest.approx(prum(given, 4).precision)


def test_a_walk_is_compared_with_independent_visits_of_its_own_probabilities() -> None:
    walk = Walk({("x", "a"): 0.4, ("a", "b"): 0.5, ("y", "x"): 0.9, ("x", "y"): 0.3, ("b", "q"): 1})
    study = study_hypotheses(campaign(walk), **NOTHING)
    assert {row["within"] for row in study.rows} == {"walk"}
    one = campaign(walk)
    errors = []
    for _, _, task in one.tasks():
        reach = reach_matrix(task, walk)
        true = closed_form(task, walk)
        assert true is not None
        told = {
            (task.ranking[rank], task.ideals[x]): float(p)
            for (rank, x), p in np.ndenumerate(reach.toarray())
            if task.ranking[rank] != task.ideals[x]
        }
        independent = closed_form(task, Independent(told))
        assert independent is not None
        errors.append((independent.precision - true.precision).mean())
    assert rows_of(study)["within"]["alone"] == pytest.approx(np.mean(errors), abs=1e-12)
    assert abs(np.mean(errors)) > 0.001


@slow
def test_what_has_no_exact_value_is_simulated() -> None:
    # Exclusive visits that overlap for some users only have no closed form.
    links = Independent({("x", "a"): 0.8, ("x", "b"): 0.8, ("y", "a"): 0.3})
    settings = {"within": ["exclusive"], "across": ["beta 1 1"], "need": ["need 1"]}
    study = study_hypotheses(campaign(links), **settings, num_users=20_000, seed=2)
    # Both are there in 2 of 16 ways per need, that browse after the list or not; one list of each
    # topic and system that reaches both ideals from one element.
    assert study.found["num_simulated"] > 0
    whole = sum(rows_of(study)[cause]["share"] for cause in CAUSES)
    assert whole == pytest.approx(rows_of(study)["total"]["share"], abs=1e-12)
    again = study_hypotheses(campaign(links), **settings, num_users=20_000, seed=2)
    assert again.rows == study.rows
    other = study_hypotheses(campaign(links), **settings, num_users=20_000, seed=3)
    assert other.rows != study.rows
    assert rows_of(other)["total"]["share"] == pytest.approx(
        rows_of(study)["total"]["share"], abs=0.02
    )


@pytest.mark.parametrize(
    ("navigation", "settings", "told"),
    [
        ("beta 1 1", {}, "navigation of the campaign"),
        ("independent", {"within": ["walk"]}, "within"),
        ("independent", {"across": ["beta"]}, "navigation"),
        ("independent", {"need": ["need 2"]}, "need"),
        ("independent", {"num_users": 1}, "users"),
    ],
)
def test_what_is_refused(navigation: str, settings: dict[str, object], told: str) -> None:
    one = campaign(navigation_of(navigation, Links(LINKS)))
    with pytest.raises(InputError, match=told):
        study_hypotheses(one, **settings)  # type: ignore[arg-type]
