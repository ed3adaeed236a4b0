"""`trust`: values known by hand, by brute force and by simulation; orders; odd input; words."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import prum
from prum import Browsing, Coupled, Independent, InputError, OneFactor, Task
from prum.analytic import closed_form, exact
from prum.experiments.trust import DEPENDENCES, TrustResult, UserLimit, values
from prum.experiments.trust import trusted as trusted_module
from prum.experiments.trust.dependences import ReachedList, dependences
from prum.experiments.trust.trusted import trusted_recall
from prum.experiments.trust.values import value_of
from prum.simulator.model import ListCosts
from tests.unit.experiments.trust.made import (
    HALVES,
    QRELS,
    turning,
)

NAMED = {dependence.name: dependence for dependence in DEPENDENCES}


def precisions(result: TrustResult, system: str, name: str) -> list[float]:
    return [result.mean(system, name, r) for r in range(1, result.most_ideals + 1)]


# --- known by hand -------------------------------------------------------------------------------


def test_visits_that_go_together_move_a_value_by_what_is_known() -> None:
    result = prum.trust({"list": {"q": ["x", "a", "b"]}}, QRELS, links=HALVES, collection_size=3)
    known = {
        "PRUM": [4 / 5, 7 / 9],
        "independent": [4 / 5, 7 / 9],
        "exclusive": [1, 4 / 5],
        "comonotone": [2 / 3, 3 / 4],
    }
    for name, expected in known.items():
        assert precisions(result, "list", name) == pytest.approx(expected, abs=1e-12)
    assert result.mean("list", "PRUM") - result.mean("list", "comonotone") == pytest.approx(
        (4 / 5 - 2 / 3 + 7 / 9 - 3 / 4) / 2
    )
    (one,) = result.lists.values()
    assert (one.bounds.precision_low <= 2 / 3 + 1e-12).all()
    assert {value.how for value in one.values.values()} == {"exact", "quadrature", "idle"}


def test_users_who_differ_have_the_same_mean_and_their_own_closed_form() -> None:
    task = Task(["x", "a", "y"], ["a", "b", "c"], 9)
    links = Independent({("x", "b"): 0.3, ("x", "c"): 0.4, ("y", "b"): 0.2})
    given = ReachedList(task, links)
    independent = exact(given.reach, task.num_unranked)
    differing = next(d for d in dependences(differ=0.5) if d.name == "users differ")
    value = value_of(given, differing, independent, UserLimit())
    known = closed_form(task, Browsing(links, OneFactor(0.5)))
    assert known is not None
    assert value.precision == pytest.approx(known.precision, abs=1e-4)
    assert (value.precision < independent.precision)[:2].all()


def test_a_walk_is_its_own_dependence() -> None:
    links = {("x", "a"): 0.5, ("x", "b"): 0.5}
    result = prum.trust(
        {"list": {"q": ["x", "a", "b"]}}, QRELS, links=links, navigation="walk", collection_size=3
    )
    assert precisions(result, "list", "walk") == pytest.approx([1, 0.8])
    assert precisions(result, "list", "exclusive") == pytest.approx([1, 0.8])
    assert precisions(result, "list", "PRUM") == pytest.approx([0.8, 7 / 9])


def test_the_navigation_given_stands_beside_the_others() -> None:
    result = prum.trust(
        {"list": {"q": ["x", "a", "b"]}},
        QRELS,
        links=HALVES,
        navigation="copula .3",
        collection_size=3,
    )
    assert result.names[-1] == "as given"
    task = Task(["x", "a", "b"], ["a", "b"], 3)
    known = closed_form(task, Coupled(Independent(HALVES), prum.Copula(0.3)))
    assert known is not None
    assert precisions(result, "list", "as given") == pytest.approx(known.precision.tolist())


COSTS = {"tokens": {"x": 40.0, "a": 10.0, "b": 30.0}}


def test_values_in_a_unit_of_cost() -> None:
    """Who is done at x pays 40 tokens; else 10 for a, and 30 for b."""
    given: dict[str, Any] = {"links": HALVES, "collection_size": 3}
    result = prum.trust(
        {"list": {"q": ["x", "a", "b"]}}, QRELS, costs=COSTS, cost="tokens", **given
    )
    known = {
        "PRUM": (30 + 10 / 4) / (40 + 10 / 4),
        "independent": (30 + 10 / 4) / (40 + 10 / 4),
        "exclusive": 1,
        "comonotone": (20 + 10 / 2) / (40 + 10 / 2),
    }
    for name, expected in known.items():
        assert result.mean("list", name, 1) == pytest.approx(expected, abs=1e-12)
    (one,) = result.lists.values()
    assert one.bounds.unit == "tokens"
    assert one.bounds.precision_low[0] <= known["comonotone"] <= one.bounds.precision_high[0]
    assert "PRUM in tokens" in result.headline
    # As many users, who pay 1 each: as without costs.
    units = {"units": dict.fromkeys("xab", 1)}
    runs = {"list": {"q": ["x", "a", "b"]}}
    ones = prum.trust(runs, QRELS, costs=units, cost="units", **given)
    plain = prum.trust(runs, QRELS, **given)
    columns = ["dependence", "r", "precision", "half"]
    assert ones.to_frame()[columns].equals(plain.to_frame()[columns])


def test_simulated_users_pay_what_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task(["x", "y", "a", "b"], ["a", "b", "c"], 10)
    links = Independent(
        {(x, y): p for x in "xy" for y, p in zip("abc", (0.3, 0.2, 0.1), strict=True)}
    )
    given = ReachedList(task, links, ListCosts([40, 10, 200, 30], 55, unit="tokens"))
    independent = exact(given.reach, task.num_unranked, costs=given.costs)
    known = value_of(given, NAMED["comonotone"], independent, UserLimit())
    monkeypatch.setattr(values, "_MOST_JOINT", 0)
    simulated = value_of(given, NAMED["comonotone"], independent, UserLimit())
    assert (known.how, simulated.how) == ("exact", "simulated")
    # Three comparisons at a family-wise level of .001.
    z = (simulated.precision - known.precision) / (simulated.half / 1.96)
    assert np.abs(z).max() < 3.6
    # Negative control: elements are not tokens.
    counted = value_of(ReachedList(task, links), NAMED["comonotone"], independent, UserLimit())
    assert np.abs(counted.precision - known.precision).max() > simulated.half.max()


# --- odd input -----------------------------------------------------------------------------------


def test_without_links_there_is_nothing_to_trust() -> None:
    result = prum.trust({"one": {"q": ["x", "a"]}, "two": {"q": ["a"]}}, QRELS, collection_size=9)
    assert result.headline == (
        "There are no links, so PRUM is exact and there is nothing to check."
    )
    assert result.mean("one", "comonotone") == pytest.approx(result.mean("one", "PRUM"))


def test_certain_links_leave_nothing_to_depend_on() -> None:
    links = {("x", "a"): 1.0, ("x", "b"): 1.0}
    result = prum.trust({"one": {"q": ["y", "x"]}}, QRELS, links=links, collection_size=9)
    assert result.headline == ("Values hold: PRUM is right; no visit here can depend on another.")
    assert not result.pairs


def test_topics_without_ideals_missing_topics_and_hostile_names() -> None:
    name = '<b>&"\n\x1b[31m'
    result = prum.trust(
        {name: {"q": ["x", "a"]}, "other": {"r": ["x"]}},
        {"q": {"a": 1, "b": 1}, "r": {"b": 1}, "none": {"x": 0}},
        links=HALVES,
        collection_size=9,
    )
    assert result.topics == ("q", "r")
    remarks = " ".join(result.remarks)
    assert "left out, no ideal: none" in remarks
    assert "judged topics that a run lacks" in remarks
    page = result.to_html()
    assert "<b>&" not in page
    assert "&lt;b&gt;&amp;" in page
    assert json.loads(result.to_json())["systems"] == [name, "other"]
    assert "&lt;b&gt;" in result._repr_html_()
    assert repr(result)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"differ": 1.5}, "rho"),
        ({"margin": -1}, "margin"),
        ({"baseline": "third"}, "baseline"),
        ({"collection_size": 1}, "system list, topic q"),
        ({"links": {("k", "l"): 0.5}}, "links"),
        ({"runs": {}}, "runs"),
    ],
)
def test_wrong_input_is_told_in_a_line(wrong: dict[str, Any], message: str) -> None:
    right = {
        "runs": {"list": {"q": ["x", "a"]}},
        "qrels": QRELS,
        "links": HALVES,
        "collection_size": 9,
    }
    with pytest.raises(InputError, match=message) as raised:
        prum.trust(**{**right, **wrong})
    assert "\n" not in str(raised.value)


# --- the end comes early -------------------------------------------------------------------------


def interrupted_after(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from prum.experiments.trust import jobs as trusting

    genuine = trusting.in_order

    def cut(*arguments: Any) -> Iterator[Any]:
        for done, value in enumerate(genuine(*arguments)):
            if done == number:
                raise KeyboardInterrupt
            yield value

    monkeypatch.setattr(trusting, "in_order", cut)


def test_interrupted_it_tells_of_the_topics_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = prum.trust(**turning())
    interrupted_after(5, monkeypatch)
    result = prum.trust(**turning())
    assert result.stopped == "interrupted"
    assert result.topics == ("q0", "q1")
    assert "interrupted: this is of 2 of 3 topics" in result.remarks[-1]
    assert result.mean("hub", "correlated") == pytest.approx(whole.mean("hub", "correlated"))


def test_it_tells_how_much_is_done() -> None:
    shares = list[float]()
    prum.trust(**turning(), progress=shares.append)
    assert 0 < shares[0] < shares[-1] == 1


# --- words ---------------------------------------------------------------------------------------


def test_the_answer_says_up_to_where_prum_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    # At r = 1 an ideal comes first; beyond, a gate that may show two.
    links = {("gate", "b"): 0.5, ("gate", "c"): 0.5}
    runs = {"list": {"q": ["a", "gate", "n", "m", "b", "c"]}}
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    result = prum.trust(runs, qrels, links=links, collection_size=6)
    trusted = trusted_recall(result)
    assert (trusted.last, trusted.error, trusted.largest) == (1, 0.0, 3)
    assert result.headline.startswith(
        "Values hold up to r = 1: PRUM is right for the users tried, extreme cases aside; "
        "beyond, it may be off by"
    )
    errors = {
        name: abs(float(error[0]))
        for name, error in result.mean_errors(trusted.beyond_r).items()
        if name not in result.extremes
    }
    assert trusted.beyond == pytest.approx(max(errors.values()))
    assert errors[trusted.beyond_name] == pytest.approx(trusted.beyond)
    wide = prum.trust(runs, qrels, links=links, collection_size=6, margin=0.9)
    # The margin alone does not do: the error is more than a tenth of PRUM's value.
    assert trusted_recall(wide).last == 1
    monkeypatch.setattr(trusted_module, "SHARE", 0.9)
    assert wide.headline.startswith("Values hold: PRUM errs by at most ")
