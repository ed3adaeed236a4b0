"""Measures of users who stop, as `prum evaluate` computes them: all lists at once, and by grade."""

import numpy as np
import pytest

from prum.analytic.utility.browsed import browsed_utility
from prum.analytic.utility.measures import utility
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.judged import Collection, Judged
from prum.experiments.measures.measure import measure_of
from prum.simulator.collections.linking import Linked
from prum.simulator.model import InputError, Links

STOPPING = (
    "RBP",
    "RBTR",
    "RBAP",
    "CDG",
    "DCG",
    "DAG",
    "RRG",
    "SumRR",
    "RAP",
    "ERR",
    "EPR",
    "ARR",
    "RRR",
    "RRAP",
)


def _made_topics(number: int) -> tuple[list[Judged], dict[str, list[str]]]:
    """Return topics with graded elements, and a list for each: repeats and unjudged among it."""
    rng = np.random.default_rng(number)
    collection = Collection(size=99, highest_grade=3)
    judged, lists = [], {}
    for topic in ("one", "two", "three"):
        ids = [f"{topic}{element}" for element in range(30)]
        grades = {x: int(rng.integers(-1, 4)) for x in ids[:20]}
        ideals = tuple(sorted(x for x, grade in grades.items() if grade >= 1))
        judged.append(Judged(topic, ideals, grades, None, collection))
        lists[topic] = [ids[element] for element in rng.integers(0, 30, 25)]
    del lists["three"]
    return judged, lists


# Settings by what utility calls them, for the measures that have them.
SETTINGS = {
    "": {},
    "(theta=0.5)": {"theta": 0.5},
    "(p=0.8)": {"theta": 1 - 0.8},
    "(base=4.0)": {"base": 4.0},
    "(normalised=true)": {"normalised": True},
}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("cutoff", ["", "@5", "@100"])
def test_measures_of_who_stops_are_those_of_each_list_alone(settings: str, cutoff: str) -> None:
    judged, lists = _made_topics(1)
    key = settings.strip("()").split("=")[0]
    names = [name for name in STOPPING if not key or key in MEASURES[name].options]
    assert len(names) >= 3
    measures = [measure_of(f"{name}{settings}{cutoff}") for name in names]
    together = score_runs([("run", lists)], judged, measures).values[0]
    for place, topic in enumerate(judged):
        seen, found = set(), []
        for element in lists.get(topic.topic, []):
            found.append(element in topic.ideals and element not in seen)
            seen.add(element)
        for number, name in enumerate(names):
            given = dict(SETTINGS[settings])
            if name == "ERR" and key != "theta":
                continue  # by grade
            if MEASURES[name].options.keys() >= {"p"} and key not in ("p", "theta"):
                given["theta"] = 1 - 0.8
            alone = utility(
                name, found, len(topic.ideals), cutoff=int(cutoff[1:]) if cutoff else None, **given
            )
            assert together[place, number] == pytest.approx(alone, abs=1e-12), name


def test_graded_gains_and_residuals() -> None:
    judged, lists = _made_topics(2)
    names = [
        "ERR(theta=.5,gain=exponential,highest=3)",
        "DCG(gain=linear)@10",
        "RBP(residual=true,theta=.5)",
        "RBP",
    ]
    scores = score_runs([("run", lists)], judged, [measure_of(name) for name in names]).values[0]
    topic, ranking = judged[0], lists["one"]
    first = [x not in ranking[:rank] for rank, x in enumerate(ranking)]
    grades = [
        (max(topic.grades.get(x, 0), 0) if is_first else 0)
        for x, is_first in zip(ranking, first, strict=True)
    ]
    stop = [(2**grade - 1) / 8 / 2 for grade in grades]
    by_hand = sum(
        share * np.prod([1 - before for before in stop[:rank]]) / (rank + 1)
        for rank, share in enumerate(stop)
    )
    assert scores[0, 0] == pytest.approx(by_hand)
    discounted = sum(g / 3 / np.log2(k + 2) for k, g in enumerate(grades[:10]))
    assert scores[0, 1] == pytest.approx(discounted)
    unjudged = [topic.grades.get(x, -1) < 0 and f for x, f in zip(ranking, first, strict=True)]
    residual = sum(0.5 ** (k + 1) for k, is_open in enumerate(unjudged) if is_open) + 0.5**25
    assert scores[0, 2] == pytest.approx(residual)
    assert scores[2, 2] == 1  # nothing retrieved: nothing known
    assert scores[2, 3] == 0


def test_users_who_stop_and_browse() -> None:
    links = Links({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
    collection = Collection(size=4, linked=Linked(links))
    topic = Judged("web", ("a", "b"), {"a": 1, "b": 1}, None, collection)
    names = [
        "RBTR(navigation=independent,theta=.5)",
        "ERR(navigation=independent,theta=.5)",
        "RRAP(navigation=independent)",
    ]
    run = ("list", {"web": ["c", "d", "a", "b"]})
    measures = [measure_of(name) for name in (*names, f"{names[1]}@2")]
    scores = score_runs([run], [topic], measures).values[0, 0]
    reach = [[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]
    for score, name in zip(scores, ("RBTR", "ERR", "RRAP"), strict=False):
        assert score == pytest.approx(browsed_utility(name, reach))
    assert scores[3] == pytest.approx(browsed_utility("ERR", reach[:2]))
    walk = measure_of("ERR(navigation=walk,theta=.5)")
    with pytest.raises(InputError, match="be independent where users stop at what they find"):
        score_runs([run], [topic], [walk])
    both = measure_of("RBP(navigation=walk,normalised=true)")
    with pytest.raises(
        InputError, match="be used without gain, highest, theta by grade, normalised"
    ):
        score_runs([run], [topic], [both])
    assert score_runs([run], [topic], [measure_of("RBP(navigation=walk)")]).values[0, 0] > 0
    with pytest.raises(InputError, match=r"write ERR\(theta=0.5,navigation=...\)"):
        score_runs([run], [topic], [measure_of("ERR(navigation=independent)")])


def test_the_highest_grade_may_be_another_than_that_of_the_judgements() -> None:
    judged, lists = _made_topics(4)
    names = [f"ERR{more}@20" for more in ("", "(convention=chapelle)", "(highest=3)")] + [
        f"DCG(gain=linear{more})@5" for more in ("", ",highest=6")
    ]
    scores = score_runs([("run", lists)], judged, [measure_of(name) for name in names]).values[0]
    # The judgements' highest is 3: not gdeval's.
    assert (scores[:2, 1] > scores[:2, 0] + 0.05).all()
    assert scores[:, 1] == pytest.approx(scores[:, 2], abs=0)
    assert scores[:, 3] == pytest.approx(2 * scores[:, 4])
    for name, message in (
        (
            "ERR(theta=.5,highest=4)",
            "highest of ERR is 4.0, must be used with gain or theta by grade",
        ),
        (
            "ERR(theta=linear,highest=2)",
            r"highest of ERR is 2.0, must be at least 3, .*; write ERR\(convention=chapelle\)",
        ),
        ("RBP(highest=4,navigation=independent)", "be used without gain, highest"),
    ):
        with pytest.raises(InputError, match=message):
            score_runs([("run", lists)], judged, [measure_of(name)])
